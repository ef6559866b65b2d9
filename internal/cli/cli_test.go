// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"memward/internal/apply"
	"memward/internal/cgroup"
	"memward/internal/conf"
	"memward/internal/groupfs"
	"memward/internal/kmod"
)

// TestMain is memward itself, where a test wants it to be a process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asProcess {
		os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const asProcess = "__as_process"

// unread is a file that can be written to, where nobody reads.
func unread(t *testing.T) *os.File {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from.Close()
	t.Cleanup(func() { to.Close() })
	return to
}

// Who applies something and can say it to nobody any more does it to its end all the same.
func TestNobodyReads(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]int{"[group.a]\n": statusUnread, "[group.": statusFailed} {
		if err := os.WriteFile(dir+"/1.toml", []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		process := exec.Command(os.Args[0], asProcess, "apply", "--check", dir)
		process.Stdout, process.Stderr = unread(t), unread(t)
		_ = process.Run()
		if status := process.ProcessState.ExitCode(); status != want {
			t.Errorf("%q: it ends with %v, not %d", name, process.ProcessState, want)
		}
	}
}

// What cannot be written is told of, once, whatever was to be printed; that somebody reads no more is not.
func TestOutputThatIsLost(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	good, bad := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{good: "[group.a]\n", bad: "[group."} {
		if err := os.WriteFile(dir+"/1.toml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, status := range map[string]int{
		"apply --check " + good: statusFailed, "--json apply --check " + good: statusFailed, "apply --check " + bad: statusFailed, "--json apply --check " + bad: statusFailed,
		"status": -1, "--json status": -1, "--version": statusFailed, "completion bash": statusFailed,
	} {
		var complaint bytes.Buffer
		got := Main(strings.Fields(line), os.Stdin, full, &complaint)
		said := strings.Count(complaint.String(), "memward: not all that it says could be written: write /dev/full: no space left on device\n")
		if wrote := line != "apply --check "+bad; status > 0 && got != status || got == 0 || said != map[bool]int{true: 1}[wrote] {
			t.Errorf("memward %s >/dev/full: %d, %q", line, got, complaint.String())
		}
		complaint.Reset()
		if got := Main(strings.Fields(line), os.Stdin, unread(t), &complaint); got == 0 || strings.Contains(complaint.String(), "could be written") {
			t.Errorf("memward %s to nobody: %d, %q", line, got, complaint.String())
		}
	}
}

func call(args ...string) (status int, out, complaint string) {
	var o, e bytes.Buffer
	status = Main(args, os.Stdin, &o, &e)
	return status, o.String(), e.String()
}

func TestHelpOfEachCommand(t *testing.T) {
	a := &app{}
	for _, sub := range a.command().Commands() {
		status, out, complaint := call(sub.Name(), "--help")
		if status != 0 || complaint != "" || !strings.Contains(out, "Usage:") {
			t.Errorf("memward %s --help: %d %s", sub.Name(), status, complaint)
		}
		if sub.Short == "" || strings.HasSuffix(sub.Short, ".") {
			t.Errorf("memward %s: %q", sub.Name(), sub.Short)
		}
		for line := range strings.Lines(out) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 150 {
				t.Errorf("memward %s --help has a line of %d characters: %s", sub.Name(), n, line)
			}
		}
	}
}

func TestWrongUse(t *testing.T) {
	for _, line := range []string{
		"frobnicate", "ls --frob", "ls a b", "show", "set", "set db", "set db x", "create", "remove", "attach db", "attach db x", "attach db 0", "attach db -5",
		"bind", "reclaim db", "reclaim db 1Q", "run", "run -p x true", "mount a b", "unload x", "status x", "top x", "top --sort x", "top --delay 1ms", "ls --depth x",
		"apply --check --diff", "apply --diff --load", "apply --check --watch", "apply --json --watch",
	} {
		status, out, complaint := call(strings.Fields(line)...)
		if status != statusUsage || out != "" || !strings.HasPrefix(complaint, "memward: ") || !strings.Contains(complaint, "\n  memward --help") {
			t.Errorf("memward %s: %d, %q, %q", line, status, out, complaint)
		}
	}
}

// Whatever goes wrong, who reads of it is told what to do.
func TestNextStepOfEachError(t *testing.T) {
	for _, err := range []error{
		usageError{errors.New("x")}, groupfs.ErrNotMounted, &groupfs.NoGroupError{Name: "db"}, &groupfs.NoFileError{Group: "db", File: "x"},
		&groupfs.PermissionError{What: "x"}, &groupfs.MirrorError{What: "x"}, &groupfs.BusyError{Name: "db"}, &groupfs.BusyError{Name: "db", Pids: []int{1}},
		&groupfs.BusyError{Name: "db", Below: []string{"db/a"}}, &groupfs.ValueError{File: "memory.high", Value: "x", Err: syscall.EINVAL},
		&groupfs.ValueError{File: "memory.limit_in_bytes", Value: "1", Err: syscall.EBUSY}, kmod.ErrNotBuilt, kmod.ErrSignature,
		&kmod.RefusedError{Err: syscall.EOPNOTSUPP}, &kmod.RefusedError{Err: syscall.EBUSY}, &kmod.RefusedError{Err: syscall.ENOMEM},
		&kmod.InUseError{Err: syscall.EBUSY}, &kmod.InUseError{Dir: "/x", Err: syscall.EBUSY}, &cgroup.UnknownError{Word: "x"},
		kmod.ErrForbidden, &kmod.LoadError{Said: "x"}, &groupfs.HiddenError{Dir: "/x"}, groupfs.Advise("do", "x"),
		&groupfs.ValueError{File: "cgroup.max.depth", Value: "x", Err: syscall.ERANGE},
		&cgroup.UmbrellaError{Unit: "a.service", Parts: []string{"b.service"}}, &cgroup.SilentError{Engine: "docker", Name: "web"},
		&lostError{syscall.ENOSPC},
	} {
		if nextStep(fmt.Errorf("around it: %w", err)) == "" {
			t.Errorf("nothing is to be done about %T: %v", err, err)
		}
		if strings.Contains(nextStep(err), "\n") {
			t.Errorf("more than one line is to be done about %T", err)
		}
	}
}

func TestValueOf(t *testing.T) {
	for _, c := range []struct{ file, content, want string }{
		{"memory.max", "max", "null"}, {"memory.high", "1048576", "1048576"}, {"memory.events", "low 0\nhigh 3", `{"high":3,"low":0}`},
		{"cgroup.procs", "", "[]"}, {"cgroup.procs", "12\n13", "[12,13]"}, {"memward.bind", "/a b\n/c", `["/a b","/c"]`}, {"memward.bind", "", "[]"},
		{"cgroup.type", "domain", `"domain"`}, {"memory.high.stall_action", "wait", `"wait"`}, {"cgroup.controllers", "memory", `"memory"`},
	} {
		got, err := json.Marshal(valueOf(c.file, c.content))
		if err != nil || string(got) != c.want {
			t.Errorf("%s %q is %s (%v), not %s", c.file, c.content, got, err, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ file, content, want string }{
		{"memory.max", "max", "max"}, {"memory.high", "1048576", "1M"}, {"memory.events", "low 0\nhigh 3", "low 0  high 3"},
		{"cgroup.procs", "", "-"}, {"cgroup.procs", "12\n13", "12 13"}, {"memory.swappiness", "60", "60"}, {"memory.limit_in_bytes", "4096", "4K"},
		{"cgroup.max.depth", "64", "64"}, {"memory.high.stall_max", "5000000", "5000000"},
	} {
		if got := strings.Join(describe(c.file, c.content), "|"); got != c.want {
			t.Errorf("%s %q is %q, not %q", c.file, c.content, got, c.want)
		}
	}
}

// Of the configuration as far as it can be known without memward: what is wrong is told, and is not well.
func TestConfigured(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string
		steps int
	}{
		{nil, "0 files", 0},
		{map[string]string{"1.toml": "[group.a]\n", "README": "["}, "1 file in DIR, without a mistake that can be seen", 0},
		{map[string]string{"1.toml": "[group.a]\n", "2.toml": "[group.", "3.toml": "[group.b]\nmemory.hihg = 1\n", "4.toml": "[group.c]\nbind = \"web\"\n"}, "4 files in DIR: 3 mistakes", 1},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &state{Loaded: true, Mounts: []mountInfo{{Dir: "/x"}}, Tested: true}
		if err := s.lookAtFiles(&app{dir: "/nowhere"}, dir); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(s.Configured.String(), dir, "DIR"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, not %s", got, c.want)
		}
		if verdict := s.verdict(); (verdict != nil) != (c.steps > 0) || verdict != nil && verdict != exitError(statusFailed) {
			t.Errorf("%v: %v", c.files, verdict)
		}
		if steps := s.steps(); len(steps) != c.steps || c.steps > 0 && !strings.Contains(steps[0], "memward apply --check") {
			t.Errorf("%v: %q", c.files, steps)
		}
	}
	s := &state{Configured: configured{Files: 1, Changes: []apply.Change{{Kind: apply.Make, Group: "a"}}, dir: "/x"}}
	if got := s.Configured.String(); got != "1 file in /x: 1 change not applied" || !strings.Contains(strings.Join(s.Configured.steps(), " "), "apply --diff") {
		t.Errorf("%s, %q", got, s.Configured.steps())
	}
	if err := (&state{}).lookAtFiles(&app{dir: "/nowhere"}, conf.Dir); err != nil {
		t.Errorf("without any configuration: %v", err)
	}
}

// Who has upgraded memward is told how to have loaded what is built; what is loaded works on.
func TestOtherVersions(t *testing.T) {
	for _, c := range []struct {
		module, command, source, file string
		says, step                    string
	}{
		{"1.0", "1.0", "AB", "AB", "loaded, version 1.0", ""}, {"1.0", "1.0", "AB", "", "loaded, version 1.0", ""}, {"1.0", "1.0", "", "AB", "loaded, version 1.0", ""},
		{"1.0", "", "", "", "loaded, version 1.0", ""},
		{"1.0", "1.0", "AB", "CD", "loaded, version 1.0 (what is built now is another)", "systemctl restart memward"},
		{"1.0", "1.1", "AB", "CD", "loaded, version 1.0 (this command is of 1.1; what is built now is another)", "systemctl restart memward"},
		{"1.0", "1.1", "AB", "AB", "loaded, version 1.0 (this command is of 1.1)", "dkms status memward says which"},
		{"1.0", "1.1", "", "", "loaded, version 1.0 (this command is of 1.1)", "version 1.1 is built"},
	} {
		s := &state{Loaded: true, Tested: true, Mounts: []mountInfo{{Dir: "/x"}}, Module: c.module, Command: c.command, Source: c.source, FileSource: c.file}
		steps := strings.Join(s.steps(), "\n")
		if s.module() != c.says || (steps == "") != (c.step == "") || !strings.Contains(steps, c.step) || strings.Contains(steps, "\n") {
			t.Errorf("%+v: %s, and then %q", c, s.module(), steps)
		}
		if err := s.verdict(); err != nil {
			t.Errorf("%+v is ill: %v", c, err)
		}
	}
}

func TestProtection(t *testing.T) {
	set := func(bytes int64) groupfs.Limit { return groupfs.Limit{Bytes: bytes, Set: true} }
	for _, c := range []struct {
		low, floor groupfs.Limit
		want       string
	}{
		{set(0), set(0), "-"}, {set(4096), set(0), "4K"}, {set(4096), set(8192), "8K"}, {set(0), set(8192), "8K"},
		{groupfs.Limit{}, set(0), "max"}, {set(4096), groupfs.Limit{}, "max"}, {groupfs.Limit{}, groupfs.Limit{}, "max"},
	} {
		if got := protection(groupfs.Usage{Name: "x", Low: c.low, Min: c.floor}); got != c.want {
			t.Errorf("%v %v is %s, not %s", c.low, c.floor, got, c.want)
		}
	}
	if got := protection(groupfs.Usage{Name: "/"}); got != "-" {
		t.Errorf("the root has %s", got)
	}
}

func TestFailureOf(t *testing.T) {
	var g groupfs.Group
	if err := failureOf(g, "/x", 12, ""); err != nil {
		t.Error(err)
	}
	if err := failureOf(g, "/x", 12, "exec 8"); !errors.Is(err, errCannotRun) || !strings.Contains(err.Error(), "/x: exec format error") {
		t.Error(err)
	}
	var denied *groupfs.PermissionError
	if err := failureOf(g, "/x", 12, "join 13"); !errors.As(err, &denied) {
		t.Error(err)
	}
}

func TestWhoIsEnding(t *testing.T) {
	if isEnding(os.Getpid()) {
		t.Error("this test is about to end")
	}
	if !isEnding(1 << 30) {
		t.Error("nobody goes on")
	}
	if !isKilled("SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n") || isKilled("SigPnd:\t0000000000000000\nSigCgt:\t0000000000000100\n") {
		t.Error("who is killed")
	}
	if got := fieldsOf("12 (a) b) Z 1 2"); len(got) != 3 || got[0] != "Z" {
		t.Error(got)
	}
}

func TestAllOf(t *testing.T) {
	ended := errors.New("ended")
	come := make(chan newcomer, 4)
	if names, err := allOf(newcomer{name: "a"}, come); err != nil || !slices.Equal(names, []string{"a"}) {
		t.Errorf("alone: %q, %v", names, err)
	}
	come <- newcomer{name: "b"}
	come <- newcomer{err: ended}
	come <- newcomer{name: "c"}
	if names, err := allOf(newcomer{name: "a"}, come); !errors.Is(err, ended) || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("before an error: %q, %v", names, err)
	}
	if names, err := allOf(<-come, come); err != nil || !slices.Equal(names, []string{"c"}) {
		t.Errorf("after it: %q, %v", names, err)
	}
}
