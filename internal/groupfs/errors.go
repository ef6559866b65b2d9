// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// What the kernel says of a file whose group was removed while it was open, or looked up.
var goneErrnos = []syscall.Errno{syscall.ENODEV, syscall.ENOENT}

func isErrno(err error, errnos ...syscall.Errno) bool {
	for _, errno := range errnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// adviceError is one that says itself what to do about it.
type adviceError struct{ text, next string }

func (e *adviceError) Error() string { return e.text }

// Next is what whoever reads it can do.
func (e *adviceError) Next() string { return e.next }

// Advise makes an error of a text, and of what to do about it.
func Advise(next, format string, args ...any) error {
	return &adviceError{fmt.Sprintf(format, args...), next}
}

// NoFileError says that memward has no file of that name in a group.
type NoFileError struct{ Group, File string }

func (e *NoFileError) Error() string {
	return fmt.Sprintf("there is no file %s in %s", Quote(e.File), Quote(e.Group))
}

// PermissionError says that something is only for who has the right to it.
type PermissionError struct{ What string }

func (e *PermissionError) Error() string { return "not permitted: " + e.What }

// BusyError says that a group cannot be removed yet.
type BusyError struct {
	Name  string
	Pids  []int
	Below []string
}

func (e *BusyError) Error() string {
	switch {
	case len(e.Below) > 0:
		return fmt.Sprintf("%s has groups below it, %s first", Quote(e.Name), Quote(e.Below[0]))
	case len(e.Pids) == 1:
		return fmt.Sprintf("process %d is in %s", e.Pids[0], Quote(e.Name))
	case len(e.Pids) > 1:
		return fmt.Sprintf("%d processes are in %s, %d first", len(e.Pids), Quote(e.Name), e.Pids[0])
	default:
		return fmt.Sprintf("%s is in use", Quote(e.Name))
	}
}

// ErrNoProcess says that there is no process of that pid.
var ErrNoProcess = errors.New("there is no such process")

type noProcessError struct{ pid string }

func (e *noProcessError) Error() string { return "there is no process " + e.pid }
func (e *noProcessError) Unwrap() error { return ErrNoProcess }
func (e *noProcessError) Next() string  { return "pgrep and ps show those there are" }

// MirrorError says that the groups are the kernel's own cgroups, and something is for one's own groups only.
type MirrorError struct{ What string }

func (e *MirrorError) Error() string {
	return "what is mounted is a mirror of the kernel's cgroups, where nobody can " + e.What
}

// explain makes of what the system says of a group's file what is meant.  file may be "".
func explain(g Group, file string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) && file != "" && g.check() == nil:
		return &NoFileError{g.name, file}
	case isGone(err):
		return &NoGroupError{g.name}
	case errors.Is(err, fs.ErrPermission):
		return &PermissionError{fmt.Sprintf("%s of %s", nonEmpty(file, "the directory"), Quote(g.name))}
	}
	return fmt.Errorf("%s of %s: %w", nonEmpty(file, "the directory"), Quote(g.name), cause(err))
}

func nonEmpty(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

// cause is what the system said, without the path, which a Quote stands for.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// ValueError says that a file does not take a value.
type ValueError struct {
	File, Value string
	Err         error
}

func (e *ValueError) Error() string {
	reason := "%s does not take %s"
	switch {
	case isErrno(e.Err, syscall.EINVAL):
	case isErrno(e.Err, syscall.ERANGE):
		reason = "%s does not take %s, which is out of its range"
	case isErrno(e.Err, syscall.EBUSY):
		reason = "%s cannot be %s now: more is used, and cannot be reclaimed"
	default:
		return fmt.Sprintf("%s does not take %s: %v", e.File, Quote(e.Value), e.Err)
	}
	return fmt.Sprintf(reason, e.File, Quote(e.Value))
}

func (e *ValueError) Unwrap() error { return e.Err }

func explainWrite(g Group, file, value string, err error) error {
	switch file {
	case "cgroup.procs":
		return explainAttach(g, value, err)
	case "memward.bind":
		return explainBind(g, value, err)
	case "memward.adopt":
		return explainAdopt(g, value, err)
	}
	switch {
	case isErrno(err, syscall.ENODEV):
		return &NoGroupError{g.name}
	case isErrno(err, syscall.EPERM, syscall.EACCES):
		return &PermissionError{fmt.Sprintf("%s of %s", file, Quote(g.name))}
	}
	return &ValueError{file, value, cause(err)}
}

func explainAttach(g Group, pid string, err error) error {
	switch {
	case isErrno(err, syscall.ESRCH):
		return &noProcessError{pid}
	case isErrno(err, syscall.EINVAL):
		return fmt.Errorf("%s is a thread of the kernel, which has no memory to be charged", pid)
	case isErrno(err, syscall.EPERM, syscall.EACCES):
		return &PermissionError{fmt.Sprintf("moving process %s to %s", pid, Quote(g.name))}
	case isErrno(err, syscall.EOPNOTSUPP):
		return &MirrorError{"move a process by hand"}
	case isErrno(err, goneErrnos...):
		return &NoGroupError{g.name}
	}
	return fmt.Errorf("moving process %s to %s: %w", pid, Quote(g.name), cause(err))
}

// explainBind is for what was written: a path, with a minus in front where it was to be taken away.
func explainBind(g Group, written string, err error) error {
	path := strings.TrimPrefix(written, "-")
	switch {
	case isErrno(err, syscall.EBUSY):
		return Advise("grep -r . "+g.tree.Root+" --include=memward.bind says to which; memward bind --remove takes it from there",
			"%s is bound to another group", Quote(path))
	case isErrno(err, syscall.ENOENT) && path == written:
		return Advise("a path is as below /sys/fs/cgroup; a number is that of a cgroup's directory (stat -c %i)", "there is no cgroup %s", Quote(path))
	case isErrno(err, syscall.ENOENT):
		return Advise("memward bind "+Quote(g.name)+" shows what is", "%s is not bound to %s", Quote(path), Quote(g.name))
	case isErrno(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is no cgroup, but a file", Quote(path))
	case isErrno(err, syscall.EINVAL) && !strings.HasPrefix(path, "/") && strings.Contains(path, ":"):
		return Advise("in cgroup v1 it is written as in a line of /proc/self/cgroup, without the number in front", "%s is no path of a cgroup", Quote(path))
	case isErrno(err, syscall.EINVAL):
		return fmt.Errorf("%s is no path of a cgroup", Quote(path))
	case isErrno(err, syscall.ENOSPC):
		return fmt.Errorf("%s cannot be bound: cgroups of eight hierarchies of cgroup v1 are bound already", Quote(path))
	case isErrno(err, syscall.EPERM):
		return &PermissionError{"binding a cgroup takes CAP_SYS_ADMIN"}
	case isErrno(err, syscall.EOPNOTSUPP):
		if g.tree.Mirror != "" {
			return &MirrorError{"bind a cgroup"}
		}
		return fmt.Errorf("%s cannot be bound: it is a threaded cgroup, or of a controller that this kernel has on v2 alone, or this kernel does not tell of what has to be known (memward status)", Quote(path))
	case isErrno(err, syscall.ENODEV):
		return &NoGroupError{g.name}
	}
	return fmt.Errorf("binding %s to %s: %w", Quote(path), Quote(g.name), cause(err))
}

// ErrExist says that a group is there already.
var ErrExist = errors.New("it is there already")

type existsError struct{ name string }

func (e *existsError) Error() string { return Quote(e.name) + " is there already" }
func (e *existsError) Unwrap() error { return ErrExist }
func (e *existsError) Next() string {
	return "memward set changes it; memward remove removes it"
}

// explainAdopt is for memward.adopt: docs/files.md says what it does.
func explainAdopt(g Group, pid string, err error) error {
	switch {
	case isErrno(err, syscall.ENOMEM):
		return Advise("raise memory.max: what was charged stays charged, and what it wants next has somebody killed",
			"%s has no room for all that process %s has", Quote(g.name), pid)
	case isErrno(err, syscall.ESRCH):
		return Advise("memward attach moves it", "process %s is not in %s", pid, Quote(g.name))
	case isErrno(err, syscall.EPERM):
		return &PermissionError{"adopting takes CAP_SYS_ADMIN"}
	case isErrno(err, syscall.EINTR):
		return Advise("begin again to go on", "a signal has ended it before all that process %s has was charged", pid)
	}
	return fmt.Errorf("adopting process %s: %w", pid, cause(err))
}

func explainMkdir(g Group, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return &existsError{g.name}
	case errors.Is(err, fs.ErrNotExist):
		return Advise("create that first", "what %s is to be in is not there", Quote(g.name))
	case isErrno(err, syscall.EPERM) && g.tree.Mirror != "":
		return &MirrorError{"make or remove a group by hand"}
	case errors.Is(err, fs.ErrPermission):
		return &PermissionError{"making " + Quote(g.name)}
	case isErrno(err, syscall.EAGAIN):
		return Advise("memward show GROUP cgroup.max.descendants cgroup.max.depth, of the groups above it, / too",
			"%s would be one group too many, or one level too deep", Quote(g.name))
	case isErrno(err, syscall.EINVAL):
		return Advise("another name", "%s cannot be the name of a group", Quote(g.name))
	}
	return fmt.Errorf("making %s: %w", Quote(g.name), cause(err))
}

func explainRmdir(g Group, err error) error {
	switch {
	case isErrno(err, syscall.EPERM) && g.tree.Mirror != "":
		return &MirrorError{"make or remove a group by hand"}
	case errors.Is(err, fs.ErrPermission):
		return &PermissionError{"removing " + Quote(g.name)}
	case isErrno(err, syscall.EBUSY, syscall.ENOTEMPTY):
		return busy(g)
	case isGone(err):
		return &NoGroupError{g.name}
	}
	return fmt.Errorf("removing %s: %w", Quote(g.name), cause(err))
}

// busy looks who is there; who has gone meanwhile is not named.
func busy(g Group) error {
	e := &BusyError{Name: g.name}
	e.Pids, _ = g.Processes()
	children, _ := g.Children()
	for _, child := range children {
		e.Below = append(e.Below, child.name)
	}
	return e
}
