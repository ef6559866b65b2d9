// SPDX-License-Identifier: GPL-2.0

// Package apply makes the groups what the configuration says, step by step, and remembers what it has done, so that what
// the configuration says no longer can be taken back.
package apply

import (
	"errors"
	"fmt"
	"slices"

	"memward/internal/conf"
	"memward/internal/groupfs"
)

// Kind is what a step does.
type Kind string

// What is done to a group.
const (
	Make   Kind = "make"
	Set    Kind = "set"
	Bind   Kind = "bind"
	Unbind Kind = "unbind"
	Remove Kind = "remove"
)

// Change is a step.
type Change struct {
	Kind  Kind   `json:"change"`
	Group string `json:"group"`
	// File is what is set; From what it says, "" if the group is not there yet; To what is written, or the cgroup that is bound.
	File string `json:"file,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// path and line are where it stands.
	path string
	line int
	// before is what a file has said when it was set, also of a group that was made first; after is what it said then.
	before, after string
	// fresh says that the group was not there before.
	fresh bool
}

func (c Change) String() string {
	name := groupfs.Quote(c.Group)
	switch {
	case c.Kind == Set && c.From == "":
		return fmt.Sprintf("set %s %s=%s", name, c.File, groupfs.Quote(c.To))
	case c.Kind == Set:
		return fmt.Sprintf("set %s %s=%s (was %s)", name, c.File, groupfs.Quote(c.To), groupfs.Quote(c.From))
	case c.To != "":
		return fmt.Sprintf("%s %s %s", c.Kind, name, groupfs.Quote(c.To))
	}
	return fmt.Sprintf("%s %s", c.Kind, name)
}

// wrong says where what was refused stands: which of several settings it was, the error may know.
func wrong(changes []Change, err error) error {
	c := changes[0]
	var value *groupfs.ValueError
	var missing *groupfs.NoFileError
	for _, other := range changes {
		if errors.As(err, &value) && value.File == other.File || errors.As(err, &missing) && missing.File == other.File {
			c = other
			break
		}
	}
	if c.path == "" {
		return err
	}
	return &conf.Error{Path: c.path, Line: c.line, Err: err}
}

// journal makes changes, and can undo those it has made.
type journal struct {
	tree *groupfs.Tree
	// write notes what is about to be made, or was, as somebody may be killed before all of it is.
	write func(changes []Change, made bool)
	done  []Change
}

// do makes changes, or, if one cannot be made, none.  Those for one group are set together, as groupfs.Group.Set orders them.
func (j *journal) do(changes []Change) error {
	for len(changes) > 0 {
		n := 1
		for changes[0].Kind == Set && n < len(changes) && changes[n].Kind == Set && changes[n].Group == changes[0].Group {
			n++
		}
		j.look(changes[:n])
		j.write(changes[:n], false)
		switch err := j.step(changes[:n]); {
		case err == nil:
			j.write(changes[:n], true)
			j.done = append(j.done, changes[:n]...)
		case j.tree.Mirror != "" && hasGone(err):
			// a unit that ends is none of anybody's mistakes
		default:
			return errors.Join(wrong(changes[:n], err), j.undo())
		}
		changes = changes[n:]
	}
	return nil
}

// hasGone says whether a group was removed meanwhile, and perhaps made anew.
func hasGone(err error) bool {
	var missing *groupfs.NoFileError
	return groupfs.IsGone(err) || errors.As(err, &missing)
}

// look remembers what the files of one group say before they are set.
func (j *journal) look(changes []Change) {
	g, found, err := j.tree.Find(changes[0].Group)
	if err != nil || !found || changes[0].Kind != Set {
		return
	}
	for i := range changes {
		changes[i].before, _ = g.Read(changes[i].File)
	}
}

// set makes settings of one group, and remembers what its files say after it.
func set(g groupfs.Group, changes []Change) error {
	var settings []groupfs.Setting
	for i := range changes {
		settings = append(settings, groupfs.Setting{File: changes[i].File, Value: changes[i].To})
	}
	if err := g.SetLater(settings); err != nil {
		return err
	}
	for i := range changes {
		changes[i].after, _ = g.Read(changes[i].File)
	}
	return nil
}

// unbind takes a binding away, unless somebody else has.
func unbind(g groupfs.Group, cgroup string) error {
	if now, err := g.Bindings(); err != nil || !slices.Contains(now, cgroup) {
		return err
	}
	return g.Unbind(cgroup)
}

func (j *journal) step(changes []Change) error {
	c := changes[0]
	g, _, err := j.tree.Find(c.Group)
	if err != nil {
		return err
	}
	switch c.Kind {
	case Make:
		_, err = j.tree.Create(c.Group)
	case Set:
		err = set(g, changes)
	case Bind:
		err = g.Bind(c.To)
	case Unbind:
		err = unbind(g, c.To)
	case Remove:
		err = g.Remove()
	}
	return err
}

// opposite are what undoes each.
var opposite = map[Kind]Kind{Make: Remove, Bind: Unbind, Unbind: Bind, Set: Set}

func (j *journal) undo() (failed error) {
	for i := len(j.done) - 1; i >= 0; i-- {
		steps := []Change{j.done[i]}
		// the pair of limits goes back together
		for ; steps[0].Kind == Set && i > 0 && j.done[i-1].Kind == Set && j.done[i-1].Group == steps[0].Group; i-- {
			steps = append(steps, j.done[i-1])
		}
		if steps[0].fresh && steps[0].Kind == Set {
			continue // it goes with the group
		}
		for k := range steps {
			steps[k].Kind = opposite[steps[k].Kind]
			if steps[k].Kind == Set {
				steps[k].To = steps[k].before
			}
		}
		if err := j.step(steps); err != nil && !hasGone(err) {
			failed = errors.Join(failed, fmt.Errorf("cannot be undone, %s: %w", j.done[i], err))
		}
	}
	j.done = nil
	return failed
}
