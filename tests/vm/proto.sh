# SPDX-License-Identifier: GPL-2.0
# A build that expects another prototype than the kernel has (-DMW_TEST_WRONG_PROTO). In a boot of its own.
mounts=no

refused_line='memward: cannot attach to [a-z_]*mem_cgroup_charge, needed for charge: expected prototype "int \(struct (folio|page) \*, struct mm_struct \*, gfp_t, bool\)", found "int \(struct (folio|page) \*, struct mm_struct \*, gfp_t\)"'

nothing_is_attached() {
	[ ! -e /sys/kernel/livepatch/memward ] || fail "there is a livepatch"
	is "probes" "$(cat /sys/kernel/debug/kprobes/list)" ""
	! grep -w memward /sys/kernel/tracing/enabled_functions || fail "a function is traced"
}

test_mount_is_refused() {
	expect_log "$refused_line"
	modprobe memward
	attempt EOPNOTSUPP mount memward $MW ""
	nothing_is_attached
	is "lines in the log" "$(dmesg | grep -cE "$refused_line")" 1
	is "files" "$(ls $MW)" ""
}

test_the_machine_runs_on() {
	expect_log "$refused_line"
	attempt EOPNOTSUPP mount memward $MW ""
	run_outside mem anon 50M
	run_outside proc tree 50
	file_of 10
	run_outside mem read "$file"
	nothing_is_attached
}
# run_outside PROGRAM...: up to its first step.
run_outside() {
	"$@" >$TMP/outside &
	await 30 test -s $TMP/outside
	kill -USR1 $!
}

test_refused_again_and_unloaded() {
	expect_log "$refused_line"
	attempt EOPNOTSUPP mount memward $MW ""
	rmmod memward
	modprobe memward
	attempt EOPNOTSUPP mount memward $MW ""
	rmmod memward
	nothing_is_attached
}
