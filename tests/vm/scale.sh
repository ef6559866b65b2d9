# SPDX-License-Identifier: GPL-2.0
# What many groups cost who is in one of them. In a boot whose clock counts instructions; `scripts/bench --part scale` has all of it.

# stream: microseconds to read a file, which is larger than the limit, from holes.
stream() { in_group "$G/streams" mem stream $DISK/holes; }

# touch_from_each NUMBER: a page is charged to each of so many groups, and given back. None is to be left with what the shell has written to, nor
# with what the file system reads when it writes first, and holds: each request would look at those few pages, in vain.
touch_from_each() {
	local i
	echo >$DISK/touched
	sync
	(
		for i in $(seq "$1"); do
			echo 0 >"$i/cgroup.procs"
			echo >$DISK/touched
		done
	)
	rm $DISK/touched
}

# Reclaim below a limit meets those that have something. Of ten thousand most have nothing, three thousand have had something, twenty
# have a little.
limit_a_stream_beside_ten_thousand_groups=400
test_a_stream_beside_ten_thousand_groups() {
	local alone among i
	put "$G/memory.max" 12M
	mkdir "$G/streams"
	truncate -s 60M $DISK/holes
	# both times the group is full as it begins: what it can do without reclaim would depend on what else is below the limit
	stream >/dev/null
	alone=$(stream)
	cd "$G" || fail "cd $G"
	# shellcheck disable=SC2046 # numbers
	mkdir $(seq 10000)
	touch_from_each 3000
	echo 3 >/proc/sys/vm/drop_caches
	for i in $(seq 500 500 10000); do
		in_group "$G/$i" dd if=$DISK/holes of=/dev/null bs=64K count=2 skip=$((i / 10)) 2>/dev/null
	done
	stream >/dev/null
	among=$(stream)
	rm $DISK/holes
	say "a stream takes $alone us, $among us among ten thousand groups"
	at_least "pages that were reclaimed" "$(stat_of "$G" pgsteal)" $((4 * 40 * 256))
	at_most "a stream among ten thousand groups" "$among" $((alone * 11 / 10))
	# shellcheck disable=SC2046
	rmdir $(seq 10000)
}

# What is charged is charged to all ancestors, in batches.
test_a_charge_far_down() {
	local deep=$G flat deeper i
	for i in $(seq 60); do
		deep=$deep/$i
	done
	mkdir -p "$deep" "$G/streams"
	truncate -s 60M $DISK/holes
	put "$G/memory.high" 200M
	stream >/dev/null
	echo 3 >/proc/sys/vm/drop_caches
	flat=$(stream)
	echo 3 >/proc/sys/vm/drop_caches
	deeper=$(in_group "$deep" mem stream $DISK/holes)
	stat_is "$deep" file $((60 * MB)) 10
	rm $DISK/holes
	say "a stream takes $flat us, $deeper us in a group 60 levels further down"
	at_most "a stream in a group 60 levels further down" "$deeper" $((flat * 104 / 100))
}

# At a limit what is charged in vain goes all the way up and down again, a few times for 32 pages; and somebody has protection, so that all levels are
# looked at for that, too. The newest kernel has large folios, of which the rest takes half as long.
test_a_limit_far_up() {
	local deep=$G flat deeper i
	for i in $(seq 60); do
		deep=$deep/$i
	done
	mkdir -p "$deep" "$G/streams" "$G/protected"
	truncate -s 60M $DISK/holes
	put "$G/protected/memory.low" 1M
	put "$G/memory.max" 12M
	stream >/dev/null
	flat=$(stream)
	in_group "$deep" mem stream $DISK/holes >/dev/null
	deeper=$(in_group "$deep" mem stream $DISK/holes)
	rm $DISK/holes
	say "a stream takes $flat us, $deeper us in a group 60 levels further down"
	at_least "pages that were reclaimed" "$(stat_of "$G" pgsteal)" $((4 * 40 * 256))
	at_most "a stream in a group 60 levels further down" "$deeper" $((flat * 2))
}

# Who charges, reclaims, forks and exits takes no lock that there is one of for all groups. Those are memward's own variables.
test_nobody_takes_a_lock_of_all() {
	local worker
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	trap deafen_locks EXIT
	note_locks
	truncate -s 60M $DISK/holes
	put "$G/memory.max" 12M
	mkfifo $TMP/go
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs"; read -r _ <"$1"; cat "$2" >/dev/null; for i in 1 2 3 4 5; do busybox true; done; exec mkdir "$0/made"' \
		"$G" $TMP/go $DISK/holes &
	worker=$!
	await 20 is_populated "$G" 1
	echo 1 >$TRACING/options/event-fork
	put $TRACING/set_event_pid "$worker"
	: >$TRACING/trace
	put $TRACING/events/kprobes/enable 1
	echo >$TMP/go
	wait $worker || fail "the shell ended with $?"
	put $TRACING/events/kprobes/enable 0
	at_least "times that the limit was in the way" "$(awk '$1 == "max" { print $2 }' "$G/memory.events")" 100
	at_least "pages that were reclaimed" "$(stat_of "$G" pgsteal)" 5000
	locks_of_all >$TMP/locks
	say "$(cat $TMP/locks)"
	is "who took a lock of all" "$(awk '{ print $1 }' $TMP/locks | sort -u | tr '\n' ' ')" "mkdir "
	rm $DISK/holes
}
# note_locks: is told of whoever takes one.
note_locks() {
	local filter one
	filter=$(awk '$4 == "[memward]" && $2 ~ /[bdBD]/ && $3 ~ /_(lock|mutex)(\.[0-9]+)?$/ { printf "%slock == 0x%s", n++ ? " || " : "", $1 }' /proc/kallsyms)
	for one in _raw_spin_lock _raw_spin_lock_irq _raw_spin_lock_irqsave mutex_lock mutex_trylock mutex_lock_killable; do
		echo "p:$one $one lock=%di:x64" >>$TRACING/kprobe_events
		echo "$filter" >$TRACING/events/kprobes/$one/filter
	done
}
# locks_of_all: NAME-PID and the address, a line for each
locks_of_all() { awk '/ lock=/ { sub(/-[0-9]+$/, "", $1); print $1, $NF }' $TRACING/trace; }
deafen_locks() {
	deafen_calls
	: >$TRACING/set_event_pid
	echo 0 >$TRACING/options/event-fork
}

# What has not changed since it was read last is not looked at, however many have it. The few files that are mapped or dirty
# are counted by a walk over all pages, which is paid for in both.
limit_statistics_of_a_thousand_groups=200
test_statistics_of_a_thousand_groups() {
	local alone among i
	run "$G" touched mem anon 8M
	alone=$(mem reread "$G/memory.stat" 300)
	for i in $(seq 1000); do
		mkdir "$G/$i"
	done
	for i in $(seq 50 50 1000); do
		in_group "$G/$i" true
	done
	among=$(mem reread "$G/memory.stat" 300)
	say "300 times memory.stat take $alone us, $among us above a thousand groups"
	stat_is "$G" anon $((8 * MB)) 5
	at_most "memory.stat above a thousand groups" "$among" $((alone * 12 / 10))
	finish
	for i in $(seq 1000); do
		rmdir "$G/$i"
	done
}

# What it takes to list a group does not grow with those that were listed before.
limit_listing_thousands_of_groups=200
test_listing_thousands_of_groups() {
	local few many
	cd "$G" || fail "cd $G"
	# shellcheck disable=SC2046 # numbers
	mkdir $(seq 300)
	few=$(mem list .)
	# shellcheck disable=SC2046
	mkdir $(seq 301 3000)
	many=$(mem list .)
	say "to list 300 groups takes $few us, 3 000 take $many us"
	at_most "to list ten times as many" "$many" $((few * 12))
	# shellcheck disable=SC2046
	rmdir $(seq 3000)
}

# The kernel's reclaim asks memward for each page of a group. What protects a group is found level by level, from the top to
# it, and where there is nothing to be had at the top, no further down.
limit_protection_of_a_deep_group=200
test_protection_of_a_deep_group() {
	local reclaim=/sys/fs/cgroup/memory.reclaim deep=$G flat deeper free i
	[ -e $reclaim ] || skip "the kernel has no memory.reclaim"
	for i in $(seq 60); do
		deep=$deep/$i
	done
	mkdir -p "$deep"
	truncate -s 40M $DISK/holes
	flat=$(asked_for "$G" 30M)
	deeper=$(asked_for "$deep" 30M)
	at_least "pages that were asked for" "$(stat_of "$deep" protected_kept)" 1000
	free=$(asked_for "$deep" 0)
	rm $DISK/holes
	say "reclaim takes $flat us, $deeper us from a protected group 60 levels down, $free us from one that is not protected"
	at_most "reclaim from a protected group 60 levels down" "$deeper" $((flat * 7))
	at_most "reclaim from a group 60 levels down" "$free" $((flat / 5))
}
# asked_for GROUP PROTECTION: microseconds of reclaim while this one has 40 MB of cache, the topmost this protection
asked_for() {
	echo 3 >/proc/sys/vm/drop_caches
	put "$G/memory.min" "$2"
	in_group "$1" dd if=$DISK/holes of=/dev/null bs=64K 2>/dev/null
	mem rewrite $reclaim 4M 4
	put "$G/memory.min" 0
}

# Who looks for what is hidden does not go through all pages of the machine: a file of 8 MB is, of which ever more is shown again.
limit_what_is_hidden_is_found_where_it_is=200
test_what_is_hidden_is_found_where_it_is() {
	local reclaim=/sys/fs/cgroup/memory.reclaim before some all left
	[ -e $reclaim ] || skip "the kernel has no memory.reclaim"
	until_low_holds
	before=$(unevictable)
	trap 'put $TRACING/events/kprobes/enable 0; : >$TRACING/kprobe_events' EXIT
	: >$TRACING/trace
	printf '%s\n' 'p:begin mw_pc_walk' 'r:end mw_pc_walk' 'p:begin_hidden mw_pc_walk_hidden' 'r:end_hidden mw_pc_walk_hidden' >$TRACING/kprobe_events
	put $TRACING/events/kprobes/enable 1
	truncate -s 8M $DISK/holes
	put "$G/memory.min" 20M
	in_group "$G" dd if=$DISK/holes of=/dev/null bs=64K 2>/dev/null
	for _ in 1 2 3 4; do
		mem rewrite $reclaim 4M 4 >/dev/null
		if [ "$(unevictable)" -ge $((before + 6 * MB)) ]; then break; fi
	done
	at_least "what is hidden" "$(unevictable)" $((before + 6 * MB))
	drain
	: >$TRACING/trace
	# twice the protection without the usage
	for left in 6 4 2; do
		put "$G/memory.min" $(((8 + left) / 2))M
		await 20 is_below $((before + (left + 1) * MB))
	done
	! grep -q ' begin: ' $TRACING/trace || fail "somebody looks at all pages"
	cat "$G/memory.stat" >/dev/null
	rm $DISK/holes
	some=$(shortest begin_hidden end_hidden) || fail "nobody has looked for what is hidden"
	all=$(shortest begin end) || fail "nobody has looked at all pages"
	say "what is hidden is found in $some us, a walk over all pages takes $all us"
	at_most "a walk over what is hidden" "$some" $((all / 2))
}
# shortest BEGIN END: microseconds between these two events. What is counted, and not shown, takes the walk alone.
shortest() {
	awk -v begin=" $1: " -v end=" $2: " '{ match($0, /[0-9]+\.[0-9]+: /); at = substr($0, RSTART, RLENGTH - 2) * 1000000 }
		index($0, begin) { began = at } index($0, end) { took = at - began; if (!least || took < least) least = took }
		END { if (!least) exit 1; print int(least) }' $TRACING/trace
}
