// SPDX-License-Identifier: GPL-2.0

package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestGuess(t *testing.T) {
	for name, want := range map[string]string{
		"redis.service": "/system.slice/redis.service", "postgresql@17-main.service": "/system.slice/system-postgresql.slice/postgresql@17-main.service",
		"a-b@c.service": `/system.slice/system-a\x2db.slice/a-b@c.service`, "memory.service": "/system.slice/_memory.service", "x.slice": "", "redis": "", "a/b.service": "",
	} {
		if got, ok := Guess(name); got != want || ok != (want != "") {
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
