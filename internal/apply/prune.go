// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"memward/internal/conf"
	"memward/internal/groupfs"
)

// wanted is all that the files want, by group.
type wanted map[string]*wish

type wish struct{ settings, bind []string }

func wantedOf(parts []part) wanted {
	all := wanted{}
	for _, p := range parts {
		for _, w := range p.wants {
			one := all[w.group]
			if one == nil {
				one = &wish{}
				all[w.group] = one
			}
			one.settings = append(one.settings, namesOf(w.settings)...)
			for _, word := range w.bind {
				one.bind = append(one.bind, word.Text)
			}
		}
	}
	return all
}

func namesOf(settings []conf.Setting) (names []string) {
	for _, s := range settings {
		names = append(names, s.File)
	}
	return names
}

func (w wanted) binds(group, cgroup string) bool {
	one := w[group]
	return one != nil && slices.Contains(one.bind, cgroup)
}

func (w wanted) sets(group, file string) bool {
	one := w[group]
	return one != nil && slices.Contains(one.settings, file)
}

// prune takes back what the configuration says no longer.  What it cannot, it tries again the next time.  While a file has a mistake nothing is
// taken back: it may be what that file wants now.
func (a *Applier) prune() {
	if len(a.bad) > 0 {
		return
	}
	for _, name := range a.state.names() {
		a.pruneOne(name, a.state.Groups[name])
	}
}

func (a *Applier) pruneOne(name string, o *owned) {
	for _, cgroup := range keys(o.Bindings) {
		if a.mayTake(o.Bindings[cgroup]) && !a.wanted.binds(name, cgroup) {
			a.takeBack(Change{Kind: Unbind, Group: name, To: cgroup})
		}
	}
	if o.Made != "" && a.wanted[name] == nil && a.mayTake(o.Made) && !a.hasWanted(name) && a.remove(name) {
		return
	}
	a.restore(name, o)
}

// hasWanted says whether a group below it is wanted: those above that were made with it.
func (a *Applier) hasWanted(name string) bool {
	for other := range a.wanted {
		if len(other) > len(name) && other[:len(name)+1] == name+"/" {
			return true
		}
	}
	return false
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// restore has settings be what they were, unless somebody has set them meanwhile.
func (a *Applier) restore(name string, o *owned) {
	g, found, err := a.tree.Find(name)
	if err != nil || !found {
		return
	}
	var changes []Change
	for _, file := range keys(o.Settings) {
		old := o.Settings[file]
		if !a.mayTake(old.Path) || a.wanted.sets(name, file) {
			continue
		}
		change := Change{Kind: Set, Group: name, File: file, To: old.Before}
		if change.From, err = g.Read(file); err == nil && old.Before != "" && change.From == old.Says {
			changes = append(changes, change)
			continue
		}
		o.set(change)
	}
	if len(changes) > 0 {
		a.takeBack(changes...)
	}
	a.state.tidy(name)
}

// remove removes a group that was made, unless somebody else has bound something to it: rmdir would take that along.
func (a *Applier) remove(name string) bool {
	g, _, err := a.tree.Find(name)
	if err != nil {
		return false
	}
	if others, err := g.Bindings(); err == nil && len(others) > 0 && !a.DryRun {
		a.stays(name, fmt.Errorf("%s is bound to it", groupfs.Quote(others[0])))
		return false
	}
	return a.takeBack(Change{Kind: Remove, Group: name})
}

func (a *Applier) stays(name string, why error) {
	a.Remark(groupfs.Advise("it goes the next time that the configuration is applied and it is in use no longer",
		"%s is in the configuration no longer, and stays: %v", groupfs.Quote(name), why))
}

// takeBack makes changes that no file wants, of one group.
func (a *Applier) takeBack(changes ...Change) bool {
	if !a.DryRun {
		err := a.journal().do(changes)
		var busy *groupfs.BusyError
		switch {
		case errors.As(err, &busy):
			a.stays(changes[0].Group, err)
			return false
		case err != nil && !hasGone(err):
			a.Failed(err)
			a.failed++
			return false
		}
	}
	for _, c := range changes {
		a.did(c)
	}
	return true
}
