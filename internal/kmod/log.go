// SPDX-License-Identifier: GPL-2.0

package kmod

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// kernelLog is what the kernel says from a moment on.
type kernelLog struct{ fd int }

// openLog begins to listen.  Where that is not to be, it hears nothing.
func openLog() kernelLog {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return kernelLog{-1}
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_END); err != nil {
		unix.Close(fd)
		return kernelLog{-1}
	}
	return kernelLog{fd}
}

func (l kernelLog) close() {
	if l.fd >= 0 {
		unix.Close(l.fd)
	}
}

// said is what memward has said since then.
func (l kernelLog) said() []string {
	var lines []string
	buf := make([]byte, os.Getpagesize()*2)
	for l.fd >= 0 {
		n, err := unix.Read(l.fd, buf)
		if err == unix.EPIPE {
			// it was overwritten meanwhile
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		lines = append(lines, messagesOf(string(buf[:n]))...)
	}
	return lines
}

// messagesOf is what a record of /dev/kmsg says, if memward does: numbers, a semicolon, the line, and more lines of
// a blank and what it is about.
func messagesOf(record string) []string {
	_, text, _ := strings.Cut(record, ";")
	line, _, _ := strings.Cut(text, "\n")
	if message, found := strings.CutPrefix(line, Name+": "); found {
		return []string{message}
	}
	return nil
}
