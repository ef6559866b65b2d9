// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What /proc says of a process.

// flagExiting is PF_EXITING of the kernel's, which proc(5)'s flags have.
const flagExiting = 0x4

// fieldsOf are those of /proc/PID/stat from the state on, which comes after a name that may have anything in it.
func fieldsOf(stat string) []string {
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
}

// isEnding says whether a process has nothing left but to end: it has gone, it exits, or a SIGKILL has reached it.
func isEnding(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	fields := fieldsOf(string(stat))
	if len(fields) < 7 || fields[0] == "Z" || fields[0] == "X" {
		return true
	}
	if flags, err := strconv.ParseUint(fields[6], 10, 64); err == nil && flags&flagExiting != 0 {
		return true
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err != nil || isKilled(string(status))
}

// isKilled says whether a SIGKILL waits for the process, or its first thread.
func isKilled(status string) bool {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		if name != "SigPnd" && name != "ShdPnd" {
			continue
		}
		pending, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err == nil && pending&(1<<(unix.SIGKILL-1)) != 0 {
			return true
		}
	}
	return false
}

// isStopped says whether a process is stopped by job control.
func isStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := fieldsOf(string(stat))
	return len(fields) > 0 && fields[0] == "T"
}
