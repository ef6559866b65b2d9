# SPDX-License-Identifier: GPL-2.0
# No memory, on purpose, at each allocation in turn: a clear error or nothing at all, and nothing lost or kept.
# Only a kernel with fault injection can do it: the debug kernel.

debugfs=/sys/kernel/debug

need_injection() {
	local kind
	[ -d $debugfs/failslab ] || skip "the kernel cannot make allocations fail (CONFIG_FAILSLAB)"
	for kind in failslab fail_page_alloc; do
		echo N >$debugfs/$kind/ignore-gfp-wait
		echo 0 >$debugfs/$kind/verbose
		echo 0 >$debugfs/$kind/probability
		echo -1 >$debugfs/$kind/times
	done
	echo 0 >$debugfs/fail_page_alloc/min-order
	echo N >$debugfs/fail_page_alloc/ignore-gfp-highmem
}

limit_mkdir_and_rmdir=300
test_mkdir_and_rmdir() {
	need_injection
	starve each mkdir "$G/a"
	is nr_descendants "$(stat_of "$G" nr_descendants cgroup.stat)" 0
	mkdir "$G/a"
	starve each rmdir "$G/a"
	starve each list "$G"
	starve each chmod "$G/a/memory.high"
	audit_is_clean
}

limit_files=600
test_files() {
	local file
	need_injection
	mkdir "$G/a"
	for file in "$G"/a/* $MW/memward.*; do
		case $file in
		*/cgroup.kill) starve each write "$file" 1 ;;
		*/cgroup.procs | */tasks)
			starve each read "$file"
			starve each write "$file" 0
			;;
		*/memory.high)
			starve each read "$file"
			starve each write "$file" 1G
			;;
		*/memory.peak | */memory.swap.peak | */memory.max_usage_in_bytes)
			starve each read "$file"
			starve each write "$file" reset
			;;
		*) starve each read "$file" ;;
		esac
	done
	audit_is_clean
}

limit_work_in_a_group=600
test_work_in_a_group() {
	need_injection
	in_group "$G" starve each fork "$G/cgroup.procs"
	in_group "$G" starve each touch nothing
	in_group "$G" starve each file "$DISK/failing"
	in_group "$G" starve each file /tmp/failing
	put "$G/memory.high" 1
	in_group "$G" starve each touch nothing
	audit_is_clean
	drain
	is anon "$(stat_of "$G" anon)" 0
}

# When the reserve is used up too, children start outside, and it is told.
escapes() { awk '/fork_escapes/ { print $2 }' $MW/memward.status; }
# Of all that is allocated, only a member.
members_fail() {
	echo 1 >/sys/kernel/slab/memward_member/failslab
	echo Y >$debugfs/failslab/cache-filter
	echo 100 >$debugfs/failslab/probability
}
nothing_fails() {
	echo 0 >$debugfs/failslab/probability
	echo N >$debugfs/failslab/cache-filter
}
test_forks_without_memory() {
	local before
	need_injection
	[ -e /sys/kernel/slab/memward_member/failslab ] || skip "the kernel cannot choose what fails"
	before=$(escapes)
	start "$G" starve forks 300
	at_step ready
	members_fail
	kill -USR1 "$pid"
	next_line
	nothing_fails
	at_step born
	at_least "children that have escaped" $(($(escapes) - before)) 1
	is "children in the group, and escaped" $(($(members "$G" | wc -l) - 1 + $(escapes) - before)) 300
	finish
	audit_is_clean
}

# Attaching: what fails is undone, and the next attempt works. Unmounting is left out: livepatch and ftrace themselves
# do not cope with it.
some() {
	local stride=$((16 / ROUNDS))
	[ $stride -gt 0 ] || stride=1
	STRIDE=$stride starve each "$@"
}
# memward's own line that an attempt has failed
failed_attempt='memward: (attaching by|cannot attach)'

limit_mounting=900
test_mounting() {
	need_injection
	rmdir "$G"
	umount $MW
	expect_log "$failed_attempt"
	some mount $MW
	mount -t memward memward $MW
	mkdir "$G"
	run "$G" touched mem anon 1M
	audit_is_clean
	finish
}

limit_loading_and_the_first_mount=1200
test_loading_and_the_first_mount() {
	local module
	need_injection
	module=$(find /lib/modules -name memward.ko)
	rmdir "$G"
	umount $MW
	rmmod memward
	expect_log "$failed_attempt"
	some load "$module"
	modprobe memward
	mkdir -p /tmp/first
	some first /tmp/first "$module"
	mount -t memward memward $MW
	mkdir "$G"
	run "$G" touched mem anon 1M
	audit_is_clean
	finish
}

# What memward has lost somewhere in all this, the kernel's search for leaks finds.
limit_nothing_has_leaked=600
test_nothing_has_leaked() {
	local leaks=$debugfs/kmemleak
	[ -e $leaks ] || skip "the kernel does not search for leaks (CONFIG_DEBUG_KMEMLEAK)"
	rmdir "$G"
	umount $MW
	rmmod memward
	echo scan >$leaks
	# what was on the move in the first
	echo scan >$leaks
	# without the module its addresses have no names, so whatever there is
	head -n 60 $leaks
	is "leaks" "$(grep -c 'unreferenced object' $leaks)" 0
	echo clear >$leaks
	modprobe memward
	mount -t memward memward $MW
	mkdir "$G"
}
