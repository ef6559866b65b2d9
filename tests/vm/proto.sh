# SPDX-License-Identifier: GPL-2.0
# A build that expects other prototypes than the kernel has (-DMW_TEST_WRONG_PROTO): of a function that it calls, and of one or two
# that it hooks. In a boot of its own.
mounts=no

wrong_call='memward: cannot call lru_add_drain_all: expected prototype "int \(void\)", found "void \(void\)"'
charge='expected prototype "int \(struct (folio|page) \*, struct mm_struct \*, gfp_t, bool\)", found "int \(struct (folio|page) \*, struct mm_struct \*, gfp_t\)"'
wrong_charge="memward: cannot attach to [a-z_]*mem_cgroup_charge, needed for charge: $charge"
# on 5.10 swap-in is charged by the same function
wrong_swapin="memward: cannot attach to mem_cgroup_charge, needed for swapin: $charge"

# All that is wrong is named, not only the first of it.
expect_refusal() {
	expect_log "$wrong_call"
	expect_log "$wrong_charge"
	! is_5_10 || expect_log "$wrong_swapin"
}
is_5_10() { case $(uname -r) in 5.10.*) ;; *) return 1 ;; esac }

nothing_is_attached() {
	[ ! -e /sys/kernel/livepatch/memward ] || fail "there is a livepatch"
	is "probes" "$(cat /sys/kernel/debug/kprobes/list)" ""
	! grep -w memward $TRACING/enabled_functions || fail "a function is traced"
}

test_mount_is_refused() {
	expect_refusal
	modprobe memward
	attempt EOPNOTSUPP mount memward $MW ""
	nothing_is_attached
	is "lines on the call" "$(dmesg | grep -cE "$wrong_call")" 1
	is "lines on the hook" "$(dmesg | grep -cE "$wrong_charge")" 1
	is "lines on others" "$(dmesg | grep 'memward: cannot' | grep -cvE "$wrong_call|$wrong_charge|$wrong_swapin")" 0
	is "files" "$(ls $MW)" ""
}

# Who wants to try what nobody has tested gets no functions that are not what they were.
test_untested_does_not_help() {
	expect_refusal
	attempt EOPNOTSUPP mount memward $MW untested
	nothing_is_attached
}

test_the_machine_runs_on() {
	expect_refusal
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
	expect_refusal
	attempt EOPNOTSUPP mount memward $MW ""
	rmmod memward
	modprobe memward
	attempt EOPNOTSUPP mount memward $MW ""
	rmmod memward
	nothing_is_attached
}
