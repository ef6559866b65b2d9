# SPDX-License-Identifier: GPL-2.0
# Cgroups of the kernel's own whose processes are in a group: memward.bind.

# The kernel's, and what it is called; a second one.
ROOT=/sys/fs/cgroup
K=$ROOT/bound L=$ROOT/other

# cgroups DIR...: they are there, and gone with all that is in them when the test is over; and nothing is bound any more.
cgroups() {
	trap clear_cgroups EXIT
	mkdir "$@"
}
clear_cgroups() {
	unbind $MW
	await 20 are_cleared $K $L
}

bind() { put "$1/memward.bind" "$2"; }
bound() { read_file "$1/memward.bind"; }
hook() { awk -v feature="$1" '$1 == feature { print $4 }' $MW/memward.status; }
only_member() { is "members of $1" "$(members "$1")" "$2"; }
agree() { is "members of $1" "$(members "$1" | sort)" "$(sort "$2/cgroup.procs")"; }

test_who_is_there_is_a_member() {
	cgroups $K
	run $K touched mem dontneed 20M
	is "anon before" "$(stat_of "$G" anon)" 0
	bind "$G" /bound
	only_member "$G" "$pid"
	is populated "$(populated "$G")" 1
	has_not "the root's list" "$(members $MW)" "$pid"
	next_step dropped
	next_step "touched again"
	stat_is "$G" anon $((10 * MB)) 6
	bind "$G" -/bound
	only_member "$G" ""
	is populated "$(populated "$G")" 0
	has "the root's list" "$(members $MW)" "$pid"
	audit_is_clean
	finish_empty
}

# Nobody else charges on his processor meanwhile, so it knows him.
test_who_is_known_where_he_charges() {
	taskset -p 1 $$ >/dev/null
	cgroups $K
	run $K touched taskset 2 mem dontneed 20M
	next_step dropped
	bind "$G" /bound
	next_step "touched again"
	stat_is "$G" anon $((10 * MB)) 6
	finish_empty
	run $K touched taskset 2 mem dontneed 20M
	stat_is "$G" anon $((20 * MB)) 3
	next_step dropped
	bind "$G" -/bound
	next_step "touched again"
	stat_is "$G" anon $((10 * MB)) 6
	finish_empty
}

test_who_comes_is_a_member() {
	cgroups $K
	bind "$G" /bound
	is "what is bound" "$(bound "$G")" /bound
	run $K touched mem dontneed 20M
	only_member "$G" "$pid"
	stat_is "$G" anon $((20 * MB)) 3
	next_step dropped
	put $ROOT/cgroup.procs "$pid"
	only_member "$G" ""
	next_step "touched again"
	stat_is "$G" anon $((10 * MB)) 6
	finish_empty
}

# After a move the whole process pays there, also a thread that was charging on another processor.
test_a_move_among_cgroups_holds() {
	cgroups $K $L
	mkdir "$G/a" "$G/b"
	bind "$G/a" /bound
	bind "$G/b" /other
	run $ROOT moved proc follow $K $L 150 "$G/a" "$G/b"
	is "what came of it" "$line" "moved 150 wrong 0"
	audit_is_clean
	stop "$pid"
}

test_children_are_born_where_their_cgroup_is_bound() {
	cgroups $K
	bind "$G" /bound
	run $K grown proc tree 200
	is "processes in the group" "$(members "$G" | wc -l)" 200
	agree "$G" $K
	audit_is_clean
	finish
	await 20 is_empty "$G"
}

test_the_most_specific_binding_wins() {
	cgroups $K $K/a $K/a/b
	mkdir "$G/x" "$G/y"
	bind "$G/x" /bound
	run $K/a/b touched mem dontneed 20M
	only_member "$G/x" "$pid"
	bind "$G/y" /bound/a
	only_member "$G/x" ""
	only_member "$G/y" "$pid"
	next_step dropped
	next_step "touched again"
	stat_is "$G/x" anon $((10 * MB)) 6
	stat_is "$G/y" anon $((10 * MB)) 6
	bind "$G/y" -/bound/a
	only_member "$G/x" "$pid"
	finish_empty
}

# What is bound to the root is in no group, whatever is bound above it.
test_bound_to_the_root() {
	cgroups $K $K/free
	bind "$G" /bound
	bind $MW /bound/free
	is "what is bound to the root" "$(bound $MW)" /bound/free
	run $K/free touched mem anon 10M
	only_member "$G" ""
	has "the root's list" "$(members $MW)" "$pid"
	is anon "$(stat_of "$G" anon)" 0
	bind $MW -/bound/free
	only_member "$G" "$pid"
	stop "$pid"
}

test_the_whole_machine() {
	trap 'unbind $MW' EXIT
	run $ROOT touched mem dontneed 20M
	bind "$G" /
	has members "$(members "$G")" "$pid"
	has members "$(members "$G")" 1
	has "the root's list" "$(members $MW)" 2
	has_not members "$(members "$G")" 2
	next_step dropped
	next_step "touched again"
	at_least anon "$(stat_of "$G" anon)" $((9 * MB))
	bind "$G" -/
	only_member "$G" ""
	stop "$pid"
}

# Who was moved by hand stays, with what it bears, until it comes to another cgroup that is bound.
test_moved_by_hand() {
	local child
	cgroups $K $L $K/a
	mkdir "$G/bound" "$G/hand" "$G/other"
	bind "$G/bound" /bound
	bind "$G/other" /other
	# shellcheck disable=SC2016
	start $K sh -c 'trap "sleep 1000 & echo born \$!" USR1; echo ready; while :; do sleep 1 || true; done'
	has "members" "$(members "$G/bound")" "$pid"
	put "$G/hand/cgroup.procs" "$pid"
	has "members" "$(members "$G/hand")" "$pid"
	put $K/cgroup.procs "$pid"
	has "members" "$(members "$G/hand")" "$pid"
	kill -USR1 "$pid"
	next_line
	child=$(word 2)
	has "members" "$(members "$G/hand")" "$child"
	# a cgroup that is bound to nothing
	bind "$G/other" -/other
	put $L/cgroup.procs "$pid"
	has "members" "$(members "$G/hand")" "$pid"
	bind "$G/other" /other
	put $L/cgroup.procs "$pid"
	has "members" "$(members "$G/hand")" "$pid"
	put $K/a/cgroup.procs "$pid"
	has "members" "$(members "$G/bound")" "$pid"
	has_not "members" "$(members "$G/hand")" "$pid"
	has "members" "$(members "$G/hand")" "$child"
	put $L/cgroup.procs "$pid"
	has "members" "$(members "$G/other")" "$pid"
	put $K/cgroup.procs "$pid"
	has "members" "$(members "$G/bound")" "$pid"
	audit_is_clean
}

# Again and again, be it that nobody has looked since.
test_moved_by_hand_again() {
	local dir
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K touched mem anon 4M
	bind "$G/bound" /bound
	bind "$G/bound" /other
	put "$G/hand/cgroup.procs" "$pid"
	for dir in $L $K $L $K; do
		put $dir/cgroup.procs "$pid"
	done
	put "$G/hand/cgroup.procs" "$pid"
	only_member "$G/hand" "$pid"
	put $K/cgroup.procs "$pid"
	only_member "$G/hand" "$pid"
	put $L/cgroup.procs "$pid"
	only_member "$G/bound" "$pid"
	stop "$pid"
}

# The parent is moved when the child is there, but nobody has been told of it. It stays where it was begun.
test_the_parent_is_moved_in_the_middle_of_a_birth() {
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	bind "$G/bound" /other
	put "$G/hand/cgroup.procs" "$pid"
	begin_birth
	put $L/cgroup.procs "$pid"
	only_member "$G/hand" ""
	end_divert
	await 20 has_members "$G/hand" 1
	only_member "$G/bound" "$pid"
	is "who is where the child was begun" "$(members "$G/hand")" "$(cat $K/cgroup.procs)"
	audit_is_clean
}

# Likewise, but the parent is where a cgroup is bound already, wherever it was moved before.
test_the_parent_is_moved_on_in_the_middle_of_a_birth() {
	cgroups $K $L
	mkdir "$G/hand" "$G/a" "$G/b"
	run $ROOT ready proc bear
	bind "$G/a" /bound
	bind "$G/b" /other
	put "$G/hand/cgroup.procs" "$pid"
	put $K/cgroup.procs "$pid"
	begin_birth
	put $L/cgroup.procs "$pid"
	end_divert
	await 20 has_members "$G/a" 1
	only_member "$G/b" "$pid"
	only_member "$G/hand" ""
	is "who is where the child was begun" "$(members "$G/a")" "$(cat $K/cgroup.procs)"
}

# Nor is it known where a child was begun whose parent has been moved twice since: it is its parent's heir.
test_the_parent_is_moved_twice_in_the_middle_of_a_birth() {
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	bind "$G/bound" /bound
	put "$G/hand/cgroup.procs" "$pid"
	begin_birth
	put $L/cgroup.procs "$pid"
	put $ROOT/cgroup.procs "$pid"
	end_divert
	await 20 has_members "$G/hand" 2
	only_member "$G/bound" ""
}

# Nor if it was moved when nothing was bound, which nobody was told of, and the first cgroup is bound after that.
test_the_parent_is_moved_untold_in_the_middle_of_a_birth() {
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	put "$G/hand/cgroup.procs" "$pid"
	begin_birth
	put $L/cgroup.procs "$pid"
	bind "$G/bound" /bound
	end_divert
	await 20 has_members "$G/hand" 2
	only_member "$G/bound" ""
	audit_is_clean
}

# Nor if it is back by then.
test_the_parent_was_elsewhere_untold_in_the_middle_of_a_birth() {
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	put "$G/hand/cgroup.procs" "$pid"
	put $L/cgroup.procs "$pid"
	begin_birth
	put $K/cgroup.procs "$pid"
	bind "$G/bound" /other
	end_divert
	await 20 has_members "$G/hand" 2
	only_member "$G/bound" ""
	audit_is_clean
}

# Nor does it help that it is moved by hand once more, from where nobody was told that it is.
test_the_parent_is_moved_by_hand_again_in_the_middle_of_a_birth() {
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	put "$G/hand/cgroup.procs" "$pid"
	put $L/cgroup.procs "$pid"
	begin_birth
	put "$G/hand/cgroup.procs" "$pid"
	bind "$G/bound" /other
	end_divert
	await 20 has_members "$G/hand" 2
	only_member "$G/bound" ""
	audit_is_clean
}

# Who was moved to the root by hand stays there when what it was bound to is bound again, and so does a child that it had in between.
test_a_heir_in_the_root_while_nothing_is_bound() {
	local child
	cgroups $K
	mkdir "$G/bound"
	run $K ready proc bear
	bind "$G/bound" /bound
	put $MW/cgroup.procs "$pid"
	only_member "$G/bound" ""
	bind "$G/bound" -/bound
	kill -USR1 "$pid"
	await 20 has_child "$pid"
	child=$(child_of "$pid")
	await 20 is_asleep "$child"
	bind "$G/bound" /bound
	only_member "$G/bound" ""
	audit_is_clean
}
has_child() {
	local one
	for one in $(ls /proc); do
		case $one in [0-9]*) [ "$(parent_of "$one")" != "$1" ] || return 0 ;; esac
	done
	return 1
}

# The child was moved by hand before the kernel had it in a cgroup: that it comes to its first one is no move.
test_a_move_in_the_middle_of_a_birth_by_hand() {
	local child
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	bind "$G/bound" /bound
	hold cgroup_post_fork
	child=$(child_of "$pid")
	put "$G/hand/cgroup.procs" "$child"
	let_go
	await 20 has_members "$G/bound" 1
	only_member "$G/hand" "$child"
	put $K/cgroup.procs "$child"
	only_member "$G/hand" "$child"
}
# The root is as good a place as any.
test_a_move_to_the_root_in_the_middle_of_a_birth() {
	local child
	cgroups $K
	mkdir "$G/bound"
	run $K ready proc bear
	bind "$G/bound" /bound
	hold cgroup_post_fork
	child=$(child_of "$pid")
	put $MW/cgroup.procs "$child"
	let_go
	await 20 is_asleep "$child"
	only_member "$G/bound" "$pid"
	has "the root's list" "$(members $MW)" "$child"
}

# Nor has the kernel anything to do with it: the parent is where it was moved, and the child is not its heir.
test_a_move_of_a_heir_to_the_root_in_the_middle_of_a_birth() {
	local child parent
	cgroups $K
	mkdir "$G/hand" "$G/bound"
	run $K ready proc bear
	parent=$pid
	put "$G/hand/cgroup.procs" "$pid"
	begin_birth
	child=$(child_of "$pid")
	put $MW/cgroup.procs "$child"
	end_divert
	await 20 is_asleep "$child"
	only_member "$G/hand" "$parent"
	# and what is bound later takes it
	bind "$G/bound" /bound
	only_member "$G/bound" "$child"
	only_member "$G/hand" "$parent"
}

# A thread's number stands for its process, be it that the kernel has the thread in no cgroup yet.
test_a_thread_that_is_in_no_cgroup_yet() {
	local thread
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K ready proc spread
	bind "$G/bound" /bound
	bind "$G/bound" /other
	hold cgroup_post_fork
	for thread in "/proc/$pid/task/"*; do
		[ "${thread##*/}" = "$pid" ] || put "$G/hand/tasks" "${thread##*/}"
	done
	only_member "$G/hand" "$pid"
	let_go
	next_line
	at_step threaded
	kill -USR1 "$pid"
	await 20 has_members "$G/hand" 2
	only_member "$G/bound" ""
	# and it is known where it comes from
	put $L/cgroup.procs "$pid"
	only_member "$G/bound" "$pid"
}

is_asleep() { grep -q '^State:.S' "/proc/$1/status"; }

# A child is among the processes before the kernel has put it in its cgroup: it is not in the root's meanwhile.
test_a_child_that_is_in_no_cgroup_yet() {
	local one
	cgroups $K
	mkdir "$G/all" "$G/bound"
	run $K ready proc bear
	bind "$G/bound" /bound
	bind "$G/all" /
	hold cgroup_post_fork
	for one in $(members "$G/all"); do
		[ "$(parent_of "$one")" != "$pid" ] || fail "$one, a child of $pid, is in the root's"
	done
	only_member "$G/bound" "$pid"
	let_go
	await 20 has_members "$G/bound" 2
}

# The root is as good a place as any.
test_moved_to_the_root_by_hand() {
	cgroups $K $L
	bind "$G" /bound
	bind "$G" /other
	run $K touched mem dontneed 20M
	put $MW/cgroup.procs "$pid"
	only_member "$G" ""
	has "the root's list" "$(members $MW)" "$pid"
	next_step dropped
	next_step "touched again"
	stat_is "$G" anon $((10 * MB)) 6
	put $K/cgroup.procs "$pid"
	only_member "$G" ""
	put $L/cgroup.procs "$pid"
	only_member "$G" "$pid"
	finish_empty
}

# Who was moved to the root while nothing was bound is in no group: what is bound later takes it.
test_in_the_root_before() {
	cgroups $K
	mkdir "$G/hand"
	run $K touched mem anon 4M
	put "$G/hand/cgroup.procs" "$pid"
	put $MW/cgroup.procs "$pid"
	bind "$G" /bound
	only_member "$G" "$pid"
	stop "$pid"
}

# What was moved by hand before anything was bound is not told of; from the first binding on it is.
test_moved_by_hand_before() {
	cgroups $K $L
	mkdir "$G/hand" "$G/bound"
	run $K touched mem anon 10M
	put "$G/hand/cgroup.procs" "$pid"
	put $L/cgroup.procs "$pid"
	bind "$G/bound" /other
	only_member "$G/hand" "$pid"
	put $L/cgroup.procs "$pid"
	only_member "$G/hand" "$pid"
	put $K/cgroup.procs "$pid"
	put $L/cgroup.procs "$pid"
	only_member "$G/bound" "$pid"
	stop "$pid"
}

# clone3(2) into another cgroup than the parent's, whatever group the parent was moved to.
test_begun_in_another_cgroup() {
	cgroups $K $L
	mkdir "$G/hand" "$G/a" "$G/b"
	bind "$G/a" /bound
	bind "$G/b" /other
	run "$G/hand" begun proc into $K 10M
	only_member "$G/a" "$(word 2)"
	stat_is "$G/a" anon $((10 * MB)) 6
	stat_below "$G/hand" anon $MB
	stop "$(word 2)"
	wait "$pid" || true
	run $L begun proc into $K 10M
	only_member "$G/a" "$(word 2)"
	only_member "$G/b" "$pid"
	audit_is_clean
	stop "$(word 2)"
}

# A unit that restarts: its cgroup goes, and comes again by the same name.
test_made_again() {
	local i
	cgroups $K
	bind "$G" /bound/unit
	is "what is bound" "$(bound "$G")" /bound/unit
	for i in 1 2 3 4 5 6; do
		mkdir $K/unit
		run $K/unit touched mem anon 4M
		only_member "$G" "$pid"
		stat_is "$G" anon $((4 * MB)) 10
		finish_empty
		await 20 rmdir $K/unit
	done
	is "what is bound" "$(bound "$G")" /bound/unit
}

test_by_its_id() {
	local id
	cgroups $K $K/a
	id=$(stat -c %i $K/a)
	bind "$G" "$id"
	is "what is bound" "$(bound "$G")" /bound/a
	run $K/a touched mem anon 4M
	only_member "$G" "$pid"
	bind "$G" "-$id"
	is "what is bound" "$(bound "$G")" ""
	only_member "$G" ""
	finish
	await 20 rmdir $K/a
	attempt ENOENT write "$G/memward.bind" "$id"
}

test_in_the_order_in_which_they_came() {
	cgroups $K
	mkdir "$G/a"
	bind "$G/a" /z
	bind "$G/a" //bound///with\ a\ blank/
	bind "$G/a" /a
	is "what is bound" "$(bound "$G/a")" "/z
/bound/with a blank
/a"
	bind "$G/a" "-/bound/with a blank"
	is "what is bound" "$(bound "$G/a")" "/z
/a"
}

test_what_is_refused() {
	local file=$G/a/memward.bind
	cgroups $K $L $K/domain $K/domain/threads
	mkdir "$G/a" "$G/b"
	attempt EINVAL write "$file" bound
	attempt EINVAL write "$file" ""
	attempt EINVAL write "$file" -
	attempt EINVAL write "$file" +/bound
	attempt EINVAL write "$file" ./bound
	attempt EINVAL write "$file" /bound/../other
	attempt EINVAL write "$file" /bound/.
	attempt EINVAL write "$file" "/bound
/other"
	attempt EINVAL write "$file" -5x
	attempt ENOENT write "$file" 18446744073709551614
	attempt ENAMETOOLONG write "$file" "/$(printf '%300s' | tr ' ' x)"
	attempt ENOTDIR write "$file" /bound/cgroup.procs
	attempt ENOTDIR write "$file" /bound/cgroup.procs/file
	# what has it open is where a directory has its children
	exec 9<$K/cgroup.procs
	attempt ENOTDIR write "$file" /bound/cgroup.procs/file
	exec 9<&-
	mkdir "$K/blank "
	attempt EINVAL write "$file" "$(stat -c %i "$K/blank ")"
	# the last byte of this letter is a blank in Latin-1
	attempt ok write "$file" /voilà
	is "what is bound" "$(cat "$file")" /voilà
	attempt ok write "$file" -/voilà
	put $K/domain/threads/cgroup.type threaded
	attempt EOPNOTSUPP write "$file" /bound/domain/threads
	attempt ENOENT write "$file" -/bound
	attempt ok write "$file" /bound
	attempt ok write "$file" /bound
	attempt EBUSY write "$G/b/memward.bind" /bound
	attempt ENOENT write "$G/b/memward.bind" -/bound
	is "what is bound" "$(cat "$file" "$G/b/memward.bind")" /bound
	chmod 666 "$file"
	attempt EPERM as 1000 $PROGS/try write "$file" /other
	attempt EPERM as 1000 $PROGS/try write "$file" -/bound
	is "what is bound" "$(cat "$file")" /bound
	rmdir $K/domain/threads
	is "how the attachments are" "$(hook come) $(hook made)" "attached attached"
}

# A thread in a threaded cgroup is a part of its process, which is where its domain is bound.
test_threads_in_cgroups_of_their_own() {
	local thread
	cgroups $K $K/threads
	mkdir "$G/all" "$G/threads"
	bind "$G/all" /bound
	bind "$G/threads" /bound/threads
	# from now on that is bound to nothing
	put $K/threads/cgroup.type threaded
	run $K ready proc leaves
	for thread in "/proc/$pid/task/"*; do
		put $K/threads/cgroup.threads "${thread##*/}"
	done
	only_member "$G/all" "$pid"
	only_member "$G/threads" ""
	await 20 has_anon "$G/all" $MB
	is "what threads are charged for" "$(stat_of "$G/threads" anon)" 0
	stop "$pid"
}

test_a_process_whose_first_thread_is_gone() {
	cgroups $K $L
	mkdir "$G/a" "$G/b"
	bind "$G/a" /bound
	bind "$G/b" /other
	run $K leaderless proc leaderless 10M
	only_member "$G/a" "$pid"
	stat_is "$G/a" anon $((10 * MB)) 10
	put $L/cgroup.procs "$pid"
	only_member "$G/b" "$pid"
	attempt EBUSY rmdir "$G/b"
	attempt ok rmdir "$G/a"
	audit_is_clean
	stop "$pid"
}

# The first thread has begun to end, so the kernel moves it no more; but it is still the one that names whose memory it is.
test_the_first_thread_is_about_to_go() {
	cgroups $K $L
	mkdir "$G/a" "$G/b"
	bind "$G/a" /bound
	bind "$G/b" /other
	run $K ready proc leaves
	divert_end "$pid"
	kill -USR1 "$pid"
	await 20 is_diverted
	put $L/cgroup.procs "$pid"
	await 20 has_anon "$G/b" $MB
	only_member "$G/b" "$pid"
	end_divert
	await 20 has_anon "$G/b" $((2 * MB))
	stop "$pid"
}
# divert_end PID: it ends, and still has its memory. 5.10 cannot divert the second.
divert_end() {
	local between=taskstats_exit
	grep -qw "$between" /proc/kallsyms || between=perf_event_exit_task
	divert $between later=1 pid="$1"
}

test_rmdir() {
	cgroups $K
	mkdir "$G/a"
	bind "$G/a" /bound
	run $K touched mem anon 10M
	attempt EBUSY rmdir "$G/a"
	is "what is bound" "$(bound "$G/a")" /bound
	only_member "$G/a" "$pid"
	stop "$pid"
	await 20 is_empty "$G/a"
	attempt ok rmdir "$G/a"
	run $K touched mem anon 10M
	is members "$(members "$G")" ""
	bind "$G" /bound
	only_member "$G" "$pid"
	stop "$pid"
}

# Who made a group may remove it, but not what somebody else has bound to it.
test_rmdir_by_who_may_not_bind() {
	cgroups $K
	mkdir "$G/user"
	chown 1000 "$G/user"
	attempt ok as 1000 $PROGS/try mkdir "$G/user/a"
	attempt ok as 1000 $PROGS/try mkdir "$G/user/b"
	bind "$G/user/a" /bound
	attempt EPERM as 1000 $PROGS/try rmdir "$G/user/a"
	is "what is bound" "$(bound "$G/user/a")" /bound
	attempt ok as 1000 $PROGS/try rmdir "$G/user/b"
	attempt ok rmdir "$G/user/a"
}

# As long as nothing is bound the kernel is asked nothing.
test_nothing_is_attached_where_nothing_is_bound() {
	cgroups $K
	mkdir "$G/a"
	is "the hooks before" "$(hook come) $(hook made)" "ready ready"
	attempt ENOENT write "$G/a/memward.bind" -/bound
	attempt EINVAL write "$G/a/memward.bind" bound
	is "the hooks after nothing was bound" "$(hook come) $(hook made)" "ready ready"
	bind "$G/a" /bound
	is "the hooks meanwhile" "$(hook come) $(hook made)" "attached attached"
	bind "$G/a" -/bound
	is "the hooks afterwards" "$(hook come) $(hook made)" "ready ready"
	bind "$G/a" /bound
	rmdir "$G/a"
	is "the hooks when the group is gone" "$(hook come) $(hook made)" "ready ready"
}

test_seen_from_a_cgroup_namespace() {
	cgroups $K $K/a $K/a/by_id
	mkdir "$G/a" "$G/b"
	bind "$G/b" /bound
	# shellcheck disable=SC2016
	in_group $K/a proc unshared sh -c 'for one in / /below /gone -/gone "$3"; do echo "$one" >"$1/memward.bind" || exit; done
		cat "$1/memward.bind" "$2/memward.bind"' - "$G/a" "$G/b" "$(stat -c %i $K/a/by_id)" >$TMP/seen
	is "what is seen from inside" "$(cat $TMP/seen)" "/
/below
/by_id
/bound"
	is "what is bound" "$(bound "$G/a")" "/bound/a
/bound/a/below
/bound/a/by_id"
}

# Root in a user namespace is nobody who may bind, even if the file is its own.
test_root_of_a_user_namespace() {
	cgroups $K
	chmod 666 "$G/memward.bind"
	attempt EPERM as 0 /bin/busybox unshare -U -r $PROGS/try write "$G/memward.bind" /bound
	is "what is bound" "$(bound "$G")" ""
}

# It is who has opened the file that counts.
test_the_opener_counts() {
	cgroups $K
	chmod 666 "$G/memward.bind"
	attempt EPERM relay 1000 0 "$G/memward.bind" /bound
	attempt ok relay 0 1000 "$G/memward.bind" /bound
	is "what is bound" "$(bound "$G")" /bound
}

# What is bound to the root, and who was moved there by hand, is forgotten with the last mount.
test_unmounted_with_a_binding_of_the_root() {
	cgroups $K
	bind $MW /bound
	bind "$G" /
	run $ROOT touched mem anon 1M
	put $MW/cgroup.procs "$pid"
	unbind $MW
	bind $MW /bound
	rmdir "$G"
	umount $MW
	rmmod memward
	modprobe memward
	mount_memward
	is "what is bound" "$(bound $MW)" ""
	is "the hooks" "$(hook come) $(hook made)" "ready ready"
	mkdir "$G"
	bind "$G" /
	has members "$(members "$G")" "$pid"
	unbind $MW
	stop "$pid"
}

# --- what a group does with its members --------------------------------------------------------------------------

test_a_limit_holds() {
	local status=0
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	cgroups $K
	put "$G/memory.max" 16M
	put "$G/memory.swap.max" 0
	bind "$G" /bound
	watch "$G"
	in_group $K mem anon 60M >/dev/null 2>&1 &
	wait $! || status=$?
	watched
	is "how it ended" $status 137
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 1
	within "the most that it had" "$most" $((16 * MB)) 5
	audit_is_clean
}

test_all_or_none_die() {
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	cgroups $K $K/a
	mkdir "$G/a"
	put "$G/memory.max" 16M
	put "$G/memory.swap.max" 0
	put "$G/memory.oom.group" 1
	bind "$G" /bound
	bind "$G/a" /bound/a
	in_group $K sleep 1000 &
	in_group $K/a sleep 1000 &
	in_group "$G/a" sleep 1000 &
	await 20 has_members "$G/a" 2
	await 20 has_members "$G" 1
	in_group $K mem anon 60M >/dev/null 2>&1 &
	await 60 is_empty "$G"
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 4
	is oom_group_kill "$(stat_of "$G" oom_group_kill memory.events)" 1
	wait
	audit_is_clean
}
has_members() { [ "$(members "$1" | wc -l)" -ge "$2" ]; }

# A process that ends has its memory for a while, and can be asked for it.
test_who_ends_may_be_killed_for_its_memory() {
	local big
	! kernel_since 6 16 || skip "a process that ends is in no group from 6.16 on"
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	cgroups $K
	put "$G/memory.max" 30M
	put "$G/memory.swap.max" 0
	bind "$G" /bound
	run $K touched mem anon 20M
	big=$pid
	divert_end "$big"
	kill -KILL "$big"
	await 20 is_diverted
	run $K touched mem anon 15M
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 1
	end_divert
	await 20 has_ended "$big"
	stop "$pid"
	audit_is_clean
}

# Once it has given up its memory it is in no group, although that is not free yet; and another one is not killed for that.
test_one_death_at_a_time() {
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	cgroups $K
	put "$G/memory.swap.max" 0
	bind "$G" /bound
	dies_alone $K
	audit_is_clean
}

test_who_is_above_high_pays() {
	cgroups $K
	bind "$G" /bound
	put "$G/memory.swap.max" 0
	put "$G/memory.high" 4M
	in_group $K mem anon 12M >/dev/null 2>&1 &
	await 60 has_waited "$G" 100000
	is "members" "$(members "$G")" "$(cat $K/cgroup.procs)"
}

test_kill() {
	cgroups $K $K/a
	mkdir "$G/a"
	bind "$G/a" /bound/a
	bind "$G" /bound
	in_group $K sleep 1000 &
	in_group $K/a sleep 1000 &
	in_group "$G" sleep 1000 &
	await 20 has_members "$G" 2
	await 20 has_members "$G/a" 1
	put "$G/cgroup.kill" 1
	wait
	is_empty "$G" || fail "somebody lives: $(members "$G") $(members "$G/a")"
	# who comes later lives
	run $K touched mem anon 1M
	stop "$pid"
}

# A birth that a signal cannot stop any more; the child is not yet where its cgroup is bound.
test_kill_in_the_middle_of_a_birth() {
	cgroups $K
	bind "$G" /bound
	run $K ready proc bear
	hold cgroup_post_fork
	put "$G/cgroup.kill" 1
	is "processes in the group" "$(members "$G" | wc -l)" 1
	let_go
	await 20 is_empty "$G"
}

# --- two things at once ----------------------------------------------------------------------------------------------

# Processes that are born, moved and end in cgroups that come and go, while what is bound changes. At rest all are where the
# kernel has them.
limit_bound_while_all_is_at_work=300
test_bound_while_all_is_at_work() {
	local i inside
	cgroups $K $L $K/a
	mkdir "$G/a" "$G/b"
	bind "$G/a" /bound
	load $K proc churn exec true
	load $K/a proc churn map 1M
	inside=$loads
	# shellcheck disable=SC2016
	load '' sh -c 'n=0; while :; do
		mkdir "$0/unit"; sh -c "echo 0 >$0/unit/cgroup.procs; exec true"; rmdir "$0/unit"
		n=$((n + 1)); echo "load:$n" >/proc/$$/comm; done' $K
	load '' proc moves $K $L 1000000
	note_loads
	for i in $(seq $((30 * ROUNDS))); do
		bind "$G/b" /bound/unit
		bind "$G/b" /bound/a
		bind "$G/b" /other
		members "$G/a" >$TMP/list
		bind "$G/b" -/bound/a
		bind "$G/b" -/bound/unit
		rmdir "$G/b" 2>/dev/null && mkdir "$G/b"
		[ -d "$G/b" ]
		echo -/other >"$G/b/memward.bind" 2>/dev/null || true
	done
	await 120 have_gone_on 3
	audit_is_clean
	for i in $loads; do
		case " $inside " in *" $i "*) ;; *) stop "$i" ;; esac
	done
	put $K/cgroup.freeze 1
	await 60 grep -q '^frozen 1' $K/cgroup.events
	is "members at rest" "$(members "$G/a" | sort)" "$(find $K -name cgroup.procs -exec cat {} + | sort)"
	at_least "members at rest" "$(members "$G/a" | wc -l)" 2
	put $K/cgroup.freeze 0
}
