// SPDX-License-Identifier: GPL-2.0

// Package groupfs knows what is mounted of memward, and the files in it.
//
// Everything it tells is read anew: groups come and go meanwhile, and one that has gone is no error to a
// caller who looks at all of them.
package groupfs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// Type is what mount(2) and /proc/filesystems call it.
const Type = "memward"

// DefaultMount is the directory that the module makes for it.
const DefaultMount = "/sys/fs/memward"

// ErrNotMounted says that there is no tree of groups.
var ErrNotMounted = errors.New("memward is not mounted")

// Tree is one mount of memward. There may be several: all show the same groups.
type Tree struct {
	// Root is the directory that is the root group.
	Root string
	// Mirror is the part of the kernel's own tree that this one shows; "" if it is one's own.
	Mirror string
	// part is what of the tree is mounted there: a container may have one group alone.
	part string
}

// Mounts finds all mounts of memward in this mount namespace, each before what is mounted on it.
func Mounts() ([]Tree, error) {
	infos, err := mountinfo.GetMounts(mountinfo.FSTypeFilter(Type))
	if err != nil {
		return nil, err
	}
	trees := make([]Tree, 0, len(infos))
	for _, info := range infos {
		trees = append(trees, Tree{Root: info.Mountpoint, Mirror: mirrorOf(info.VFSOptions), part: info.Root})
	}
	return trees, nil
}

func mirrorOf(options string) string {
	for option := range strings.SplitSeq(options, ",") {
		if option == "mirror" {
			return "/"
		}
		if path, found := strings.CutPrefix(option, "mirror="); found {
			return unescape(path)
		}
	}
	return ""
}

var octal = regexp.MustCompile(`\\[0-7]{3}`)

// unescape undoes what the kernel does to what cannot stand in a line of mounts: a backslash and three digits.
func unescape(text string) string {
	return octal.ReplaceAllStringFunc(text, func(code string) string {
		char, err := strconv.ParseUint(code[1:], 8, 8)
		if err != nil {
			return code
		}
		return string([]byte{byte(char)})
	})
}

// magic is what statfs(2) says of memward: include/uapi/memward.h.
const magic = 0x6d656d77

// HiddenError says that something else was mounted on top of memward.
type HiddenError struct{ Dir string }

func (e *HiddenError) Error() string {
	return fmt.Sprintf("something else is mounted on %s, on top of memward", Quote(e.Dir))
}

// Check says whether what is at the mount point is memward.
func (t *Tree) Check() error {
	var fs unix.Statfs_t
	if err := unix.Statfs(t.Root, &fs); err != nil {
		return fmt.Errorf("%s: %w", Quote(t.Root), err)
	}
	if fs.Type != magic {
		return &HiddenError{t.Root}
	}
	return nil
}

// Find is the tree to be used: the one mounted at dir, or, where that is "", the first there is.
func Find(dir string) (*Tree, error) {
	trees, err := Mounts()
	if err != nil {
		return nil, err
	}
	// what shows all groups before what shows a part
	slices.SortStableFunc(trees, func(a, b Tree) int { return cmp.Compare(len(a.part), len(b.part)) })
	var hidden error
	for i := range trees {
		if dir != "" && trees[i].Root != filepath.Clean(dir) {
			continue
		}
		if err := trees[i].Check(); err == nil {
			return &trees[i], nil
		} else if hidden == nil {
			hidden = err
		}
	}
	switch {
	case hidden != nil:
		return nil, hidden
	case dir != "" && len(trees) > 0:
		return nil, Advise("leave --mount out", "memward is not mounted at %s, but at %s", Quote(dir), Quote(trees[0].Root))
	}
	return nil, ErrNotMounted
}

// NoGroupError says that a group is not there, or has gone.
type NoGroupError struct{ Name string }

func (e *NoGroupError) Error() string { return fmt.Sprintf("there is no group %s", Quote(e.Name)) }

// IsGone says whether an error only means that a group was removed.
func IsGone(err error) bool {
	var missing *NoGroupError
	return errors.As(err, &missing)
}

// Group is the group of that name, which must be there.
//
// A name is a path below the root, with or without a slash in front; "/" is the root. What is below the
// mount point by its full path is taken too, as the shell completes that.
func (t *Tree) Group(name string) (Group, error) {
	g, err := t.groupOf(name)
	if err != nil {
		return Group{}, err
	}
	return g, g.check()
}

// Find is the group of that name, which need not be there: whether it is comes with it.
func (t *Tree) Find(name string) (g Group, found bool, err error) {
	if g, err = t.groupOf(name); err != nil {
		return Group{}, false, err
	}
	err = g.check()
	if IsGone(err) {
		return g, false, nil
	}
	return g, err == nil, err
}

// groupOf is the group of that name, be it that there is none.
func (t *Tree) groupOf(name string) (Group, error) {
	inside := name
	if name == t.Root || strings.HasPrefix(name, t.Root+"/") {
		inside = "/" + name[len(t.Root):]
	}
	clean, err := CleanName(inside)
	if name == "" || err != nil {
		return Group{}, noName(name)
	}
	return Group{tree: t, name: clean}, nil
}

// CleanName is the name of a group without slashes around it; "/" is the root.
func CleanName(name string) (string, error) {
	inside := strings.Trim(name, "/")
	switch {
	case inside == "" && name == "":
		return "", noName(name)
	case inside == "":
		return "/", nil
	case !filepath.IsLocal(inside) || inside != filepath.Clean(inside) || strings.ContainsRune(inside, 0):
		return "", noName(name)
	}
	return inside, nil
}

func noName(name string) error {
	if name == "" {
		return errors.New("the name of a group is empty; / is the root")
	}
	return fmt.Errorf("%s is no name of a group: it is not in its shortest form", Quote(name))
}

// Create makes a group, which must not be there; those above it must.
func (t *Tree) Create(name string) (Group, error) {
	g, err := t.groupOf(name)
	if err != nil {
		return Group{}, err
	}
	if err := unix.Mkdir(g.Dir(), 0o755); err != nil {
		return Group{}, explainMkdir(g, err)
	}
	return g, nil
}

// Walk visits a group and those below it, each before those below it, in the order of their names; no deeper
// than depth levels below it, or all of them if that is negative.
func (t *Tree) Walk(top Group, depth int, visit func(g Group) error) error {
	if err := visit(top); err != nil {
		return err
	}
	return walkBelow(top, depth, visit)
}

func walkBelow(top Group, depth int, visit func(g Group) error) error {
	if depth == 0 {
		return nil
	}
	children, err := top.Children()
	if err != nil {
		return err
	}
	for _, child := range children {
		err := visit(child)
		if err == nil {
			err = walkBelow(child, depth-1, visit)
		}
		// it may have been removed since, and made anew, which are two
		if err != nil && !IsGone(err) && !isReplaced(err) {
			return err
		}
	}
	return nil
}

// Children are the groups in a group, by name; none if it has gone.
func (g Group) Children() ([]Group, error) {
	// most have none, and a directory has some fifty files
	var stat unix.Stat_t
	if err := unix.Stat(g.Dir(), &stat); err == nil && stat.Nlink == 2 {
		return nil, nil
	}
	entries, err := os.ReadDir(g.Dir())
	if err != nil {
		if isGone(err) {
			return nil, nil
		}
		return nil, explain(g, "", err)
	}
	var children []Group
	for _, entry := range entries {
		if entry.IsDir() {
			children = append(children, g.child(entry.Name()))
		}
	}
	return children, nil
}

// isReplaced says whether a file was looked for in a group that had gone and is there again.
func isReplaced(err error) bool {
	var missing *NoFileError
	return errors.As(err, &missing)
}

func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isErrno(err, goneErrnos...)
}
