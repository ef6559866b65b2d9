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
	# what is looked at is mapped meanwhile, by who is in no group, and is his if khugepaged makes huge pages of it
	[ ! -e $THP ] || setting $THP/enabled never
	truncate -s 72M $DISK/much
	truncate -s 8M $DISK/little
	# in turns: the older ones go first, and the half that goes may end in the middle of one
	for i in $(seq 0 31); do
		in_group "$G" taskset "$(mask_of 0)" dd if=$DISK/much of=/dev/null bs=256K count=9 skip=$((i * 9)) 2>/dev/null
		in_group "$G" taskset "$(mask_of 1)" dd if=$DISK/little of=/dev/null bs=256K count=1 skip="$i" 2>/dev/null
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

# Nor is anything taken of the other node where memward alone makes room, as its own reclaim may have to.
soak_low_holds_where_memory_is_not_short='it has not passed twenty times yet'
test_low_holds_where_memory_is_not_short() {
	local node mine other
	has_two_nodes
	keep_on_both 100M
	expects_a_kill
	only_memward_makes_room
	for node in 1 0; do
		# nobody waits for what was wanted on the node before: until then it gives as well
		until_low_holds
		mine=$(current "$G/$node") other=$(current "$G/$((!node))")
		if want $node 60; then fail "there was memory enough on node $node"; fi
		left_on_both
		# what is given at once, 64 pages
		at_most "what is left on node $node" "$(current "$G/$node")" $((mine - MB / 4))
		at_least "what is left on the other" "$(current "$G/$((!node))")" $((other - MB / 4))
	done
	end_divert
	audit_is_clean
}
# only_memward_makes_room: until the test ends or end_divert the kernel's reclaim does nothing, for nobody; note_ooms.
only_memward_makes_room() {
	note_ooms
	divert shrink_node
}

# Who is helped is helped twice, with 4 MB each time, and then killed, as he may want far more than there is.
soak_nobody_is_helped_a_third_time='it has not passed twenty times yet'
test_nobody_is_helped_a_third_time() {
	has_two_nodes
	keep_on_both 100M
	expects_a_kill
	only_memward_makes_room
	if want 1 60; then fail "there was memory enough"; fi
	end_divert
	noted_ooms
	left_on_both
	say "looks in each call: $(tr '\n' ' ' <$TMP/ooms)"
	at_least "calls of the OOM killer" "$(wc -l <$TMP/ooms)" 2
	at_most "calls of the OOM killer" "$(wc -l <$TMP/ooms)" 3
	audit_is_clean
}
# of the kernel's OOM killer, with a stack; the debug kernel's release has memward in its name
expects_a_kill() { expect_log 'Call Trace|\+0x[0-9a-f]+/0x[0-9a-f]+( \[memward\])?$|CPU: [0-9]+ .*PID: [0-9]+ Comm: mem '; }

# A few pages put nothing off.
soak_a_few_pages_are_no_help='it has not passed twenty times yet'
test_a_few_pages_are_no_help() {
	has_two_nodes
	until_low_holds
	put "$G/memory.low" max
	drop_caches
	truncate -s 128K $DISK/few
	in_group "$G" taskset "$(mask_of 1)" dd if=$DISK/few of=/dev/null bs=128K 2>/dev/null
	audit_is_clean
	expects_a_kill
	only_memward_makes_room
	if want 1 60; then fail "there was memory enough"; fi
	end_divert
	noted_ooms
	say "looks in each call: $(tr '\n' ' ' <$TMP/ooms)"
	is "what is left of the few" "$(look cached $DISK/few)" 0
	is "calls of the OOM killer" "$(wc -l <$TMP/ooms)" 1
	rm $DISK/few
}

# What is hidden is never shown: each call waits for that for two seconds, nobody is killed for half a minute, and then somebody is.
limit_who_shows_may_hang=300
soak_who_shows_may_hang='it has not passed twenty times yet'
test_who_shows_may_hang() {
	has_two_nodes
	keep_on_both 100M
	expects_a_kill
	note_ooms
	divert mw_hide_show_on later=1 pid=-1 longest=100
	if want 1 300; then fail "there was memory enough"; fi
	is_diverted || fail "who shows has gone on"
	end_divert
	noted_ooms
	say "looks in each call: $(tr '\n' ' ' <$TMP/ooms)"
	at_least "calls of the OOM killer" "$(wc -l <$TMP/ooms)" 2
	# two seconds are a hundred, however slow the host
	at_most "the most looks in one of them" "$(sort -n $TMP/ooms | tail -n 1)" 101
	# half a minute is fifteen hundred; one call may be in its midst, and one more is counted
	at_most "all looks" "$(awk '{ sum += $1 } END { print sum }' $TMP/ooms)" 1702
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

# Who was reclaiming while memory.low gave way for another finds it so, and tries once more.
soak_who_reclaimed_meanwhile_tries_again='it has not passed twenty times yet'
test_who_reclaimed_meanwhile_tries_again() {
	local taker tries
	has_two_nodes
	keep_on_both 100M
	note_tries
	divert shrink_node later=1 pid=-2 longest=100
	mkfifo $TMP/go
	# shellcheck disable=SC2016
	taskset "$(mask_of 1)" sh -c 'read -r _ <"$0"; echo 1 >"$1"' $TMP/go $TAKE/reclaim &
	taker=$!
	put $DIVERT/pid $taker
	echo >$TMP/go
	await 20 is_diverted
	want 1 25 || fail "the hog ended with $?"
	is_diverted || fail "who reclaims has gone on"
	at_most "what is left on node 1" "$(current "$G/1")" $((95 * MB))
	# he has found nothing, and finds nothing
	put $DIVERT/nothing 1
	wait $taker
	end_divert
	tries=$(grep -c -- "-$taker .*mm_vmscan_direct_reclaim_begin" $TRACING/trace || true)
	is "how often it was tried" "$tries" 2
	rmmod mw_take
	audit_is_clean
}
TAKE=/sys/module/mw_take/parameters
# note_tries: who reclaims, by himself (mw_take) for a block of one node, and each time that he does is noted.
note_tries() {
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	trap no_tries EXIT
	: >$TRACING/trace
	put $TRACING/events/vmscan/mm_vmscan_direct_reclaim_begin/enable 1
	: >$TMP/exhausted
	insmod /copy/mw_take.ko mayfail=1 thisnode=1
}
no_tries() {
	rmmod mw_divert mw_take 2>/dev/null || true
	echo 0 >$TRACING/events/vmscan/enable
}

# Two are short of memory, each on a node of his own: what one waits for is not forgotten when the other comes.
limit_two_are_short_on_different_nodes=300
soak_two_are_short_on_different_nodes='it has not passed twenty times yet'
test_two_are_short_on_different_nodes() {
	local node began first second
	has_two_nodes
	drop_caches
	put "$G/memory.low" max
	# the older ones, which would go first if all were of one node
	for node in 1 0; do
		truncate -s 60M $DISK/on_$node
		in_group "$G" taskset "$(mask_of $node)" dd if=$DISK/on_$node of=/dev/null bs=1M 2>/dev/null
	done
	note_tries
	if [ -e $THP ]; then
		# as in a_node_gives_by_what_it_has
		setting $THP/enabled never
		# shellcheck disable=SC2064 # now
		trap "no_tries; echo $(cat $TMP/was) >$THP/enabled" EXIT
	fi
	divert shrink_node
	for _ in 1 2 3 4 5; do
		until_low_holds
		first=$(cached_on 1)
		clock
		began=$now
		reclaim_on 1
		# the 4 MB that he is helped with
		await 20 is_left 1 $((first - 4 * MB))
		first=$(cached_on 1) second=$(cached_on 0)
		reclaim_on 0
		clock
		# the first is not waited for any longer than two seconds
		[ $((now - began)) -ge 190 ] || break
		began=''
	done
	[ "$began" ] || fail "the host is too slow for the two to meet"
	# of the next 4 MB half is for each of them
	await 20 is_left 0 $((second - MB))
	await 20 is_left 1 $((first - MB))
	end_divert
	rmmod mw_take
	rm $DISK/on_0 $DISK/on_1
}
reclaim_on() { taskset "$(mask_of "$1")" sh -c "echo 1 >$TAKE/reclaim"; }
cached_on() { look cached "$DISK/on_$1"; }
is_left() { [ "$(cached_on "$1")" -le "$2" ]; }

# note_ooms: from now on the kernel's calls of its OOM killer are noted, and how often who waits in there looks again. noted_ooms: in
# $TMP/ooms is this number for each call.
note_ooms() {
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	trap 'rmmod mw_divert 2>/dev/null || true; echo 0 >$TRACING/events/kprobes/enable; : >$TRACING/kprobe_events' EXIT
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
