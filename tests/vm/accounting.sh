# SPDX-License-Identifier: GPL-2.0
# What is charged, to whom, and for how long.

test_anonymous() {
	run "$G" touched mem anon 50M
	within memory.current "$(current "$G")" $((50 * MB)) 3
	stat_is "$G" anon $((50 * MB)) 3
	stat_is "$G" rss $((50 * MB)) 3
	stat_below "$G" file $((1 * MB))
	audit_is_clean
	next_step freed
	stat_below "$G" anon $((1 * MB))
	finish
	drain
	is "anon after exit" "$(stat_of "$G" anon)" 0
	is "memory.current after exit" "$(current "$G")" 0
}

test_anonymous_of_a_killed_process() {
	run "$G" touched mem anon 50M
	stop "$pid"
	drain
	is "anon after the kill" "$(stat_of "$G" anon)" 0
	is "memory.current after the kill" "$(current "$G")" 0
}

# What drain is for: pages that are unmapped while another processor has them in its batch are charged until the batch is
# emptied. What else happens to run there may have emptied it.
test_drain() {
	[ "$(nproc)" -ge 2 ] || skip "there is one processor"
	run "$G" held odd batched "$G/memory.stat" 200
	say "$line"
	at_least "times that all pages were held" "$(word 2)" 10
	is "pages left after draining" "$(word 4)" 0
	finish
}

test_file_read() {
	file_of 50
	run "$G" read mem read "$file"
	stat_is "$G" file $((50 * MB)) 10
	stat_is "$G" cache $((50 * MB)) 10
	within memory.current "$(current "$G")" $((50 * MB)) 10
	stat_below "$G" anon $((2 * MB))
	finish
	# a file outlives who has read it
	stat_is "$G" file $((50 * MB)) 10
	drain
	is "anon after exit" "$(stat_of "$G" anon)" 0
	audit_is_clean
	drop_caches
	# the file system keeps a block or two of its own
	stat_below "$G" file $((64 * KB))
	at_most "memory.current without a cache" "$(current "$G")" $((64 * KB))
}

# Counted for memory.dirty_ratio, from the first write to the end of the writeback, however it comes to that.
unwritten() { stat_of "$1" file_unwritten; }
dirty_4M() { in_group "$1" dd if=/dev/zero of=$DISK/new bs=64K count=64 2>/dev/null; }
test_unwritten_pages() {
	mkdir "$G/child"
	dirty_4M "$G/child"
	at_least "unwritten" "$(unwritten "$G/child")" $((4 * MB))
	at_most "the same" "$(unwritten "$G/child")" $((5 * MB))
	is "that of the parent" "$(unwritten "$G")" "$(unwritten "$G/child")"
	sync
	is "unwritten after sync" "$(unwritten "$G/child")" 0
	dirty_4M "$G/child"
	rm $DISK/new
	drain
	# the file system has dirtied blocks of its own
	at_most "unwritten after rm" "$(unwritten "$G/child")" $((64 * KB))
	dirty_4M "$G/child"
	rmdir "$G/child"
	at_least "unwritten after rmdir" "$(unwritten "$G")" $((4 * MB))
	audit_is_clean
	sync
	is "unwritten after that and sync" "$(unwritten "$G")" 0
	rm $DISK/new
}

# Written, written again, truncated and removed by several at a time, in groups that come and go: in the end the count is what a
# walk over all pages finds.
write_and_go() {
	local i
	for i in $(seq $((6 * ROUNDS))); do
		mkdir "$G/$1.$i"
		in_group "$G/$1.$i" sh -c "dd if=/dev/zero of=$DISK/$1 bs=64K count=60; dd if=/dev/zero of=$DISK/$1 bs=64K count=9 conv=notrunc
			[ $((i % 3)) = 0 ] || rm $DISK/$1; cp /bin/busybox $DISK/$1.copy" 2>/dev/null
		rmdir "$G/$1.$i"
	done
}
test_unwritten_pages_of_removed_groups() {
	local one writers=
	put "$G/memory.max" 24M
	put "$G/memory.dirty_ratio" 20
	for one in a b c; do
		write_and_go $one &
		writers="$writers $!"
	done
	for one in $writers; do wait "$one" || fail "status of a writer: $?"; done
	await 20 agrees_with_a_walk
	rm $DISK/[abc]*
	sync
	is "unwritten after that and sync" "$(unwritten "$G")" 0
}
agrees_with_a_walk() {
	awk '$1 == "file_unwritten" { counted = $2 } $1 == "file_dirty" || $1 == "file_writeback" { found += $2 }
		END { exit counted != found }' "$G/memory.stat"
}

test_rmdir_leaves_the_rest_to_the_parent() {
	local before
	file_of 50
	mkdir "$G/child"
	run "$G/child" read mem read "$file"
	finish
	drain
	before=$(stat_of "$G/child" file)
	is "file of the parent alone" "$(stat_of "$G" cache)" 0
	is "file of the parent" "$(stat_of "$G" file)" "$before"
	rmdir "$G/child"
	is "file of the parent after rmdir" "$(stat_of "$G" file)" "$before"
	is "its own" "$(stat_of "$G" cache)" "$before"
	is "memory.current" "$(current "$G")" "$before"
	audit_is_clean
	rmdir "$G"
	at_least "file of the root" "$(stat_of $MW file)" "$before"
	audit_is_clean
	drop_caches
	at_most "file of the root without a cache" "$(stat_of $MW file)" $((64 * KB))
	audit_is_clean
}

# A CPU has stock of the removed group still, and frees pages to it, which are the parent's.
test_what_a_parent_inherits_is_counted() {
	file_of 8
	mkdir "$G/child"
	in_group "$G/child" taskset 1 cat "$file" >/dev/null
	rmdir "$G/child"
	stat_is "$G" file $((8 * MB)) 20
	taskset 1 rm "$file"
	stat_below "$G" file $((1 * MB))
}

# A group that is paid for by another one: grandparent and parent at once.
test_rmdir_of_a_chain() {
	local before
	file_of 20
	mkdir -p "$G/a/b/c"
	run "$G/a/b/c" read mem read "$file"
	finish
	drain
	before=$(stat_of "$G" file)
	rmdir "$G/a/b/c" "$G/a/b" "$G/a"
	is "what is left to the last" "$(stat_of "$G" cache)" "$before"
	audit_is_clean
}

test_written_file() {
	run "$G" written mem write $DISK/written 20M
	stat_is "$G" file $((20 * MB)) 10
	rm $DISK/written
	# still open
	stat_is "$G" file $((20 * MB)) 10
	finish
	drain
	stat_below "$G" file $((256 * KB))
}

test_tmpfs() {
	run "$G" written mem write /tmp/written 20M
	stat_is "$G" shmem $((20 * MB)) 3
	stat_is "$G" file $((20 * MB)) 3
	finish
	stat_is "$G" shmem $((20 * MB)) 3
	audit_is_clean
	rm /tmp/written
	drain
	is "shmem of a removed file" "$(stat_of "$G" shmem)" 0
}

test_shared_anonymous() {
	run "$G" touched mem shmanon 20M
	stat_is "$G" shmem $((20 * MB)) 3
	stat_below "$G" anon $((1 * MB))
	audit_is_clean
	next_step unmapped
	finish
	drain
	is shmem "$(stat_of "$G" shmem)" 0
}

test_memfd() {
	run "$G" written mem memfd 20M
	stat_is "$G" shmem $((20 * MB)) 3
	next_step punched
	drain
	stat_is "$G" shmem $((10 * MB)) 5
	audit_is_clean
	next_step closed
	drain
	is shmem "$(stat_of "$G" shmem)" 0
	finish
}

test_shared_mapping() {
	run "$G" touched mem shared $DISK/shared 20M
	stat_is "$G" file $((20 * MB)) 10
	audit_is_clean
	next_step synced
	stat_is "$G" file $((20 * MB)) 10
	next_step unmapped
	audit_is_clean
	finish
	rm $DISK/shared
	drain
	stat_below "$G" file $((256 * KB))
}

# file_mapped and file_dirty are sampled: a read may show what was a moment ago.
# is_between KEY LOW HIGH
is_between() { [ "$(stat_of "$G" "$1")" -ge "$2" ] && [ "$(stat_of "$G" "$1")" -le "$3" ]; }

test_mapped_and_dirty() {
	run "$G" touched mem shared $DISK/mapped 20M
	await 10 is_between file_mapped $((19 * MB)) $((21 * MB))
	await 10 is_between file_dirty $((1 * MB)) $((21 * MB))
	next_step synced
	await 10 is_between file_dirty 0 $((256 * KB))
	await 10 is_between file_mapped $((19 * MB)) $((21 * MB))
	next_step unmapped
	await 10 is_between file_mapped 0 $((256 * KB))
	finish
	rm $DISK/mapped
}

test_private_mapping() {
	file_of 20
	run "$G" read mem private "$file"
	stat_is "$G" file $((20 * MB)) 10
	stat_below "$G" anon $((1 * MB))
	next_step copied
	stat_is "$G" anon $((20 * MB)) 5
	stat_is "$G" file $((20 * MB)) 10
	audit_is_clean
	next_step unmapped
	drain
	stat_below "$G" anon $((1 * MB))
	finish
}

test_fork_and_copy() {
	run "$G" touched mem forkcow 20M
	stat_is "$G" anon $((20 * MB)) 5
	kill -USR1 "$pid"
	next_line
	at_step copied
	stat_is "$G" anon $((30 * MB)) 5
	audit_is_clean
	# the step is the child's
	kill -USR1 "$(members "$G" | grep -vx "$pid")"
	next_line
	at_step reaped
	drain
	stat_is "$G" anon $((20 * MB)) 5
}

test_mremap() {
	run "$G" touched mem mremap 10M
	stat_is "$G" anon $((10 * MB)) 5
	next_step grown
	stat_is "$G" anon $((20 * MB)) 5
	next_step moved
	stat_is "$G" anon $((20 * MB)) 5
	audit_is_clean
	next_step shrunk
	drain
	stat_is "$G" anon $((5 * MB)) 10
	audit_is_clean
	finish
}

test_dontneed() {
	run "$G" touched mem dontneed 20M
	next_step dropped
	drain
	stat_is "$G" anon $((10 * MB)) 5
	audit_is_clean
	next_step "touched again"
	stat_is "$G" anon $((20 * MB)) 5
	finish
}

truncate_steps() {
	run "$G" written mem truncate "$1" 20M
	stat_is "$G" file $((20 * MB)) 10
	next_step halved
	drain
	stat_is "$G" file $((10 * MB)) 10
	audit_is_clean
	next_step emptied
	drain
	stat_below "$G" file $((256 * KB))
	finish
}
test_truncate_on_disk() { truncate_steps $DISK/truncated; }
test_truncate_on_tmpfs() { truncate_steps /tmp/truncated; }

test_splice() {
	file_of 20
	run "$G" spliced mem splice "$file" $DISK/spliced
	stat_is "$G" file $((40 * MB)) 10
	audit_is_clean
	finish
	rm $DISK/spliced
	drain
	stat_is "$G" file $((20 * MB)) 10
}

test_vmsplice() {
	local in_pipe
	run "$G" "in the pipe" mem vmsplice /tmp/vmspliced
	drain
	in_pipe=$(stat_of "$G" anon)
	audit_is_clean
	next_step "in the file"
	drain
	# they were mapped by nobody, and were charged
	at_most "anon when they are no longer in the pipe" "$(stat_of "$G" anon)" $((in_pipe - 14 * 4096))
	audit_is_clean
	finish
	rm /tmp/vmspliced
	drain
	is "memory.current" "$(current "$G")" 0
}

test_direct_io() {
	run "$G" written mem direct $DISK/direct 16M
	stat_below "$G" file $((1 * MB))
	next_step read
	stat_below "$G" file $((1 * MB))
	audit_is_clean
	finish
	rm $DISK/direct
}

test_huge_pages() {
	# what is split has khugepaged make huge pages anew, and there are both meanwhile
	setting /sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none 0
	run "$G" touched mem thp 20M
	at_least "huge pages of the process" \
		$(($(rollup AnonHugePages) * KB)) $((18 * MB))
	stat_is "$G" anon $((20 * MB)) 3
	audit_is_clean
	next_step split
	audit_is_clean
	stat_is "$G" anon $((20 * MB)) 6
	# memory is short: the half that is not mapped any more goes
	finish
	drain
	is anon "$(stat_of "$G" anon)" 0
}

# The kernel's own memcg refuses huge pages, and small ones are taken instead: what was refused is not charged.
test_charges_that_the_kernel_refuses() {
	local kernel=/sys/fs/cgroup/small
	[ -e /sys/kernel/mm/transparent_hugepage ] || skip "the kernel has no huge pages"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel
	put $kernel/memory.max 7M
	# shellcheck disable=SC2016
	run "$G" touched sh -c 'echo 0 >/sys/fs/cgroup/small/cgroup.procs && exec mem hugespots 8 1'
	at_least "times that the kernel refused" "$(stat_of $kernel max memory.events)" 3
	audit_is_clean
	# khugepaged may be trying too just now
	await 10 anon_is_below $((7 * MB))
	at_least "anon: some huge pages" "$(stat_of "$G" anon)" $((4 * MB))
	finish
	drain
	is "anon after the end" "$(stat_of "$G" anon)" 0
	audit_is_clean
	rmdir $kernel
}

anon_is_below() { [ "$(stat_of "$G" anon)" -lt "$1" ]; }

# Whose memory it is counts, not who touches it.
test_memory_that_another_process_fills() {
	mkdir "$G/owner" "$G/other"
	run "$G/owner" written mem remote 8M "$G/other/cgroup.procs"
	# and a huge page at its end may reach beyond
	at_least "anon of the owner" "$(stat_of "$G/owner" anon)" $((8 * MB))
	at_most "anon of the owner" "$(stat_of "$G/owner" anon)" $((11 * MB))
	stat_below "$G/other" anon $((1 * MB))
	audit_is_clean
	finish
}

# Compaction moves pages to other frames: the charge goes with them.
test_migration() {
	scattered
	charges_move anon
}
# charges_move KIND
charges_move() {
	local before hits
	hits=$(migrations)
	drain
	before=$(current "$G")
	move_pages
	at_least "pages migrated" "$(migrations)" $((hits + 2000))
	within "memory.current" "$(current "$G")" "$before" 1
	at_least "what of it is $1" "$(stat_of "$G" "$1")" $((before * 95 / 100))
	audit_is_clean
	next_step checked
	finish
	drain
	is "$1 after the end" "$(stat_of "$G" "$1")" 0
	audit_is_clean
}
migrations() { awk '$1 == "migrate" { sum += $5 } END { print sum + 0 }' $MW/memward.status; }

# The same with pages of a file, which the kernel finds by the file.
test_compaction() {
	scattered shared
	charges_move shmem
}

# Swapped out, a page is not charged; swapped in, it is again. The kernel's own memcg does the swapping.
test_swap() {
	local kernel=/sys/fs/cgroup/swapper before loop
	truncate -s 128M /tmp/swap
	loop=$(losetup -f)
	losetup "$loop" /tmp/swap
	mkswap "$loop" >/dev/null
	swapon "$loop"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel
	put $kernel/memory.high 10M
	# shellcheck disable=SC2016
	run "$G" touched sh -c 'echo 0 >/sys/fs/cgroup/swapper/cgroup.procs && exec mem swapped 20M'
	await 20 is_swapped_down_to $kernel 10
	at_least "swapped out" "$(read_file $kernel/memory.swap.current)" $((9 * MB))
	audit_is_clean
	before=$(stat_of "$G" pgpgin)
	next_step "touched again"
	at_least "charged by swapping in" "$(stat_of "$G" pgpgin)" $((before + 8 * 256))
	await 20 is_swapped_down_to $kernel 10
	audit_is_clean
	finish
	# pages that are still being written out stay until then, or until the end of the swapping
	swapoff "$loop"
	drain
	is anon "$(stat_of "$G" anon)" 0
	losetup -d "$loop"
	rmdir $kernel
	rm /tmp/swap
}

test_first_toucher_pays() {
	file_of 20
	mkdir "$G/first" "$G/second"
	run "$G/first" read mem read "$file"
	finish
	run "$G/second" read mem read "$file"
	finish
	stat_is "$G/first" file $((20 * MB)) 10
	stat_below "$G/second" file $((256 * KB))
}

test_processes_outside_are_not_charged() {
	local before
	file_of 20
	before=$(current $MW)
	mem anon 20M >$TMP/anon &
	mem read "$file" >$TMP/read &
	mem write /tmp/outside 10M >$TMP/written &
	await 20 test -s $TMP/anon
	await 20 test -s $TMP/read
	await 20 test -s $TMP/written
	is "what was written" "$(stat -c %s /tmp/outside)" $((10 * MB))
	is "memory.current of the root" "$(current $MW)" "$before"
	audit_is_clean
	rm /tmp/outside
}

test_nesting() {
	local dir=$G depth=25 i
	for i in $(seq $depth); do
		dir=$dir/$i
		mkdir "$dir"
	done
	run "$dir" touched mem anon 20M
	while [ "$dir" != $MW ]; do
		within "memory.current of $dir" "$(current "$dir")" $((20 * MB)) 3
		stat_is "$dir" anon $((20 * MB)) 3
		dir=${dir%/*}
	done
	is nr_descendants "$(stat_of "$G" nr_descendants cgroup.stat)" $depth
	audit_is_clean
	finish
}

test_siblings_add_up() {
	local i pids=''
	for i in 1 2 3; do
		mkdir "$G/$i"
		run "$G/$i" touched mem anon $((i * 10))M
		pids="$pids $pid"
	done
	for i in 1 2 3; do
		within "memory.current of $i" "$(current "$G/$i")" $((i * 10 * MB)) 4
	done
	within "memory.current of all" "$(current "$G")" $((60 * MB)) 3
	drain
	is "the sum" "$(current "$G")" $(($(current "$G/1") + $(current "$G/2") + $(current "$G/3")))
	is "rss of the parent alone" "$(stat_of "$G" rss)" 0
	stat_is "$G" total_rss $((60 * MB)) 3
	audit_is_clean
	for i in $pids; do
		stop "$i"
	done
}

test_events_of_charging_add_up() {
	file_of 20
	run "$G" touched mem dontneed 20M
	next_step dropped
	drain
	is "charged pages" "$((($(stat_of "$G" pgpgin) - $(stat_of "$G" pgpgout)) * 4096))" \
		"$(($(stat_of "$G" rss) + $(stat_of "$G" cache)))"
	finish
}

test_v1_names() {
	run "$G" touched mem anon 20M
	drain
	is memory.usage_in_bytes "$(cat "$G/memory.usage_in_bytes")" "$(current "$G")"
	is memory.max_usage_in_bytes "$(cat "$G/memory.max_usage_in_bytes")" "$(cat "$G/memory.peak")"
	is tasks "$(cat "$G/tasks")" "$(members "$G")"
	is rss "$(stat_of "$G" rss)" "$(stat_of "$G" anon)"
	is cache "$(stat_of "$G" cache)" "$(stat_of "$G" file)"
	finish
}

test_peak() {
	run "$G" touched mem anon 50M
	next_step freed
	within memory.peak "$(cat "$G/memory.peak")" $((50 * MB)) 3
	at_most memory.current "$(current "$G")" $((1 * MB))
	finish
	within "memory.peak after exit" "$(cat "$G/memory.peak")" $((50 * MB)) 3
	# nor does a processor have anything in stock
	put "$G/memory.force_empty" 0
	put "$G/memory.max_usage_in_bytes" 0
	at_most "memory.max_usage_in_bytes after a reset" "$(cat "$G/memory.max_usage_in_bytes")" $((1 * MB))
	run "$G" touched mem anon 20M
	# each processor may hold three batches: one released, two in reserve
	within "the next peak" "$(cat "$G/memory.max_usage_in_bytes")" $((20 * MB)) 6
	finish
}

# As in 6.12: who writes to memory.peak restarts it for this open file alone.
test_peak_of_each_reader() {
	local watcher watch_out
	run "$G" touched mem anon 50M
	finish
	# nor does a processor have anything in stock
	put "$G/memory.force_empty" 0
	run $MW opened look peaks "$G/memory.peak"
	# "opened A B": both see the past
	within "the first reader's" "$(word 2)" $((50 * MB)) 3
	is "the second reader's" "$(word 3)" "$(word 2)"
	next_step reset
	at_most "the first reader's after its reset" "$(word 2)" $((1 * MB))
	within "the second reader's" "$(word 3)" $((50 * MB)) 3
	watcher=$pid watch_out=$out
	run "$G" touched mem anon 20M
	finish
	pid=$watcher out=$watch_out seen=2
	next_step later
	within "the first reader's new peak" "$(word 2)" $((20 * MB)) 6
	within "the second reader's" "$(word 3)" $((50 * MB)) 3
	within "a new reader's" "$(cat "$G/memory.peak")" $((50 * MB)) 3
	finish
}

# What a processor has in stock when it goes is not lost.
test_processor_unplugged() {
	local cpu=/sys/devices/system/cpu/cpu1/online
	[ -e $cpu ] || skip "the only processor stays"
	run "$G" touched taskset 2 mem anon 10M
	put $cpu 0
	within memory.current "$(current "$G")" $((10 * MB)) 4
	# what is in stock counts for a limit, and would be in nobody's reach
	attempt ok write "$G/memory.limit_in_bytes" "$(current "$G")"
	put "$G/memory.limit_in_bytes" -1
	audit_is_clean
	put $cpu 1
	next_step freed
	audit_is_clean
	finish
	drain
	is memory.current "$(current "$G")" 0
}
