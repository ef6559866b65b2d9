// SPDX-License-Identifier: GPL-2.0

package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOfSlice(t *testing.T) {
	for name, want := range map[string]string{
		"-.slice": "/", "system.slice": "/system.slice", "user-1000.slice": "/user.slice/user-1000.slice",
		"a-b-c.slice": "/a.slice/a-b.slice/a-b-c.slice", "memory-x.slice": "/_memory.slice/memory-x.slice",
	} {
		if got := ofSlice(name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for name, want := range map[string]string{
		"postgresql.service": "postgresql.service", "memory.service": "_memory.service", "_x.service": "__x.service", "cgroup.scope": "_cgroup.scope",
		"iomgr.service": "iomgr.service", "bpf-devices.service": "_bpf-devices.service", "misc.service": "misc.service", "cgroupfs.mount": "cgroupfs.mount",
	} {
		if got := escape(name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for word, want := range map[string]string{
		"/system.slice/x.service": "/system.slice/x.service", Root(): "/", Root() + "/a/b": "/a/b", "4711": "4711", "/": "/",
		"pids:/x": "pids:/x", "cpu,cpuacct:/a b": "cpu,cpuacct:/a b", "name=systemd:/system.slice/x.service": "name=systemd:/system.slice/x.service",
		"pids,name=a.b-C_1:/": "pids,name=a.b-C_1:/", "name=x:" + Root(): "name=x:" + Root(),
	} {
		if got, err := Find(word); err != nil || got != want {
			t.Errorf("%s is %s (%v), not %s", word, got, err, want)
		}
	}
}

func TestContainers(t *testing.T) {
	root := t.TempDir()
	a, b := "aaaabbbbcccc"+strings.Repeat("0", 52), "aaaabbbbcccc"+strings.Repeat("1", 52)
	for _, dir := range []string{
		"system.slice/docker-" + a + ".scope/init.scope", "machine.slice/libpod-conmon-" + strings.Repeat("c", 64) + ".scope", "docker/" + b + "/" + a,
		"machine.slice/libpod-" + strings.Repeat("c", 64) + ".scope/container",
	} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string][]string{
		a:                       {"/system.slice/docker-" + a + ".scope"},
		b[:13]:                  {"/docker/" + b},
		"aaaabbbbcccc":          {"/docker/" + b, "/system.slice/docker-" + a + ".scope"},
		strings.Repeat("c", 12): {"/machine.slice/libpod-" + strings.Repeat("c", 64) + ".scope"},
		strings.Repeat("d", 12): nil,
	} {
		if got := searchBelow(root, id); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s is %v, not %v", id, got, want)
		}
	}
}

// engines has programs by these names found, and no others of their sort.
func engines(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// Who runs containers may not answer, be it that whom he has started still could; the other one may know it then.
func TestEnginesThatDoNotAnswer(t *testing.T) {
	id := strings.Repeat("a", 64)
	hangs, knows, fails := "/bin/sleep 20; :", "echo "+id, "echo no >&2; exit 125"
	for _, c := range []struct {
		podman, docker string
		id, silent     string
	}{
		{knows, hangs, id, ""}, {hangs, knows, id, ""}, {fails, knows, id, ""}, {fails, fails, "", ""}, {fails, hangs, "", "docker"}, {hangs, fails, "", "podman"}, {"echo nonsense", fails, "", ""},
	} {
		engines(t, map[string]string{"podman": c.podman, "docker": c.docker})
		begin := time.Now()
		got, err := askForID("web", 200*time.Millisecond)
		var silent *SilentError
		if errors.As(err, &silent) != (c.silent != "") || silent != nil && (silent.Engine != c.silent || silent.Next() == "") || got != c.id {
			t.Errorf("%q and %q: %q, %v", c.podman, c.docker, got, err)
		}
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("%q and %q: it took %v", c.podman, c.docker, took)
		}
	}
}

func TestIsPlace(t *testing.T) {
	for word, want := range map[string]bool{
		"/": true, "/a": true, "pids:/web": true, "redis.service": true, "a-b.slice": true, "x.scope": true, "mnt.mount": true, "redis": false, "redis.servce": false, "4711": false,
		"0123456789ab": false, "a/b.service": false, "pids:web": false, "x.timer": false, "": false,
	} {
		if IsPlace(word) != want {
			t.Errorf("%q is a place: %v", word, !want)
		}
	}
}

func TestGuess(t *testing.T) {
	for name, want := range map[string]string{
		"redis.service": "/system.slice/redis.service", "postgresql@17-main.service": "/system.slice/system-postgresql.slice/postgresql@17-main.service",
		"a-b@c.service": `/system.slice/system-a\x2db.slice/a-b@c.service`, "memory.service": "/system.slice/_memory.service", "redis": "", "a/b.service": "",
		`a\x2db@c.service`: `/system.slice/system-a\x5cx2db.slice/a\x2db@c.service`, "x.socket": "/system.slice/x.socket", "x@1.socket": "/system.slice/system-x.slice/x@1.socket",
		"srv-a.mount": "/system.slice/srv-a.mount", "dev-a.swap": "/system.slice/dev-a.swap", "x.scope": "/system.slice/x.scope", "a@b.mount": "", "a@b.scope": "", "x.timer": "",
		"x.slice": "/x.slice", "a-b.slice": "/a.slice/a-b.slice", "-.slice": "/", "a--b.slice": "", "-a.slice": "", "a-.slice": "",
	} {
		if got, ok := Guess(name); ok && got != want || ok != (want != "") {
			t.Errorf("%s is at %q", name, got)
		}
	}
}

func TestUnitOf(t *testing.T) {
	for base, want := range map[string]string{"ssh.service": "ssh.service", "_memory.service": "memory.service", "__x.service": "_x.service", "_x.service": "_x.service"} {
		if got := UnitOf(base); got != want {
			t.Errorf("%s is %s", base, got)
		}
	}
}

func TestInV1(t *testing.T) {
	known := []byte("#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t1\t1\ncpuacct\t0\t1\t1\npids\t3\t7\t1\n")
	for word, want := range map[string]string{
		"cpuacct,cpu:/a//b/": "cpu,cpuacct:/a/b", "cpu,cpuacct:/": "cpu,cpuacct:/", "name=own,pids:/a:b": "pids,name=own:/a:b",
		"pids,name=x,cpu:/a": "cpu,pids,name=x:/a", "name=mw:/a": "name=mw:/a", "memory:/a": "memory:/a", "cpu:/a": "cpu:/a",
		"/a:/b": "", "a:b": "", "redis.service": "",
	} {
		if place, ok := InV1(word, func() []byte { return known }); place != want || ok != (want != "") {
			t.Errorf("%s: %q", word, place)
		}
	}
}
