# SPDX-License-Identifier: GPL-2.0
# What memward does on a machine of two nodes.

# Of 90 MB below a limit of 100 the older half goes first, whichever node it is on.
test_the_older_node_gives_first() {
	local node
	has_two_nodes
	put "$G/memory.max" 100M
	for node in 0 1; do
		run "$G" pushed mem nodewise $node 45M 50M
		at_least "pages of the older node that have gone" "$(word 3)" $((20 * 256))
		at_most "pages of the newer node that have gone" "$(word 4)" $((20 * 256))
		finish
	done
	audit_is_clean
}

# Nor is more looked at because it is on two nodes: in the last round each page once, and in all others as much of both together.
test_two_nodes_are_looked_at_as_one() {
	local once
	has_two_nodes
	ask_for_what_is_pinned 0
	once=$scanned
	ask_for_what_is_pinned 1
	at_least "pages of one node that were looked at" "$once" $((3 * 12 * 256))
	at_least "pages of two nodes that were looked at" "$scanned" $((once * 9 / 10))
	at_most "pages of two nodes that were looked at" "$scanned" $((once * 12 / 10))
}
# ask_for_what_is_pinned NODE: 12 MB that cannot go, half of it from there. Sets scanned, in pages.
ask_for_what_is_pinned() {
	local first second before
	run_if pinned taskset "$(mask_of 0)" odd ring 6M
	first=$pid
	run_if pinned taskset "$(mask_of "$1")" odd ring 6M
	second=$pid
	before=$(stat_of "$G" pgscan)
	attempt EAGAIN write "$G/memory.reclaim" 64M
	scanned=$(($(stat_of "$G" pgscan) - before))
	stop "$first"
	stop "$second"
	await 30 has_no_anon "$G"
}
has_no_anon() { [ "$(stat_of "$1" anon)" -lt 65536 ]; }

# Nor does a node give less because its pages are huge, nor more, though one of these is more than any part that is asked for.
soak_huge_pages_of_a_node_go_by_what_they_are='what goes to swap does so as a whole where the disk is slow'
test_huge_pages_of_a_node_go_by_what_they_are() {
	local huge small
	has_two_nodes
	run "$G" touched mem thp 32M - 0
	huge=$pid
	[ "$(awk '$1 == "AnonHugePages:" { print $2 }' /proc/"$huge"/smaps_rollup)" -ge $((28 * 1024)) ] || skip "there are no huge pages"
	run "$G" touched mem bound 1 32M
	small=$pid
	for _ in $(seq 112); do
		attempt ok write "$G/memory.reclaim" 256K
	done
	say "of 32 MB in huge pages $(swapped_of "$huge") KB have gone, $(swapped_of "$small") KB of 32 MB in small ones"
	at_least "KB that have gone of the huge ones" "$(swapped_of "$huge")" $((8 * 1024))
	at_least "KB that have gone of the small ones" "$(swapped_of "$small")" $((8 * 1024))
	stop "$huge"
	stop "$small"
}

# Nor does a node that has little give as much as one that has much, of the same age. Of files, which have gone at once: what goes to swap does
# so as a whole where the disk is slow.
test_a_node_gives_by_what_it_has() {
	local i much little
	has_two_nodes
	truncate -s 72M $DISK/much
	truncate -s 8M $DISK/little
	for i in $(seq 0 7); do
		in_group "$G" taskset "$(mask_of 0)" dd if=$DISK/much of=/dev/null bs=1M count=9 skip=$((i * 9)) 2>/dev/null
		in_group "$G" taskset "$(mask_of 1)" dd if=$DISK/little of=/dev/null bs=1M count=1 skip="$i" 2>/dev/null
	done
	at_least "what is cached of little" "$(look cached $DISK/little)" $((7 * MB))
	for i in $(seq 64); do
		attempt ok write "$G/memory.reclaim" 512K
	done
	much=$((72 * MB - $(look cached $DISK/much)))
	little=$((8 * MB - $(look cached $DISK/little)))
	say "$much bytes of 72 MB have gone, $little of 8 MB on the other node"
	within "what has gone of little, nine times" $((little * 9)) $much 25
	rm $DISK/much $DISK/little
}
# swapped_of PID: KB
swapped_of() { awk '$1 == "VmSwap:" { print $2 }' /proc/"$1"/status; }

# Where nothing can be swapped, huge pages to be split are looked for on each node, whatever there is on the others.
test_what_is_mapped_no_more_is_found_on_each_node() {
	local other
	has_two_nodes
	# few enough to be looked at within 50 ms, whatever the kernel; a new group begins with node 1
	run "$G" touched mem bound 1 4M
	other=$pid
	has_holes "$G" 64K 0
	at_least "what it has" "$(current "$G")" $((34 * MB))
	attempt ok write "$G/memory.reclaim" 25M
	finish
	stop "$other"
}

# Huge pages that NUMA balancing moves, or cannot move in the end, as somebody has a reference on them: 5.10 tells of each before it
# knows. A member pays for them all the same.
limit_pages_that_are_balanced=200
test_pages_that_are_balanced() {
	local before vmstat
	has_two_nodes
	[ -e $balancing ] || skip "the kernel balances no nodes"
	balancing_is 1
	balance_often
	run_if touched odd balanced 4M 20 "$(cpu_of 0)" "$(cpu_of 1)"
	drain
	before=$(current "$G") vmstat=$(balanced)
	next_if balanced
	say "$(($(balanced) - vmstat)) pages were moved"
	at_least "pages that were moved" $(($(balanced) - vmstat)) 512
	drain
	within "what is charged" "$(current "$G")" "$before" 2
	audit_is_clean
	finish_empty
}
balancing=/proc/sys/kernel/numa_balancing
# balancing_is VALUE: until the test ends
balancing_is() {
	# shellcheck disable=SC2064 # as it is now
	trap "put $balancing $(cat $balancing)" EXIT
	put $balancing "$1"
}
mask_of() { printf %x $((1 << $(cpu_of "$1"))); }
cpu_of() { sed 's/[^0-9].*//' /sys/devices/system/node/node"$1"/cpulist; }
balanced() { awk '$1 == "numa_pages_migrated" { print $2 }' /proc/vmstat; }
# 6.1 and later have that in debugfs
balance_often() {
	local setting
	for setting in /proc/sys/kernel/numa_balancing_scan_ /sys/kernel/debug/sched/numa_balancing/scan_; do
		[ -e ${setting}delay_ms ] || continue
		put ${setting}delay_ms 10
		put ${setting}period_min_ms 20
		put ${setting}period_max_ms 20
	done
}

# free_on NODE: in KB; with what processors have in lists of their own, tens of MB of it from 6.7 on, which an allocation gets in the end
free_on() {
	awk -v node="$1," '$1 == "Node" { here = $2 == node }
		here && $1 == "pages" && $2 == "free" { sum += $3 }
		here && $1 == "count:" { sum += $2 }
		END { print sum * 4 }' /proc/zoneinfo
}
# how often somebody was about to be killed
shortages() { awk '$1 == "oom" { print $5 }' $MW/memward.status; }

# keep_on_both [SIZE]: so much (60M) on each node, which memory.low protects.
keep_on_both() {
	local node
	# or nobody is spared a second time, and a test sees nothing
	until_low_holds
	for node in 0 1; do
		mkdir "$G/$node"
		put "$G/$node/memory.low" max
		run "$G/$node" touched mem bound $node "${1:-60M}"
	done
	put "$G/memory.low" max
	drop_caches
	# which takes what CPUs have in stock from what is left on each
	audit_is_clean
}
# want NODE MB: more than is free on a node, and locked in memory.
want() {
	local size
	size="$(($(free_on "$1") + $2 * 1024))K"
	HURRY=1 mem bound "$1" "$size" locked >/dev/null
}
left_on_both() { say "left on each node: $(current "$G/0"), $(current "$G/1")"; }

# stays GROUP: nothing is taken of it for a second
stays() {
	local was
	was=$(current "$1")
	sleep 1
	[ "$(current "$1")" = "$was" ]
}

# Memory is short on one node: memory.low gives way there, and nobody is killed.
test_low_gives_way_where_memory_is_short() {
	local node before
	has_two_nodes
	keep_on_both
	for node in 1 0; do
		# kswapd may be in the middle of what it has begun for the hog before
		await 30 stays "$G/$((!node))"
		before=$(current "$G/$((!node))")
		want $node 25 || fail "the hog on node $node ended with $?"
		left_on_both
		at_most "what is left on node $node" "$(current "$G/$node")" $((55 * MB))
		at_least "what is left on the other" "$(current "$G/$((!node))")" $((before - MB / 4))
	done
	audit_is_clean
}

# Likewise where nobody above the group has less: of `max` any usage is next to nothing.
test_low_of_the_first_level_gives_way() {
	has_two_nodes
	until_low_holds
	put "$G/memory.low" max
	run "$G" touched mem bound 1 60M
	drain
	drop_caches
	want 1 25 || fail "the hog ended with $?"
	say "left: $(current "$G")"
	at_most "what is left" "$(current "$G")" $((55 * MB))
	at_least "low events" "$(stat_of "$G" low memory.events)" 1
	finish
	audit_is_clean
}

# The worker that makes room hangs, as a swap device may: it is waited for once. The first call of the OOM killer after that has what is
# shown, the second nothing: it does not wait.
soak_who_makes_room_may_hang='nothing but memory.low is left'
test_who_makes_room_may_hang() {
	has_two_nodes
	keep_on_both 100M
	divert reclaim_pages later=1 pid=-1 longest=100
	want 1 10 || fail "the hog ended with $?"
	is_diverted || fail "nobody makes room"
	left_on_both
	until_low_holds
	note_ooms
	# of the kernel's OOM killer
	expect_log 'Call Trace|\+0x[0-9a-f]+/0x[0-9a-f]+( \[memward\])?$|CPU: [0-9]+ .*PID: [0-9]+ Comm: mem '
	if want 1 300; then fail "there was memory enough"; fi
	is_diverted || fail "who made room has gone on"
	end_divert
	noted_ooms
	say "looks in each call: $(tr '\n' ' ' <$TMP/ooms)"
	at_least "calls of the OOM killer" "$(wc -l <$TMP/ooms)" 2
	# two seconds are a hundred
	at_most "the most looks in one of them" "$(sort -n $TMP/ooms | tail -n 1)" 20
	audit_is_clean
}

# And what is hidden is shown by another.
soak_what_is_hidden_is_shown_meanwhile='nothing but memory.low is left'
test_what_is_hidden_is_shown_meanwhile() {
	has_two_nodes
	keep_on_both 100M
	divert reclaim_pages later=1 pid=-1 longest=100
	for _ in 1 2; do
		want 1 10 || fail "the hog ended with $?"
		is_diverted || fail "nobody makes room"
		left_on_both
		until_low_holds
	done
	end_divert
	audit_is_clean
}

# Where one node alone will do and nobody is killed for it, memory.low gives way there, and nowhere else.
soak_who_may_fail_on_a_node='nothing but memory.low is left'
test_who_may_fail_on_a_node() {
	gives_way_on_node_1 "" thisnode=1 -- taskset "$(mask_of 1)" sh -c
}
# Likewise in a cpuset, which the kernel's reclaim never leaves, though the allocator does if there is something free elsewhere.
soak_who_may_fail_in_a_cpuset='nothing but memory.low is left'
test_who_may_fail_in_a_cpuset() {
	put /sys/fs/cgroup/cgroup.subtree_control +cpuset
	# which another test may have left
	rmdir $CPUSET 2>/dev/null || true
	mkdir $CPUSET
	put $CPUSET/cpuset.mems 1
	# shellcheck disable=SC2016
	gives_way_on_node_1 full -- sh -c 'echo 0 >"$0/cgroup.procs" && exec sh -c "$@"' $CPUSET
	rmdir $CPUSET
}
# gives_way_on_node_1 HOW [FLAG]... -- COMMAND...: which runs a line of the shell's, and takes memory. HOW node 0 is: full or not.
gives_way_on_node_1() {
	local before pages take=/sys/module/mw_take/parameters how=$1
	shift
	has_two_nodes
	keep_on_both 100M
	before=$(current "$G/0")
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	trap 'rmmod mw_take 2>/dev/null || true; echo 0 >$TRACING/events/kprobes/enable; : >$TRACING/kprobe_events' EXIT
	echo 'p:gives_way mw_protection_suspend_low nodes=+0(%di):x64' >$TRACING/kprobe_events
	echo >$TRACING/trace
	echo 1 >$TRACING/events/kprobes/enable
	: >$TMP/exhausted
	insmod /copy/mw_take.ko thisnode=1 noretry=1 nowarn=1
	# shellcheck disable=SC2016
	[ "$how" != full ] || taskset "$(mask_of 0)" sh -c 'echo "$0" >"$1"' $((1 << 20)) $take/want
	put $take/thisnode 0
	put $take/noretry 0
	put $take/mayfail 1
	while [ "$1" != -- ]; do
		put $take/"${1%=*}" "${1#*=}"
		shift
	done
	shift
	pages=$((($(free_on 1) + 50 * 1024) / 4))
	# shellcheck disable=SC2016
	"$@" 'echo "$0" >"$1"' $pages $take/want
	left_on_both
	at_least "pages that it got" "$(cat $take/want)" $pages
	at_most "what is left on node 1" "$(current "$G/1")" $((60 * MB))
	at_least "what is left on node 0" "$(current "$G/0")" $((before - MB / 4))
	is "where it gave way" "$(sed -n 's/.* nodes=//p' $TRACING/trace | sort -u)" 0x2
	rmmod mw_take
	audit_is_clean
}

# note_ooms: from now on the kernel's calls of its OOM killer are noted, and how often who waits in there looks again. noted_ooms: in
# $TMP/ooms is this number for each call.
note_ooms() {
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	trap 'echo 0 >$TRACING/events/kprobes/enable; : >$TRACING/kprobe_events' EXIT
	printf 'p:begins out_of_memory\nr:ends out_of_memory\np:looks schedule_timeout_killable\n' >$TRACING/kprobe_events
	echo >$TRACING/trace
	echo 1 >$TRACING/events/kprobes/enable
}
noted_ooms() {
	awk '/ begins: / { looks[$1] = 0 }
		/ looks: / && ($1 in looks) { looks[$1]++ }
		/ ends: / { print looks[$1]; delete looks[$1] }' $TRACING/trace >$TMP/ooms
}

# nobody_else_suffers COMMAND...: it wants far more than there is on node 1. What is on the other one would not help, so it is not
# taken, and puts nothing off.
nobody_else_suffers() {
	local before status=0 shortages
	has_two_nodes
	keep_on_both
	before=$(current "$G/0") shortages=$(shortages)
	# of the kernel's OOM killer, with a stack; the debug kernel's release has memward in its name
	expect_log 'Call Trace|\+0x[0-9a-f]+/0x[0-9a-f]+( \[memward\])?$|CPU: [0-9]+ .*PID: [0-9]+ Comm: mem '
	"$@" || status=$?
	is "how it ended" $status 137
	left_on_both
	at_most "calls of the OOM killer" "$(shortages)" $((shortages + 10))
	at_least "what is left on node 0" "$(current "$G/0")" $((before - MB / 4))
	audit_is_clean
}
test_nothing_is_taken_where_it_does_not_help() { nobody_else_suffers want 1 300; }

CPUSET=/sys/fs/cgroup/on_node_1
test_nothing_is_taken_outside_of_a_cpuset() {
	has_two_nodes
	put /sys/fs/cgroup/cgroup.subtree_control +cpuset
	rmdir $CPUSET 2>/dev/null || true
	mkdir $CPUSET
	trap 'rmdir $CPUSET' EXIT
	put $CPUSET/cpuset.mems 1
	nobody_else_suffers want_in_cpuset
}
want_in_cpuset() {
	# shellcheck disable=SC2016
	HURRY=1 sh -c 'echo 0 >"$0/cgroup.procs" && exec mem bound - "$1" locked' $CPUSET "$(($(free_on 1) + 300 * 1024))K" >/dev/null
}

# What has moved is not hidden any more, so it does not count as what is too much: of 60 MB that stay half is shown then, as it
# would be without the 60 MB that have moved.
limit_what_has_moved_is_not_shown_again=300
test_what_has_moved_is_not_shown_again() {
	local before cpu
	has_two_nodes
	# 6.1's move_pages() does not say where a page is that balancing has marked
	if [ -e $balancing ]; then balancing_is 0; fi
	until_low_holds
	before=$(unevictable)
	put "$G/memory.low" max
	mkdir "$G/a"
	put "$G/a/memory.low" max
	cpu=$(printf %x $((1 << $(cpu_of 0))))
	run "$G/a" touched taskset "$cpu" mem bound 0 60M
	run "$G/a" touched taskset "$cpu" odd nodes 60M 1
	for _ in 1 2 3 4 5; do
		press_node 0
		if [ "$(unevictable)" -ge $((before + 90 * MB)) ]; then break; fi
	done
	at_least "what is hidden" "$(unevictable)" $((before + 90 * MB))
	next_if migrated
	at_least "pages that have moved" "$(word 2)" $((50 * 256))
	at_most "what is hidden after the move" "$(unevictable)" $((before + 70 * MB))
	shows_half
}
# press_node NODE: somebody of no group wants most of its memory. Not of both: 5.10 fills as much swap as a process writes.
press_node() {
	: >$TMP/exhausted
	HURRY=1 mem bound "$1" "$(awk '$3 == "MemTotal:" { printf "%dK\n", $4 * 9 / 10 }' "/sys/devices/system/node/node$1/meminfo")" >/dev/null
}

has_two_nodes() { [ -d /sys/devices/system/node/node1 ] || skip "the machine has one node"; }
