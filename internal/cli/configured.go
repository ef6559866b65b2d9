// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"memward/internal/apply"
	"memward/internal/conf"
	"memward/internal/groupfs"
)

// configured is how what is applied stands to the files of the configuration.
type configured struct {
	Files    int       `json:"files"`
	Mistakes []mistake `json:"mistakes"`
	// Changes are what applying the files would change; nil where that cannot be known: nothing is mounted, or who asks is not root.
	Changes []apply.Change `json:"changes"`
	dir     string
}

// settling is how long a unit that has just started, or somebody else who applies the files, may take.
const settling = time.Second / 2

// lookAtFiles compares what files say with what is.  What may not be read is left out.
func (s *state) lookAtFiles(a *app, dir string) error {
	c, err := conf.Load([]string{dir}, nil)
	if err != nil {
		return unlessDenied(err)
	}
	s.Configured = configured{Files: len(c.Files) + len(c.Errors), dir: dir}
	wrong := mistakesIn(c)
	if tree, found := a.tree(); found == nil {
		var changes []apply.Change
		var failed []*conf.Error
		changes, failed, err = differences(tree, dir)
		if err == nil {
			s.Configured.Changes, wrong = append([]apply.Change{}, changes...), failed
		}
	}
	wrong = slices.DeleteFunc(wrong, func(e *conf.Error) bool { return unlessDenied(e) == nil })
	s.Configured.Mistakes = mistakesOf(wrong)
	return unlessDenied(err)
}

// unlessDenied is an error, unless it is that somebody may not read a file, or that memward is mounted no longer.
func unlessDenied(err error) error {
	var denied *groupfs.PermissionError
	if os.Geteuid() != 0 && (errors.Is(err, fs.ErrPermission) || errors.As(err, &denied)) || errors.Is(err, groupfs.ErrNotMounted) {
		return nil
	}
	return err
}

// differences are what applying the files would change, both now and a moment later, and what is wrong with them.
func differences(tree *groupfs.Tree, dir string) (changes []apply.Change, wrong []*conf.Error, err error) {
	changes, wrong, err = wouldChange(tree, dir)
	if err != nil || len(changes) == 0 {
		return changes, wrong, err
	}
	time.Sleep(settling)
	later, wrong, err := wouldChange(tree, dir)
	changes = slices.DeleteFunc(changes, func(c apply.Change) bool { return !slices.Contains(later, c) })
	return changes, wrong, err
}

func wouldChange(tree *groupfs.Tree, dir string) (changes []apply.Change, wrong []*conf.Error, err error) {
	applier := apply.New(tree)
	applier.DryRun = true
	applier.Did = func(change apply.Change) { changes = append(changes, change) }
	applier.Failed = func(failed error) {
		mistake := &conf.Error{Path: dir, Err: failed}
		errors.As(failed, &mistake)
		wrong = append(wrong, mistake)
	}
	_, err = applier.All([]string{dir})
	return changes, wrong, err
}

func (c *configured) isWell() bool { return len(c.Mistakes) == 0 && len(c.Changes) == 0 }

func (c *configured) String() string {
	text := counted(c.Files, "file") + " in " + groupfs.Quote(c.dir)
	switch {
	case c.isWell() && c.Changes == nil:
		return text + ", without a mistake that can be seen"
	case c.isWell():
		return text + ", all applied"
	}
	var parts []string
	if len(c.Mistakes) > 0 {
		parts = append(parts, counted(len(c.Mistakes), "mistake"))
	}
	if len(c.Changes) > 0 {
		parts = append(parts, counted(len(c.Changes), "change")+" not applied")
	}
	return text + ": " + strings.Join(parts, ", ")
}

// steps are what is to be done about it.
func (c *configured) steps() []string {
	switch {
	case c.isWell():
		return nil
	case c.Changes == nil:
		return []string{fmt.Sprintf("memward apply --check says what is wrong in %s", c.dir)}
	case len(c.Mistakes) > 0:
		return []string{fmt.Sprintf("memward apply --diff says what is wrong in %s, and what is not applied", c.dir)}
	}
	return []string{fmt.Sprintf("memward apply --diff says what is not applied of %s; memward apply, or systemctl reload memward, applies it", c.dir)}
}
