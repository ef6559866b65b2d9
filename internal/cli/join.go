// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"memward/internal/groupfs"
)

// A program has to be in its group before its first instruction, and what starts it must not be: so memward starts
// itself once more, and that goes into the group and becomes the program.

// joinWord is the first word of that, which nobody types.
const joinWord = "__join"

var errCannotRun = errors.New("it cannot be run")

// runIn runs a program in a group until it ends.
func runIn(g groupfs.Group, path string, argv []string, signals <-chan os.Signal) (unix.WaitStatus, error) {
	said, says, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer said.Close()
	pid, err := startJoin(g, path, argv, says)
	says.Close()
	if err != nil {
		return 0, fmt.Errorf("starting memward once more: %w", err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0, fmt.Errorf("looking at process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	ended := make(chan struct{})
	defer close(ended)
	go passOn(signals, program{pid, fd}, ended)
	failure, _ := io.ReadAll(said)
	end, err := waitFor(pid)
	if err == nil {
		err = failureOf(g, path, pid, string(failure))
	}
	return end, err
}

// above are the descriptors that a program may have been given: a shell's, make's, those of socket activation.
const above = 100

// startJoin starts it with all files that memward has been given, and one more.
func startJoin(g groupfs.Group, path string, argv []string, says *os.File) (int, error) {
	// one that is not closed by what becomes of it: it sees to that itself
	fd, err := unix.FcntlInt(says.Fd(), unix.F_DUPFD, above)
	if errors.Is(err, unix.EINVAL) {
		// there are no more than that
		fd, err = unix.FcntlInt(says.Fd(), unix.F_DUPFD, 3)
	}
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	words := append([]string{"memward", joinWord, strconv.Itoa(fd), g.Dir(), path}, argv...)
	return syscall.ForkExec("/proc/self/exe", words, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
}

// join goes into a group, by its directory, and becomes a program.  What it cannot do it says as a word and an errno.
func join(args []string) int {
	if len(args) < 4 {
		return statusRunFailed
	}
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return statusRunFailed
	}
	syscall.CloseOnExec(fd)
	dir, path, argv := args[1], args[2], args[3:]
	if err := enter(dir); err != nil {
		return tell(fd, "join", err)
	}
	return tell(fd, "exec", syscall.Exec(path, argv, os.Environ()))
}

func enter(dir string) error {
	procs, err := unix.Open(dir+"/cgroup.procs", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(procs)
	_, err = unix.Write(procs, []byte("0"))
	return err
}

func tell(fd int, what string, err error) int {
	var errno syscall.Errno
	errors.As(err, &errno)
	_, _ = unix.Write(fd, fmt.Appendf(nil, "%s %d", what, int(errno)))
	return statusRunFailed
}

// failureOf is what join() has told, if it has.
func failureOf(g groupfs.Group, path string, pid int, told string) error {
	what, code, found := strings.Cut(told, " ")
	number, err := strconv.Atoi(code)
	switch errno := syscall.Errno(number); {
	case !found || err != nil:
		return nil
	case what == "join":
		return g.ExplainAttach(pid, errno)
	default:
		return fmt.Errorf("%w: %s: %w", errCannotRun, groupfs.Quote(path), errno)
	}
}
