# SPDX-License-Identifier: GPL-2.0
# Reclaim on request: memory.reclaim, memory.swap.reclaim, memory.force_empty. With 600M of swap.

event() { stat_of "$1" "$2" memory.events; }

test_as_much_as_asked_for() {
	local before
	run "$G" filled mem pattern 60M
	before=$(current "$G")
	attempt ok write "$G/memory.reclaim" 15M
	at_most "what is left" "$(current "$G")" $((before - 15 * MB + 64 * KB))
	at_least "what is left" "$(current "$G")" $((before - 17 * MB))
	attempt ok write "$G/memory.reclaim" 15M
	# a huge page is not split for the last bytes
	at_most "what is left then" "$(current "$G")" $((before - 29 * MB))
	at_least "what is left then" "$(current "$G")" $((before - 34 * MB))
	next_step checked
	finish
	at_least pgsteal_proactive "$(stat_of "$G" pgsteal_proactive)" $((30 * 256))
	is pgsteal_direct "$(stat_of "$G" pgsteal_direct)" 0
}

test_more_than_there_is() {
	run "$G" filled mem pattern 10M
	attempt EAGAIN write "$G/memory.reclaim" 100M
	at_most "what is left" "$(current "$G")" $((1 * MB))
	next_step checked
	finish
}

test_nothing_is_there() {
	attempt EAGAIN write "$G/memory.reclaim" 1M
	attempt ok write "$G/memory.swap.reclaim" 1M
	attempt ok write "$G/memory.force_empty" 0
}

# Nobody has looked at any of it before.
test_what_came_first_goes_first() {
	local one
	for one in first second; do
		dd if=/dev/zero of=$DISK/$one bs=1M count=8 conv=fsync 2>/dev/null
	done
	drop_caches
	for one in first second; do
		# of two processors nobody could say which was the first
		in_group "$G" taskset 1 dd if=$DISK/$one of=/dev/null bs=1M 2>/dev/null
	done
	drain
	attempt ok write "$G/memory.reclaim" 6M
	at_most "bytes that are left of what was read first" "$(look cached $DISK/first)" $((3 * MB))
	at_least "bytes that are left of what was read then" "$(look cached $DISK/second)" $((8 * MB - 256 * KB))
}

# What a processor has read and not put on a list of the kernel yet. Whoever ends on it would put it there.
soak_what_a_processor_has_gathered_is_reclaimed='what ends there by chance does the same'
test_what_a_processor_has_gathered_is_reclaimed() {
	dd if=/dev/zero of=$DISK/small bs=8K count=1 conv=fsync 2>/dev/null
	drop_caches
	# its programs, and what the file system reads to find the file, are for others to pay
	cat "$PROGS/mem" /bin/busybox >/dev/null
	ls -l $DISK/small >/dev/null
	run "$G" opened taskset 2 mem read_later $DISK/small
	me=$(exec sh -c 'echo $PPID')
	trap 'taskset -p ffff "$me" >/dev/null' EXIT
	taskset -p 1 "$me" >/dev/null
	next_step read
	is "bytes in memory" "$(look cached $DISK/small)" 8192
	attempt ok write "$G/memory.reclaim" '8K swappiness=0'
	is "bytes in memory" "$(look cached $DISK/small)" 0
	finish
}

# Who asks for much is asked to stop in the first of many batches.
test_a_signal_ends_a_request() {
	file_of 32
	in_group "$G" dd if="$file" of=/dev/null bs=1M 2>/dev/null
	drain
	run $MW open look heldwrite "$G/memory.reclaim" 24M
	divert mw_reclaim_folios later=1 pid="$pid"
	kill -USR1 "$pid"
	await 20 is_diverted
	kill -HUP "$pid"
	end_divert
	next_line
	at_step "write EINTR"
	at_most "pages that were reclaimed" "$(stat_of "$G" pgsteal)" 1024
	at_least "pages that were reclaimed" "$(stat_of "$G" pgsteal)" 1
	finish
}

# drains GROUP BYTES: how many processors are interrupted by asking for so much. What they have in stock for others is none of its.
drains() {
	note_calls drained=memward:drain_this_cpu
	echo "$2" >"$1/memory.reclaim" || true
	calls_of drained
	deafen_calls
}
test_who_holds_no_stock_is_not_interrupted() {
	mkdir "$G/a" "$G/b"
	run "$G/a" touched mem anon 4M
	is "processors that are interrupted for a group that nobody has in stock" "$(drains "$G/b" 1M)" 0
	is "... by who asks for nothing" "$(drains "$G/a" 0)" 0
	at_least "... for one that somebody has" "$(drains "$G/a" 1M)" 1
	finish
}

# Above memory.high stock is given back once a second: that of groups above theirs, and no other.
test_who_is_below_memory_high_is_not_interrupted() {
	mkdir "$G/above" "$G/below"
	put "$G/above/memory.high" 1M
	run "$G/below" touched taskset 2 mem anon 4M
	note_calls drained=memward:drain_this_cpu
	# shellcheck disable=SC2016
	taskset 1 sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$G/above" $PROGS/mem anon 6M >/dev/null 2>&1 &
	await 20 has_drained 0
	kill -KILL $! 2>/dev/null || true
	wait $! 2>/dev/null || true
	put $TRACING/events/kprobes/enable 0
	! has_drained 1 || fail "the other processor was interrupted: $(grep drained: $TRACING/trace)"
	finish
}
has_drained() { grep "\[00$1\].*drained:" $TRACING/trace >/dev/null; }

test_grammar() {
	local bad
	for bad in max -1 '' 1q '1M x' '1M swappiness=201' '1M swappiness=-1' '1M swappiness' swappiness=1; do
		attempt EINVAL write "$G/memory.reclaim" "$bad"
	done
	for bad in '' x 1q '1M swappiness=1'; do
		attempt EINVAL write "$G/memory.swap.reclaim" "$bad"
	done
}

test_swappiness_chooses() {
	dd if=/dev/zero of=$DISK/old bs=1M count=20 2>/dev/null
	drop_caches
	run "$G" filled mem pattern 20M
	in_group "$G" dd if=$DISK/old of=/dev/null bs=1M 2>/dev/null
	attempt ok write "$G/memory.reclaim" '10M swappiness=0'
	is "anonymous pages stolen" "$(stat_of "$G" pgsteal_anon)" 0
	attempt ok write "$G/memory.reclaim" '10M swappiness=200'
	at_least "anonymous pages stolen then" "$(stat_of "$G" pgsteal_anon)" 2000
	next_step checked
	finish
	rm $DISK/old
}

test_swap_reclaim_reads_back() {
	local got
	run "$G" filled mem pattern 40M
	echo 20M >"$G/memory.swap.reclaim"
	within "what it says" "$(cat "$G/memory.swap.reclaim")" $((20 * MB)) 4
	echo max >"$G/memory.swap.reclaim"
	within "what it says after max" "$(cat "$G/memory.swap.reclaim")" $((20 * MB)) 10
	at_most "what is left" "$(current "$G")" $((1 * MB))
	next_step checked
	finish
}

test_force_empty() {
	dd if=/dev/zero of=$DISK/old bs=1M count=30 2>/dev/null
	drop_caches
	in_group "$G" dd if=$DISK/old of=/dev/null bs=1M 2>/dev/null
	at_least "cached" "$(current "$G")" $((25 * MB))
	echo 0 >"$G/memory.force_empty"
	at_most "left" "$(current "$G")" $((1 * MB))
	rm $DISK/old
}

# caches GROUP MB: the group has so much cache, of a file that file_of() has made.
caches() { in_group "$1" dd if="$DISK/file.$2" of=/dev/null bs=1M 2>/dev/null; }
# has_given GROUP MB BYTES PERCENT: of so many MB, so many bytes are gone.
has_given() { within "what ${1##*/} gave" "$(($2 * MB - $(current "$1")))" "$3" "$4"; }

test_a_subtree_gives_by_size() {
	local small
	mkdir "$G/small" "$G/big"
	run "$G/small" filled mem pattern 10M
	small=$pid
	run "$G/big" filled mem pattern 50M
	attempt ok write "$G/memory.reclaim" 30M
	has_given "$G/big" 50 $((25 * MB)) 15
	stop "$pid"
	stop "$small"
}

# In percent: since 6.16 ext4 has folios of 2 MB, of which a few megabytes are a few.
by_size() { case $(uname -r) in 5.* | 6.1.* | 6.12.*) echo 10 ;; *) echo 30 ;; esac; }

# Also in many requests, one after the other.
test_files_of_a_subtree_go_by_size() {
	local i
	mkdir "$G/small" "$G/big"
	file_of 20
	file_of 100
	caches "$G/small" 20
	caches "$G/big" 100
	for i in $(seq 20); do
		attempt ok write "$G/memory.reclaim" 2M
	done
	has_given "$G/small" 20 $((40 * MB / 6)) "$(by_size)"
	rm $DISK/file.*
}

# A group with groups below it gives by what it has without them.
test_an_inner_group_gives_what_it_has_itself() {
	local i below
	mkdir "$G/inner" "$G/inner/below"
	file_of 20
	file_of 100
	caches "$G/inner" 20
	caches "$G/inner/below" 100
	for i in $(seq 20); do
		attempt ok write "$G/memory.reclaim" 2M
	done
	below=$(current "$G/inner/below")
	within "what the inner one gave" $((20 * MB + below - $(current "$G/inner"))) $((40 * MB / 6)) "$(by_size)"
	rm $DISK/file.*
}

# A group that is streaming below the same limit has its idle neighbour give by its size: e^(-40/60) of 8 MB stays.
test_a_stream_takes_little_from_a_small_neighbour() {
	mkdir "$G/small" "$G/stream"
	put "$G/memory.max" 60M
	file_of 8
	file_of 92
	caches "$G/small" 8
	caches "$G/stream" 92
	at_most "what both have" "$(current "$G")" $((60 * MB))
	say "what is left: $(current "$G/small")"
	at_least "what is left of the small one" "$(current "$G/small")" $((3 * MB))
	rm $DISK/file.*
}

# What nobody can take makes nobody give more of what he has beside it.
test_memory_that_cannot_be_swapped_does_not_count() {
	swapoff /dev/vda
	mkdir "$G/programs" "$G/cache"
	file_of 10
	file_of 40
	caches "$G/programs" 10
	run "$G/programs" filled mem pattern 100M
	caches "$G/cache" 40
	for _ in $(seq 10); do
		attempt ok write "$G/memory.reclaim" 1M
	done
	has_given "$G/programs" 110 $((2 * MB)) 50
	next_step checked
	finish
	rm $DISK/file.*
}

# A few pages that somebody holds are met as often as the others, not in each request.
test_what_cannot_be_had_is_looked_at_by_size() {
	mkdir "$G/few" "$G/stream"
	put "$G/memory.max" 30M
	dd if=/dev/zero of=$DISK/few bs=64K count=1 2>/dev/null
	# who reads comes after all else is out of memory
	file_of 100
	run "$G/few" held mem held $DISK/few 64K
	caches "$G/stream" 100
	at_least "what the stream gave" "$(stat_of "$G/stream" pgsteal)" $((60 * 256))
	at_least "what there is of the few" "$(stat_of "$G/few" file)" $((64 * KB))
	at_most "pages of the few that were looked at" "$(stat_of "$G/few" pgscan)" 500
	stop "$pid"
	rm $DISK/few $DISK/file.*
}

# Who is beside much memory that is protected is found in the second round, not when a round is of all pages.
test_who_is_protected_does_not_count() {
	local rounds requests was ahead
	ahead=/sys/class/bdi/$(awk -v disk=$DISK '$5 == disk { print $3 }' /proc/self/mountinfo)/read_ahead_kb
	was=$(cat "$ahead")
	mkdir "$G/a" "$G/b"
	file_of 4
	file_of 50
	run "$G/a" filled mem pattern 60M
	put "$G/memory.min" 64M
	put "$G/a/memory.min" 64M
	caches "$G/b" 4
	trap "deafen_calls; echo $was >$ahead" EXIT
	# Less than there is room for: what is taken again before it was read comes in other sizes, and as often as the two happen to go.
	put "$ahead" 128
	count_calls asked=memward:mw_reclaim rounds=memward:mw_turns_begin
	put "$G/memory.max" $(($(current "$G") - MB))
	in_group "$G/b" dd if=$DISK/file.50 of=/dev/null bs=64K 2>/dev/null
	requests=$(calls_of asked) rounds=$(calls_of rounds)
	deafen_calls
	say "$rounds rounds of $requests requests"
	at_least "requests" "$requests" 100
	at_most "rounds" "$rounds" $((4 * requests))
	at_least "what is left of a" "$(current "$G/a")" $((59 * MB))
	next_step checked
	finish
	rm $DISK/file.*
}

test_the_root_reclaims_all_groups() {
	# what was read before, of groups that are gone, is the root's too
	drop_caches
	mkdir "$G/a" "$G/b"
	run "$G/a" filled mem pattern 20M
	attempt ok write $MW/memory.reclaim 10M
	at_most "left" "$(current "$G")" $((11 * MB))
	next_step checked
	finish
}

# What a removed group has left behind is its parent's to reclaim.
test_after_rmdir() {
	mkdir "$G/gone"
	dd if=/dev/zero of=$DISK/old bs=1M count=20 2>/dev/null
	drop_caches
	in_group "$G/gone" dd if=$DISK/old of=/dev/null bs=1M 2>/dev/null
	await 5 rmdir "$G/gone"
	at_least "cached" "$(current "$G")" $((18 * MB))
	attempt ok write "$G/memory.reclaim" 15M
	at_most "left" "$(current "$G")" $((6 * MB))
	rm $DISK/old
}

# Pages that were migrated since they were charged are found all the same.
test_after_compaction() {
	scattered
	move_pages
	attempt ok write "$G/memory.reclaim" $(($(current "$G") - 4 * MB))
	# less than those that were moved
	at_most "left" "$(current "$G")" $((6 * MB))
	next_step checked
	finish
}

chunks() { awk '$1 == "memward_chunk" { print $2 }' /proc/slabinfo; }
# In use: what of its slabs is empty, and when it gives that back, is the kernel's. It knows after shrinking.
few_chunks() { echo 1 >/sys/kernel/slab/memward_chunk/shrink && [ $(($(chunks) - before)) -le "$1" ]; }

# A group that charges and frees for ever keeps few records of it.
test_churn_leaves_no_records() {
	local before charged
	before=$(chunks)
	run "$G" touched mem anon 20M
	charged=$(stat_of "$G" pgpgin)
	for _ in $(seq 60); do
		in_group "$G" env HURRY=1 mem anon 10M >/dev/null
	done
	at_least "pages charged" "$(stat_of "$G" pgpgin)" $((charged + 60 * 2560))
	say "chunks: $before before, $(chunks) after"
	# a worker may be at it
	await 10 few_chunks $((2 * 20 * 256 / 128 + 100))
	finish
}

# Nor does one whose children do that, and do not live long.
test_short_lived_groups_leave_no_records() {
	local before i
	before=$(chunks)
	for i in $(seq 60); do
		mkdir "$G/$i"
		in_group "$G/$i" mem curve "$G/$i" 12M >/dev/null
		await 5 rmdir "$G/$i" 2>/dev/null
	done
	at_least "pages charged" "$(stat_of "$G" pgpgin)" $((60 * 3072))
	say "chunks: $before before, $(chunks) after"
	await 10 few_chunks 100
}

# A job that writes files and uses memory, at its limit: what it has written is let go rather than its memory swapped out
# again and again. The kernel would write by itself what has been dirty for 30 s, which a slow host may take.
test_dirty_pages_are_written_first() {
	local i expire=/proc/sys/vm/dirty_expire_centisecs
	# shellcheck disable=SC2064 # now
	trap "echo $(cat $expire) >$expire" EXIT
	put $expire 360000
	export HURRY=1
	put "$G/memory.max" 24M
	in_group "$G" dd if=/dev/zero of=$DISK/object bs=1M count=12 2>/dev/null
	for i in $(seq 10); do
		in_group "$G" mem smallpattern 16M >/dev/null
	done
	at_least pgsteal_file "$(stat_of "$G" pgsteal_file)" $((2 * 256))
	at_most pgsteal_anon "$(stat_of "$G" pgsteal_anon)" $((4 * 4 * 256))
	rm $DISK/object
}

# Between the look at a page and its isolation somebody locks it in memory. On the debug kernel the kernel stops if it is
# handed to reclaim then; on others nothing shows.
test_what_is_locked_meanwhile() {
	local locker writer symbol=isolate_lru_page
	! grep -q ' folio_isolate_lru$' /proc/kallsyms || symbol=folio_isolate_lru
	run "$G" touched odd locked_later 8M
	locker=$pid
	run $MW open look heldwrite "$G/memory.reclaim" 4M
	writer=$pid
	hold $symbol
	pid=$locker out=$TMP/out.1 seen=1
	next_step locked
	let_go
	pid=$writer out=$TMP/out.2 seen=1
	next_line
	at_step "write EAGAIN"
	finish
	pid=$locker out=$TMP/out.1 seen=2
	at_least "what is locked" "$(current "$G")" $((8 * MB))
	audit_is_clean
	finish
}
