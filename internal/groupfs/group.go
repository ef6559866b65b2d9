// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Group is a directory of the tree. It says nothing of whether it is still there.
type Group struct {
	tree *Tree
	name string
}

// Name is the path below the root, without a slash in front; "/" for the root.
func (g Group) Name() string { return g.name }

// IsRoot says whether it is the group of those who are in none.
func (g Group) IsRoot() bool { return g.name == "/" }

// Base is the last part of the name.
func (g Group) Base() string { return filepath.Base(g.name) }

// Depth is how many groups are above it: 0 for the root.
func (g Group) Depth() int {
	if g.IsRoot() {
		return 0
	}
	return strings.Count(g.name, "/") + 1
}

// Dir is its directory.
func (g Group) Dir() string { return filepath.Join(g.tree.Root, g.name) }

func (g Group) child(base string) Group {
	if g.IsRoot() {
		return Group{tree: g.tree, name: base}
	}
	return Group{tree: g.tree, name: g.name + "/" + base}
}

func (g Group) file(name string) string { return filepath.Join(g.Dir(), name) }

func (g Group) check() error {
	info, err := os.Stat(g.Dir())
	if err != nil {
		return explain(g, "", err)
	}
	if !info.IsDir() {
		return &NoGroupError{g.name}
	}
	return nil
}

// Inode is the number of its directory: a group that is removed and made again by the same name has another one.
func (g Group) Inode() (uint64, error) {
	var stat unix.Stat_t
	if err := unix.Stat(g.Dir(), &stat); err != nil {
		return 0, explain(g, "", err)
	}
	return stat.Ino, nil
}

// Above are the groups that it is in, from the top, without the root.
func (g Group) Above() (above []Group) {
	for i, char := range g.name {
		if char == '/' && i > 0 {
			above = append(above, Group{tree: g.tree, name: g.name[:i]})
		}
	}
	return above
}

// Read is what one of its files says, without the newline at its end.
func (g Group) Read(file string) (string, error) {
	text, err := os.ReadFile(g.file(file))
	if err != nil {
		return "", explain(g, file, err)
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}

// Write writes a value to one of its files, in one call as the kernel wants it.  It is not done again where a
// signal has ended it: half of what was asked for has been done then.
func (g Group) Write(file, value string) error { return g.write(file, value, 0) }

func (g Group) write(file, value string, flags int) error {
	fd, err := unix.Open(g.file(file), unix.O_WRONLY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return explain(g, file, err)
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(value)); err != nil {
		return explainWrite(g, file, value, err)
	}
	return nil
}

// Remove removes it; nobody may be in it, and no group.
func (g Group) Remove() error {
	if err := unix.Rmdir(g.Dir()); err != nil {
		return explainRmdir(g, err)
	}
	return nil
}

// Processes are the pids of those who are in it, not in those below.
func (g Group) Processes() ([]int, error) {
	text, err := g.Read("cgroup.procs")
	if err != nil {
		return nil, err
	}
	var pids []int
	for word := range strings.FieldsSeq(text) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("cgroup.procs of %s: %w", Quote(g.name), err)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// IsPopulated says whether anybody is in it or below it.
func (g Group) IsPopulated() (bool, error) {
	text, err := g.Read("cgroup.events")
	return strings.Contains(text+"\n", "populated 1\n"), err
}

// Attach moves a process into it.
func (g Group) Attach(pid int) error {
	return g.Write("cgroup.procs", strconv.Itoa(pid))
}

// ExplainAttach is what the kernel means by an errno for a process that has written 0 to cgroup.procs.
func (g Group) ExplainAttach(pid int, errno error) error {
	return explainAttach(g, strconv.Itoa(pid), errno)
}

// Holds says whether a process is in it or below it.
func (g Group) Holds(pid int) (bool, error) {
	found := false
	err := g.tree.Walk(g, -1, func(one Group) error {
		pids, err := one.Processes()
		found = found || slices.Contains(pids, pid)
		return err
	})
	return found, err
}

// Bindings are the kernel's own cgroups whose processes are in it.
func (g Group) Bindings() ([]string, error) {
	text, err := g.Read("memward.bind")
	if err != nil || text == "" {
		return nil, err
	}
	return strings.Split(text, "\n"), nil
}

// Bind has the processes of one of the kernel's own cgroups in it, now and later.
func (g Group) Bind(cgroup string) error { return g.Write("memward.bind", cgroup) }

// Unbind undoes Bind.
func (g Group) Unbind(cgroup string) error { return g.Write("memward.bind", "-"+cgroup) }

// Kill sends SIGKILL to everybody in it and below it.
func (g Group) Kill() error { return g.Write("cgroup.kill", "1") }

// Adopt charges what a process of the group has mapped and nobody pays for.
func (g Group) Adopt(pid int) error { return g.Write("memward.adopt", strconv.Itoa(pid)) }
