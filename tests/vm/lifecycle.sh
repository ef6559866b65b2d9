# SPDX-License-Identifier: GPL-2.0
# Groups come and go, and so do mounts.

test_rmdir_with_a_task() {
	run "$G" touched mem anon 10M
	attempt EBUSY rmdir "$G"
	is members "$(members "$G")" "$pid"
	stat_is "$G" anon $((10 * MB)) 5
	finish
	attempt ok rmdir "$G"
}

test_rmdir_with_a_child() {
	mkdir "$G/child"
	attempt EBUSY rmdir "$G"
	rmdir "$G/child"
	attempt ok rmdir "$G"
}

test_rmdir_with_a_zombie() {
	run $MW zombie proc zombie "$G"
	is members "$(members "$G")" ""
	is populated "$(populated "$G")" 0
	attempt ok rmdir "$G"
	finish
}

# The first charge of a group has found who pays. Before it goes on its process moves away, the group is removed, and so
# many others are that those whom nobody needs any more are freed.
test_rmdir_in_the_middle_of_a_charge() {
	run $MW touched mem dontneed 4M
	next_step dropped
	mkdir "$G/a"
	put "$G/a/cgroup.procs" "$pid"
	hold mw_charge_page
	put $MW/cgroup.procs "$pid"
	rmdir "$G/a"
	proc generations_empty "$G" 600
	let_go
	next_line
	at_step "touched again"
	audit_is_clean
	finish
	drain
	is "anon after the end" "$(stat_of "$G" anon)" 0
}

# Whoever has something in stock of a removed group gives it back, so that nothing is left of that. All other processors are left alone.
test_removed_groups_interrupt_nobody_else() {
	taskset -p 1 $$ >/dev/null
	run "$G" touched taskset 2 mem dontneed 4M
	# what is left in stock of the tests before goes
	audit_is_clean
	# so the other processor has something in stock of a group that is there
	next_step dropped
	note_calls reaps=memward:mw_stock_drain_orphans drains=memward:drain_this_cpu
	proc generations_empty "$G" 600
	await 20 was_called reaps
	is "processors that were interrupted" "$(calls_of drains)" 0
	finish
	mkdir "$G/a"
	# and now, alone, of one that is not
	taskset -p 2 $$ >/dev/null
	in_group "$G/a" taskset 2 true
	taskset -p 1 $$ >/dev/null
	rmdir "$G/a"
	proc generations_empty "$G" 600
	await 20 was_called drains
}

# Of each removed group one owner is left as long as pages carry it. It is cleared away when as many as that, and 256, have come since the last time.
# Nor does the cache of names remember that the group is not there.
test_what_is_left_of_removed_groups() {
	local names left
	mkdir "$G/kept"
	in_group "$G/kept" dd if=/dev/zero of=/tmp/kept bs=64K count=1 2>/dev/null
	rmdir "$G/kept"
	# who looks for mistakes clears away those that no page carries
	audit_is_clean
	left=$(orphans)
	at_least "owners that are left" "$left" 1
	names=$(names_of_nothing)
	# shellcheck disable=SC2046 # numbers
	(cd "$G" && mkdir $(seq 900) && rmdir $(seq 900))
	at_most "names that are remembered" "$(names_of_nothing)" $((names + 300))
	await 20 few_are_left
	rm /tmp/kept
	audit_is_clean
	at_most "owners that are left without their pages" "$(orphans)" $((left - 1))
}
names_of_nothing() { awk '{ print $5 }' /proc/sys/fs/dentry-state; }
# What tests before this one have left is few. Those that come while others are cleared away stay until the next time.
few_are_left() {
	proc generations_empty "$G" 100
	[ "$(orphans)" -le 600 ]
}

# Who has a file of a group open as that is removed keeps the directory, and the group, until then and no longer.
test_who_reads_a_file_keeps_its_directory() {
	local before
	note_calls evicts=memward:mw_inode_evict
	mkdir "$G/a"
	exec 3<"$G/a/memory.current"
	rmdir "$G/a"
	before=$(calls_of evicts)
	exec 3<&-
	is "inodes that go with the last who uses them" $(($(calls_of evicts) - before)) 2
}

# A walk over all of a large machine's memory takes seconds, and everybody may read memory.stat.
test_who_reads_statistics_keeps_nobody_waiting() {
	run $MW opened mem read_later "$G/memory.stat"
	# where it asks for the walk, and waits for it
	hold mw_sample_read
	mkdir "$G/a"
	is "groups" "$(stat_of "$G" nr_descendants cgroup.stat)" 1
	rmdir "$G/a"
	is_held || fail "who made a group has waited for who reads"
	let_go
	next_line
	at_step read
	finish
}

test_rmdir_while_files_are_open() {
	local reader writer
	mkdir "$G/gone"
	run $MW open look held "$G/gone/memory.current"
	reader=$pid
	run $MW open look heldwrite "$G/gone/memory.high" 10M
	writer=$pid
	run $MW open look heldwrite "$G/gone/cgroup.procs" 0
	rmdir "$G/gone"
	next_step "write ENODEV"
	finish
	pid=$reader out=$TMP/out.1 seen=1
	next_step "read ENODEV"
	finish
	pid=$writer out=$TMP/out.2 seen=1
	next_step "write ENODEV"
	finish
}

test_rmdir_while_a_shell_is_in_the_directory() {
	mkdir "$G/gone"
	cd "$G/gone"
	rmdir "$G/gone"
	attempt ENOENT mkdir "$G/gone/child"
	attempt ENOENT mkdir child
	[ ! -e cgroup.procs ] || fail "there still are files"
	mkdir "$G/gone"
	[ ! -e cgroup.procs ] || fail "these are the files of another group"
	cd /
}


test_a_name_can_be_used_again() {
	local i
	for i in 1 2 3; do
		mkdir "$G/name"
		put "$G/name/memory.high" ${i}M
		run "$G/name" touched mem anon 64K
		finish
		rmdir "$G/name"
	done
	mkdir "$G/name"
	is "memory.high of the new group" "$(cat "$G/name/memory.high")" max
	is "memory.peak of the new group" "$(cat "$G/name/memory.peak")" 0
}

test_many_groups() {
	local i
	for i in $(seq 300); do
		mkdir "$G/$i"
	done
	is "directories listed" "$(find "$G" -mindepth 1 -maxdepth 1 -type d | wc -l)" 300
	is nr_descendants "$(stat_of "$G" nr_descendants cgroup.stat)" 300
	audit_is_clean
	for i in $(seq 300); do
		rmdir "$G/$i"
	done
	is "directories left" "$(find "$G" -mindepth 1 -type d | wc -l)" 0
}

test_second_mount_shows_the_same_tree() {
	mkdir -p /tmp/second "$G/child"
	mount_memward /tmp/second
	[ -d /tmp/second/t/child ] || fail "the group is not there"
	put /tmp/second/t/memory.high 10M
	is "memory.high" "$(cat "$G/memory.high")" $((10 * MB))
	mkdir /tmp/second/t/other
	[ -d "$G/other" ] || fail "the new group is not here"
	rmdir /tmp/second/t/child
	[ ! -d "$G/child" ] || fail "the removed group is still here"
	umount /tmp/second
	is "memory.high" "$(cat "$G/memory.high")" $((10 * MB))
}

test_unknown_mount_options() {
	# the kernel's own line
	expect_log "memward: Unknown parameter"
	mkdir -p /tmp/second
	attempt EINVAL mount memward /tmp/second nonsense
	attempt EINVAL mount memward /tmp/second size=5
	attempt EINVAL mount memward /tmp/second memory,nonsense
	[ ! -e /tmp/second/cgroup.procs ] || fail "it is mounted"
}

test_umount_while_busy() {
	cd "$G"
	attempt EBUSY umount $MW
	cd /
	exec 3<$MW/memward.version
	attempt EBUSY umount $MW
	exec 3<&-
	is "memory.high" "$(cat "$G/memory.high")" max
}

test_umount_keeps_the_groups() {
	local before
	run "$G" touched mem dontneed 20M
	put "$G/memory.high" 200M
	before=$(current "$G")
	umount $MW
	[ ! -e "$G" ] || fail "it is still mounted"
	is_rmmod_refused || fail "rmmod worked"
	next_step dropped
	next_step "touched again"
	mount_memward
	is "memory.high" "$(cat "$G/memory.high")" $((200 * MB))
	is members "$(members "$G")" "$pid"
	within "memory.current" "$(current "$G")" "$before" 2
	audit_is_clean
	finish
}
is_rmmod_refused() {
	rmmod memward 2>$TMP/rmmod && return 1
	grep -qiE 'busy|temporarily unavailable|in use' $TMP/rmmod || fail "rmmod: $(cat $TMP/rmmod)"
}

test_rmmod_while_mounted() {
	rmdir "$G"
	is_rmmod_refused || fail "rmmod worked"
	cat $MW/memward.version >/dev/null
}

test_umount_and_rmmod() {
	run "$G" touched mem anon 10M
	finish
	rmdir "$G"
	umount $MW
	[ ! -e /sys/kernel/livepatch/memward ] || fail "the livepatch stayed"
	rmmod memward
	! grep -qw memward /proc/filesystems || fail "the file system is still known"
	[ ! -d $MW ] || fail "the mount point is still there"
}

# Somebody reclaims for a cgroup of the kernel's, below which pages were hidden, and waits for them to be shown: the worker who does that is waited for.
test_umount_while_a_cgroup_waits() {
	local before waiting kernel=/sys/fs/cgroup/waits
	[ -e /sys/fs/cgroup/memory.reclaim ] || skip "the kernel has no memory.reclaim"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel
	put "$G/memory.min" max
	truncate -s 8M $DISK/holes
	before=$(unevictable)
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs" && echo 0 >"$1/cgroup.procs" && exec dd if="$2" of=/dev/null bs=64K' $kernel "$G" $DISK/holes 2>/dev/null
	await 30 are_hidden 6
	rmdir "$G"
	divert mw_hide_show_below later=1 pid=-1 longest=60
	echo 1M >$kernel/memory.high &
	waiting=$!
	await 20 is_diverted
	umount_waits is_waiting_for_the_worker
	wait $waiting
	rm $DISK/holes
	load_anew
	await 20 rmdir $kernel
}

# Somebody reclaims for an allocation that fails rather than have somebody killed: he is waited for, as he returns by way of the module.
test_umount_while_somebody_may_fail() {
	local reclaiming take=/sys/module/mw_take/parameters
	run "$G" touched mem anon 2M
	put "$G/memory.low" 1M
	insmod /copy/mw_take.ko mayfail=1
	divert shrink_node later=1 pid=-2 longest=200
	mkfifo $TMP/go
	sh -c 'read -r _ <"$0" && echo 1 >"$1"' $TMP/go $take/reclaim &
	reclaiming=$!
	put $DIVERT/pid $reclaiming
	echo >$TMP/go
	await 20 is_diverted
	finish
	rmdir "$G"
	umount_waits is_waiting_in mw_fallible_stop
	wait $reclaiming || fail "who reclaims ended with $?"
	rmmod mw_take
	load_anew
}

# The worker that drops what is stale in a group's queues compares it with entries, which are gone when umount ends.
test_umount_while_a_group_is_compacted() {
	# not of returns: 5.10's livepatch waits for who has one before him
	note_calls released=memward:mw_lru_release stops=memward:mw_compact_stop stopped=memward:mw_orphan_stop
	divert mw_chunk_prune later=1 pid=-1 longest=200
	in_group "$G" mem churn 4M 16
	await 20 is_diverted
	rmdir "$G"
	umount_waits was_called stops
	is "what came last" "$(calls | tail -n 2 | tr '\n' ' ')" "released stopped "
	deafen_calls
	load_anew
}

# What a removed group leaves may be as much as is looked at for what is stale: not when all has been looked at.
test_umount_while_a_group_is_released() {
	file_of 20
	in_group "$G" cat "$file" >/dev/null
	divert release_fn later=1 pid=-1 longest=200
	rmdir "$G"
	await 20 is_diverted
	note_calls looks=memward:mw_compact_look_at_all stops=memward:mw_compact_stop
	umount_waits is_flushing
	is "what came when" "$(calls | tr '\n' ' ')" "looks stops "
	deafen_calls
	load_anew
}
is_flushing() { grep -qw mw_parts_stop /proc/"$1"/stack && grep -qE '\<_*flush_workqueue' /proc/"$1"/stack; }

# umount_waits COMMAND...: who unmounts comes to this, by his number, while somebody is diverted, and ends when he is let go.
umount_waits() {
	local unmounting
	umount $MW &
	unmounting=$!
	await 20 "$@" $unmounting
	is_diverted || fail "who is waited for has gone on"
	end_divert
	wait $unmounting || fail "umount ended with $?"
}
load_anew() {
	rmmod memward
	modprobe memward
	mount_memward
	mkdir "$G"
}

# Nor because somebody else is.
is_waiting_in() {
	grep -qw "$1" /proc/"$2"/stack && ! grep -qw synchronize_rcu_tasks /proc/"$2"/stack
}

is_waiting_for_the_worker() { grep -qw mw_limited_stop /proc/"$1"/stack && grep -qw __flush_work /proc/"$1"/stack; }

# A page that was charged in an earlier life is nobody's in the next.
test_charges_do_not_outlive_the_last_umount() {
	file_of 20
	run "$G" read mem read "$file"
	finish
	rmdir "$G"
	at_least "file of the root" "$(stat_of $MW file)" $((18 * MB))
	umount $MW
	mount_memward
	is "memory.current of the root" "$(current $MW)" 0
	audit_is_clean
	mkdir "$G"
	run "$G" read mem read "$file"
	stat_below "$G" file $((256 * KB))
	drop_caches
	audit_is_clean
	finish
}

# Charged by tasks that were running when the hooks came, freed by tasks that run when they have gone.
# Once, on two processors; cycles.sh does it a hundred times on one. On 6.12 livepatch rewrites thousands of calls of
# cond_resched() at each transition, and every one interrupts the other processor, which emulation makes slow.
limit_mounting_under_load=300
test_mounting_under_load() {
	load '' proc churn map 4M 150000
	load '' proc churn file /tmp/churn 150000
	load '' proc churn exec $PROGS/proc 150000
	rmdir "$G"
	note_loads
	remount
	# where that takes no longer than they rest
	until have_gone_on 1; do
		remount
	done
	mkdir "$G"
	load "$G" proc churn map 2M 150000
	note_loads
	audit_is_clean
	await 20 have_gone_on 1
	audit_is_clean
	put "$G/cgroup.kill" 1
	await 20 is_empty "$G"
	rmdir "$G"
}
remount() {
	umount $MW
	mount_memward
}
