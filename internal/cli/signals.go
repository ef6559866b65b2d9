// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// passedOn are the signals that are sent on to a program by who runs it.
var passedOn = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGCONT, unix.SIGALRM, unix.SIGWINCH,
}

// catchSignals has these signals end nothing from now on.  What was ignored stays so, also for the program.
func catchSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 64)
	for _, s := range passedOn {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	outliveReaders()
	return signals
}

// outliveReaders has what this process writes be lost where nobody reads it any more, and nothing else: what was begun goes on to its end.  By itself Go
// ends then, also where SIGPIPE is ignored.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// passOn sends signals on to a program, until that has ended.
func passOn(signals <-chan os.Signal, program program, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case s := <-signals:
			if !isTyped(s, program.pid) {
				program.signal(s.(syscall.Signal))
			}
		}
	}
}

// wantsEnd says whether a signal is one of those that end who waits for something.
func wantsEnd(s os.Signal) bool {
	return s == unix.SIGINT || s == unix.SIGTERM || s == unix.SIGHUP || s == unix.SIGQUIT
}

// program is one that was started, by its pid and by what is nobody else's when that is used again.
type program struct{ pid, fd int }

func (p program) signal(s syscall.Signal) { _ = unix.PidfdSendSignal(p.fd, s, nil, 0) }

// isTyped says whether a signal is one that a terminal sends to all of its foreground, and so to the program, itself.
func isTyped(s os.Signal, pid int) bool {
	switch s {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGWINCH, unix.SIGCONT:
	default:
		return false
	}
	group, err := unix.Getpgid(pid)
	return err == nil && group == unix.Getpgrp() && isForeground()
}

// isForeground says whether what is typed at the terminal reaches this process.
func isForeground() bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// waitFor waits until a program has ended.  When it stops, so does who waits: whoever waits for that, a shell
// mostly, takes both for one.
func waitFor(pid int) (unix.WaitStatus, error) {
	for {
		var end unix.WaitStatus
		_, err := unix.Wait4(pid, &end, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case end.Stopped():
			stopWith(pid)
		default:
			return end, nil
		}
	}
}

// stopWith stops, until somebody goes on with both.
func stopWith(pid int) {
	// what is typed stops both, and this may be seen when they go on again
	time.Sleep(10 * time.Millisecond)
	if !isStopped(pid) {
		return
	}
	stopHere(unix.SIGSTOP)
	// which may be the first of a group of its own, as an interactive shell
	if group, err := unix.Getpgid(pid); err == nil && group != unix.Getpgrp() {
		_ = unix.Kill(-group, unix.SIGCONT)
	}
	_ = unix.Kill(pid, unix.SIGCONT)
}

// stopHere stops this process, and is over when somebody goes on with it.  The signal is for this thread: another one
// would let it run on for a while.
func stopHere(s syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), s)
}

// dieAs ends by the signal that has ended the program, if somebody might have typed it: a shell ends its loop then.  Not
// by SIGQUIT, which Go's runtime has for itself.
func dieAs(end unix.WaitStatus) {
	if !end.Signaled() {
		return
	}
	switch s := end.Signal(); s {
	case unix.SIGINT, unix.SIGTERM, unix.SIGHUP:
		signal.Reset(s)
		_ = unix.Kill(unix.Getpid(), s)
		// it arrives in a moment, if it is not blocked
		time.Sleep(100 * time.Millisecond)
	}
}
