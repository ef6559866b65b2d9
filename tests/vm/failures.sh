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
		echo 0 >$debugfs/$kind/reject-start
		echo 0 >$debugfs/$kind/reject-end
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

# value_for FILE: what can be written to it, nothing for one that is only read.
value_for() {
	case ${1##*/} in
	cgroup.procs | tasks | *.failcnt | *.reclaim | memory.force_empty) echo 0 ;;
	cgroup.kill | memory.oom.group) echo 1 ;;
	cgroup.subtree_control) echo +memory ;;
	*.peak | *.max_usage_in_bytes) echo reset ;;
	memory.min | memory.low | *.high | *.max | *.limit_in_bytes | memory.soft_limit_in_bytes) echo 1G ;;
	memory.high.stall_max) echo 1000000 ;;
	memory.high.stall_action) echo lift ;;
	memory.swappiness | memory.dirty_ratio) echo 60 ;;
	memward.bind) echo "/starved$(echo "${1%/*}" | tr / -)" ;;
	esac
}
is_read() {
	case ${1##*/} in
	cgroup.kill | memory.reclaim | memory.force_empty | memward.adopt) return 1 ;;
	esac
}

limit_files=1200
test_files() {
	local file value
	need_injection
	mkdir "$G/a"
	for file in "$G"/a/* $MW/memward.*; do
		! is_read "$file" || starve each read "$file"
		value=$(value_for "$file")
		[ -z "$value" ] || starve each write "$file" "$value"
	done
	put $MW/memward.bind "-$(value_for $MW/memward.bind)"
	audit_is_clean
}

test_adopt() {
	need_injection
	in_group "$G" starve each write "$G/memward.adopt" 0
	audit_is_clean
}

# memward's own lines that an attempt has failed, and livepatch's
failed_attempt='memward: (attaching by|cannot attach|.* cannot be diverted .error -12)|kobject_add_internal failed for (memward|vmlinux) \(error: -12 '

# What could not get a group gets it later.
limit_mirror=600
cgroup=/sys/fs/cgroup/starved
test_mirror() {
	need_injection
	expect_log "$failed_attempt"
	rmdir "$G"
	umount $MW
	trap 'umount $MW; rmdir $cgroup/a $cgroup' EXIT
	mkdir $cgroup
	export MW_MOUNT_OPTIONS="mirror${MW_MOUNT_OPTIONS:+,$MW_MOUNT_OPTIONS}"
	starve each mount $MW
	mount_memward
	starve each mkdir $cgroup/a
	mkdir $cgroup/a
	starve each rmdir $cgroup/a
	await 60 is_mirrored
	is "what is below it" "$(cd $MW/starved && find . -type d | xargs)" ". ./a"
	audit_is_clean
}
is_mirrored() { [ "$(stat_of $MW mirror_missing memward.status)" = 0 ]; }

# At a limit: cache is in the way of each charge. What is reclaimed without memory for it is enough, nobody is killed.
limit_reclaim=600
test_reclaim() {
	need_injection
	put "$G/memory.max" 4M
	in_group "$G" dd if=/dev/zero of=$DISK/cache bs=1M count=8 2>/dev/null
	sync
	in_group "$G" starve each touch nothing
	in_group "$G" dd if=$DISK/cache of=/dev/null bs=1M 2>/dev/null
	in_group "$G" starve each file "$DISK/failing"
	is "kills" "$(stat_of "$G" oom_kill memory.events)" 0
	rm $DISK/cache
	audit_is_clean
	drain
	is anon "$(stat_of "$G" anon)" 0
}

limit_work_in_a_group=600
test_work_in_a_group() {
	local before
	need_injection
	in_group "$G" starve each fork "$G/cgroup.procs"
	in_group "$G" starve each touch nothing
	in_group "$G" starve each file "$DISK/failing"
	in_group "$G" starve each file /tmp/failing
	# above memory.high by so little that each delay is some hundredths of a second: what fails beside it is the same, however long it is
	run "$G" touched mem anon 10M
	put "$G/memory.high" "$(current "$G")"
	before=$(stat_of "$G" high memory.events)
	in_group "$G" starve each touch nothing
	at_least "high events" "$(stat_of "$G" high memory.events)" $((before + 10))
	finish
	audit_is_clean
	drain
	is anon "$(stat_of "$G" anon)" 0
}

# Of children that find no memory some find a place that was set aside, and no other is left outside of the group.
fork_kills() { awk '/fork_kills/ { print $2 }' $MW/memward.status; }
children() { awk -v parent="$pid" '$4 == parent && $3 != "Z"' /proc/[0-9]*/stat 2>/dev/null | wc -l; }
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
	local before killed
	need_injection
	[ -e /sys/kernel/slab/memward_member/failslab ] || skip "the kernel cannot choose what fails"
	expect_log 'memward: a child of .* was killed: no memory to put it in its group'
	before=$(fork_kills)
	await 20 all_is_set_aside
	start "$G" starve forks 300 1
	at_step ready
	members_fail
	next_step born
	nothing_fails
	killed=$(($(fork_kills) - before))
	at_least "children that were killed" $killed 1
	is "children in the group, and killed" $(($(members "$G" | wc -l) - 1 + killed)) 300
	await 10 are_children $((300 - killed))
	finish
	audit_is_clean
}
are_children() { [ "$(children)" = "$1" ]; }

# What was set aside is there again for the next, if there is memory for those who may wait for it.
test_forks_without_memory_at_hand() {
	local before
	need_injection
	[ -e /sys/kernel/slab/memward_member/failslab ] || skip "the kernel cannot choose what fails"
	echo Y >$debugfs/failslab/ignore-gfp-wait
	before=$(fork_kills)
	await 20 all_is_set_aside
	start "$G" starve forks 100 4
	at_step ready
	echo 10000 >$debugfs/failslab/times
	members_fail
	for _ in 1 2 3 4; do
		next_step born
		await 20 all_is_set_aside
	done
	nothing_fails
	at_most "failures left to be made" "$(cat $debugfs/failslab/times)" 9600
	echo -1 >$debugfs/failslab/times
	is "children that were killed" $(($(fork_kills) - before)) 0
	is "processes in the group" "$(members "$G" | wc -l)" 401
	finish
	audit_is_clean
}
all_is_set_aside() { grep -qx 'fork_reserve 128' $MW/memward.status; }

# Pages for which there was no chunk are in no queue. When nothing else is left to reclaim they are looked for, by one walk over all
# memory, however many groups have some.
limit_pages_without_chunks=240
test_pages_without_chunks() {
	local i walks
	need_injection
	[ -e /sys/kernel/slab/memward_chunk/failslab ] || skip "the kernel cannot choose what fails"
	trap 'chunks_work; put $TRACING/events/kprobes/enable 0; : >$TRACING/kprobe_events' EXIT
	file_of 32
	echo 1 >/sys/kernel/slab/memward_chunk/failslab
	echo Y >$debugfs/failslab/cache-filter
	echo 100 >$debugfs/failslab/probability
	for i in 1 2 3 4 5 6 7 8; do
		mkdir "$G/$i"
		in_group "$G/$i" dd if="$file" of=/dev/null bs=1M count=4 skip=$((4 * i - 4)) 2>/dev/null
	done
	chunks_work
	drain
	at_least "what is charged" "$(current "$G")" $((31 * MB))
	echo 'p:walk mw_pc_try_walk' >>$TRACING/kprobe_events
	put $TRACING/events/kprobes/walk/enable 1
	echo 0 >"$G/memory.force_empty"
	walks=$(awk '$1 == "walk" { print $2 }' $TRACING/kprobe_profile)
	at_least "walks over all memory" "$walks" 1
	at_most "walks over all memory" "$walks" 3
	at_most "what is left" "$(current "$G")" $((MB))
	audit_is_clean
}
chunks_work() {
	nothing_fails
	echo 0 >/sys/kernel/slab/memward_chunk/failslab
}

# Attaching: what fails is undone, and the next attempt works. Unmounting is left out: livepatch and ftrace themselves
# do not cope with it.
some() {
	local stride=$((16 / ROUNDS))
	[ $stride -gt 0 ] || stride=1
	STRIDE=$stride starve each "$@"
}
limit_mounting=900
test_mounting() {
	need_injection
	rmdir "$G"
	umount $MW
	expect_log "$failed_attempt"
	some mount $MW
	mount_memward
	mkdir "$G"
	run "$G" touched mem anon 1M
	audit_is_clean
	finish
}

# spare FUNCTION: what it allocates does not fail.
spare() {
	local range kind
	range=$(awk -v f="$1" '$3 == f { at = $1 } at && $1 != at { print "0x" at, "0x" $1; exit }' /proc/kallsyms)
	for kind in failslab fail_page_alloc; do
		echo 32 >$debugfs/$kind/stacktrace-depth
		echo "${range#* }" >$debugfs/$kind/reject-end
		echo "${range% *}" >$debugfs/$kind/reject-start
	done
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
	# without memory for a kmem_cache the kernel prints its stack, and loses the name of it
	spare __kmem_cache_create_args
	some load "$module"
	modprobe memward
	mkdir -p /tmp/first
	some first /tmp/first "$module"
	mount_memward
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
	mount_memward
	mkdir "$G"
}
