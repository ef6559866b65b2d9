# SPDX-License-Identifier: GPL-2.0
# Trace events: do they say what happens, as often as the counters say it, and of whom? How many instructions they cost where
# nobody listens is counted by scripts/bench.

ALL='memward_group_create memward_group_remove memward_hide memward_kill memward_limit memward_limit_try memward_reclaim_begin
memward_reclaim_end memward_show memward_throttle'

test_every_event_is_there() {
	local event
	for event in $ALL; do
		grep -qx "name: $event" $EVENTS/$event/format || fail "$event has no format"
		grep -qx "memward:$event" $TRACING/available_events || fail "$event is not available"
	done
	is "how many there are" "$(ls -d $EVENTS/*/ | count)" "$(echo $ALL | wc -w)"
	! grep -E '___GFP_|MEMWARD_' $EVENTS/*/format || fail "a format has a name that no tool resolves"
}

# raw: a page of what each processor has, in hexadecimal digits. hex: of what it reads.
hex() { hexdump -v -e '1/1 "%02x"'; }
raw() {
	local cpu
	put $TRACING/buffer_percent 0
	for cpu in $TRACING/per_cpu/cpu*/trace_pipe_raw; do
		# it waits where there is nothing
		timeout 1 dd if="$cpu" bs=4096 count=1 2>/dev/null || true
	done | hex
}

test_groups_are_made_and_removed() {
	local ino
	trap deafen EXIT
	listen
	mkdir "$G/a"
	ino=$(stat -c %i "$G/a")
	rmdir "$G/a"
	stop_listening
	is "what was told of it" "$(grep "ino=$ino " $TMP/events | sed 's/.* \(memward_.*\)/\1/')" "memward_group_create: ino=$ino path=${G#$MW}/a
memward_group_remove: ino=$ino path=${G#$MW}/a"
	# a path of 256 bytes: what is behind its end is zero, or two events of a group would have two keys in bpftrace
	is "paths that are what they are to their last byte" "$(raw | grep -o "$(printf %s "${G#$MW}/a" | hex)\(00\)\{$((256 - ${#G} + ${#MW} - 2))\}" | count)" 2
}

# As whoever looks for a stall would follow it: a limit is met, reclaim is asked and finds nothing, sixteen times, and the process is killed.
test_a_limit_to_the_end() {
	local status=0 victim
	expect_log 'memward: (out of memory|oom|/[^ ]+ is out of memory): '
	put "$G/memory.max" 8M
	put "$G/memory.swap.max" 0
	trap deafen EXIT
	listen
	in_group "$G" mem anon 16M >/dev/null 2>&1 || status=$?
	stop_listening
	is "its status" "$status" 137
	is "limits that were met" "$(told limit | count)" "$(stat_of "$G" max memory.events)"
	is "tries that were left" "$(told limit_try "$G" round=vain | value_of tries_left | tail -n 16 | xargs)" "$(seq 15 -1 0 | xargs)"
	is "processes that were killed" "$(told kill "$G" comm=mem | count)" "$(stat_of "$G" oom_kill memory.events)"
	victim=$(told kill | value_of pid)
	is "who met the limit" "$(told limit | sed 's/^ *[^ ]*-\([0-9]*\) .*/\1/' | sort -u)" "$victim"
	is "reclaims that ended" "$(told reclaim_end "$G" why=limit | count)" "$(told reclaim_begin "$G" why=limit | count)"
	at_least "reclaims" "$(told reclaim_end | count)" 16
	is "where" "$(told limit | value_of path | sort -u)" "${G#$MW}"
}

test_what_is_reclaimed() {
	file_of 8
	run "$G" read mem read "$file"
	finish
	trap deafen EXIT
	listen
	put "$G/memory.reclaim" 4M
	stop_listening
	is "pages that were reclaimed" "$(told reclaim_end "$G" why=proactive | value_of nr_reclaimed | sum)" "$(stat_of "$G" pgsteal_proactive)"
	is "pages that were looked at" "$(told reclaim_end "$G" why=proactive | value_of nr_scanned | sum)" "$(stat_of "$G" pgscan_proactive)"
	at_least "pages that were reclaimed" "$(stat_of "$G" pgsteal_proactive)" 1024
	is "reclaims that ended" "$(told reclaim_end | count)" "$(told reclaim_begin | count)"
}

test_who_is_held_back() {
	put "$G/memory.high" 10M
	put "$G/memory.swap.max" 0
	trap deafen EXIT
	listen
	in_group "$G" env HURRY=1 mem anon 11M small >/dev/null
	stop_listening
	is "microseconds" "$(told throttle "$G" why=high | value_of waited_us | sum)" "$(stat_of "$G" high_stall_usec)"
	at_least "times" "$(told throttle "$G" why=high | count)" 2
}

# One write() of several times what may be dirty: it waits as it goes, and not at its end, when the group is full of dirty pages.
test_a_large_write_pays_as_it_goes() {
	local paid
	put "$G/memory.max" 96M
	put "$G/memory.dirty_ratio" 1
	trap deafen EXIT
	listen
	in_group "$G" dd if=/dev/zero of=$DISK/written bs=32M count=1 2>/dev/null
	stop_listening
	rm $DISK/written
	paid=$(told throttle "$G" why=dirty | value_of nr_pages)
	at_least "how often it waited" "$(echo "$paid" | count)" 2
	# a large folio is dirtied as a whole
	at_most "the most pages that it waited for at once" "$(echo "$paid" | sort -n | tail -n 1)" 1024
}

# Nobody has said how much of a new group may be dirty: as much as of the machine.
test_a_write_pays_in_a_new_group() {
	# of 96M, and of 40M, the disk kept below where waiting begins once in 25 times (5.10)
	put "$G/memory.max" 10M
	trap deafen EXIT
	listen
	in_group "$G" dd if=/dev/zero of=$DISK/written bs=64K count=512 2>/dev/null
	stop_listening
	rm $DISK/written
	at_least "how often it waited" "$(told throttle "$G" why=dirty | count)" 1
}

# The flusher threads write what is dirty on all of the machine, so one who tells them tells them for all who wait.
test_many_who_wait_for_a_disk() {
	local i writers= begin told
	put "$G/memory.max" 48M
	put "$G/memory.dirty_ratio" 10
	note_calls tell=wakeup_flusher_threads
	clock
	begin=$now
	for i in 1 2 3 4 5 6 7 8; do
		in_group "$G" dd if=/dev/zero of=$DISK/written.$i bs=64K count=160 2>/dev/null &
		writers="$writers $!"
	done
	for i in $writers; do wait "$i" || fail "status of a writer: $?"; done
	clock
	told=$(calls_of tell)
	rm $DISK/written.*
	say "$told times in $(((now - begin) * 10)) ms"
	at_least "how often the flusher threads were told" "$told" 1
	at_most "how often the flusher threads were told" "$told" $(((now - begin) / 2 + 3))
}

# Who listens does not keep the module from going, and those of its next life are heard again.
test_unloading_takes_them_along() {
	trap '[ -d $EVENTS ] || modprobe memward; deafen' EXIT
	listen
	rmdir "$G"
	umount $MW
	rmmod memward
	[ ! -e $EVENTS ] || fail "there are still events"
	! grep -q memward $TRACING/available_events || fail "there are still events available"
	modprobe memward
	mount_memward
	umount $MW
	mount_memward
	trap deafen EXIT
	listen
	mkdir "$G"
	stop_listening
	is "what was told" "$(told group_create | count)" 1
}
