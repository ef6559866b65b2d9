# SPDX-License-Identifier: GPL-2.0
# memory.high, apart from its curve (curve.sh).

high_events() { stat_of "$1" high "${2:-memory.events}"; }

test_death_while_held_back() {
	put "$G/memory.high" 10M
	say "it took $(proc killtime "$G" 40M) us"
	await 5 is_empty "$G"
}

test_kill_file_while_held_back() {
	put "$G/memory.high" 10M
	in_group "$G" mem anon 40M &
	await 20 is_above "$G" $((12 * MB))
	put "$G/cgroup.kill" 1
	await 5 is_empty "$G"
}
is_above() { [ "$(current "$1")" -gt "$2" ]; }

test_events_are_hierarchical_and_local() {
	mkdir -p "$G/a"
	put "$G/a/memory.high" 10M
	in_group "$G/a" mem curve "$G/a" 11M >/dev/null
	at_least "high events of the group" "$(high_events "$G/a")" 2
	is "high events of its parent" "$(high_events "$G")" "$(high_events "$G/a")"
	is "local high events of its parent" "$(high_events "$G" memory.events.local)" 0
}


test_lifting_the_limit() {
	local rows
	put "$G/memory.high" 10M
	run "$G" touched mem dontneed 10M
	put "$G/memory.high" max
	next_step dropped
	rows=$(high_events "$G")
	next_step "touched again"
	is "high events" "$(high_events "$G")" "$rows"
	finish
}

# In one entry into the kernel: it is held back there, and can be killed there.
test_populate_is_held_back_and_killed() {
	put "$G/memory.high" 10M
	in_group "$G" mem populate 60M >/dev/null &
	await 20 is_above "$G" $((11 * MB))
	sleep 1
	at_most "charged in a second of being held back" "$(current "$G")" $((20 * MB))
	put "$G/cgroup.kill" 1
	await 5 is_empty "$G"
}

# A process that is moved while it is held back goes on by the rules of its new group.
test_moving_out_of_a_limit() {
	mkdir "$G/a" "$G/b"
	put "$G/a/memory.high" 10M
	run "$G/b" touched mem dontneed 40M
	put "$G/a/cgroup.procs" "$pid"
	next_step dropped
	kill -USR1 "$pid"
	await 20 is_above "$G/a" $((11 * MB))
	put "$G/b/cgroup.procs" "$pid"
	next_line
	at_step "touched again"
	finish
}

# as_the_machine FILE VALUE: with this setting of it memory.dirty_ratio of the group is...
as_the_machine() {
	put "/proc/sys/vm/$1" "$2"
	read_file "$G/memory.dirty_ratio"
}
test_dirty_ratio_is_the_machines() {
	local memory
	before=$(cat /proc/sys/vm/dirty_ratio)
	memory=$(awk '$1 == "MemTotal:" { print $2 * 1024 }' /proc/meminfo)
	trap 'put /proc/sys/vm/dirty_ratio $before' EXIT
	is "of a new group" "$(read_file "$G/memory.dirty_ratio")" "$before"
	is "as the machine's changes" "$(as_the_machine dirty_ratio 37)" 37
	is "as that is set in bytes" "$(as_the_machine dirty_bytes $((memory / 10 - MB)))" 10
	is "as that is more than there is" "$(as_the_machine dirty_bytes $((memory * 2)))" 100
	put "$G/memory.dirty_ratio" max
	mkdir "$G/a"
	is "of one below a group that has its own" "$(read_file "$G/a/memory.dirty_ratio")" max
	put "$G/memory.dirty_ratio" 5
	is "of its own" "$(as_the_machine dirty_ratio 30)" 5
	is "of one that was there before" "$(read_file "$G/a/memory.dirty_ratio")" max
	put "$G/memory.dirty_ratio" default
	is "the machine's again" "$(read_file "$G/memory.dirty_ratio")" 30
}

# Who waits in the middle of a write, and leaves the group meanwhile, does not find the module gone.
test_unloading_behind_a_write() {
	local writer
	put "$G/memory.max" 64M
	put "$G/memory.dirty_ratio" 0
	in_group "$G" dd if=/dev/zero of=$DISK/written bs=48M count=1 2>/dev/null &
	writer=$!
	await 20 waits_for_the_disk
	put $MW/cgroup.procs "$(first_of "$G/cgroup.procs")"
	rmdir "$G"
	umount $MW
	rmmod memward
	# before another memward may come to the same place
	wait "$writer" || fail "its status: $?"
	rm $DISK/written
	modprobe memward
	mount_memward
}
waits_for_the_disk() { grep -q 'mw_throttle_write' /proc/[0-9]*/stack 2>/dev/null; }
first_of() { head -n 1 "$1"; }

test_umount_while_held_back() {
	put "$G/memory.high" 10M
	in_group "$G" mem anon 40M &
	await 20 is_above "$G" $((12 * MB))
	umount $MW
	mount_memward
	is_populated "$G" 1 || fail "it got away"
	put "$G/cgroup.kill" 1
	await 5 is_empty "$G"
}

# --- a bound on it ---------------------------------------------------------------------------------------------------

high_stalls() { stat_of "$1" high_stall memory.events; }
is_stalled() { [ "$(high_stalls "$1")" -gt 0 ]; }

test_stall_bound_is_told() {
	put "$G/memory.high" 10M
	put "$G/memory.high.stall_max" 300000
	in_group "$G" mem anon 60M >/dev/null 2>&1 &
	await 20 is_stalled "$G"
	at_least "microseconds" "$(stat_of "$G" high_stall_usec)" 300000
	sleep 1
	is "events" "$(high_stalls "$G")" 1
	at_most "usage of who is held back further" "$(current "$G")" $((20 * MB))
	put "$G/cgroup.kill" 1
	await 5 is_empty "$G"
}

test_stall_bound_lets_go() {
	put "$G/memory.high" 10M
	put "$G/memory.high.stall_max" 300000
	put "$G/memory.high.stall_action" lift
	run "$G" touched mem anon 60M
	is "events" "$(high_stalls "$G")" 1
	at_least "usage" "$(current "$G")" $((60 * MB))
	finish
}

test_stall_bound_kills() {
	expect_log 'memward: .* was held back for too long|memward: Killed process'
	mkdir "$G/a"
	put "$G/memory.high" 10M
	put "$G/memory.high.stall_max" 300000
	put "$G/memory.high.stall_action" kill
	run "$G" touched mem anon 1M
	in_group "$G/a" mem anon 60M >/dev/null 2>&1 &
	await 20 is_empty "$G"
	is "events" "$(high_stalls "$G")" 1
	is "events of the group below" "$(high_stalls "$G/a")" 0
	is "killed" "$(stat_of "$G" oom_kill memory.events)" 2
}

test_stall_bound_spares_init() {
	expect_log 'memward: .* was held back for too long|memward: Killed process'
	put "$G/memory.high" 10M
	put "$G/memory.high.stall_max" 300000
	put "$G/memory.high.stall_action" kill
	put "$G/cgroup.procs" 1
	in_group "$G" mem anon 60M >/dev/null 2>&1 &
	await 20 is_stalled "$G"
	await 20 has_init_alone
	is "killed" "$(stat_of "$G" oom_kill memory.events)" 1
	put "$G/memory.high" max
	# its memory is still there
	bear_by_init
}
has_init_alone() { [ "$(members "$G")" = 1 ]; }

test_stall_files() {
	local bad
	is "bound" "$(cat "$G/memory.high.stall_max")" max
	is "action" "$(cat "$G/memory.high.stall_action")" wait
	for bad in -1 x 1M '' 18446744073709551616; do
		attempt EINVAL write "$G/memory.high.stall_max" "$bad"
	done
	for bad in '' waits 1; do
		attempt EINVAL write "$G/memory.high.stall_action" "$bad"
	done
	attempt ok write "$G/memory.high.stall_max" 5
	is "bound" "$(cat "$G/memory.high.stall_max")" 5
	attempt ok write "$G/memory.high.stall_action" kill
	is "action" "$(cat "$G/memory.high.stall_action")" kill
	attempt ok write "$G/memory.high.stall_max" max
	is "bound" "$(cat "$G/memory.high.stall_max")" max
}
