# SPDX-License-Identifier: GPL-2.0
# memory.max and what it does when there is nothing left to reclaim. With 600M of swap.

# Usage may pass the limit by a batch for each processor.
SLACK=$((64 * 4096 * $(nproc)))

limit() { put "$1/memory.max" "$2"; }
# watched_limit SIZE: of $G; never_above MB: it was not, neither by what memward counts nor by what was seen.
watched_limit() {
	limit "$G" "$1"
	watch "$G"
}
never_above() {
	at_most "the peak" "$(read_file "$G/memory.peak")" $(($1 * MB + SLACK))
	watched
	at_most "what was seen in memory" "$most" $(($1 * MB + SLACK))
}
# By the kernel's own count of what the process has.
anon_is_below() {
	at_most "anonymous memory of the process" \
		$(($(rollup Anonymous) * KB)) $(($1 * MB + SLACK))
}
event() { stat_of "$1" "$2" memory.events; }
no_kills() { is "oom_kill" "$(event "$1" oom_kill)" 0; }
oom_log='memward: oom: |memward: .* is out of memory: |out of memory: Killed process|invoked oom-killer'

# Without swap for the rest of the test; the runner puts it back.
no_swap() { swapoff /dev/vda; }

# run_exempt SIZE: a process in $G that the OOM killer must not kill.
run_exempt() {
	start "$G" sh -c "echo -1000 >/proc/self/oom_score_adj && exec mem anon $1"
	at_step touched
}

# ends_with STATUS GROUP COMMAND...
ends_with() {
	local want=$1 got=0
	shift
	in_group "$@" >/dev/null 2>&1 || got=$?
	is "the status of $*" "$got" "$want"
}

# --- it holds ---------------------------------------------------------------------------------------------------

test_anon_goes_to_swap() {
	watched_limit 20M
	run "$G" filled mem pattern 40M
	anon_is_below 20
	next_step checked
	anon_is_below 20
	finish
	never_above 20
	no_kills "$G"
	at_least "stolen" "$(stat_of "$G" pgsteal_anon)" $((20 * 256))
}

# What another processor has in stock: whoever ends there leaves some, as much as a batch.
test_stock_is_given_back_before_pages() {
	in_group "$G" taskset 2 true
	run "$G" touched taskset 1 mem dontneed 12M
	next_step dropped
	# now, as stocks are given back for this
	put "$G/memory.max" $(($(current "$G") + 6 * MB + 100 * KB))
	in_group "$G" taskset 2 true
	next_step "touched again"
	at_least "how often the limit was in the way" "$(stat_of "$G" max memory.events)" 1
	is "pages that were reclaimed" "$(stat_of "$G" pgsteal)" 0
	finish
}

# What a program has freed with MADV_FREE needs no swap.
test_what_is_freed_lazily_goes() {
	no_swap
	watched_limit 64M
	run "$G" touched mem lazyfree 50M 30M
	next_step freed
	next_step more
	finish
	never_above 64
	no_kills "$G"
}

# two_who_grow GROUP: it is new, and what they have by now is charged there. No swap, and a file of two pages that is not in memory.
# Sets first and second.
two_who_grow() {
	no_swap
	dd if=/dev/zero of=$DISK/small bs=8K count=1 conv=fsync 2>/dev/null
	drop_caches
	mkdir "$1"
	run "$1" touched mem grow 4M 4K
	first=$pid
	# more than CPUs may have in stock that was freed meanwhile
	run "$1" touched mem grow 4M 2M
	second=$pid
}

# The only pages that could be reclaimed are in the hands of another who reclaims, and who takes his time: nobody dies for that. They
# are fewer than he asks for at once, and of a group below the one that is full.
test_what_another_reclaims_is_waited_for() {
	local first second begun
	two_who_grow "$G/in"
	in_group "$G/in" dd if=$DISK/small of=/dev/null bs=8K 2>/dev/null
	# what dd had is not given back before
	drain
	limit "$G" "$(current "$G")"
	divert mw_reclaim_folios later=1 pid="$first"
	kill -USR1 "$first"
	await 20 is_diverted
	clock
	begun=$now
	kill -USR1 "$second"
	# it waits between its 17 tries, longer each time: 20 ms, and twice as long the next time, up to half a second
	await 20 has_failed "$G" 11
	clock
	is_diverted || fail "the first has gone on"
	at_least "hundredths of a second for eleven tries of both" $((now - begun)) 120
	no_kills "$G"
	limit "$G" max
	end_divert
	kill -USR2 "$first" "$second"
	wait "$first" || fail "status of the first: $?"
	wait "$second" || fail "status of the second: $?"
	no_kills "$G"
}
# What a thread writes as it ends is for others, who wait for it: it needs no room, and waits for nobody.
test_who_ends_needs_no_room() {
	local first second
	two_who_grow "$G/in"
	yes | head -c 4096 >$DISK/place
	sync -f $DISK/place
	drop_caches
	run "$G" running proc ends $DISK/place
	in_group "$G/in" dd if=$DISK/small of=/dev/null bs=8K 2>/dev/null
	drain
	limit "$G" "$(current "$G")"
	divert mw_reclaim_folios later=1 pid="$first" longest=60
	kill -USR1 "$first"
	await 20 is_diverted
	# takes what room there may be yet
	kill -USR1 "$second"
	await 20 has_failed "$G" 6
	next_step told
	is_diverted || fail "the first has gone on"
	at_least "bytes" "$(current "$G")" $(($(read_file "$G/memory.max") + 4096))
	limit "$G" max
	end_divert
	finish
	all_end "$first" "$second"
	no_kills "$G"
}
has_failed() { [ "$(event "$1" max)" -ge "$2" ]; }

# has_two_pages GROUP: two of a file are charged to it, in one chunk, and sorted into no queue yet. Sets first and reader, who are
# there, and second, who is in $G: what these have themselves is charged elsewhere, and $G has nothing else.
has_two_pages() {
	two_who_grow "${G}_elsewhere"
	run "${G}_elsewhere" opened mem read_later $DISK/small
	reader=$pid
	put "$1/cgroup.procs" "$first"
	put "$1/cgroup.procs" "$reader"
	next_step read
	for one in $first $second $reader; do
		put $MW/cgroup.procs "$one"
	done
	rmdir "${G}_elsewhere"
	put "$1/cgroup.procs" "$first"
	put "$G/cgroup.procs" "$second"
	drain
}

# second_waits TRIES: in $G, as he finds nothing, so often.
second_waits() {
	kill -USR1 "$second"
	await 20 has_failed "$G" "$1"
}
# all_end PID...: with room enough they come to their ends, and nobody has died.
all_end() {
	local one
	kill -USR2 "$@"
	for one; do
		wait "$one" || fail "status of $one of $*: $?"
	done
	no_kills "$G"
}

# What is being sorted is in no queue and not in the inbox: that is not nothing.
test_what_another_sorts_is_waited_for() {
	local first second reader
	mkdir "$G/in"
	has_two_pages "$G/in"
	limit "$G" "$(current "$G")"
	divert mw_queue_sort_in later=1 pid="$first"
	kill -USR1 "$first"
	await 20 is_diverted
	second_waits 6
	is_diverted || fail "the first has gone on"
	limit "$G" max
	end_divert
	all_end "$first" "$second" "$reader"
}

# Nor if its group is removed meanwhile: then it is the parent's. He sleeps, so it goes.
test_what_another_took_from_a_removed_group_is_waited_for() {
	local first second reader
	mkdir "$G/in"
	has_two_pages "$G/in"
	limit "$G" "$(current "$G")"
	divert mw_queue_sort_in later=1 pid="$first"
	kill -USR1 "$first"
	await 20 is_diverted
	put $MW/cgroup.procs "$first"
	rmdir "$G/in"
	# a second and more: long after the grace period
	second_waits 11
	is_diverted || fail "the first has gone on"
	limit "$G" max
	end_divert
	all_end "$first" "$second" "$reader"
}

# Nor what the worker looks at that drops what is stale.
test_what_is_being_compacted_is_waited_for() {
	local first second reader
	mkdir "$G/in"
	has_two_pages "$G/in"
	divert mw_chunk_prune later=1 pid=-1
	in_group "$G/in" mem churn 4M 16
	await 20 is_diverted
	drain
	limit "$G" "$(current "$G")"
	second_waits 6
	is_diverted || fail "the worker has gone on"
	limit "$G" max
	end_divert
	all_end "$first" "$second" "$reader"
}

test_what_is_mapped_no_more_is_taken() {
	has_holes "$G" 20M
	limit "$G" 40M
	next_step grown
	no_kills "$G"
	at_least "times that memory.max was in the way" "$(event "$G" max)" 1
	finish
}

# Nor is anybody held back for it, or told that there is nothing.
test_what_is_mapped_no_more_is_above_nothing() {
	has_holes "$G" 20M
	put "$G/memory.high" 40M
	next_step grown
	is "microseconds that it was held back" "$(stat_of "$G" high_stall_usec)" 0
	at_least "times that memory.high was in the way" "$(event "$G" high)" 1
	finish
}
test_what_is_mapped_no_more_can_be_asked_for() {
	has_holes "$G" 64K
	attempt ok write "$G/memory.reclaim" 25M
	at_most "what is left" "$(current "$G")" $((8 * MB))
	next_step grown
	finish
}

# Where most is protected a huge page is more than may be taken, so for memory.low that gives way, and is told as such.
test_what_is_mapped_no_more_is_asked_for_where_low_is() {
	mkdir "$G/in"
	has_holes "$G/in" 64K
	put "$G/in/memory.low" $(($(current "$G/in") - 512 * KB))
	attempt ok write "$G/memory.reclaim" 25M
	at_most "what is left" "$(current "$G")" $((8 * MB))
	at_least "low events" "$(event "$G/in" low)" 1
	next_step grown
	finish
}
# All of it may be looked at where less than half is protected, and the huge page is more than may be taken all the same.
test_what_is_mapped_no_more_is_more_than_low_leaves() {
	holes_mb=2
	mkdir "$G/in"
	has_holes "$G/in" 64K
	put "$G/in/memory.low" 1M
	at_least "what it has" "$(current "$G/in")" $((2 * MB + 4096))
	attempt ok write "$G/memory.reclaim" 1M
	at_most "what is left" "$(current "$G")" $((1 * MB))
	next_step grown
	finish
}
# And for memory.min it goes before anybody dies, but no more of it than that one.
test_what_is_mapped_no_more_goes_where_min_is() {
	local most
	mkdir "$G/in" "$G/beside"
	has_holes "$G/in" 64K
	holes=$pid
	most=$(current "$G/in")
	put "$G/in/memory.min" $((most - 512 * KB))
	run "$G/beside" touched mem grow 64K 5M
	limit "$G" $(($(current "$G") + 4 * MB))
	next_step grown
	no_kills "$G"
	within "what is taken of the protected" $((most - $(current "$G/in"))) $((2 * MB)) 10
	finish
	stop "$holes"
}

# Who sets a limit, which is to be had without killing.
test_a_limit_takes_what_is_mapped_no_more() {
	has_holes "$G" 64K
	limit "$G" 16M
	at_most "what is left" "$(current "$G")" $((16 * MB))
	no_kills "$G"
	next_step grown
	finish
}

# Who was killed has its memory for a while yet, and another one is not killed for that. From 6.16 on it is in no group any more by then.
test_one_death_at_a_time() {
	expect_log "$oom_log"
	no_swap
	dies_alone "$G"
}

# What somebody only has a reference to may be let go of soon, or, in a pipe, never: who needs memory is not kept from it, and somebody from
# being killed, as long as by a disk.
limit_what_is_in_a_pipe_is_not_waited_for_long=120
test_what_is_in_a_pipe_is_not_waited_for_long() {
	local reader
	expect_log "$oom_log"
	no_swap
	file_of 1
	run "$G" held mem held "$file" 64K
	reader=$pid
	put $MW/cgroup.procs "$reader"
	run "$G" touched mem grow 4M 2M
	drain
	echo 0 >"$G/memory.force_empty"
	limit "$G" "$(current "$G")"
	trap deafen EXIT
	listen
	kill -USR1 "$pid"
	await 60 has_killed "$G"
	stop_listening
	at_least "pages that were held" "$(told reclaim_end "$G" | value_of nr_held | sort -n | tail -n 1)" 16
	at_most "microseconds until somebody was killed" "$(told reclaim_end "$G" | value_of waited_us | sum)" 4500000
	stop "$reader"
}
has_killed() { [ "$(event "$1" oom_kill)" -gt 0 ]; }

# Where there is much of one kind of memory, and nothing else was ever looked for, what has come after it is found by the first who needs it.
limit_what_is_behind_much_else_is_found=200
test_what_is_behind_much_else_is_found() {
	no_swap
	file_of 16
	run "$G" touched mem anon 300M small
	in_group "$G" dd if="$file" of=/dev/null bs=1M 2>/dev/null
	drain
	limit "$G" "$(current "$G")"
	trap deafen EXIT
	listen
	in_group "$G" env HURRY=1 mem anon 4M small >/dev/null
	stop_listening
	at_least "reclaims" "$(told reclaim_end "$G" | count)" 1
	is "reclaims that found nothing" "$(told reclaim_end "$G" nr_reclaimed=0)" ''
	finish
	no_kills "$G"
}

# Of a file in $G, most pages are in no chunk, as there was no memory for one; each is a folio of its own. Sets long.
lose_a_file() {
	long=$DISK/long
	divert mw_chunk_alloc
	in_group "$G" dd if=/dev/zero of=$long bs=4K count=5120 conv=fsync 2>/dev/null
	end_divert
	at_least "what the file has" "$(stat_of "$G" file)" $((19 * MB))
	# nothing is found with what is charged next
	drain
}

test_what_is_in_no_chunk_is_found() {
	local long
	no_swap
	lose_a_file
	limit "$G" "$(current "$G")"
	run "$G" touched mem anon 16M
	finish
	at_least pgsteal_file "$(stat_of "$G" pgsteal_file)" $((15 * 256))
	no_kills "$G"
	rm $long
}

# first_looks_for_a_file: first needs room, and all that could go is a file in no chunk, which he is about to look for. Sets long, first,
# and second, who is like him.
first_looks_for_a_file() {
	no_swap
	# both by more than processors may have had chunks for
	run "$G" touched mem grow 4M 2M
	first=$pid
	run "$G" touched mem grow 4M 2M
	second=$pid
	lose_a_file
	limit "$G" "$(current "$G")"
	divert mw_lru_rescue later=1 pid="$first" longest=60
	kill -USR1 "$first"
	await 20 is_diverted
}

# Nor does anybody die while another one looks for it, as long as that takes: there are 16 tries.
test_who_looks_for_lost_pages_is_waited_for() {
	local first second long
	first_looks_for_a_file
	kill -USR1 "$second"
	await 60 has_failed "$G" 22
	is_diverted || fail "the first has gone on"
	no_kills "$G"
	end_divert
	all_end "$first" "$second"
	rm $long
}

# Who was killed does not go through all memory first, and what he has not found is looked for by the next.
test_who_looks_for_lost_pages_can_be_killed() {
	local first second long
	first_looks_for_a_file
	note_calls sorts=memward:mw_queue_sort_in
	kill -KILL "$first"
	end_divert
	wait "$first" && fail "the first was not killed"
	# all but a chunk or two that he had in hands
	at_most "folios that he has found" "$(calls_of sorts)" 512
	drain
	limit "$G" "$(current "$G")"
	kill -USR1 "$second"
	all_end "$second"
	at_least pgsteal_file "$(stat_of "$G" pgsteal_file)" 32
	limit "$G" max
	attempt ok write "$G/memory.reclaim" 15M
	rm $long
}

# It takes as long as the machine is large, so it is one for all groups.
test_one_walk_finds_what_all_groups_have_lost() {
	local one
	no_swap
	mkdir "$G/a" "$G/b" "$G/c"
	divert mw_chunk_alloc
	for one in a b c; do
		in_group "$G/$one" dd if=/dev/zero of=$DISK/lost.$one bs=4K count=512 conv=fsync 2>/dev/null
	done
	end_divert
	drain
	note_calls walks=memward:mw_lru_rescue
	attempt ok write "$G/memory.reclaim" 5M
	is "walks" "$(calls_of walks)" 1
	rm $DISK/lost.?
}

# A processor that has no chunk says so once for a batch of pages. What is charged of that after a walk has begun is found all the same.
test_what_is_charged_during_a_walk_is_found() {
	local reader
	no_swap
	file_of 1
	# what processors have in stock is less than the hundredth part, so it is not given back first
	run "$G" touched mem anon 40M
	filler=$pid
	run "$G" opened taskset 2 mem read_pages "$file"
	reader=$pid
	run "$G" touched taskset 1 mem grow 64K 2M
	drop_caches
	drain
	limit "$G" $(($(current "$G") + 512 * KB))
	# its processor has a chunk for others
	mkdir "${G}_others"
	in_group "${G}_others" taskset 2 cat /proc/self/stat >/dev/null
	divert mw_chunk_alloc
	kill -USR1 "$reader"
	await 20 has_of_files 1
	end_divert
	# as he has found what was lost before, and has not said so yet
	divert mw_lru_sought later=1 pid="$pid"
	kill -USR1 "$pid"
	await 20 is_diverted
	limit "$G" max
	kill -USR1 "$reader"
	await 20 has_of_files 2
	end_divert
	next_line
	at_step grown
	finish
	echo 1M >"$G/memory.reclaim" 2>/dev/null || true
	is "what is left of the file" "$(stat_of "$G" file)" 0
	stop "$reader"
	stop "$filler"
}
has_of_files() { [ "$(stat_of "$G" file)" = $(($1 * 4096)) ]; }

test_a_file_is_written_and_read_through() {
	watched_limit 20M
	in_group "$G" dd if=/dev/zero of=$DISK/long bs=1M count=100 2>/dev/null
	drop_caches
	in_group "$G" dd if=$DISK/long of=/dev/null bs=1M 2>/dev/null
	rm $DISK/long
	never_above 20
	no_kills "$G"
}

test_shmem_goes_to_swap() {
	watched_limit 20M
	run "$G" touched mem shmanon 35M
	finish
	never_above 20
	no_kills "$G"
}

test_populate_and_mlock_in_one_call() {
	watched_limit 20M
	run "$G" populated mem populate 50M
	anon_is_below 20
	finish
	never_above 20
	no_kills "$G"
}

test_huge_pages_give_way() {
	local thp=/sys/kernel/mm/transparent_hugepage/enabled
	[ -e $thp ] || skip "no huge pages on this kernel"
	watched_limit 20M
	run "$G" "" mem thp 40M
	finish
	never_above 20
	no_kills "$G"
}

# Huge pages for which there is no room in the end, again and again, while others are charged: nobody takes them for usage.
test_what_is_tried_in_vain_is_no_peak() {
	local defrag=/sys/kernel/mm/transparent_hugepage/defrag before one
	[ -e $defrag ] || skip "no huge pages on this kernel"
	before=$(sed 's/.*\[\(.*\)\].*/\1/' $defrag)
	no_swap
	watched_limit 8M
	mkdir "$G/holds" "$G/both" "$G/both/huge" "$G/both/small"
	run "$G/holds" touched mem anon 6500K
	# nothing is reclaimed for a huge page: more tries
	put $defrag never
	# each on its processor: another one would keep what it has in stock and in batches
	load "$G/both/small" taskset 1 mem churn 600K 100000000
	load "$G/both/huge" taskset 2 mem hugespots 20 100000000
	note_loads
	await 100 have_gone_on 100
	for one in $loads; do
		stop "$one"
	done
	put $defrag "$before"
	finish
	at_least "max events" "$(event "$G" max)" 100
	at_most "the peak of what both used" "$(read_file "$G/both/memory.peak")" $((1 * MB + SLACK))
	never_above 8
	no_kills "$G"
}

test_an_ancestors_limit_counts() {
	mkdir "$G/a" "$G/a/b"
	watched_limit 20M
	run "$G/a/b" filled mem pattern 35M
	anon_is_below 20
	next_step checked
	finish
	never_above 20
	at_least "max events of the ancestor" "$(event "$G" max)" 1
	is "max events of the group itself" "$(event "$G/a/b" max)" 0
}

test_unlocked_memory_can_be_reclaimed_again() {
	limit "$G" 40M
	run "$G" locked mem mlock 20M
	echo 100M >"$G/memory.swap.reclaim"
	at_least "left of what is locked" "$(current "$G")" $((20 * MB))
	next_step unlocked
	echo 100M >"$G/memory.swap.reclaim"
	echo 100M >"$G/memory.swap.reclaim"
	at_most "left of what was locked" "$(current "$G")" $((4 * MB))
	finish
}

# locked_but_2M: of much that was locked, and found to be, the last is unlocked: it is behind all that is still locked.
locked_but_2M() {
	run "$G" locked mem mlock 40M 2M
	echo 100M >"$G/memory.swap.reclaim" 2>/dev/null || :
	at_least "what is locked" "$(current "$G")" $((40 * MB))
	next_step unlocked
}

test_the_last_to_be_unlocked_is_found() {
	local before
	locked_but_2M
	before=$(current "$G")
	echo 1M >"$G/memory.swap.reclaim" || fail "nothing was reclaimed"
	at_most "left" "$(current "$G")" $((before - MB))
	finish
}

# Nor is anybody killed for it.
test_who_grows_finds_what_was_unlocked_last() {
	local locks
	locked_but_2M
	locks=$pid
	limit "$G" "$(current "$G")"
	run "$G" touched mem anon 1M
	finish
	no_kills "$G"
	stop "$locks"
}

# Whatever swappiness prefers.
test_files_go_where_nothing_can_be_swapped() {
	no_swap
	put "$G/memory.swappiness" 200
	watched_limit 20M
	in_group "$G" dd if=/dev/zero of=$DISK/long bs=1M count=60 2>/dev/null || fail "who writes has ended with $?"
	rm $DISK/long
	never_above 20
	no_kills "$G"
}

# Nor is anybody killed where what it prefers is in use, and locked.
test_files_go_where_the_rest_is_locked() {
	local locks
	put "$G/memory.swappiness" 200
	run "$G" locked mem mlock 10M
	locks=$pid
	limit "$G" 20M
	in_group "$G" dd if=/dev/zero of=$DISK/long bs=1M count=60 2>/dev/null || fail "who writes has ended with $?"
	rm $DISK/long
	no_kills "$G"
	stop "$locks"
}

limit_a_stream_does_not_push_out_what_is_used=400
test_a_stream_does_not_push_out_what_is_used() {
	watched_limit 20M
	dd if=/dev/zero of=$DISK/stream bs=1M count=100 2>/dev/null
	drop_caches
	# the smallest of machines takes most of a minute for it
	line_limit=300
	start "$G" mem hot 10M $DISK/stream
	say "$line pages of the hot set had to come back"
	at_most "pages of the hot set that had to come back" "$line" 170
	finish
	rm $DISK/stream
	never_above 20
}

test_what_is_used_once_does_not_push_out_what_is_used() {
	watched_limit 20M
	start "$G" mem hotcold 10M 60M
	say "$line pages of the hot set had to come back"
	at_most "pages of the hot set that had to come back" "$line" 512
	finish
	never_above 20
}

# A task of real time does not let go of its processor, and what that has gathered for the kernel's lists stays there. (From 6.12 on others
# get a twentieth of it all the same.)
test_who_sets_a_limit_waits_for_no_processor() {
	local writer
	runtime=/proc/sys/kernel/sched_rt_runtime_us
	before=$(cat $runtime)
	run "$G" touched mem anon 8M
	trap 'kill -KILL $loads; put "$runtime" "$before"' EXIT
	put $runtime -1
	load '' taskset 2 proc urgent 100 0
	# shellcheck disable=SC2016
	taskset 1 sh -c 'echo 7M >"$0/memory.high"; echo 5M >"$0/memory.max"; echo 1M >"$0/memory.reclaim"' "$G" 2>/dev/null &
	writer=$!
	await 30 has_ended $writer
	at_most "what is left" "$(current "$G")" $((5 * MB))
}

# What was in the way has room by the time that it is looked for: no other group's limit is taken for it.
test_a_limit_that_is_lifted_is_nobody_elses() {
	mkdir "$G/a"
	run "$G/a" touched mem grow 4M 8M
	drain
	limit "$G" "$(current "$G")"
	hold mw_counter_full
	limit "$G" max
	let_go
	next_line
	at_step grown
	is "times that the child's limit was in the way" "$(event "$G/a" max)" 0
	is "pages of the child that were looked at" "$(stat_of "$G/a" pgscan_direct)" 0
	finish
}

# --- it cannot hold --------------------------------------------------------------------------------------------

# Who brings back what is in swap asks to be the first, as its end is the end of that.
test_oom_kills_who_swaps_off() {
	local big
	expect_log "$oom_log"
	run "$G" filled mem pattern 24M
	big=$pid
	limit "$G" 10M
	at_most "what is in memory" "$(current "$G")" $((10 * MB))
	put "$G/memory.max" "$(current "$G")"
	ends_with 137 "$G" swapoff /dev/vda
	[ -d "/proc/$big" ] || fail "the large one was killed"
	is oom_kill "$(event "$G" oom_kill)" 1
	limit "$G" max
	next_step checked
	finish
}

test_oom_kills_the_largest() {
	local small
	expect_log "$oom_log"
	no_swap
	watched_limit 30M
	run "$G" touched mem anon 5M
	small=$pid
	ends_with 137 "$G" mem anon 60M
	[ -d "/proc/$small" ] || fail "the small one was killed"
	is oom_kill "$(event "$G" oom_kill)" 1
	at_least oom "$(event "$G" oom)" 1
	never_above 30
	stop "$small"
}

# removed_under_a_walk PASS: who is out of memory, in $G/c, has looked at so many groups, and now stands on $G/a, which is removed
# meanwhile. Beside him is one in $G/b.
removed_under_a_walk() {
	local before
	expect_log "$oom_log"
	no_swap
	mkdir "$G/a" "$G/b" "$G/c"
	run "$G/b" touched mem anon 1M
	at_the_brink "$G/c" "$G"
	before=$(groups)
	divert mw_member_visit later=1 pid="$pid" pass="$1"
	kill -USR1 "$pid"
	await 20 is_diverted
	rmdir "$G/a"
	await 20 are_left $((before - 1))
	end_divert
	wait "$pid" || is "status of who was out of memory" $? 137
}
groups() { sed -n 's/.* groups=\([0-9]*\).*/\1/p' $MW/memward.audit; }
are_left() { [ "$(groups)" = "$1" ]; }

# The second group that it looks at, for a victim, is gone: the next ones are not.
test_oom_finds_who_is_behind_a_removed_group() {
	removed_under_a_walk 1
	is "oom events" "$(event "$G" oom)" 1
	is oom_kill "$(event "$G" oom_kill)" 1
}

# Nor the second of those that it kills, after it has looked at all four.
test_oom_group_kills_who_is_behind_a_removed_group() {
	put "$G/memory.oom.group" 1
	removed_under_a_walk 5
	await 20 is_empty "$G"
	is "oom events" "$(event "$G" oom)" 1
	is oom_kill "$(event "$G" oom_kill)" 2
}

# What the log says of it: the group, usage and limits, the processes by size.
test_oom_report() {
	expect_log "$oom_log"
	expect_log 'memward: /[^ ]+/deep is out of memory: asked for by mem \([0-9]+\), killed mem \([0-9]+\) in /[^ ]+/deep/er$'
	expect_log 'memward: oom: memory: usage 30[67][0-9]{2}kB, limit 30720kB, failcnt [1-9][0-9]*$'
	expect_log 'memward: oom: memory\+swap: usage 30[67][0-9]{2}kB, limit max, failcnt 0$'
	expect_log 'memward: oom: swap: usage 0kB, limit max, failcnt 0$'
	expect_log 'memward: oom: 2 processes, the worst first: '
	expect_log 'memward: oom: +[0-9]+ +[0-9]+kB +0 mem$'
	expect_log 'memward: oom: +[0-9]+ +exempt -1000 mem$'
	no_swap
	mkdir "$G/deep" "$G/deep/er"
	limit "$G/deep" 30M
	put "$G/memory.max" 100M
	G=$G/deep run_exempt 5M
	ends_with 137 "$G/deep/er" mem anon 60M
	finish
}

# at_the_brink GROUP [TOP]: a process, alone there, that dies of its next step, because of the limit of TOP.
at_the_brink() {
	run "$1" touched mem dontneed 20M
	next_step dropped
	put "${2:-$1}/memory.max" 12M
}

# Nobody waits for the console: as a group's report is about to be printed, others who are out of memory, in memward's groups
# and in the kernel's, have their victims.
test_oom_report_holds_nobody_up() {
	local kernel=/sys/fs/cgroup/small others one
	expect_log "$oom_log"
	# of the kernel's own OOM killer: a member's charge comes by way of memward, and the debug kernel's release names it
	expect_log 'Call Trace|/0x[0-9a-f]+ \[memward\]$|CPU: [0-9]+ .*PID: [0-9]+ Comm: mem '
	no_swap
	mkdir "$G/a" "$G/b"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir -p $kernel
	at_the_brink $kernel
	others=$pid
	at_the_brink "$G/b"
	others="$others $pid"
	at_the_brink "$G/a"
	hold mw_report_oom
	for one in $others; do
		kill -USR1 "$one"
		wait "$one" || is "status of $one of $others" $? 137
		is_held || fail "$one of $others has waited for the console"
	done
	let_go
	wait "$pid" || is "status of the first" $? 137
	rmdir $kernel
}

is_inside() { grep -q " $2+" "/proc/$1/stack"; }
# Who is held back for too long may be dying, and may have to wait until others were killed: it kills the rest all the same.
test_stall_bound_kills_though_its_last_one_dies() {
	expect_log "$oom_log"
	expect_log 'memward: .* was held back for too long|memward: Killed process'
	no_swap
	mkdir "$G/a" "$G/b"
	run "$G/a" touched mem anon 1M
	held_back "$G/a"
	at_the_brink "$G/b"
	# there it keeps everybody else from killing
	divert mw_report_note_use later=1 pid="$pid" longest=60
	kill -USR1 "$pid"
	await 20 is_diverted
	put "$G/a/memory.high.stall_action" kill
	put "$G/a/memory.high.stall_max" 1
	kill -KILL "$held"
	await 20 is_inside "$held" mw_oom_kill_all
	end_divert
	await 20 is_empty "$G/a"
	wait "$pid" || is "status of the other" $? 137
}

test_oom_in_a_write() {
	expect_log "$oom_log"
	no_swap
	watched_limit 10M
	ends_with 137 "$G" dd if=/dev/zero of=/dev/shm/big bs=1M count=30
	rm -f /dev/shm/big
	never_above 10
}

test_oom_group_kills_all() {
	local first second
	expect_log "$oom_log"
	no_swap
	limit "$G" 30M
	put "$G/memory.oom.group" 1
	run "$G" touched mem anon 2M
	first=$pid
	run "$G" touched mem anon 2M
	second=$pid
	ends_with 137 "$G" mem anon 60M
	wait "$first" || is "status of the first" $? 137
	wait "$second" || is "status of the second" $? 137
	is oom_group_kill "$(event "$G" oom_group_kill)" 1
	is oom_kill "$(event "$G" oom_kill)" 3
}

# A process may live on when its first thread has ended.
test_oom_group_kills_the_leaderless() {
	expect_log "$oom_log"
	no_swap
	limit "$G" 30M
	put "$G/memory.oom.group" 1
	run "$G" leaderless proc leaderless 2M
	ends_with 137 "$G" mem anon 60M
	await 5 is_empty "$G"
	is oom_kill "$(event "$G" oom_kill)" 2
}

test_oom_group_spares_who_is_exempt() {
	local spared
	expect_log "$oom_log"
	no_swap
	limit "$G" 30M
	put "$G/memory.oom.group" 1
	run_exempt 2M
	spared=$pid
	ends_with 137 "$G" mem anon 60M
	[ -d "/proc/$spared" ] || fail "the one with -1000 was killed"
	stop "$spared"
}

test_oom_group_spares_init() {
	expect_log "$oom_log"
	no_swap
	limit "$G" 30M
	put "$G/memory.oom.group" 1
	put "$G/cgroup.procs" 1
	ends_with 137 "$G" mem anon 60M
	is "members" "$(members "$G")" 1
	is oom_kill "$(event "$G" oom_kill)" 1
	# its memory is still there
	bear_by_init
}

test_oom_spares_who_is_exempt() {
	local spared
	expect_log "$oom_log"
	no_swap
	limit "$G" 30M
	run_exempt 20M
	spared=$pid
	ends_with 137 "$G" mem anon 20M
	[ -d "/proc/$spared" ] || fail "the one with -1000 was killed"
	stop "$spared"
}

# Nobody may be killed, and the limit holds all the same, as those of cgroup v2 do: whoever wants more waits.
helpless_log='memward: .* is out of memory and none of its [0-9]+ processes may be killed: |memward: oom: '
has_ooms() { [ "$(event "$G" oom)" -ge "$1" ]; }
# wait_exempt SIZE: a process in $G that the OOM killer must not kill wants so much, and comes nowhere.
wait_exempt() {
	start "$G" sh -c "echo -1000 >/proc/self/oom_score_adj && echo begun && exec mem anon $1"
	at_step begun
	await 20 has_ooms 3
	is "what it has said since" "$(sed 1d "$out")" ""
	no_kills "$G"
}

test_nobody_to_kill() {
	expect_log "$helpless_log"
	no_swap
	watched_limit 10M
	wait_exempt 20M
	never_above 10
	limit "$G" 40M
	next_line
	at_step touched
	stat_is "$G" anon $((20 * MB)) 5
	finish
	no_kills "$G"
}

test_nobody_to_kill_but_by_hand() {
	expect_log "$helpless_log"
	no_swap
	limit "$G" 10M
	wait_exempt 20M
	kill -TERM "$pid"
	wait "$pid" || is "its status" $? 143
	is "members" "$(members "$G")" ""
}

test_nobody_to_kill_in_a_system_call() {
	local said
	expect_log "$helpless_log"
	no_swap
	watched_limit 10M
	# shellcheck disable=SC2016
	said=$(in_group "$G" sh -c 'echo -1000 >/proc/self/oom_score_adj && exec try fallocate /dev/shm/big 30M' 2>&1) || true
	rm -f /dev/shm/big
	is "what the call said" "$said" ENOMEM
	never_above 10
}

# Whoever is not in the group does not wait for it: swapoff brings pages back that are a group's where nobody is any more.
test_nobody_to_kill_and_somebody_else() {
	expect_log "$helpless_log"
	mkdir "$G/a" "$G/b"
	run "$G/a" filled mem smallpattern 8M
	put "$G/a/memory.swap.reclaim" max
	put "$G/b/cgroup.procs" "$pid"
	limit "$G/a" 4M
	no_swap
	at_least "what came back" "$(stat_of "$G/a" anon)" $((7 * MB))
	next_step checked
	finish
}

# Nor does process 1: it may not survive what a refusal can end in, such as a signal that finds no room for its frame.
test_init_is_never_refused() {
	expect_log "$helpless_log"
	no_swap
	# its children are like it
	put /proc/1/oom_score_adj -1000
	put "$G/cgroup.procs" 1
	limit "$G" 0
	kill -USR1 1
	await 20 has_members 2
	kill -USR1 1
	await 20 has_members 3
	# they wait, unless they live on what was charged for process 1 in advance
	put /proc/1/oom_score_adj 0
	limit "$G" max
	await 20 has_sleepers 2
}
has_members() { [ "$(members "$G" | wc -l)" -ge "$1" ]; }

# --- changing it -----------------------------------------------------------------------------------------------

test_lowering_reclaims() {
	run "$G" filled mem pattern 40M
	limit "$G" 10M
	at_most "usage" "$(current "$G")" $((10 * MB + SLACK))
	next_step checked
	finish
	no_kills "$G"
}

test_lowering_kills_by_the_rules_of_v2() {
	expect_log "$oom_log"
	no_swap
	run "$G" touched mem anon 40M
	limit "$G" 10M
	await 5 is_empty "$G"
	is oom_kill "$(event "$G" oom_kill)" 1
}

test_lowering_is_refused_by_the_rules_of_v1() {
	no_swap
	run "$G" touched mem anon 40M
	attempt EBUSY write "$G/memory.limit_in_bytes" 10M
	is memory.limit_in_bytes "$(cat "$G/memory.limit_in_bytes")" max
	attempt ok write "$G/memory.limit_in_bytes" 60M
	is memory.max "$(cat "$G/memory.max")" $((60 * MB))
	finish
	no_kills "$G"
}

# Nor is it in force meanwhile.
test_a_limit_that_is_refused_kills_nobody() {
	no_swap
	run "$G" touched mem anon 40M
	load "$G" proc churn map 1M
	note_loads
	attempt EBUSY write "$G/memory.limit_in_bytes" 10M
	is memory.limit_in_bytes "$(cat "$G/memory.limit_in_bytes")" max
	await 20 have_gone_on 2
	no_kills "$G"
	kill -KILL $loads
	finish
}

test_failcnt() {
	limit "$G" 10M
	run "$G" touched mem anon 30M
	finish
	at_least failcnt "$(cat "$G/memory.failcnt")" 1
	put "$G/memory.failcnt" 0
	is "failcnt after a write" "$(cat "$G/memory.failcnt")" 0
}

# --- memory.high -----------------------------------------------------------------------------------------------

test_high_reclaims_before_it_throttles() {
	put "$G/memory.high" 20M
	in_group "$G" dd if=/dev/zero of=$DISK/long bs=1M count=60 2>/dev/null
	rm $DISK/long
	at_least "high events" "$(event "$G" high)" 1
	at_least "stolen" "$(stat_of "$G" pgsteal_file)" $((20 * 256))
}

# What processors have in stock is no usage: for that alone nobody gives anything, and of what is taken memory.events tells. Each round
# begins with a few pages more, so that stocks and pages come to every sum that they can have.
test_high_counts_what_it_reclaims() {
	local stolen events nr
	run "$G" touched taskset 2 mem anon 4K
	put "$G/memory.high" 4M
	truncate -s 16M $DISK/sparse
	for nr in $(seq 24); do
		stolen=$(stat_of "$G" pgsteal_file) events=$(event "$G" high)
		echo 1 >/proc/sys/vm/drop_caches
		in_group "$G" taskset 1 dd if=$DISK/sparse of=/dev/null bs=4k count=$((3000 + nr * 7)) 2>/dev/null
		at_least "stolen in round $nr" $(($(stat_of "$G" pgsteal_file) - stolen)) 1000
		at_least "high events in round $nr" $(($(event "$G" high) - events)) 10
		at_most "usage in round $nr" "$(current "$G")" $((4 * MB + SLACK))
	done
	finish
	rm $DISK/sparse
}

test_lowering_high_reclaims() {
	run "$G" filled mem pattern 40M
	put "$G/memory.high" 10M
	at_most "usage" "$(current "$G")" $((10 * MB + SLACK))
	put "$G/memory.high" max
	next_step checked
	finish
}

# --- soft limits -----------------------------------------------------------------------------------------------

# soft_group NAME SIZE LIMIT
soft_group() {
	mkdir "$G/$1"
	attempt ok write "$G/$1/memory.soft_limit_in_bytes" "$3"
	run "$G/$1" filled mem smallpattern "$2"
	eval "$1=$pid"
}
soft_cache() {
	mkdir "$G/$1"
	attempt ok write "$G/$1/memory.soft_limit_in_bytes" "$3"
	truncate -s "$2" "$DISK/soft.$1"
	run "$G/$1" read mem read "$DISK/soft.$1"
	eval "$1=$pid"
}
background() { stat_of "$G/$1" pgsteal_background; }

# Asking all shrinkers is a round of global reclaim without the reclaim, which would take from all of them by age.
has_given() {
	echo 2 >/proc/sys/vm/drop_caches
	[ "$(background "$1")" -ge "$2" ]
}

# The example with which soft limits were presented in 2009, 1/100 of its size: they go b, a, c.
# Of cache, which no disk is waited for to be taken.
test_soft_limits_in_order_of_excess() {
	local a b c
	soft_cache a 40M 30M
	soft_cache b 30M 10M
	soft_cache c 60M 55M
	await 60 has_given a 256
	at_least "what b gave before a" "$(background b)" $((9 * 256))
	await 60 has_given c 256
	at_least "what a gave before c" "$(background a)" $((4 * 256))
	at_least "what b gave before c" "$(background b)" $((14 * 256))
	for pid in $a $b $c; do
		stop "$pid"
	done
	rm $DISK/soft.*
}

# Who is farthest above his limit may have nothing to give: then it is the next one's turn.
test_who_gives_nothing_spares_nobody() {
	local a b
	mkdir "$G/a"
	attempt ok write "$G/a/memory.soft_limit_in_bytes" 0
	run "$G/a" touched mem bound - 30M locked
	a=$pid
	soft_group b 20M 10M
	await 60 has_given b 256
	at_least "what is locked" "$(current "$G/a")" $((30 * MB))
	for pid in $a $b; do
		stop "$pid"
	done
}

test_no_pressure_no_soft_limit() {
	soft_group a 40M 10M
	# shellcheck disable=SC2154 # by soft_group
	stop "$a"
	is "what it gave" "$(background a)" 0
	is "the limit" "$(cat "$G/a/memory.soft_limit_in_bytes")" $((10 * MB))
	attempt EINVAL write "$G/a/memory.soft_limit_in_bytes" 1q
}
