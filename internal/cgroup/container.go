// SPDX-License-Identifier: GPL-2.0

package cgroup

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// ofContainer is the cgroup of a container that runs, by its name or its id, or the first of that.
func ofContainer(word string) (string, error) {
	id := word
	if !isID.MatchString(word) {
		id = askForID(word)
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

// askForID asks what runs containers here for the id of the one by that name; "" if nobody knows it.
func askForID(name string) string {
	for _, engine := range []string{"podman", "docker"} {
		if _, err := exec.LookPath(engine); err != nil || strings.HasPrefix(name, "-") {
			continue
		}
		out, err := exec.Command(engine, "inspect", "--type", "container", "--format", "{{.Id}}", name).Output()
		if id := strings.TrimSpace(string(out)); err == nil && isID.MatchString(id) {
			return id
		}
	}
	return ""
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
