# SPDX-License-Identifier: GPL-2.0
# Who is in which group.

count() { members "$1" | wc -l; }

test_children_are_born_in_the_group() {
	run "$G" grown proc tree 200
	is "processes in the group" "$(count "$G")" 200
	is "children killed at their birth" "$(awk '/fork_kills/ { print $2 }' $MW/memward.status)" 0
	audit_is_clean
	finish
	await 20 is_empty "$G"
	is "processes after the end" "$(count "$G")" 0
}

test_zero_is_the_writer() {
	# shellcheck disable=SC2016
	sh -c 'echo 0 >$1/cgroup.procs; cat $1/cgroup.procs; echo $$' - "$G" >$TMP/procs
	has "the list" "$(cat $TMP/procs)" "$(tail -n 1 $TMP/procs)"
}

test_pid_without_a_newline() {
	sleep 1000 &
	attempt ok write "$G/cgroup.procs" "$!"
	is members "$(members "$G")" "$!"
}

test_pid_with_a_newline() {
	sleep 1000 &
	attempt ok write "$G/cgroup.procs" "$!
"
	is members "$(members "$G")" "$!"
}

test_tasks_is_cgroup_procs() {
	sleep 1000 &
	attempt ok write "$G/tasks" "$!"
	is "cgroup.procs" "$(members "$G")" "$!"
	is "tasks" "$(cat "$G/tasks")" "$!"
}

test_back_to_the_root() {
	sleep 1000 &
	put "$G/cgroup.procs" $!
	put $MW/cgroup.procs $!
	is "members" "$(members "$G")" ""
	has "the root's list" "$(members $MW)" $!
	is populated "$(populated "$G")" 0
	stop $!
	has_not "the root's list after its end" "$(members $MW)" $!
}

test_the_root_lists_who_is_in_no_group() {
	sleep 1000 &
	has "the root's list" "$(members $MW)" $!
	has "the root's list" "$(members $MW)" 1
	put "$G/cgroup.procs" $!
	has_not "the root's list" "$(members $MW)" $!
}

test_moving_leaves_the_charges() {
	mkdir "$G/from" "$G/to"
	run "$G/from" touched mem dontneed 20M
	put "$G/to/cgroup.procs" "$pid"
	is "members of the old group" "$(members "$G/from")" ""
	is "members of the new group" "$(members "$G/to")" "$pid"
	stat_is "$G/from" anon $((20 * MB)) 5
	stat_below "$G/to" anon $((256 * KB))
	audit_is_clean
	next_step dropped
	drain
	next_step "touched again"
	stat_is "$G/from" anon $((10 * MB)) 6
	stat_is "$G/to" anon $((10 * MB)) 6
	audit_is_clean
	finish
	drain
	is "anon of both" "$(stat_of "$G" anon)" 0
}

test_moving_to_where_it_is() {
	run "$G" touched mem anon 10M
	put "$G/cgroup.procs" "$pid"
	is members "$(members "$G")" "$pid"
	stat_is "$G" anon $((10 * MB)) 5
	finish
}

test_many_moves() {
	mkdir "$G/a" "$G/b"
	run $MW moved proc moves "$G/a" "$G/b" 2000
	at_least "anon of one" "$(stat_of "$G/a" anon)" $((9 * MB))
	at_least "anon of the other" "$(stat_of "$G/b" anon)" $((9 * MB))
	audit_is_clean
	finish
	drain
	is "anon of both" "$(stat_of "$G" anon)" 0
}

# After a move the whole process pays there, also a thread that was charging on another processor.
test_a_move_holds() {
	mkdir "$G/a" "$G/b"
	run $MW moved proc follow "$G/a" "$G/b" 150
	is "what came of it" "$line" "moved 150 wrong 0"
	audit_is_clean
	stop "$pid"
}

# Who pays is remembered by each processor. That others fork and end does not make it look that up again, as long as nobody
# else on the same processor had to. Who shares a bucket of the table with one of those who fork does look it up again, each time the kernel gives
# the same signal_struct to another: hardly all of three in turn.
test_forks_disturb_nobody_else() {
	local looks again
	mkdir "$G/quiet" "$G/forks"
	trap 'put $TRACING/events/kprobes/enable 0; : >$TRACING/kprobe_events' EXIT
	echo 'p:look mw_member_owner' >>$TRACING/kprobe_events
	for _ in 1 2 3; do
		: >$TRACING/trace
		put $TRACING/events/kprobes/enable 1
		in_group "$G/quiet" race forks "$G/forks" 200 >$TMP/forks || fail "$(cat $TMP/forks)"
		put $TRACING/events/kprobes/enable 0
		looks=$(grep -c '\[000\].* look: ' $TRACING/trace) || true
		again=$(awk '/\[000\].* look: / { again += $1 == last; last = $1 } END { print again + 0 }' $TRACING/trace)
		say "of $looks looks $again again: $(cat $TMP/forks)"
		at_least "how often it was looked up who pays" "$looks" 1
		[ "$again" -gt 20 ] || break
	done
	at_most "how often that was looked up again" "$again" 20
}

test_threads() {
	local thread
	mkdir "$G/other"
	run "$G" running proc threads 8 1M
	is "members: the process alone" "$(members "$G")" "$pid"
	stat_is "$G" anon $((8 * MB)) 15
	# a thread's id names the process
	thread=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | sed 's,.*/,,' | grep -vx "$pid" | sed -n 1p)
	put "$G/other/cgroup.procs" "$thread"
	is "members of the other group" "$(members "$G/other")" "$pid"
	audit_is_clean
	stop "$pid"
}

test_process_whose_first_thread_is_gone() {
	run "$G" leaderless proc leaderless 10M
	stat_is "$G" anon $((10 * MB)) 10
	is members "$(members "$G")" "$pid"
	is populated "$(populated "$G")" 1
	attempt EBUSY rmdir "$G"
	audit_is_clean
	finish
}

test_exec() {
	mkdir "$G/a"
	# the new address space is charged like the old one
	# shellcheck disable=SC2016
	run "$G/a" touched sh -c 'exec env sh -c "exec mem anon 20M"'
	stat_is "$G/a" anon $((20 * MB)) 5
	is members "$(members "$G/a")" "$pid"
	finish
}

test_vfork_and_exec() {
	local child
	run "$G" touched proc vfork $PROGS/mem anon 20M
	stat_is "$G" anon $((20 * MB)) 5
	is "members" "$(count "$G")" 2
	child=$(members "$G" | grep -vx "$pid")
	kill -USR2 "$child"
	wait "$pid"
	is "populated after the end" "$(populated "$G")" 0
}

test_setsid() {
	run "$G" daemon proc setsid 10M
	has members "$(members "$G")" "${line#daemon }"
	stat_is "$G" anon $((10 * MB)) 10
	kill -KILL "${line#daemon }"
	stop "$pid"
}

test_pid_namespace() {
	local inside
	# process 1 of a namespace writes "1" and reads the list
	run $MW inside proc newpid "$G"
	is "what it saw" "$line" "inside 1 ok 1"
	inside=$(members "$G")
	[ "$inside" != 1 ] || fail "the list is not translated to this namespace"
	is "the name of the process $inside" "$(cat "/proc/$inside/comm")" proc
	kill -KILL "$inside"
	wait "$pid" || true
}

test_outside_of_a_pid_namespace_there_is_nobody() {
	# shellcheck disable=SC2016
	run "$G" touched mem anon 1M
	# shellcheck disable=SC2016
	is "members seen from another namespace" \
		"$(unshare -p -f sh -c 'cat $1/cgroup.procs' - "$G" | grep -vx 0)" ""
	finish
}

test_populated() {
	mkdir -p "$G/a/b"
	is "populated of an empty group" "$(populated "$G")" 0
	run "$G/a/b" touched mem anon 1M
	is "populated of the group" "$(populated "$G/a/b")" 1
	is "populated of its parent" "$(populated "$G/a")" 1
	is "populated of the top" "$(populated "$G")" 1
	finish
	is "populated after the end" "$(populated "$G/a/b")" 0
	is "populated of the top after the end" "$(populated "$G")" 0
}

# Everybody may ask, and where something is bound all processes of the machine are looked at. Who is moved meanwhile, here from where it has
# not been looked yet to where it has, is not missed.
test_who_asks_for_processes_keeps_nobody_waiting() {
	mkdir "$G/a"
	run "$G/a" touched mem anon 1M
	divert mw_member_visit later=1 pass=1
	cat "$G/cgroup.events" >$TMP/events &
	await 20 is_diverted
	mkdir "$G/b"
	put "$G/cgroup.procs" "$pid"
	end_divert
	wait $!
	is "what was read meanwhile" "$(head -n 1 $TMP/events)" "populated 1"
	finish
}

# The same where a cgroup is bound, and who is in it is moved from there, where all processes of the machine are looked at, to where it has been
# looked before.
soak_who_asks_for_bound_processes_keeps_nobody_waiting='it has not passed twenty times yet'
test_who_asks_for_bound_processes_keeps_nobody_waiting() {
	local bound
	trap 'unbind $MW; await 20 are_cleared /sys/fs/cgroup/bound' EXIT
	mkdir /sys/fs/cgroup/bound "$G/a"
	put "$G/a/memward.bind" /bound
	run /sys/fs/cgroup/bound touched mem anon 1M
	bound=$pid
	is "members" "$(members "$G/a")" "$bound"
	run $MW open look held "$G/cgroup.events"
	hold mw_member_unlisted
	mkdir "$G/b"
	put "$G/cgroup.procs" "$bound"
	is_held || fail "who made a group, or moved a process, has waited for who asks"
	let_go
	next_line
	is "what was read meanwhile" "$line" "read populated 1"
	finish
	stop "$bound"
}

test_kill() {
	mkdir "$G/a" "$G/b"
	run "$G/a" grown proc tree 30
	sleep 1000 &
	put "$G/b/cgroup.procs" $!
	sleep 1000 &
	put "$G/a/cgroup.kill" 1
	await 20 is_empty "$G/a"
	is "populated of the other group" "$(populated "$G/b")" 1
	[ -d "/proc/$!" ] || fail "a process outside was killed"
	put "$G/cgroup.kill" 1
	await 20 is_empty "$G"
}

test_kill_while_forking() {
	mkdir "$G/bomb"
	run $MW born proc storm "$G/bomb" 5 200
	put "$G/cgroup.kill" 1
	await 20 is_empty "$G"
	# from 6.16 on who ends is in no group, but among the processes for a while
	if kernel_since 6 16; then await 20 are_no_bombs; else are_no_bombs || fail "bombs are left"; fi
	finish
}
are_no_bombs() { ! grep -q mwbomb /proc/[0-9]*/comm 2>/dev/null; }

# A child that its parent was making as it was killed would live for long.
test_kill_while_children_are_born() {
	local i pids pid
	for i in 1 2 3 4 5 6; do
		mkdir "$G/$i"
		pids=
		for _ in 1 2 3; do
			# shellcheck disable=SC2016
			sh -c 'echo 0 >"$0/cgroup.procs"
				until [ -e "$1" ]; do sleep 0.05; done
				while :; do sleep 1000 & done' "$G/$i" "$TMP/go.$i" &
			pids="$pids $!"
		done
		# who comes in after the kill lives, and who is born before takes the time to come in
		for pid in $pids; do
			await 30 has_member "$G/$i" "$pid"
		done
		: >"$TMP/go.$i"
		await 30 has_members "$G/$i" 12
		put "$G/$i/cgroup.kill" 1
		await 20 is_empty "$G/$i"
	done
}
has_member() { grep -qx "$2" "$1/cgroup.procs"; }
has_members() { [ "$(count "$1")" -ge "$2" ]; }

# The same for certain: the parent is killed where a signal cannot stop the birth any more, and goes on afterwards.
test_kill_in_the_middle_of_a_birth() {
	run "$G" ready proc bear
	hold cgroup_post_fork
	put "$G/cgroup.kill" 1
	is "processes in the group" "$(count "$G")" 1
	let_go
	await 20 is_empty "$G"
}

# Nothing kills process 1, and only children that it was making just then die of it.
test_kill_spares_init() {
	sleep 1000 &
	put "$G/cgroup.procs" $!
	put "$G/cgroup.procs" 1
	put "$G/cgroup.kill" 1
	wait $! || is "status of the other" $? 137
	is "members" "$(members "$G")" 1
	bear_by_init
	bear_by_init
}

test_kill_in_the_middle_of_a_birth_by_init() {
	put "$G/cgroup.procs" 1
	pid=1
	hold cgroup_post_fork
	put "$G/cgroup.kill" 1
	let_go
	bear_by_init
	is "children that live" "$(sleepers)" 1
}

# As in cgroup v2: the init of a pid namespace is killed from outside only.
test_kill_and_the_init_of_a_namespace() {
	local said
	# shellcheck disable=SC2016
	said=$(unshare -p -f sh -c 'echo 0 >"$1/cgroup.procs"
		echo 1 >"$1/cgroup.kill"
		sh -c "echo born after it"' - "$G")
	is "who was killed from inside" "$said" "born after it"
	# shellcheck disable=SC2016
	unshare -p -f sh -c 'echo 0 >"$1/cgroup.procs"; sleep 1000; :' - "$G" &
	await 20 has_sleepers 1
	put "$G/cgroup.kill" 1
	await 20 is_empty "$G"
}

test_cgroup_stat() {
	is "of an empty group" "$(cat "$G/cgroup.stat")" "nr_descendants 0
nr_dying_descendants 0"
	mkdir -p "$G/a/b" "$G/c"
	is "with three below" "$(stat_of "$G" nr_descendants cgroup.stat)" 3
	file_of 20
	run "$G/a/b" read mem read "$file"
	finish
	rmdir "$G/a/b"
	is "after one is gone" "$(cat "$G/cgroup.stat")" "nr_descendants 2
nr_dying_descendants 0"
}
