// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"memward/internal/cgroup"
	"memward/internal/conf"
	"memward/internal/groupfs"
)

// part is what one file of the configuration wants.
type part struct {
	path string
	// text is all that the file says, which may be nothing; isOld says that this is what it said before.
	text  string
	isOld bool
	wants []want
}

// want is what a file wants of a group.
type want struct {
	group    string
	line     int
	settings []conf.Setting
	bind     []conf.Word
}

// ofGroups is what a file wants of a tree of one's own; what is to be bound is its path then.
func ofGroups(file *conf.File, remark func(error)) (part, *conf.Error) {
	p := part{path: file.Path, text: file.Text, isOld: file.Old}
	for _, g := range file.Groups {
		w := want{group: g.Name, line: g.Line, settings: g.Settings}
		for _, word := range g.Bind {
			place, doubt, err := placeOf(word.Text)
			if err != nil {
				return p, &conf.Error{Path: file.Path, Line: word.Line, Err: err}
			}
			if doubt != nil {
				remark(&conf.Error{Path: file.Path, Line: word.Line, Err: doubt})
			}
			w.bind = append(w.bind, conf.Word{Line: word.Line, Text: place})
		}
		p.wants = append(p.wants, w)
	}
	return p, nil
}

// placeOf is the path of a cgroup, in cgroup v1 with its hierarchy, or of a unit's: of one that systemd does not know, with that as a doubt, where it will be if it has no slice of
// its own.  So a service that is not installed, or not yet, takes nothing away from the others.
func placeOf(word string) (place string, doubt, err error) {
	if err := checkWord(word); err != nil {
		return "", nil, err
	}
	place, err = cgroup.Place(word)
	if guess, ok := cgroup.Guess(word); ok && errors.Is(err, cgroup.ErrNoUnit) {
		return guess, groupfs.Advise("systemctl list-unit-files shows those there are", "%v: what will be at %s is bound", err, groupfs.Quote(guess)), nil
	}
	if err != nil {
		return "", nil, err
	}
	if inV1, ok := cgroup.InV1(place, controllers); ok {
		return inV1, nil, nil
	}
	return path.Clean(place), nil, nil
}

// checkWord refuses what is to be bound if it is neither a path nor a unit's whole name.  What else it could mean only those know who run containers: they
// are not asked, as that may have them started, which at boot waits for who asks.
func checkWord(word string) error {
	if cgroup.IsPlace(word) {
		return nil
	}
	instead := "a unit ends in .service, .slice, .scope, .socket, .mount or .swap"
	switch {
	case strings.Contains(word, "/"):
		instead = "a path has a slash in front: " + groupfs.Quote("/"+word)
	case !strings.Contains(word, "."):
		instead = "a unit has its suffix: " + groupfs.Quote(word+".service")
	}
	return groupfs.Advise(instead+"; a container, as the number of a cgroup, is another one each time, and bound by hand: memward bind",
		"%s is no path of a cgroup and no unit of systemd", groupfs.Quote(word))
}

// controllers of a kernel without /proc/cgroups are not there, as far as cgroup v1 is concerned.
func controllers() []byte {
	text, _ := os.ReadFile("/proc/cgroups")
	return text
}

// bound says which of the files want one cgroup bound to two groups: the later one is wrong.
func bound(parts []part) *conf.Error {
	type place struct {
		group, path string
		line        int
	}
	at := map[string]place{}
	for _, p := range parts {
		for _, w := range p.wants {
			for _, word := range w.bind {
				other, found := at[word.Text]
				if found && other.group != w.group {
					return &conf.Error{Path: p.path, Line: word.Line, Err: fmt.Errorf("%s is bound to %s in %s:%d",
						groupfs.Quote(word.Text), groupfs.Quote(other.group), groupfs.Quote(other.path), other.line)}
				}
				at[word.Text] = place{w.group, p.path, word.Line}
			}
		}
	}
	return nil
}

// isLike says whether a rule is for a cgroup: by the unit's name, or by the path where there is a slash in front.  What is just the same is
// like it, also if it has a backslash, which the names of units have and patterns have for something else.
func isLike(pattern, cgroupPath string) bool {
	name := cgroupPath
	if !strings.HasPrefix(pattern, "/") {
		name = cgroup.UnitOf(path.Base(cgroupPath))
	}
	matched, err := path.Match(pattern, name)
	return pattern == name || err == nil && matched
}

// ofUnits is what each file wants of some groups of a mirror.  Of several values for one setting the last holds: so each file wants
// only those that no later one wants otherwise.
func ofUnits(files []conf.File, mirror string, groups []string) []part {
	parts := make([]part, len(files))
	for i := range files {
		parts[i] = part{path: files[i].Path, text: files[i].Text, isOld: files[i].Old}
	}
	for _, group := range groups {
		taken := map[string]bool{}
		for i := len(files) - 1; i >= 0; i-- {
			w := wantOf(&files[i], path.Join(mirror, group), taken)
			w.group = group
			if len(w.settings) > 0 {
				parts[i].wants = append(parts[i].wants, w)
			}
		}
	}
	return parts
}

// wantOf is what a file wants of a cgroup's group, without the settings that are taken, and takes them.
func wantOf(file *conf.File, cgroupPath string, taken map[string]bool) (w want) {
	for i := len(file.Units) - 1; i >= 0; i-- {
		unit := &file.Units[i]
		if !isLike(unit.Pattern, cgroupPath) {
			continue
		}
		for _, setting := range unit.Settings {
			if !taken[setting.Key()] {
				taken[setting.Key()] = true
				w.line, w.settings = unit.Line, append(w.settings, setting)
			}
		}
	}
	return w
}

// Check says what is wrong with a file's settings and with what it binds, as far as that can be known without a group.
func Check(file *conf.File) *conf.Error {
	for _, g := range file.Groups {
		if err := checkAll(file.Path, g.Settings); err != nil {
			return err
		}
		for _, word := range g.Bind {
			if err := checkWord(word.Text); err != nil {
				return &conf.Error{Path: file.Path, Line: word.Line, Err: err}
			}
		}
	}
	for _, u := range file.Units {
		if err := checkAll(file.Path, u.Settings); err != nil {
			return err
		}
	}
	return nil
}

func checkAll(path string, settings []conf.Setting) *conf.Error {
	for _, s := range settings {
		if err := groupfs.CheckSetting(s.Setting); err != nil {
			return &conf.Error{Path: path, Line: s.Line, Err: err}
		}
	}
	return nil
}

var errWrongTree = errors.New("what is mounted is another sort of tree than the configuration is for")

// checkTree says whether the tree is of the sort that a file is for.
func checkTree(tree *groupfs.Tree, file *conf.File) *conf.Error {
	advice := "systemctl restart memward; without the service: memward unload, and memward apply --load"
	switch {
	case tree.Mirror != "" && len(file.Groups) > 0:
		return &conf.Error{Path: file.Path, Line: file.Groups[0].Line, Err: groupfs.Advise(advice, "%v: a mirror, which has no groups of one's own", errWrongTree)}
	case tree.Mirror == "" && file.Mirrors() != 0:
		return &conf.Error{Path: file.Path, Line: file.Mirrors(), Err: groupfs.Advise(advice, "%v: no mirror", errWrongTree)}
	}
	return nil
}
