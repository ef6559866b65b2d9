# SPDX-License-Identifier: GPL-2.0
# Pages that the kernel merges, moves, collapses, pins or takes away: who paid for them still does, until they are free.

merged() { [ "$(cat /sys/kernel/mm/ksm/pages_sharing)" -ge "$1" ]; }
test_pages_of_the_same_content() {
	local ksm=/sys/kernel/mm/ksm
	setting $ksm/run 1
	put $ksm/sleep_millisecs 1
	put $ksm/pages_to_scan 10000
	run_if touched odd same 8M
	await 100 merged 1500
	drain
	stat_below "$G" anon $((3 * MB))
	audit_is_clean
	put $ksm/run 0
	next_step "touched again"
	stat_is "$G" anon $((8 * MB)) 5
	audit_is_clean
	finish_empty
}

test_locked_memory() {
	run_if locked odd locked 10M
	at_least "anon" "$(stat_of "$G" anon)" $((10 * MB))
	drop_caches
	at_least "anon" "$(stat_of "$G" anon)" $((10 * MB))
	audit_is_clean
	finish_empty
}

test_memory_filled_by_another_thread() {
	run_if filled odd userfault 8M
	stat_is "$G" anon $((8 * MB)) 3
	audit_is_clean
	next_step freed
	drain
	stat_below "$G" anon $((512 * KB))
	finish_empty
}

is_below() { [ "$(stat_of "$1" "$2")" -lt "$3" ]; }
test_buffers_of_a_ring() {
	run_if pinned odd ring 8M
	stat_is "$G" anon $((8 * MB)) 5
	audit_is_clean
	next_step unpinned
	# the ring lets go in its own time
	await 30 is_below "$G" anon $((1 * MB))
	audit_is_clean
	finish_empty
}

# What an AF_XDP socket has pinned is charged until the socket lets go of it.
test_memory_of_a_socket() {
	run_if pinned odd packets 8M
	stat_is "$G" anon $((8 * MB)) 5
	audit_is_clean
	next_step unpinned
	# as a grace period is over
	await 30 is_below "$G" anon $((1 * MB))
	audit_is_clean
	finish_empty
}

# Its process leaves, the group goes, the pages stay; then the process dies.
test_memory_of_a_socket_without_its_group() {
	mkdir "$G/a"
	# shellcheck disable=SC2016
	run_if pinned sh -c 'echo 0 >"$0/a/cgroup.procs" && exec odd packets 8M' "$G"
	put "$G/cgroup.procs" "$pid"
	rmdir "$G/a"
	stat_is "$G" anon $((8 * MB)) 5
	audit_is_clean
	stop "$pid"
	await 30 is_below "$G" anon $((1 * MB))
	drain
	is anon "$(stat_of "$G" anon)" 0
	audit_is_clean
}

test_pool_of_huge_pages() {
	setting /proc/sys/vm/nr_hugepages 8
	run_if touched odd hugetlb 16M
	stat_below "$G" anon $((512 * KB))
	audit_is_clean
	next_step freed
	audit_is_clean
	finish_empty
}

# One of those is not looked up page by page where it goes to another node: none of them is charged, and it may have a quarter of a million. Since
# 6.7 the kernel tells of it all the same.
soak_pool_of_huge_pages_changes_its_node='it has not passed twenty times yet'
test_pool_of_huge_pages_changes_its_node() {
	local told
	kernel_since 6 7 || skip "the kernel does not tell of them"
	[ -d /sys/devices/system/node/node1 ] || skip "the machine has one node"
	setting /proc/sys/vm/nr_hugepages 16
	run_if touched odd hugetlb_nodes 8M
	drain
	trap 'deafen_calls; cat $TMP/was >/proc/sys/vm/nr_hugepages' EXIT
	count_calls move=memward:mw_charge_move copy=memward:mw_charge_copy
	told=$(hits_of migrate)
	next_if migrated
	told=$(($(hits_of migrate) - told))
	say "$(word 2) pages have moved, of $told folios memward was told"
	at_least "pages that have moved" "$(word 2)" 512
	at_least "folios that memward was told of" "$told" $(($(word 2) / 512))
	# what else somebody has moved meanwhile is
	at_most "folios that were looked up" "$(moves)" $((told - $(word 2) / 512))
	audit_is_clean
	finish_empty
}
# how many folios were looked up whose place another one takes
moves() { echo $(($(calls_of move) + $(calls_of copy))); }

# anon_is BYTES: but for 3 %. Not at any moment: while the daemon collapses pages, they and the huge one are charged.
anon_is() {
	local now
	now=$(stat_of "$G" anon)
	[ $((now * 100)) -ge $(($1 * 97)) ] && [ $((now * 100)) -le $(($1 * 103)) ]
}

test_huge_pages_on_demand() {
	run_if small odd collapse 16M
	await 20 anon_is $((16 * MB))
	next_step "may be huge"
	case $line in
	# before 6.1 there is but the daemon
	*'no such call') ;;
	*) at_least "KB of huge pages" \
		"$(rollup AnonHugePages)" $((16 * 1024)) ;;
	esac
	await 20 anon_is $((16 * MB))
	audit_is_clean
	next_step split
	audit_is_clean
	next_step freed
	drain
	stat_below "$G" anon $((512 * KB))
	finish_empty
}

# The daemon does it, in nobody's name.
collapses() { cat /sys/kernel/mm/transparent_hugepage/khugepaged/pages_collapsed; }
has_collapsed() { [ "$(collapses)" -ge "$1" ]; }
test_huge_pages_by_the_daemon() {
	local thp=/sys/kernel/mm/transparent_hugepage before
	[ -e $thp/khugepaged ] || skip "the kernel has no khugepaged"
	put $thp/khugepaged/scan_sleep_millisecs 10
	put $thp/khugepaged/alloc_sleep_millisecs 10
	put $thp/khugepaged/pages_to_scan 100000
	before=$(collapses)
	run_if small odd collapse 8M
	# who was collapsed by the call has been counted or not, as the kernel likes; the split one comes anew
	next_step "may be huge"
	next_step split
	await 100 has_collapsed $((before + 1))
	# the daemon fills holes, and has both the old pages and the new one for a moment
	at_least anon "$(stat_of "$G" anon)" $((7 * MB))
	at_most anon "$(stat_of "$G" anon)" $((12 * MB))
	audit_is_clean
	finish_empty
}

# Before 6.3 nobody says what was collapsed in files: it counts as anon until it is freed (README, limits).
tells_collapses() { grep -q '^collapse .*attached' $MW/memward.status; }
test_huge_pages_in_shared_memory() {
	mkdir -p /tmp/huge
	mount -t tmpfs -o huge=advise none /tmp/huge
	run_if small odd collapse_file /tmp/huge/file 8M
	next_if huge
	within memory.current "$(current "$G")" $((8 * MB)) 10
	if tells_collapses; then
		stat_is "$G" shmem $((8 * MB)) 3
		stat_below "$G" anon $((512 * KB))
	fi
	audit_is_clean
	next_step freed
	drain
	at_most memory.current "$(current "$G")" $((512 * KB))
	finish
	umount /tmp/huge
	audit_is_clean
}

# They are cache like any other: without swap they go all the same, and nobody is killed.
test_huge_pages_in_a_file() {
	run_if small odd collapse_file $DISK/huge 8M
	next_if huge
	stat_is "$G" file $((8 * MB)) 10
	stat_below "$G" anon $((512 * KB))
	audit_is_clean
	put "$G/memory.swap.max" 0
	put "$G/memory.max" 3M
	at_most memory.current "$(current "$G")" $((3 * MB))
	is "kills" "$(stat_of "$G" oom_kill memory.events)" 0
	audit_is_clean
	next_step freed
	drain
	at_most memory.current "$(current "$G")" $((512 * KB))
	finish_empty
}

test_pages_change_their_node() {
	local before
	[ -d /sys/devices/system/node/node1 ] || skip "the machine has one node"
	run_if touched odd nodes 16M 6
	drain
	before=$(current "$G")
	next_if migrated
	at_least "pages that have moved" "$(word 2)" $((6 * 4096 / 2))
	drain
	is memory.current "$(current "$G")" "$before"
	audit_is_clean
	finish_empty
}

# A page that moves while the audit walks is seen in both places, or in none.
limit_audits_while_pages_move=200
test_audits_while_pages_move() {
	[ -d /sys/devices/system/node/node1 ] || skip "the machine has one node"
	run_if touched odd nodes 32M $((40 * ROUNDS))
	kill -USR1 "$pid"
	while ! has_line; do
		audit_is_clean
	done
	next_line
	at_step migrated
	at_least "pages that have moved" "$(word 2)" $((40 * ROUNDS * 8192 / 2))
	finish_empty
}

test_pages_taken_out_of_service() {
	run_if touched odd offline 1M
	stat_is "$G" anon $((1 * MB)) 20
	# the kernel's own, one a page
	next_if moved
	drain
	stat_is "$G" anon $((1 * MB)) 20
	audit_is_clean
	finish_empty
}

# The disk of scripts/vm --swap. Not a file in /tmp: that is memory itself.
swap_on() {
	[ -b /dev/vda ] || skip "the machine has no swap disk"
	swapoff /dev/vda 2>/dev/null || true
	swapon /dev/vda
}

# Who takes the swap disk away brings the pages back, and pays for them. The kernel's own memcg swapped them out.
test_swapoff_while_charged() {
	local kernel=/sys/fs/cgroup/swapper
	swap_on
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel
	put $kernel/memory.high 10M
	# shellcheck disable=SC2016
	run "$G" touched sh -c 'echo 0 >/sys/fs/cgroup/swapper/cgroup.procs && exec odd pageout 30M'
	await 20 is_swapped_down_to $kernel 10
	put $kernel/memory.high max
	mkdir "$G/off"
	in_group "$G/off" swapoff /dev/vda
	drain
	stat_is "$G" anon $((30 * MB)) 5
	audit_is_clean
	finish_empty
	rmdir $kernel
}

# A difference that is only motion, however long it lasts, is none.
limit_audits_of_all_this=200
test_audits_of_all_this() {
	local i audits=0
	for i in 1 2 3 4; do
		mkdir "$G/$i"
		load "$G/$i" odd mix 16M 1000000
	done
	note_loads
	until [ $audits -ge $((40 * ROUNDS)) ] && have_gone_on 2; do
		audit_is_clean
		audits=$((audits + 1))
	done
}

# What reclaim has in its hands while its disk keeps it waiting. It takes what is freed lazily first, so it is to take more.
test_audit_while_reclaim_waits_for_its_disk() {
	local writer freed queue
	swap_on_a_file 16
	queue=/sys/block/${disk#/dev/}/queue
	put "$queue/nr_requests" 4
	put "$queue/nomerges" 2
	run "$G" cold odd half_lazy 4M
	freed=$(lazily_freed)
	fsfreeze --freeze $DISK
	echo 4M >"$G/memory.reclaim" &
	writer=$!
	await 20 waits_for_a_disk $writer
	at_least "lazily freed" "$(lazily_freed)" $((freed + 1))
	audit_is_clean
	fsfreeze --unfreeze $DISK
	wait $writer
	# 5.10 keeps what was on its way to swap when its program ended in the swap cache, charged, until somebody reclaims
	finish
	drain
	audit_is_clean
}
lazily_freed() { awk '$1 == "pglazyfreed" { print $2 }' /proc/vmstat; }
waits_for_a_disk() { [ "$(task_state "$1")" = D ] && [ "$(lazily_freed)" -gt "$freed" ]; }

# swap_on_a_file MB: and on nothing else, until the test's shell ends; sets disk.
swap_on_a_file() {
	[ ! -b /dev/vda ] || swapoff /dev/vda 2>/dev/null || true
	dd if=/dev/zero of=$DISK/swap bs=1M count="$1" 2>/dev/null
	disk=$(losetup -f)
	losetup "$disk" $DISK/swap
	trap no_swap_file EXIT
	mkswap "$disk" >/dev/null
	swapon "$disk"
}
no_swap_file() {
	fsfreeze --unfreeze $DISK 2>/dev/null || true
	swapoff "$disk"
	losetup -d "$disk"
	rm $DISK/swap
}

# The same, and then somebody more important has its processor.
limit_audits_beside_a_reclaimer_that_waits=200
test_audits_beside_a_reclaimer_that_waits() {
	local i=0 stolen
	swap_on
	setting /sys/block/vda/queue/nr_requests 4
	put "$G/memory.max" 20M
	for _ in 1 2 3; do
		load "$G" taskset 2 odd mix 16M 1000000
	done
	# rounds take those too long beside this one
	loads=''
	load '' taskset 2 proc urgent 500 20
	note_loads
	stolen=$(stat_of "$G" pgsteal_anon)
	# of what is between two rounds of the more important one they get as much as the host gives
	until [ "$i" -ge $((60 * ROUNDS)) ] && have_gone_on 5 && [ "$(stat_of "$G" pgsteal_anon)" -ge $((stolen + 64)) ]; do
		audit_is_clean
		i=$((i + 1))
		sleep 0.1
	done
	at_least "processes that reclaim" "$(members "$G" | wc -l)" 3
}

# everything_while COMMAND...: huge pages, merging, swapping, moving, with compaction and empty caches, while the command
# is run again and again: twice or more, and for so long as the programs take for $mix_rounds rounds each. Their numbers are in
# $mixers.
everything_while() {
	local i mixers done_before turns=0
	[ ! -e /sys/kernel/mm/ksm ] || setting /sys/kernel/mm/ksm/run 1
	swap_on
	for i in 1 2 3 4; do
		mkdir "$G/$i"
		load "$G/$i" odd mix 16M 1000000
	done
	mixers=$loads
	note_loads
	done_before=$(what_is_done)
	until [ $turns -ge 2 ] && have_gone_on $((${mix_rounds:-30} * ROUNDS)); do
		compact
		echo 3 >/proc/sys/vm/drop_caches
		audit_is_clean
		"$@"
		turns=$((turns + 1))
	done
	say "$turns turns, pages swapped out, moved, scanned by compaction: from $done_before to $(what_is_done)"
	has_been_done $done_before
	for i in $mixers; do
		kill -USR1 "$i" || fail "a program has ended"
	done
	for i in $mixers; do
		wait "$i" || fail "a program failed"
	done
	swapoff /dev/vda
	drain
	is anon "$(stat_of "$G" anon)" 0
	audit_is_clean
}

# Counted by the kernel: there was something to swap and to move.
what_is_done() {
	awk '{ nr[$1] = $2 } END { print nr["pswpout"], nr["pgmigrate_success"], nr["compact_migrate_scanned"] }' /proc/vmstat
}
has_been_done() {
	local now
	for now in $(what_is_done); do
		at_least "what has been done" "$now" $(($1 + 100))
		shift
	done
}

limit_everything_at_once=400
test_everything_at_once() { everything_while take_swap_away; }
take_swap_away() {
	swapoff /dev/vda
	swapon /dev/vda
}

# The same where there is room for half of it, and some is asked back besides.
limit_everything_at_a_limit=600
test_everything_at_a_limit() {
	put "$G/memory.max" 32M
	everything_while ask_for_some
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 0
	at_least "stolen" "$(stat_of "$G" pgsteal_anon)" 256
}
ask_for_some() { (echo 4M >"$G/memory.reclaim") 2>/dev/null || true; }

# The same while memory is short for others and memory.low keeps it, so that some of it is put aside and found again.
limit_everything_while_it_is_protected=600
test_everything_while_it_is_protected() {
	local mix_rounds=150
	put "$G/memory.low" max
	everything_while press
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 0
	at_least "kept" "$(stat_of "$G" protected_kept)" 256
}
# What is used all the time is not asked for: stop the programs meanwhile. They go on with pages that are put aside.
press() {
	put "$G/memory.low" 0
	put "$G/memory.low" max
	# shellcheck disable=SC2154 # everything_while's
	kill -STOP $mixers
	HURRY=1 mem anon "$(awk '$1 == "MemAvailable:" { printf "%dK\n", $2 + 65536 }' /proc/meminfo)" >/dev/null ||
		fail "who needed more than there was ended with $?"
	kill -CONT $mixers
	say "$(stat_of "$G" protected_kept) pages were kept, $(stat_of "$G" protected_offered) offered"
}
