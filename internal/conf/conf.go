// SPDX-License-Identifier: GPL-2.0

// Package conf reads what an administrator has written of groups and units: files of TOML.
package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"memward/internal/groupfs"
)

// Dir is where the files are.
const Dir = "/etc/memward.d"

const suffix = ".toml"

// File is what one file says, in its order.
type File struct {
	Path string
	// Text is all that is in it.
	Text string
	// Old says that this is what it said before: now it has a mistake.
	Old    bool
	Mount  *Mount
	Groups []Group
	Units  []Unit
}

// Mount is how memward is to be mounted.
type Mount struct {
	Line int
	// Mirror is the part of the kernel's cgroups that is to be mirrored; "" for a tree of one's own, if Said.
	Mirror   string
	Said     bool
	Untested bool
}

// Group is a group of one's own tree.
type Group struct {
	Line     int
	Name     string
	Settings []Setting
	Bind     []Word
}

// Unit is for all groups of a mirror whose name, or whose path if there is a slash in front, is like a pattern.
type Unit struct {
	Line     int
	Pattern  string
	Settings []Setting
}

// Setting is one of a group, and where it stands.
type Setting struct {
	groupfs.Setting
	Line int
}

// Word is something that stands in a line.
type Word struct {
	Line int
	Text string
}

// Error is what is wrong with a file, and in which line if that is known.
type Error struct {
	Path string
	Line int
	Err  error
}

// Error quotes what stands in the file, so it is made to be seen.
func (e *Error) Error() string {
	said := groupfs.Visible(e.Err.Error())
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", groupfs.Quote(e.Path), said)
	}
	return fmt.Sprintf("%s:%d: %s", groupfs.Quote(e.Path), e.Line, said)
}

func (e *Error) Unwrap() error { return e.Err }

// Conf is what all files say together.
type Conf struct {
	// Files are those that can be used, in the order of their names: of two settings for one unit the later one holds.
	Files []File
	// Errors are what is wrong, each for one file, which is none of Files, or there as it was before.
	Errors []*Error
	// paths are the files and directories that were read.
	paths []string
}

// Covers says whether a file is one of those that were read, or would be if it were still there.
func (c *Conf) Covers(path string) bool {
	return slices.Contains(c.paths, path) || slices.Contains(c.paths, filepath.Dir(path))
}

// Load reads files, and all that end in .toml of directories.  One that has a mistake is as it was before, which before has the text of.
func Load(paths []string, before map[string]string) (*Conf, error) {
	conf := &Conf{}
	for _, path := range paths {
		place, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		conf.paths = append(conf.paths, place)
	}
	files, err := list(conf.paths)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		file, err := read(path)
		if err = conf.add(file, err); err != nil {
			conf.Errors = append(conf.Errors, err)
		}
	}
	// what is right goes before what was
	for _, wrong := range conf.Errors {
		if text, found := before[wrong.Path]; found {
			file, err := Parse(wrong.Path, []byte(text))
			if err == nil {
				file.Old = true
			}
			_ = conf.add(file, err)
		}
	}
	slices.SortStableFunc(conf.Files, func(a, b File) int { return slices.Index(files, a.Path) - slices.Index(files, b.Path) })
	return conf, nil
}

// Of is a configuration of files by their texts, as they were before.
func Of(texts map[string]string) *Conf {
	conf := &Conf{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		file, err := Parse(path, []byte(texts[path]))
		_ = conf.add(file, err)
	}
	return conf
}

// Has says whether a file is one of them.
func (c *Conf) Has(path string) bool {
	return slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == path })
}

// add takes a file that is right and can be beside those before it.
func (c *Conf) add(file *File, err *Error) *Error {
	if err == nil {
		err = c.fits(file)
	}
	if err == nil {
		c.Files = append(c.Files, *file)
	}
	return err
}

// list finds the files.  That there is no directory of the usual name is like one that is empty.
func list(paths []string) (files []string, err error) {
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		switch {
		case err == nil:
			files = append(files, ofDir(path, entries)...)
		case errors.Is(err, fs.ErrNotExist) && path == Dir:
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file or directory %s", groupfs.Quote(path))
		case errors.Is(err, unix.ENOTDIR):
			files = append(files, path)
		default:
			// that is not an empty one
			return nil, err
		}
	}
	return files, nil
}

func ofDir(dir string, entries []fs.DirEntry) (files []string) {
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".") {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

func read(path string) (*File, *Error) {
	text, err := os.ReadFile(path)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, &Error{Path: path, Err: err}
	}
	return Parse(path, text)
}

// fits says whether a file can be beside those before it: a group is described in one place, and a tree is a mirror or one's own.
func (c *Conf) fits(file *File) *Error {
	for _, other := range c.Files {
		if file.Mount != nil && other.Mount != nil {
			return &Error{file.Path, file.Mount.Line, fmt.Errorf("[mount] is in %s:%d already", groupfs.Quote(other.Path), other.Mount.Line)}
		}
		for _, g := range file.Groups {
			if i := slices.IndexFunc(other.Groups, func(o Group) bool { return o.Name == g.Name }); i >= 0 {
				return &Error{file.Path, g.Line, fmt.Errorf("group %s is in %s:%d already", groupfs.Quote(g.Name), groupfs.Quote(other.Path), other.Groups[i].Line)}
			}
		}
		if err := mixed(file, &other); err != nil {
			return err
		}
	}
	return mixed(file, file)
}

// mixed says what of a file is for another sort of tree than what is in it, or in one before it.
func mixed(file, other *File) *Error {
	mirror := other.Mirrors()
	switch {
	case mirror != 0 && len(file.Groups) > 0:
		return &Error{file.Path, file.Groups[0].Line, notOnMirror(file.Groups[0], other.Path, mirror)}
	case file.Mirrors() != 0 && len(other.Groups) > 0:
		return &Error{file.Path, file.Mirrors(), notOnMirror(other.Groups[0], other.Path, other.Groups[0].Line)}
	}
	return nil
}

// ErrMixed says that files are for both sorts of trees.
var ErrMixed = errors.New("a mirror of the kernel's cgroups has no groups of one's own")

type mixedError struct{ error }

func (e *mixedError) Unwrap() []error { return []error{e.error, ErrMixed} }

func notOnMirror(g Group, path string, line int) error {
	return &mixedError{groupfs.Advise("one or the other: [unit.\"NAME\"] for the units of a mirror, or [group.NAME] with bind = [\"NAME\"]",
		"a mirror of the kernel's cgroups cannot have a group of its own, %s (%s:%d)", groupfs.Quote(g.Name), groupfs.Quote(path), line)}
}

// Mirrors is the line that wants a mirror; 0 if there is none.
func (f *File) Mirrors() int {
	switch {
	case f.Mount != nil && f.Mount.Mirror != "":
		return f.Mount.Line
	case len(f.Units) > 0:
		return f.Units[0].Line
	}
	return 0
}

// SaysSort says whether it is known if the tree is to be a mirror.
func (c *Conf) SaysSort() bool {
	if slices.ContainsFunc(c.Errors, func(e *Error) bool { return errors.Is(e, ErrMixed) }) {
		return false
	}
	return slices.ContainsFunc(c.Files, func(f File) bool { return f.Mount != nil && f.Mount.Said || f.Mirrors() != 0 || len(f.Groups) > 0 })
}

// Mount is how memward is to be mounted.  A rule for units wants a mirror.
func (c *Conf) Mount() Mount {
	var mount Mount
	for _, file := range c.Files {
		if file.Mount != nil {
			mount.Untested = file.Mount.Untested
		}
		if file.Mount != nil && file.Mount.Mirror != "" {
			mount.Mirror = file.Mount.Mirror
		} else if file.Mirrors() != 0 && mount.Mirror == "" {
			mount.Mirror = "/"
		}
	}
	return mount
}
