// SPDX-License-Identifier: GPL-2.0

package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"memward/internal/groupfs"
)

// ofContainer is the cgroup of a container that runs, by its name or its id, or the first of that.
func ofContainer(word string) (string, error) {
	id, err := word, error(nil)
	if !isID.MatchString(word) {
		id, err = askForID(word, enginePatience)
	}
	if err != nil {
		return "", err
	}
	if id == "" {
		return "", errNone
	}
	found := searchBelow(Root(), id)
	switch len(found) {
	case 0:
		return "", errNone
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("several cgroups could be the container %s: %s", word, strings.Join(found, ", "))
}

// Twelve letters are what podman ps and docker ps show.
var isID = regexp.MustCompile(`^[0-9a-f]{12,64}$`)

// enginePatience is how long what runs containers may take to answer.
const enginePatience = 10 * time.Second

// SilentError says that what runs containers here does not answer.
type SilentError struct {
	Engine, Name string
	Patience     time.Duration
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("%s does not say within %v whether it has a container %s", e.Engine, e.Patience, groupfs.Quote(e.Name))
}

// Next is what whoever reads it can do.
func (e *SilentError) Next() string {
	return "give the container's id, its cgroup's path, or a unit with its suffix (" + groupfs.Quote(e.Name+".service") + "): then nobody asks " + e.Engine
}

// askForID asks what runs containers here for the id of the one by that name; "" if nobody knows it.
func askForID(name string, patience time.Duration) (id string, err error) {
	for _, engine := range []string{"podman", "docker"} {
		if _, missing := exec.LookPath(engine); missing != nil || strings.HasPrefix(name, "-") {
			continue
		}
		id, silent := inspect(engine, name, patience)
		if id != "" {
			return id, nil
		}
		// the other one may have it
		err = errors.Join(err, silent)
	}
	return "", err
}

func inspect(engine, name string, patience time.Duration) (id string, silent error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ask := exec.CommandContext(ctx, engine, "inspect", "--type", "container", "--format", "{{.Id}}", name)
	// whom it has started may have its output open still
	ask.WaitDelay = time.Second
	out, err := ask.Output()
	if ctx.Err() != nil {
		return "", &SilentError{engine, name, patience}
	}
	if id := strings.TrimSpace(string(out)); err == nil && isID.MatchString(id) {
		return id, nil
	}
	return "", nil
}

// cgroupOf is the id in the name of a container's cgroup: docker-ID.scope, libpod-ID.scope, cri-containerd-ID.scope, or ID.
// What is called conmon besides is the one of who looks after it.
var cgroupOf = regexp.MustCompile(`^(?:[a-z]+-)*([0-9a-f]{64})(?:\.scope)?$`)

// searchBelow finds the cgroups below root that are containers of this id; not those inside of them.
func searchBelow(root, id string) (found []string) {
	_ = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return skipped(err)
		}
		match := cgroupOf.FindStringSubmatch(entry.Name())
		if match == nil || strings.Contains(entry.Name(), "-conmon-") {
			return nil
		}
		if strings.HasPrefix(match[1], id) {
			found = append(found, strings.TrimPrefix(at, root))
		}
		return fs.SkipDir
	})
	return found
}

// skipped goes on where a cgroup has gone meanwhile.
func skipped(err error) error {
	if os.IsPermission(err) {
		return fs.SkipDir
	}
	return nil
}
