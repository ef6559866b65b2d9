# SPDX-License-Identifier: GPL-2.0
# What is refused, with which error, and that nothing has changed then.

BAD_SIZES='12Q -5 1e9 0x10 1.5G 18446744073709551616 18446744073709551615K 16777216T 1KB ++1 10M,5M 10M~5M MAX'

# refused ERROR FILE TEXT: the file says afterwards what it said before.
refused() {
	local before
	before=$(cat "$2")
	attempt "$1" write "$2" "$3"
	is "$2 after '$3'" "$(cat "$2")" "$before"
}

bad_sizes() {
	local bad
	for bad in $BAD_SIZES; do
		refused EINVAL "$1" "$bad"
	done
	refused EINVAL "$1" ""
	refused EINVAL "$1" "
"
	refused EINVAL "$1" "10M 5M"
	refused EINVAL "$1" "10M
5M"
}

test_sizes() {
	put "$G/memory.high" 64M
	bad_sizes "$G/memory.high"
	is memory.high "$(cat "$G/memory.high")" $((64 * MB))
	put "$G/memory.high" max
	bad_sizes "$G/memory.high"
	is memory.high "$(cat "$G/memory.high")" max
}

test_sizes_that_are_good() {
	put "$G/memory.high" 8191
	is "8191 bytes" "$(cat "$G/memory.high")" 4096
	put "$G/memory.high" 3k
	is "3k" "$(cat "$G/memory.high")" 0
	put "$G/memory.high" -1
	is "-1" "$(cat "$G/memory.high")" max
	put "$G/memory.high" 1T
	is "1T" "$(cat "$G/memory.high")" 1099511627776
	put "$G/memory.high" 18446744073709551615
	is "2^64 - 1" "$(cat "$G/memory.high")" max
	put "$G/memory.high" " 4096 "
	is "4096 with blanks" "$(cat "$G/memory.high")" 4096
}

test_64_kib_of_text() {
	put "$G/memory.high" 64M
	attempt EINVAL writelong "$G/memory.high" 64K a
	attempt EINVAL writelong "$G/memory.high" 64K 9
	attempt EINVAL writelong "$G/memory.high" 64K " "
	attempt EINVAL writelong "$G/memory.high" 1M a
	attempt EINVAL writelong "$G/cgroup.procs" 64K 1
	attempt EINVAL writelong "$G/cgroup.subtree_control" 64K a
	is memory.high "$(cat "$G/memory.high")" $((64 * MB))
	is members "$(members "$G")" ""
}

test_bytes_that_are_no_text() {
	put "$G/memory.high" 64M
	attempt EINVAL writezero "$G/memory.high"
	attempt EFAULT writenull "$G/memory.high"
	attempt EFAULT writenull "$G/cgroup.procs"
	is memory.high "$(cat "$G/memory.high")" $((64 * MB))
}

test_pids() {
	local bad
	for bad in 12Q -5 1e9 0x10 18446744073709551616 2147483648 4294967297 max 1K "1 2"; do
		refused EINVAL "$G/cgroup.procs" "$bad"
		refused EINVAL "$G/tasks" "$bad"
	done
	refused EINVAL "$G/cgroup.procs" ""
	refused EINVAL "$G/cgroup.procs" "
"
	refused ESRCH "$G/cgroup.procs" 2147483647
	attempt EINVAL write $MW/cgroup.procs 12Q
}

test_dead_pid() {
	sleep 1000 &
	stop $!
	refused ESRCH "$G/cgroup.procs" $!
	attempt ESRCH write $MW/cgroup.procs $!
}

test_pid_of_a_zombie() {
	run $MW zombie proc zombie "$G"
	refused ESRCH "$G/cgroup.procs" "${line#zombie }"
	finish
}

test_kernel_threads() {
	local name pid
	refused EINVAL "$G/cgroup.procs" 2
	for name in kswapd0 rcu_sched rcu_preempt ksoftirqd/0; do
		for pid in $(grep -lxs "$name" /proc/[0-9]*/comm | cut -d/ -f3); do
			refused EINVAL "$G/cgroup.procs" "$pid"
		done
	done
}

test_files_that_are_only_read() {
	local name
	for name in memory.current memory.usage_in_bytes memory.events memory.events.local memory.stat \
		cgroup.controllers cgroup.events cgroup.stat; do
		refused EACCES "$G/$name" 1
	done
	for name in memward.version memward.status; do
		attempt EACCES write $MW/$name 1
	done
	attempt EACCES write $MW/memward.audit 1
	attempt EACCES read "$G/cgroup.kill"
}

test_names() {
	attempt EINVAL mkdir "$G/a
b"
	attempt EINVAL mkdir "$G/
"
	attempt ENAMETOOLONG mkdirlong "$G" 300
	attempt ENAMETOOLONG mkdirlong "$G" 256
	attempt EEXIST mkdir "$G/memory.high"
	attempt EEXIST mkdir "$G/cgroup.procs"
	is "groups" "$(find "$G" -mindepth 1 -type d | wc -l)" 0
	is nr_descendants "$(stat_of "$G" nr_descendants cgroup.stat)" 0
	attempt ok mkdirlong "$G" 255
	attempt ok mkdir "$G/with a blank and ä"
	is nr_descendants "$(stat_of "$G" nr_descendants cgroup.stat)" 2
	rmdir "$G"/n* "$G/with a blank and ä"
}

test_only_groups_can_be_made() {
	attempt EACCES create "$G/file"
	attempt EPERM unlink "$G/memory.high"
	attempt EPERM rename "$G/memory.high" "$G/memory.higher"
	attempt EPERM link "$G/memory.high" "$G/memory.higher"
	attempt EPERM symlink "$G/memory.high" "$G/link"
	attempt ENOTDIR rmdir "$G/memory.high"
	attempt ENODEV mmap "$G/memory.high"
	mkdir "$G/a"
	attempt EPERM rename "$G/a" "$G/b"
	[ -e "$G/memory.high" ] && [ -d "$G/a" ] && [ ! -e "$G/b" ] || fail "something has changed"
}

test_controllers() {
	put "$G/cgroup.subtree_control" +memory
	attempt EINVAL write "$G/cgroup.subtree_control" +cpu
	attempt EINVAL write "$G/cgroup.subtree_control" memory
	attempt EINVAL write "$G/cgroup.subtree_control" "+memory +nonsense"
	attempt EINVAL write "$G/cgroup.subtree_control" ""
	attempt EINVAL write "$G/cgroup.type" nonsense
	is cgroup.type "$(cat "$G/cgroup.type")" domain
	is cgroup.subtree_control "$(cat "$G/cgroup.subtree_control")" memory
}

test_kill_with_nonsense() {
	sleep 1000 &
	put "$G/cgroup.procs" $!
	attempt EINVAL write "$G/cgroup.kill" yes
	attempt EINVAL write "$G/cgroup.kill" ""
	attempt EINVAL write "$G/cgroup.kill" -1
	is members "$(members "$G")" $!
}
