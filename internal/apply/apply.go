// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"memward/internal/conf"
	"memward/internal/groupfs"
)

// Applier has a configuration applied to one tree.
type Applier struct {
	// Dir is where what was applied is remembered.
	Dir string
	// Did is told of each change that was made, or, if DryRun, would be.  Failed is told of each file that was not applied, and why;
	// Remark of what is not as one might think.
	Did            func(Change)
	Failed, Remark func(error)
	DryRun         bool

	tree   *groupfs.Tree
	conf   *conf.Conf
	memory memory
	state  *state
	wanted wanted
	// bad are the files of which nothing is applied, so that nothing of them is taken back either.
	bad map[string]bool
	// failed is how much else could not be done.
	failed int
}

// New has a configuration applied to a tree.
func New(tree *groupfs.Tree) *Applier {
	ignore := func(error) {}
	return &Applier{Dir: Run, Did: func(Change) {}, Failed: ignore, Remark: ignore, tree: tree}
}

// All applies all files: of each everything or nothing.  How much could not be applied, taken back or remembered is returned.  Without paths it is what was
// applied last.
func (a *Applier) All(paths []string) (failed int, err error) {
	unlock, err := a.begin()
	if err != nil {
		return 0, err
	}
	defer unlock()
	if a.conf = a.memory.conf(a.state); paths != nil {
		a.conf, err = conf.Load(paths, a.state.Files)
	}
	if err != nil {
		return 0, err
	}
	for _, wrong := range a.conf.Errors {
		a.reject(wrong.Path, wrong)
	}
	parts, err := a.parts()
	if err != nil {
		return 0, err
	}
	a.wanted = wantedOf(parts)
	for _, p := range parts {
		a.apply(p)
		// who is stopped after this knows of it later; whether it can be remembered at all the last one says
		_ = a.save()
	}
	a.prune()
	if len(a.bad) == 0 {
		maps.DeleteFunc(a.state.Files, func(path, _ string) bool { return a.conf.Covers(path) && !a.conf.Has(path) })
	}
	a.trySave()
	return len(a.bad) + a.failed, nil
}

// Newcomers applies the rules to groups of a mirror that have just come, to each by itself: those that were applied last, by whomever.
func (a *Applier) Newcomers(groups []string) error {
	unlock, err := a.begin()
	if err != nil {
		return err
	}
	defer unlock()
	a.conf = a.memory.conf(a.state)
	for nr, group := range groups {
		if nr%64 == 63 {
			a.trySave()
		}
		for _, p := range ofUnits(a.conf.Files, a.tree.Mirror, []string{group}) {
			if len(p.wants) > 0 {
				a.apply(p)
			}
		}
	}
	a.trySave()
	return nil
}

func (a *Applier) begin() (unlock func(), err error) {
	unlock = func() {}
	if !a.DryRun {
		if unlock, err = lock(a.Dir); errors.Is(err, fs.ErrPermission) {
			return nil, &groupfs.PermissionError{What: "applying a configuration, which is remembered in " + a.Dir}
		} else if err != nil {
			return nil, fmt.Errorf("what is applied cannot be remembered: %w", err)
		}
	}
	// somebody may have unmounted it while this has waited
	if err = a.tree.Check(); err != nil {
		unlock()
		return nil, groupfs.ErrNotMounted
	}
	a.state, err = a.memory.load(a.Dir, a.tree, !a.DryRun)
	if a.state == nil {
		unlock()
		return nil, err
	}
	if err != nil {
		a.Remark(err)
	}
	a.bad, a.failed = map[string]bool{}, 0
	if a.memory.isBehind {
		_ = a.save()
	}
	return unlock, nil
}

func (a *Applier) save() error {
	if a.DryRun {
		return nil
	}
	return a.memory.save(a.Dir, a.state)
}

// trySave is for when all else goes on: a limit that holds and is not remembered is better than none.
func (a *Applier) trySave() {
	if err := a.save(); err != nil {
		a.Failed(fmt.Errorf("what is applied now is not remembered, and will not be taken back: %w", err))
		a.failed++
	}
}

func (a *Applier) reject(path string, err error) {
	a.bad[path] = true
	a.Failed(err)
}

// good are the files with which nothing is wrong that can be seen before.
func (a *Applier) good() (files []conf.File) {
	for i := range a.conf.Files {
		file := &a.conf.Files[i]
		err := Check(file)
		if err == nil {
			err = checkTree(a.tree, file)
		}
		if err != nil {
			a.reject(file.Path, err)
			continue
		}
		files = append(files, *file)
	}
	return files
}

// parts are what the files want.
func (a *Applier) parts() ([]part, error) {
	files := a.good()
	if a.tree.Mirror != "" {
		groups, err := a.groups()
		return ofUnits(files, a.tree.Mirror, groups), err
	}
	var parts []part
	for i := range files {
		p, err := ofGroups(&files[i], a.Remark)
		if err == nil {
			err = bound(append(parts, p))
		}
		if err != nil {
			a.reject(files[i].Path, err)
			continue
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func (a *Applier) groups() (names []string, err error) {
	top, err := a.tree.Group("/")
	if err != nil {
		return nil, err
	}
	err = a.tree.Walk(top, -1, func(g groupfs.Group) error {
		if !g.IsRoot() {
			names = append(names, g.Name())
		}
		return nil
	})
	return names, err
}

// apply makes a part's changes, all or none.
func (a *Applier) apply(p part) {
	changes, wrong := a.plan(p)
	if wrong != nil {
		a.reject(p.path, wrong)
		return
	}
	done := changes
	if !a.DryRun {
		j := a.journal()
		if err := j.do(changes); err != nil {
			a.reject(p.path, err)
			return
		}
		done = j.done
	}
	for _, c := range done {
		a.did(c)
	}
	a.keep(p)
}

// journal is one for changes that are noted in the diary; that this is possible the end says, when all is saved.
func (a *Applier) journal() *journal {
	return &journal{tree: a.tree, write: func(changes []Change, made bool) { _ = a.state.write(a.Dir, a.tree, changes, made) }}
}

func (a *Applier) did(c Change) {
	a.Did(c)
	a.state.note(a.tree, c)
}

// mayTake says whether what a file once wanted may be taken back: it is one of those that are applied, or was, and nothing is wrong with it.
func (a *Applier) mayTake(path string) bool { return a.conf.Covers(path) && !a.bad[path] }

// keep notes which file wants what was there already.
func (a *Applier) keep(p part) {
	if !p.isOld {
		a.state.Files[p.path] = p.text
	}
	for _, w := range p.wants {
		o := a.state.Groups[w.group]
		if o == nil {
			continue
		}
		if o.Made != "" {
			o.Made = p.path
		}
		for _, s := range w.settings {
			if old, found := o.Settings[s.File]; found {
				old.Path = p.path
				o.Settings[s.File] = old
			}
		}
		for _, word := range w.bind {
			if _, found := o.Bindings[word.Text]; found {
				o.Bindings[word.Text] = p.path
			}
		}
	}
}
