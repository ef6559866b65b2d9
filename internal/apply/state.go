// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"slices"

	"golang.org/x/sys/unix"

	"memward/internal/groupfs"
)

// formatNow is how what was applied is written; a memward before there were any has written the first.  In each there are format and module.
const formatNow = 1

// state is what was applied.
type state struct {
	Format int `json:"format"`
	// Module tells one loaded module from another, whose groups are others.
	Module uint64 `json:"module"`
	// Saves is how often it was saved.
	Saves  uint64            `json:"saves"`
	Groups map[string]*owned `json:"groups"`
	// Files are the texts of the files as they were applied.
	Files map[string]string `json:"files"`
}

// owned is what of a group comes from the configuration.
type owned struct {
	Inode uint64 `json:"inode"`
	// Made is the file for which the group was made; "" if somebody else has.
	Made     string            `json:"made,omitempty"`
	Settings map[string]value  `json:"settings,omitempty"`
	Bindings map[string]string `json:"bindings,omitempty"`
}

// value is what was set, for which file of the configuration, what was there before, and what the file said then.
type value struct {
	Before string `json:"before"`
	Set    string `json:"set"`
	Says   string `json:"says"`
	Path   string `json:"path"`
}

func newState() *state {
	return &state{Format: formatNow, Module: moduleNow(), Groups: map[string]*owned{}, Files: map[string]string{}}
}

func moduleNow() uint64 {
	var stat unix.Stat_t
	if err := unix.Stat("/sys/module/memward", &stat); err != nil {
		return 0
	}
	return stat.Ino
}

// isOf says whether what is known is of the group that is there now.
func (o *owned) isOf(tree *groupfs.Tree, name string) bool {
	g, found, err := tree.Find(name)
	if err != nil || !found || o == nil {
		return false
	}
	ino, err := g.Inode()
	return err == nil && ino == o.Inode
}

// of is what is known of a group; what is not known yet begins here.
func (s *state) of(tree *groupfs.Tree, name string) *owned {
	var ino uint64
	if g, found, err := tree.Find(name); err == nil && found {
		ino, _ = g.Inode()
	}
	if o := s.Groups[name]; o != nil && (o.Inode == ino || ino == 0) {
		return o
	}
	o := &owned{Inode: ino}
	s.Groups[name] = o
	return o
}

// setting is what was set of a group that is still the same.
func (s *state) setting(g groupfs.Group, file string) (value, bool) {
	o := s.Groups[g.Name()]
	if o == nil {
		return value{}, false
	}
	if ino, err := g.Inode(); err != nil || ino != o.Inode {
		return value{}, false
	}
	v, found := o.Settings[file]
	return v, found
}

// note remembers a change that was made.
func (s *state) note(tree *groupfs.Tree, c Change) {
	if c.Kind == Remove {
		delete(s.Groups, c.Group)
		return
	}
	o := s.of(tree, c.Group)
	switch c.Kind {
	case Make:
		o.Made = c.path
	case Set:
		o.set(c)
	case Bind:
		if o.Bindings == nil {
			o.Bindings = map[string]string{}
		}
		o.Bindings[c.To] = c.path
	case Unbind:
		delete(o.Bindings, c.To)
	}
	s.tidy(c.Group)
}

// set remembers a setting; what was there before the first one is what it goes back to.
func (o *owned) set(c Change) {
	// what is taken back stands nowhere
	if c.path == "" {
		delete(o.Settings, c.File)
		return
	}
	if o.Settings == nil {
		o.Settings = map[string]value{}
	}
	before := c.before
	if old, found := o.Settings[c.File]; found {
		before = old.Before
	} else if o.Made != "" && c.File == "memory.dirty_ratio" {
		// a new group shows the machine's
		before = "default"
	}
	o.Settings[c.File] = value{before, c.To, c.after, c.path}
}

// tidy forgets a group of which nothing is from the configuration.
func (s *state) tidy(name string) {
	if o := s.Groups[name]; o != nil && o.Made == "" && len(o.Settings) == 0 && len(o.Bindings) == 0 {
		delete(s.Groups, name)
	}
}

// holder is the group that a cgroup was bound to, and for which file.
func (s *state) holder(cgroup string) (group, path string) {
	for name, o := range s.Groups {
		if path, found := o.Bindings[cgroup]; found {
			return name, path
		}
	}
	return "", ""
}

// names are the groups, those below others first.
func (s *state) names() []string {
	names := keys(s.Groups)
	slices.Reverse(names)
	return names
}
