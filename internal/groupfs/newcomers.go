// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Newcomers tells of the groups of a tree as they come.
//
// It asks inotify for new directories and nothing else.  The kernel's own cgroups are not asked: a mirror's group comes a moment after its
// cgroup, and of a cgroup that has gone 6.12 and older leave the watch behind.
type Newcomers struct {
	tree *Tree
	file *os.File
	// fd is the file's: File.Fd() would have Read block, and Close() not end it.
	fd   int
	dirs map[int32]string
}

// ErrMissed says that more has come than could be told of: all is to be looked at.
var ErrMissed = errors.New("too much has come at once")

// Newcomers begins to tell of those that come from now on.
func (t *Tree) Newcomers() (*Newcomers, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	switch {
	case errors.Is(err, unix.EMFILE):
		return nil, Advise("sysctl fs.inotify.max_user_instances=1024", "groups cannot be watched: there are too many who watch something")
	case err != nil:
		return nil, fmt.Errorf("groups cannot be watched: %w", err)
	}
	n := &Newcomers{tree: t, file: os.NewFile(uintptr(fd), "inotify"), fd: fd, dirs: map[int32]string{}}
	if err := n.all(func(string) {}); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// Close ends it.
func (n *Newcomers) Close() { n.file.Close() }

func (n *Newcomers) all(found func(string)) error { return n.add("/", found) }

// add watches a group and those below it, and finds those: one that was made before it was watched is seen by reading.
func (n *Newcomers) add(name string, found func(string)) error {
	g := Group{tree: n.tree, name: name}
	wd, err := unix.InotifyAddWatch(n.fd, g.Dir(), unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.ENOSPC):
		return Advise("sysctl fs.inotify.max_user_watches=100000", "there are more groups than may be watched")
	case err != nil:
		return fmt.Errorf("%s cannot be watched: %w", Quote(name), err)
	}
	n.dirs[int32(wd)] = name
	children, err := g.Children()
	if err != nil {
		return err
	}
	for _, child := range children {
		found(child.name)
		if err := n.add(child.name, found); err != nil {
			return err
		}
	}
	return nil
}

// Next waits for some, and tells of each by its name.  It may tell twice.  After ErrMissed it goes on; ErrNotMounted says that the tree
// has gone.
func (n *Newcomers) Next(found func(string)) error {
	var buffer [16 << 10]byte
	size, err := n.file.Read(buffer[:])
	if err != nil {
		return err
	}
	missed := false
	for rest := buffer[:size]; len(rest) >= unix.SizeofInotifyEvent; {
		event := (*unix.InotifyEvent)(unsafe.Pointer(&rest[0]))
		end := unix.SizeofInotifyEvent + int(event.Len)
		name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:end], "\x00"))
		rest = rest[end:]
		missed = missed || event.Mask&unix.IN_Q_OVERFLOW != 0
		if err := n.event(event, name, found); err != nil {
			return err
		}
	}
	if !missed {
		return nil
	}
	// what it was not told of is not watched either
	if err := n.all(found); err != nil {
		return err
	}
	return ErrMissed
}

func (n *Newcomers) event(event *unix.InotifyEvent, name string, found func(string)) error {
	at, known := n.dirs[event.Wd]
	switch {
	case event.Mask&unix.IN_UNMOUNT != 0:
		return ErrNotMounted
	case event.Mask&unix.IN_IGNORED != 0:
		delete(n.dirs, event.Wd)
		return nil
	case event.Mask&unix.IN_ISDIR == 0 || !known:
		return nil
	}
	below := name
	if at != "/" {
		below = path.Join(at, name)
	}
	found(below)
	return n.add(below, found)
}
