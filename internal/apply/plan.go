// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"slices"
	"strings"

	"memward/internal/conf"
	"memward/internal/groupfs"
)

// plan is what a part changes, in this order: how many groups there may be; groups are made; what of it is new is set, and what can harm nobody;
// cgroups are bound; then what may have somebody killed is set, when nothing else can be refused any more; and what cannot be made undone.
func (a *Applier) plan(p part) (changes []Change, err *conf.Error) {
	made := map[string]bool{}
	for _, w := range p.wants {
		steps, err := a.planOne(p.path, w, made)
		if err != nil {
			return nil, err
		}
		changes = append(changes, steps...)
	}
	for _, w := range p.wants {
		steps, err := a.planBindings(p.path, w)
		if err != nil {
			return nil, err
		}
		changes = append(changes, steps...)
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return a.stage() - b.stage() })
	return changes, nil
}

func (c Change) stage() int {
	setting := groupfs.Setting{File: c.File}
	switch {
	case c.Kind == Make:
		return 0
	case c.Kind == Set && c.fresh:
		return 1
	case c.Kind == Set && strings.HasPrefix(c.File, "cgroup.max."):
		return -1
	case c.Kind == Set && setting.IsMachines():
		return 5
	case c.Kind == Set && !setting.Kills():
		return 2
	case c.Kind == Set:
		return 4
	}
	return 3
}

func (a *Applier) planOne(path string, w want, made map[string]bool) (changes []Change, wrong *conf.Error) {
	g, found, err := a.tree.Find(w.group)
	if err != nil {
		return nil, &conf.Error{Path: path, Line: w.line, Err: err}
	}
	if !found && a.tree.Mirror != "" {
		return nil, nil
	}
	if !found {
		changes = a.planMaking(path, w, g, made)
	}
	for _, s := range w.settings {
		change, wrong, needed := a.planSetting(g, found, s)
		if wrong != nil {
			return nil, &conf.Error{Path: path, Line: s.Line, Err: wrong}
		}
		if needed {
			change.path, change.line = path, s.Line
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// planMaking has a group made, and those above it that are not there and that nobody before it has made.
func (a *Applier) planMaking(path string, w want, g groupfs.Group, made map[string]bool) (changes []Change) {
	for _, missing := range append(g.Above(), g) {
		name := missing.Name()
		if _, found, err := a.tree.Find(name); err != nil || found || made[name] {
			continue
		}
		made[name] = true
		changes = append(changes, Change{Kind: Make, Group: name, path: path, line: w.line})
	}
	return changes
}

// planSetting says whether a setting is needed: no group of a mirror that goes meanwhile needs one.
func (a *Applier) planSetting(g groupfs.Group, found bool, s conf.Setting) (change Change, err error, needed bool) {
	change = Change{Kind: Set, Group: g.Name(), File: s.File, To: s.Value, fresh: !found}
	if !found {
		return change, groupfs.CheckSetting(s.Setting), true
	}
	err = g.CheckSetting(s.Setting)
	now := ""
	if err == nil {
		now, err = g.Read(s.File)
	}
	switch {
	case err == nil:
		change.From = now
		return change, nil, !a.isSet(g, s, now)
	case groupfs.IsGone(err), a.tree.Mirror != "" && hasGone(err):
		// a unit has ended; that there is such a file is known
		return change, nil, false
	}
	return change, err, false
}

// isSet says whether a file says what it would say after a setting: that value or, if that was set the last time, what it said then.
func (a *Applier) isSet(g groupfs.Group, s conf.Setting, now string) bool {
	if last, found := a.state.setting(g, s.File); found && last.Set == s.Value && last.Says == now {
		return true
	}
	return s.IsValue(now) && !s.IsMachines()
}

func (a *Applier) planBindings(path string, w want) (changes []Change, wrong *conf.Error) {
	if len(w.bind) == 0 {
		return nil, nil
	}
	g, found, err := a.tree.Find(w.group)
	var now []string
	if err == nil && found {
		now, err = g.Bindings()
	}
	if err != nil {
		return nil, &conf.Error{Path: path, Line: w.line, Err: err}
	}
	for _, word := range w.bind {
		if slices.Contains(now, word.Text) {
			continue
		}
		if from, path := a.state.holder(word.Text); from != "" && from != w.group && a.mayTake(path) && !a.wanted.binds(from, word.Text) {
			changes = append(changes, Change{Kind: Unbind, Group: from, To: word.Text})
		}
		changes = append(changes, Change{Kind: Bind, Group: w.group, To: word.Text, path: path, line: word.Line})
	}
	return changes, nil
}
