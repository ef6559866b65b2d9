// SPDX-License-Identifier: GPL-2.0

package kmod

import "testing"

const status = `feature    function                         how        state            hits  prototype
charge     __mem_cgroup_charge              livepatch  attached        12345  (struct folio *folio, gfp_t gfp)
swapin     mem_cgroup_swapin                livepatch  shadowed            7  livepatched by other, which came later
removed    cgroup_rmdir                     tracepoint ready               0  (int x)
shadow_bytes 2097152
fork_kills 0
mirror_missing 3
`

func TestParseHooks(t *testing.T) {
	hooks, rest := parseHooks(status)
	want := []Hook{
		{"charge", "__mem_cgroup_charge", "livepatch", "attached", 12345, "(struct folio *folio, gfp_t gfp)"},
		{"swapin", "mem_cgroup_swapin", "livepatch", "shadowed", 7, "livepatched by other, which came later"},
		{"removed", "cgroup_rmdir", "tracepoint", "ready", 0, "(int x)"},
	}
	if len(hooks) != len(want) {
		t.Fatalf("%v", hooks)
	}
	for i := range want {
		if hooks[i] != want[i] {
			t.Errorf("%#v, not %#v", hooks[i], want[i])
		}
	}
	if !hooks[0].IsWell() || hooks[1].IsWell() || !hooks[2].IsWell() {
		t.Error("well and ill")
	}
	if rest != "shadow_bytes 2097152\nfork_kills 0\nmirror_missing 3\n" {
		t.Errorf("%q", rest)
	}
}

func TestMessagesOf(t *testing.T) {
	for record, want := range map[string]string{
		"3,1240,51236,-;memward: nobody has tested it on Linux 6.6; to try\n SUBSYSTEM=x\n": "nobody has tested it on Linux 6.6; to try",
		"3,1240,51236,-;memwardx: other\n":                                                  "",
		"6,1,2,-;usb: memward: no\n":                                                        "",
		"":                                                                                  "",
	} {
		got := messagesOf(record)
		if len(got) > 1 || (len(got) == 1) != (want != "") || want != "" && got[0] != want {
			t.Errorf("%q: %q", record, got)
		}
	}
}

func TestFileIn(t *testing.T) {
	dep := "kernel/fs/fat/fat.ko.xz:\nupdates/dkms/memwardx.ko: kernel/a.ko\nupdates/dkms/memward.ko.xz: kernel/b.ko\n"
	if got := fileIn("/lib/modules/6", dep); got != "/lib/modules/6/updates/dkms/memward.ko.xz" {
		t.Error(got)
	}
	if got := fileIn("/lib/modules/6", "kernel/x.ko: updates/memward.ko\n"); got != "" {
		t.Error(got)
	}
}

func TestSeries(t *testing.T) {
	for release, want := range map[string]string{"6.12.118+deb13-cloud-amd64": "6.12", "5.10.0-30-amd64": "5.10", "7.3.4": "7.3", "": ""} {
		if got := Series(release); got != want {
			t.Errorf("%s: %s", release, got)
		}
	}
	tested = "5.10 6.1"
	if !IsTested("6.1") || IsTested("6.12") || IsTested("6") {
		t.Error("which are tested")
	}
}
