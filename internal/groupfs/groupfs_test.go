// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// What a shell makes of a quoted name is the name.
func TestQuote(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	names := []string{
		"db", "system.slice/ssh.service", "a b", "a'b", "$(id)", "`id`", "a\nb", "a\tb", "\x1b[31m", "\xff", "größe", "a\\b", "!x", "*", "a\u202eb",
		`a"b`, "a\nb'c\"d", "-x", "~", "#", "x=y", "x\x7f",
	}
	for _, name := range names {
		out, err := exec.Command(bash, "-c", "printf %s "+Quote(name)).Output()
		if err != nil || string(out) != name {
			t.Errorf("%q is quoted as %s, which is %q (%v)", name, Quote(name), out, err)
		}
		for _, r := range Quote(name) {
			if r < ' ' || r == 0x7f {
				t.Errorf("%q is quoted with a control character", name)
			}
		}
	}
	if Quote("größe/x-1") != "größe/x-1" {
		t.Errorf("what needs no quotes has got some: %s", Quote("größe/x-1"))
	}
}

func TestGroupOf(t *testing.T) {
	tree := &Tree{Root: "/sys/fs/memward"}
	for name, want := range map[string]string{
		"/": "/", "db": "db", "/db": "db", "db/": "db", "a/b": "a/b", "/sys/fs/memward": "/", "/sys/fs/memward/": "/",
		"/sys/fs/memward/a/b": "a/b", "sys/fs": "sys/fs", "a b": "a b", "..a": "..a",
	} {
		g, err := tree.groupOf(name)
		if err != nil || g.Name() != want {
			t.Errorf("%q is the group %q (%v), not %q", name, g.Name(), err, want)
		}
	}
	for _, name := range []string{"", "..", "../x", "a/../b", "a//b", "./a", "a/.", "/sys/fs/memward/.."} {
		if g, err := tree.groupOf(name); err == nil {
			t.Errorf("%q is taken for the group %q", name, g.Name())
		}
	}
}

func TestDirAndDepth(t *testing.T) {
	tree := &Tree{Root: "/m"}
	root, _ := tree.groupOf("/")
	child := root.child("a").child("b")
	if root.Depth() != 0 || child.Depth() != 2 || child.Name() != "a/b" || child.Dir() != "/m/a/b" || root.Dir() != "/m" {
		t.Errorf("%v %v %q %q %q", root.Depth(), child.Depth(), child.Name(), child.Dir(), root.Dir())
	}
}

func TestMirrorOf(t *testing.T) {
	for options, want := range map[string]string{
		"rw": "", "rw,mirror": "/", "rw,mirror=/a.slice,memory_recursiveprot": "/a.slice", "rw,nomirror": "", "rw,mirrored": "",
		`rw,mirror=/system-my\134x2dunit.slice`: `/system-my\x2dunit.slice`, `rw,mirror=/a\040b`: "/a b", `rw,mirror=/\9`: `/\9`,
	} {
		if got := mirrorOf(options); got != want {
			t.Errorf("%s: %q, not %q", options, got, want)
		}
	}
}

func TestParseSettings(t *testing.T) {
	got, err := ParseSettings([]string{"memory.high=100M", "x=a=b"})
	if err != nil || len(got) != 2 || got[0] != (Setting{"memory.high", "100M"}) || got[1] != (Setting{"x", "a=b"}) {
		t.Errorf("%v %v", got, err)
	}
	for _, word := range []string{"", "memory.high", "memory.high=", "=1", "../memory.high=1", "a/b=1"} {
		if _, err := ParseSetting(word); err == nil {
			t.Errorf("%q is a setting", word)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "4096": 4096, "1k": 1 << 10, "1K": 1 << 10, "100M": 100 << 20, "2g": 2 << 30, "1T": 1 << 40, "1P": 1 << 50, "7E": 7 << 60,
		"0100M": 100 << 20,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s is %d (%v), not %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "K", "-1", "0x10K", "1_000", "-1M", "1.5M", "8E", "100MB", "1KK", "max", " 1", "9223372036854775808"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestLimits(t *testing.T) {
	for text, want := range map[string]string{"max": "null", "0": "0", "104857600": "104857600"} {
		limit, err := ParseLimit(text)
		got, _ := json.Marshal(limit)
		if err != nil || string(got) != want {
			t.Errorf("%s is %s (%v), not %s", text, got, err, want)
		}
	}
	if _, err := ParseLimit("many"); err == nil {
		t.Error("many is a limit")
	}
}

func TestParseCounts(t *testing.T) {
	counts := ParseCounts("low 0\nhigh 12\nmax\nx y\nN0=3\n")
	if len(counts.Names) != 2 || counts.Names[1] != "high" || counts.Values["high"] != 12 || counts.IsZero() {
		t.Errorf("%v", counts)
	}
	if !ParseCounts("low 0\n").IsZero() || !ParseCounts("").IsZero() {
		t.Error("nothing is something")
	}
}
