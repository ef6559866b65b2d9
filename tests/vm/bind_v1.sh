# SPDX-License-Identifier: GPL-2.0
# Cgroups of v1 whose processes are in a group: memward.bind with a hierarchy in front of the path.

# Where hierarchies are mounted; one without controllers, which each kernel has. The kernel's v2, and a cgroup there.
V1=/tmp/v1
N=$V1/n
ROOT=/sys/fs/cgroup
K=$ROOT/bound

# mount_v1 DIR OPTIONS: a hierarchy, for as long as the test; hierarchy: the one without controllers.
mount_v1() {
	trap clear_v1 EXIT
	mkdir -p "$1"
	mount -t cgroup -o "$2" cgroup "$1" || fail "no hierarchy of $2"
	echo "$2" >"$1.options"
}
mount_v1_if() {
	mkdir -p "$1"
	mount -t cgroup -o "$2" cgroup "$1" 2>/dev/null || skip "the kernel has no hierarchy of $2"
	umount "$1"
	mount_v1 "$@"
}
hierarchy() { mount_v1 $N none,name=mw; }
# What was unmounted goes when its last cgroup has gone for good, but is not told of that: it has to be mounted once more.
clear_v1() {
	local options
	unbind $MW
	for options in $V1/*.options; do
		[ -e "$options" ] || continue
		is_mounted "${options%.options}" || mount -t cgroup -o "$(cat "$options")" cgroup "${options%.options}"
		await 20 are_cleared "${options%.options}"/*/
		umount "${options%.options}"
	done
	for options in $V1/*.options; do
		[ ! -e "$options" ] || await 20 is_destroyed "${options%.options}"
		rm -f "$options"
	done
	await 20 are_cleared $K
	[ ! -e /sys/devices/system/cpu/cpu1/online ] || echo 1 >/sys/devices/system/cpu/cpu1/online
}
is_mounted() { grep -q " $1 cgroup " /proc/mounts; }
# is_destroyed DIR: by its last options. A name has no more than what a regular expression knows. A cgroup that somebody's pages are
# charged to is not gone for as long as these are there.
is_destroyed() {
	local word
	[ "$(cat "$1.options")" != memory ] || return 0
	word=$(tr , '\n' <"$1.options" | grep -vxE 'none|noprefix|clone_children|release_agent=.*' | head -n 1)
	grep -q "[:,]$word[:,]" /proc/self/cgroup || return 0
	mount -t cgroup -o "$(cat "$1.options")" cgroup "$1" && umount "$1"
	return 1
}

bind() { put "$1/memward.bind" "$2"; }
bound() { read_file "$1/memward.bind"; }
hook() { awk -v feature="$1" '$1 == feature { print $4 }' $MW/memward.status; }
hooks_of_v1() { echo $(for one in transferred renamed mounted remounted destroyed; do hook $one; done | sort -u); }
only_member() { is "members of $1" "$(members "$1")" "$2"; }
# has_only GROUP PID: for await
has_only() { [ "$(members "$1")" = "$2" ]; }
has_member() { has_a_line "$(members "$1")" "$2"; }
agree() { [ "$(members "$1" | sort)" = "$(sort "$2/cgroup.procs")" ]; }
has_members() { [ "$(members "$1" | wc -l)" -ge "$2" ]; }

# is_bound_by DIR WORD: who is in this cgroup, comes to it and leaves it; its pages.
is_bound_by() {
	run "$1" touched mem dontneed 20M
	only_member "$G" ""
	bind "$G" "$2"
	is "what is bound" "$(bound "$G")" "$2"
	only_member "$G" "$pid"
	is populated "$(populated "$G")" 1
	has_not "the root's list" "$(members $MW)" "$pid"
	next_step dropped
	next_step "touched again"
	stat_is "$G" anon $((10 * MB)) 6
	put "${1%/*}/cgroup.procs" "$pid"
	only_member "$G" ""
	finish
	run "$1" touched mem dontneed 20M
	only_member "$G" "$pid"
	next_step dropped
	next_step "touched again"
	bind "$G" "-$2"
	only_member "$G" ""
	has "the root's list" "$(members $MW)" "$pid"
	is "what is bound" "$(bound "$G")" ""
	audit_is_clean
	finish_empty
}

test_by_its_name() {
	hierarchy
	mkdir $N/a
	is_bound_by $N/a name=mw:/a
}

# What a hierarchy has of the kernel's.
test_by_its_controller() {
	mount_v1 $V1/p pids
	mkdir $V1/p/a
	is_bound_by $V1/p/a pids:/a
}

# As the lines of /proc/PID/cgroup have it; written in another order it is the same one.
test_by_all_that_it_is_called() {
	local called
	mount_v1 $V1/p freezer,pids,name=a.b-C_1,clone_children,release_agent=/bin/true
	called=$(sed -n 's/^[0-9]*:\(.*name=a.b-C_1\):.*/\1/p' /proc/self/cgroup)
	mkdir $V1/p/a
	is_bound_by $V1/p/a "$called:/a"
	bind "$G" name=a.b-C_1,pids,freezer://a/
	is "what is bound" "$(bound "$G")" "$called:/a"
	bind "$G" -pids,name=a.b-C_1,freezer:/a
	is "what is bound" "$(bound "$G")" ""
}

# The kernel has it on v2 all by itself, unless it is mounted on v1; but below the root only once the root has got another controller back.
test_perf_event() {
	mount_v1 $V1/p pids
	umount $V1/p
	await 20 is_destroyed $V1/p
	mkdir -p $K
	run $K touched mem anon 4M
	bind "$G" perf_event:/
	only_member "$G" ""
	bind "$G" perf_event:/a
	mount_v1 $V1/e perf_event
	await 20 has_member "$G" "$pid"
	has members "$(members "$G")" 1
	bind "$G" -perf_event:/
	only_member "$G" ""
	mkdir $V1/e/a
	put $V1/e/a/cgroup.procs "$pid"
	only_member "$G" "$pid"
	audit_is_clean
	stop "$pid"
}

# The kernel's own memory controller, and memward's beside it.
test_memory() {
	mount_v1_if $V1/m memory
	mkdir $V1/m/docker
	is_bound_by $V1/m/docker memory:/docker
}

# A cpuset that loses its last processor loses its processes to the one above, which no attach tells of.
test_a_cpuset_without_processors() {
	local first
	[ -e /sys/devices/system/cpu/cpu1/online ] || skip "one processor"
	mount_v1_if $V1/c cpuset,noprefix
	mkdir $V1/c/a
	put $V1/c/a/cpus 1
	put $V1/c/a/mems 0
	bind "$G" cpuset:/a
	mkdir "$G/hand" "$G/above"
	bind "$G/above" cpuset:/
	run $V1/c/a touched mem anon 4M
	only_member "$G" "$pid"
	first=$pid
	run $V1/c/a touched mem anon 4M
	put "$G/hand/cgroup.procs" "$pid"
	only_member "$G/hand" "$pid"
	only_member "$G" "$first"
	put /sys/devices/system/cpu/cpu1/online 0
	await 20 has_only "$G" ""
	has "those above" "$(members "$G/above")" "$first"
	# it was moved, although by nobody, and where to is bound
	await 20 has_only "$G/hand" ""
	has "those above" "$(members "$G/above")" "$pid"
	audit_is_clean
	stop "$first"
	stop "$pid"
}

# After a move the whole process pays there, also a thread that was charging on another processor.
test_a_move_among_cgroups_holds() {
	hierarchy
	mkdir $N/a $N/b "$G/a" "$G/b"
	bind "$G/a" name=mw:/a
	bind "$G/b" name=mw:/b
	run $N moved proc follow $N/a $N/b 100 "$G/a" "$G/b"
	is "what came of it" "$line" "moved 100 wrong 0"
	audit_is_clean
	stop "$pid"
}

test_children_are_born_where_their_cgroup_is_bound() {
	mount_v1 $V1/p pids
	hierarchy
	mkdir $N/a $V1/p/a "$G/n" "$G/p"
	bind "$G/n" name=mw:/a
	bind "$G/p" pids:/a
	run $N/a grown proc tree 100
	is "processes in the group" "$(members "$G/n" | wc -l)" 100
	agree "$G/n" $N/a || fail "they are not those of the cgroup"
	finish
	await 20 is_empty "$G/n"
	run $V1/p/a grown proc tree 100
	is "processes in the group" "$(members "$G/p" | wc -l)" 100
	agree "$G/p" $V1/p/a || fail "they are not those of the cgroup"
	finish
	await 20 is_empty "$G/p"
	audit_is_clean
}

# Each hierarchy numbers its cgroups by itself.
test_ids_are_of_one_hierarchy() {
	hierarchy
	mount_v1 $V1/o none,name=other
	mkdir $N/a $V1/o/a $V1/o/b "$G/b"
	is "the id in the other hierarchy" "$(stat -c %i $V1/o/a)" "$(stat -c %i $N/a)"
	# else nobody looks where a process is in that one
	bind "$G/b" name=other:/b
	run $V1/o/a touched mem anon 4M
	bind "$G" name=mw:/a
	only_member "$G" ""
	put $N/a/cgroup.procs "$pid"
	only_member "$G" "$pid"
	finish
}

# Of several hierarchies the one counts whose binding is furthest below its root; then v2; then by the names.
test_the_most_specific_binding_wins() {
	hierarchy
	mount_v1 $V1/p pids
	mkdir -p $K $N/a/b $V1/p/a/b "$G/v2" "$G/p" "$G/n"
	run $N/a/b touched mem anon 4M
	put $V1/p/a/b/cgroup.procs "$pid"
	put $K/cgroup.procs "$pid"
	bind "$G/v2" /bound
	only_member "$G/v2" "$pid"
	# as far below
	bind "$G/n" name=mw:/a
	only_member "$G/v2" "$pid"
	only_member "$G/n" ""
	# further
	bind "$G/p" pids:/a/b
	only_member "$G/p" "$pid"
	bind "$G/n" name=mw:/a/b
	only_member "$G/n" "$pid"
	only_member "$G/p" ""
	bind "$G/n" -name=mw:/a/b
	only_member "$G/p" "$pid"
	bind "$G/p" -pids:/a/b
	only_member "$G/v2" "$pid"
	bind "$G/v2" -/bound
	only_member "$G/n" "$pid"
	# it makes no difference what was bound first
	bind "$G/v2" pids:/a
	only_member "$G/n" "$pid"
	bind "$G/n" -name=mw:/a
	only_member "$G/v2" "$pid"
	stop "$pid"
}

test_the_root_of_a_hierarchy() {
	hierarchy
	mkdir $N/a "$G/a"
	run $N touched mem dontneed 20M
	bind "$G" name=mw:/
	is "what is bound" "$(bound "$G")" name=mw:/
	has members "$(members "$G")" "$pid"
	has members "$(members "$G")" 1
	has_not "the root's list" "$(members $MW)" "$pid"
	next_step dropped
	next_step "touched again"
	at_least anon "$(stat_of "$G" anon)" $((9 * MB))
	bind "$G/a" name=mw:/a
	put $N/a/cgroup.procs "$pid"
	only_member "$G/a" "$pid"
	# bound to the root it is in no group
	bind $MW name=mw:/a/b
	mkdir $N/a/b
	put $N/a/b/cgroup.procs "$pid"
	only_member "$G/a" ""
	has "the root's list" "$(members $MW)" "$pid"
	bind "$G" -name=mw:/
	only_member "$G" ""
	stop "$pid"
}

# It stays until it comes to another cgroup that is bound: not by what was written before, or to where nothing is bound.
test_moved_by_hand() {
	local dir word
	mount_v1 $V1/p pids
	hierarchy
	mkdir "$G/hand" "$G/bound"
	for dir in $N $V1/p; do
		case $dir in "$N") word=name=mw ;; *) word=pids ;; esac
		mkdir $dir/a $dir/a/below $dir/b $dir/free
		run $dir/a touched mem dontneed 20M
		# who was there before anything was bound in this hierarchy, and later on
		put "$G/hand/cgroup.procs" "$pid"
		bind "$G/bound" $word:/a
		bind "$G/bound" $word:/b
		only_member "$G/hand" "$pid"
		put $dir/a/cgroup.procs "$pid"
		only_member "$G/hand" "$pid"
		put $dir/free/cgroup.procs "$pid"
		only_member "$G/hand" "$pid"
		put $dir/b/cgroup.procs "$pid"
		only_member "$G/bound" "$pid"
		only_member "$G/hand" ""
		put "$G/hand/cgroup.procs" "$pid"
		put $dir/b/cgroup.procs "$pid"
		only_member "$G/hand" "$pid"
		put $dir/a/below/cgroup.procs "$pid"
		only_member "$G/bound" "$pid"
		next_step dropped
		next_step "touched again"
		at_least anon "$(stat_of "$G/bound" anon)" $((9 * MB))
		put $MW/cgroup.procs "$pid"
		only_member "$G/bound" ""
		put $dir/b/cgroup.procs "$pid"
		only_member "$G/bound" "$pid"
		finish
		bind "$G/bound" -$word:/a
		bind "$G/bound" -$word:/b
	done
	audit_is_clean
}

# Another hierarchy gets what is known of the first one, and another mount of memward knows nothing.
test_nothing_is_known_of_what_was_before() {
	hierarchy
	mount_v1 $V1/o none,name=other
	mkdir $N/a $V1/o/a $V1/o/b "$G/hand" "$G/bound"
	run $N/a touched mem anon 4M
	put $V1/o/a/cgroup.procs "$pid"
	put "$G/hand/cgroup.procs" "$pid"
	bind "$G/bound" name=mw:/a
	only_member "$G/hand" "$pid"
	bind "$G/bound" -name=mw:/a
	put $V1/o/b/cgroup.procs "$pid"
	# where it is already
	bind "$G/bound" name=other:/b
	put $V1/o/b/cgroup.procs "$pid"
	only_member "$G/hand" "$pid"
	put $V1/o/a/cgroup.procs "$pid"
	put $V1/o/b/cgroup.procs "$pid"
	only_member "$G/bound" "$pid"
	bind $MW name=other:/a
	put $MW/cgroup.procs "$pid"
	bind "$G/bound" -name=other:/b
	rmdir "$G/hand" "$G/bound" "$G"
	umount $MW
	mount_memward
	is "what is bound" "$(bound $MW)" ""
	is "the hooks" "$(hook come) $(hooks_of_v1)" "ready ready"
	mkdir "$G" "$G/hand"
	put "$G/hand/cgroup.procs" "$pid"
	put $V1/o/a/cgroup.procs "$pid"
	bind "$G" name=other:/a
	put $V1/o/a/cgroup.procs "$pid"
	only_member "$G/hand" "$pid"
	put $V1/o/b/cgroup.procs "$pid"
	put $V1/o/a/cgroup.procs "$pid"
	only_member "$G" "$pid"
	stop "$pid"
}

# The parent is moved when the child is there, but nobody has been told of it. It stays where it was begun, and that it is there is known.
test_the_parent_is_moved_in_the_middle_of_a_birth() {
	local dir word parent child
	mount_v1 $V1/p pids
	hierarchy
	mkdir "$G/hand" "$G/bound"
	for dir in $N $V1/p; do
		case $dir in "$N") word=name=mw ;; *) word=pids ;; esac
		mkdir $dir/a $dir/b
		run $dir/a ready proc bear
		parent=$pid
		bind "$G/bound" $word:/b
		bind "$G/bound" $word:/a
		put "$G/hand/cgroup.procs" "$pid"
		begin_birth
		put $dir/b/cgroup.procs "$pid"
		only_member "$G/hand" ""
		end_divert
		await 20 has_members "$G/hand" 1
		only_member "$G/bound" "$parent"
		child=$(cat $dir/a/cgroup.procs)
		only_member "$G/hand" "$child"
		# it is where it has been all the time
		put $dir/a/cgroup.procs "$child"
		only_member "$G/hand" "$child"
		put $dir/b/cgroup.procs "$child"
		only_member "$G/hand" ""
		has "members" "$(members "$G/bound")" "$child"
		bind "$G/bound" -$word:/a
		bind "$G/bound" -$word:/b
		stop "$parent"
		kill -KILL "$child"
		await 20 is_empty "$G"
	done
	audit_is_clean
}

# It was moved when nothing was bound there, which nobody was told of: so it is not known where the child was begun, and it is its parent's heir.
test_the_parent_is_moved_untold_in_the_middle_of_a_birth() {
	hierarchy
	mkdir $N/a $N/b "$G/hand" "$G/bound"
	run $N/a ready proc bear
	put "$G/hand/cgroup.procs" "$pid"
	begin_birth
	put $N/b/cgroup.procs "$pid"
	bind "$G/bound" name=mw:/a
	end_divert
	await 20 has_members "$G/hand" 2
	only_member "$G/bound" ""
	audit_is_clean
}

# The child was moved by hand before the kernel had it in a cgroup: that it comes to its first one is no move.
test_a_move_in_the_middle_of_a_birth_by_hand() {
	local child
	hierarchy
	mkdir $N/a $N/b "$G/hand" "$G/bound"
	run $N/a ready proc bear
	bind "$G/bound" name=mw:/a
	bind "$G/bound" name=mw:/b
	hold cgroup_post_fork
	child=$(child_of "$pid")
	put "$G/hand/cgroup.procs" "$child"
	only_member "$G/bound" "$pid"
	let_go
	await 20 is_in $N/a "$child"
	only_member "$G/hand" "$child"
	put $N/a/cgroup.procs "$child"
	only_member "$G/hand" "$child"
	put $N/b/cgroup.procs "$child"
	only_member "$G/hand" ""
	has "members" "$(members "$G/bound")" "$child"
}
is_in() { has_a_line "$(cat "$1/cgroup.procs")" "$2"; }

# The child is moved then: it is where it was moved to, and not its parent's heir.
test_the_child_is_moved_in_the_middle_of_its_birth() {
	local child
	hierarchy
	mkdir $N/a $N/b "$G/hand" "$G/bound"
	run $N/a ready proc bear
	bind "$G/bound" name=mw:/b
	bind "$G/bound" name=mw:/a
	put "$G/hand/cgroup.procs" "$pid"
	begin_birth
	child=$(grep -vxF "$pid" $N/a/cgroup.procs)
	put $N/b/cgroup.procs "$child"
	end_divert
	await 20 has_only "$G/bound" "$child"
	only_member "$G/hand" "$pid"
	audit_is_clean
}

# A process is where the first of its threads is.
test_threads_in_cgroups_of_their_own() {
	local dir word thread
	mount_v1 $V1/p pids
	hierarchy
	for dir in $N $V1/p; do
		case $dir in "$N") word=name=mw ;; *) word=pids ;; esac
		mkdir -p $dir/a $dir/b "$G/a" "$G/b" "$G/hand"
		bind "$G/a" $word:/a
		bind "$G/b" $word:/b
		run $dir/a ready proc leaves
		for thread in "/proc/$pid/task/"*; do
			[ "${thread##*/}" = "$pid" ] || put $dir/b/tasks "${thread##*/}"
		done
		only_member "$G/a" "$pid"
		only_member "$G/b" ""
		await 20 has_anon "$G/a" $MB
		# by the first alone
		put $dir/b/tasks "$pid"
		only_member "$G/b" "$pid"
		put $dir/a/tasks "$pid"
		only_member "$G/a" "$pid"
		# another one changes nothing of a move by hand, the first does
		put "$G/hand/cgroup.procs" "$pid"
		put $dir/a/tasks "${thread##*/}"
		put $dir/b/tasks "${thread##*/}"
		only_member "$G/hand" "$pid"
		put $dir/b/tasks "$pid"
		only_member "$G/b" "$pid"
		put $dir/a/tasks "$pid"
		only_member "$G/a" "$pid"
		# and when that has ended the next one, without being moved
		kill -USR1 "$pid"
		await 20 has_only "$G/b" "$pid"
		only_member "$G/a" ""
		await 20 has_anon "$G/b" $((2 * MB))
		# that is no move, so it ends none by hand
		put "$G/hand/cgroup.procs" "$pid"
		only_member "$G/hand" "$pid"
		put $dir/a/tasks "${thread##*/}"
		only_member "$G/a" "$pid"
		stop "$pid"
		await 20 is_empty "$G"
		bind "$G/a" -$word:/a
		bind "$G/b" -$word:/b
	done
	audit_is_clean
}

# leave_the_parent DIR: $pid is in the cgroup a of this hierarchy, its second thread in b; it is moved by hand, and the first one ends.
leave_the_parent() {
	run "$1/a" ready proc leaves_a_parent
	for thread in "/proc/$pid/task/"*; do
		[ "${thread##*/}" = "$pid" ] || put "$1/b/tasks" "${thread##*/}"
	done
	put "$G/hand/cgroup.procs" "$pid"
	next_step left
	only_member "$G/hand" "$pid"
}

# Where the next thread is the process has come without being moved: it stays, and so do its children; and from there it may be moved.
test_a_thread_that_is_left() {
	local dir word thread
	mount_v1 $V1/p pids
	hierarchy
	mkdir "$G/a" "$G/b" "$G/hand"
	for dir in $N $V1/p; do
		case $dir in "$N") word=name=mw ;; *) word=pids ;; esac
		mkdir $dir/a $dir/b
		bind "$G/a" $word:/a
		# to where the first one was
		leave_the_parent $dir
		put $dir/a/cgroup.procs "$pid"
		only_member "$G/a" "$pid"
		stop "$pid"
		await 20 is_empty "$G"
		bind "$G/b" $word:/b
		leave_the_parent $dir
		kill -USR1 "$pid"
		await 20 has_members "$G/hand" 2
		only_member "$G/b" ""
		# to where it is: the kernel may have moved it before the first one has ended, and tell of that afterwards
		put $dir/b/cgroup.procs "$pid"
		only_member "$G/b" "$pid"
		kill -KILL "$(members "$G/hand")"
		stop "$pid"
		await 20 is_empty "$G"
		bind "$G/a" -$word:/a
		bind "$G/b" -$word:/b
	done
	audit_is_clean
}

# Another thread becomes the first one, and the first is freed.
test_a_thread_becomes_another_program() {
	local i
	hierarchy
	mkdir $N/a $N/b "$G/a" "$G/b" "$G/hand"
	bind "$G/a" name=mw:/a
	bind "$G/b" name=mw:/b
	for i in 1 2 3 4 5; do
		run $N/a ready proc becomes $PROGS/mem anon 4M
		put $N/b/tasks "$(word 2)"
		only_member "$G/a" "$pid"
		only_member "$G/b" ""
		kill -USR1 "$pid"
		next_line
		at_step touched
		only_member "$G/b" "$pid"
		only_member "$G/a" ""
		stat_is "$G/b" anon $((4 * MB)) 10
		put "$G/hand/cgroup.procs" "$pid"
		only_member "$G/hand" "$pid"
		put $N/a/cgroup.procs "$pid"
		only_member "$G/a" "$pid"
		stop "$pid"
		await 20 is_empty "$G"
	done
	audit_is_clean
}

# A unit that restarts: its cgroup goes, and comes again by the same name.
test_made_again() {
	local i
	hierarchy
	mkdir $N/a
	bind "$G" name=mw:/a/unit
	for i in 1 2 3 4 5 6; do
		mkdir $N/a/unit
		run $N/a/unit touched mem anon 4M
		only_member "$G" "$pid"
		stat_is "$G" anon $((4 * MB)) 10
		finish_empty
		await 20 rmdir $N/a/unit
	done
	is "what is bound" "$(bound "$G")" name=mw:/a/unit
}

# Who is in it stays, and is where its new path is bound; and so is who is below.
test_renamed() {
	hierarchy
	mkdir -p $N/a/b $N/other "$G/a" "$G/b" "$G/hand"
	bind "$G/a" name=mw:/a
	bind "$G/b" name=mw:/z/b
	run $N/a/b touched mem dontneed 20M
	only_member "$G/a" "$pid"
	mv $N/a $N/z
	await 20 has_only "$G/b" "$pid"
	only_member "$G/a" ""
	# nobody remembers what was before
	next_step dropped
	next_step "touched again"
	stat_is "$G/b" anon $((10 * MB)) 6
	# by its old name there is another one
	mkdir $N/a
	put $N/a/cgroup.procs "$pid"
	only_member "$G/a" "$pid"
	put $N/z/b/cgroup.procs "$pid"
	only_member "$G/b" "$pid"
	# one that is gone is not renamed with those above it
	put "$G/hand/cgroup.procs" "$pid"
	put $N/cgroup.procs "$pid"
	only_member "$G/hand" "$pid"
	rmdir $N/z/b $N/a
	mv $N/z $N/a
	mkdir $N/a/b
	put $N/a/b/cgroup.procs "$pid"
	await 20 has_only "$G/a" "$pid"
	bind "$G/b" -name=mw:/z/b
	is "what is bound" "$(bound "$G/a")" name=mw:/a
	audit_is_clean
	finish
}

# Without cgroups a hierarchy may get others of the kernel's controllers, and is called so then.
test_remounted() {
	local both
	mount_v1 $V1/p pids
	run $V1/p touched mem dontneed 20M
	bind "$G" pids:/
	has members "$(members "$G")" "$pid"
	mount -t cgroup -o remount,pids,freezer cgroup $V1/p || fail "it cannot be remounted"
	both=$(sed -n 's/^[0-9]*:\(.*pids\):.*/\1/p' /proc/self/cgroup)
	is "what it is called" "$(echo "$both" | tr , '\n' | sort | tr '\n' ' ')" "freezer pids "
	await 20 has_only "$G" ""
	is "what is bound" "$(bound "$G")" pids:/
	next_step dropped
	next_step "touched again"
	mkdir "$G/both"
	bind "$G/both" "$both:/"
	has members "$(members "$G/both")" "$pid"
	# of the directory alone mount would take the options that are there, too
	mount -t cgroup -o remount,freezer cgroup $V1/p
	echo freezer >$V1/p.options
	await 20 has_only "$G/both" ""
	only_member "$G" ""
	mount_v1 $V1/other pids
	await 20 has_member "$G" "$pid"
	audit_is_clean
	finish
}

# A hierarchy that is unmounted stays as long as it has cgroups, and goes with the last; what is bound there waits for another one.
test_unmounted_and_mounted_again() {
	trap clear_v1 EXIT
	bind "$G" name=mw:/a
	mkdir "$G/all"
	bind "$G/all" name=mw:/
	hierarchy
	run $N touched mem dontneed 20M
	await 20 has_member "$G/all" "$pid"
	mkdir $N/a
	put $N/a/cgroup.procs "$pid"
	only_member "$G" "$pid"
	umount $N
	only_member "$G" "$pid"
	next_step dropped
	next_step "touched again"
	at_least anon "$(stat_of "$G" anon)" $((9 * MB))
	hierarchy
	only_member "$G" "$pid"
	put $N/cgroup.procs "$pid"
	has members "$(members "$G/all")" "$pid"
	rmdir $N/a
	umount $N
	await 20 is_destroyed $N
	await 20 has_only "$G/all" ""
	is "what is bound" "$(bound "$G")" name=mw:/a
	hierarchy
	await 20 has_member "$G/all" "$pid"
	mkdir $N/a
	put $N/a/cgroup.procs "$pid"
	only_member "$G" "$pid"
	audit_is_clean
	finish
}

# Before it is destroyed nothing counts any more that is bound there: a moment later it is freed.
test_a_hierarchy_that_is_about_to_go() {
	local dir word
	mount_v1 $V1/p pids
	hierarchy
	run $N touched mem anon 4M
	for dir in $N $V1/p; do
		case $dir in "$N") word=name=mw ;; *) word=pids ;; esac
		bind "$G" $word:/
		await 20 has_member "$G" "$pid"
		divert css_free_rwork_fn later=1
		umount $dir
		await 10 has_only "$G" ""
		await 10 is_diverted
		end_divert
		bind "$G" -$word:/
	done
	stop "$pid"
}

# Nobody is told of anything else: who was in it stays on his processor, and it is not mounted again.
test_a_hierarchy_that_is_destroyed() {
	hierarchy
	bind "$G" name=mw:/
	taskset -p 1 $$ >/dev/null
	load $N taskset 2 mem churn 16M 100000000
	note_loads
	await 20 is_charged
	umount $N
	await 20 is_not_charged
	stop $loads
}
# is_charged, is_not_charged: for what the load touches in three rounds. What others that are in the hierarchy have, and processors in stock, is
# much less.
peak_of_load() {
	echo 0 >"$G/memory.max_usage_in_bytes"
	note_loads
	await 20 have_gone_on 3
	peak=$(cat "$G/memory.max_usage_in_bytes")
}
is_charged() { peak_of_load && [ "$peak" -ge $((16 * MB)) ]; }
is_not_charged() { peak_of_load && [ "$peak" -lt $((8 * MB)) ]; }

test_what_is_refused() {
	local file=$G/a/memward.bind word
	hierarchy
	mkdir $N/a "$G/a" "$G/b"
	for word in mw:/a name=:/a name=m/w:/a name=mw name=mw: name=mw:a name=mw:/a/../b name=mw:/. ,name=mw:/a name=mw,:/a \
		name=mw,name=mw:/a pids,pids:/a name=mw,nothing:/a "name=m w:/a" "name=mw:/a
/b" "name=$(printf '%64s' | tr ' ' x):/a" :/a name=mw:7 -name=mw; do
		attempt EINVAL write "$file" "$word"
	done
	attempt ENAMETOOLONG write "$file" "name=mw:/$(printf '%300s' | tr ' ' x)"
	attempt ENOTDIR write "$file" name=mw:/a/cgroup.procs
	attempt ENOTDIR write "$file" name=mw:/tasks
	attempt ENOTDIR write "$file" name=mw:/tasks/file
	is "what is bound" "$(cat "$file" "$G/b/memward.bind")" ""
	is "the hooks" "$(hook come) $(hooks_of_v1)" "ready ready"
	attempt ENOENT write "$file" -name=mw:/a
	attempt ok write "$file" name=mw:/a
	attempt ok write "$file" name=mw:/a
	attempt EBUSY write "$G/b/memward.bind" name=mw:/a
	attempt ENOENT write "$G/b/memward.bind" -name=mw:/a
	attempt ENOENT write "$file" -/a
	attempt ENOTDIR write "$file" name=mw:/a/tasks
	is "what is bound" "$(cat "$file" "$G/b/memward.bind")" name=mw:/a
	chmod 666 "$file"
	attempt EPERM as 1000 $PROGS/try write "$file" name=mw:/other
	attempt EPERM as 1000 $PROGS/try write "$file" -name=mw:/a
	attempt EINVAL mount memward $MW mirror=name=mw:/a
	is "what is bound" "$(cat "$file")" name=mw:/a
}

# Where the kernel has a controller for v2 alone nobody waits for what cannot come.
test_a_controller_that_is_for_v2_alone() {
	mkdir -p $V1/m
	if mount -t cgroup -o memory cgroup $V1/m 2>/dev/null; then
		umount $V1/m
		skip "this kernel's memory controller can be on v1"
	fi
	attempt EOPNOTSUPP write "$G/memward.bind" memory:/docker
	is "what is bound" "$(bound "$G")" ""
}

# More than are looked at.
test_too_many_hierarchies() {
	local i
	trap clear_v1 EXIT
	for i in 1 2 3 4 5 6 7 8; do
		bind "$G" name=mw$i:/a
	done
	attempt ENOSPC write "$G/memward.bind" name=mw9:/a
	attempt ok write "$G/memward.bind" name=mw8:/b
	attempt ok write "$G/memward.bind" /a
	bind "$G" -name=mw3:/a
	mount_v1 $V1/9 none,name=mw9
	mkdir $V1/9/a
	bind "$G" name=mw9:/a
	run $V1/9/a touched mem anon 4M
	only_member "$G" "$pid"
	is "how many are bound" "$(bound "$G" | wc -l)" 10
	finish
}

# v2 and the mirror need nothing of it.
test_nothing_is_attached_where_nothing_is_bound() {
	hierarchy
	mkdir "$G/a"
	bind "$G/a" /bound
	is "the hooks with v2 alone" "$(hook come) $(hooks_of_v1)" "attached ready"
	bind "$G/a" name=mw:/a
	is "the hooks with v1" "$(hook come) $(hooks_of_v1)" "attached attached"
	bind "$G/a" -/bound
	is "the hooks with v1 alone" "$(hook come) $(hooks_of_v1)" "attached attached"
	rmdir "$G/a"
	is "the hooks when the group is gone" "$(hook come) $(hooks_of_v1)" "ready ready"
}

test_seen_from_a_cgroup_namespace() {
	hierarchy
	mkdir -p $N/in/by "$G/a" "$G/b"
	bind "$G/b" name=mw:/out
	bind "$G/b" name=gone:/in
	bind "$G/b" name=mw:/in/shown
	# shellcheck disable=SC2016
	in_group $N/in proc unshared sh -c 'for one in / /below; do echo "name=mw:$one" >"$1/memward.bind" || exit; done
		echo name=gone:/later >"$1/memward.bind" || exit
		cat "$1/memward.bind" "$2/memward.bind"
		for one in mw:/out gone:/in mw:/shown; do echo "-name=$one" >"$2/memward.bind" || echo "$one stays"; done' - "$G/a" "$G/b" >$TMP/seen
	is "what is seen from inside" "$(cat $TMP/seen)" "name=mw:/
name=mw:/below
name=gone:/later
name=mw:/out
name=gone:/in
name=mw:/shown"
	is "what is bound" "$(bound "$G/a")" "name=mw:/in
name=mw:/in/below
name=gone:/later"
	is "what is left" "$(bound "$G/b")" ""
}

# A path that the kernel cuts off is none. 6 and 16 times 255 are 4086, and 10 more than there is room for.
test_paths_that_are_too_long() {
	local name i
	trap 'clear_deep; clear_v1' EXIT
	name=$(printf '%254s' | tr ' ' x) deep=''
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		deep=$deep$name/
	done
	mkdir $K
	cd $K
	mkdir -p "${deep}yyyyyyyyy"
	attempt ENAMETOOLONG write "$G/memward.bind" "$(stat -c %i "${deep}yyyyyyyyy")"
	is "what is bound" "$(bound "$G")" ""
	attempt ok write "$G/memward.bind" "$(stat -c %i "$deep")"
	is "what is bound" "$(bound "$G" | wc -c)" 4087
}
# With all that is in front of them they are too long to be removed.
clear_deep() { (cd $K && rmdir -p "${deep}yyyyyyyyy"); }

test_kill() {
	hierarchy
	mkdir $N/a
	bind "$G" name=mw:/a
	in_group $N/a sleep 1000 &
	in_group "$G" sleep 1000 &
	await 20 has_members "$G" 2
	put "$G/cgroup.kill" 1
	wait
	is_empty "$G" || fail "somebody lives: $(members "$G")"
	attempt ok rmdir "$G"
}

test_a_limit_holds() {
	local status=0
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	hierarchy
	mkdir $N/a
	put "$G/memory.max" 16M
	put "$G/memory.swap.max" 0
	bind "$G" name=mw:/a
	in_group $N/a mem anon 60M >/dev/null 2>&1 &
	wait $! || status=$?
	is "how it ended" $status 137
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 1
	audit_is_clean
}

# --- two things at once ----------------------------------------------------------------------------------------------

# Processes are born, moved and end, cgroups come and go and are renamed, and hierarchies are mounted and destroyed, while what is bound
# changes. At rest all are where the kernel has them.
limit_bound_while_all_is_at_work=300
test_bound_while_all_is_at_work() {
	local i inside
	hierarchy
	mount_v1 $V1/p pids
	mkdir $N/a $N/b $V1/p/a $V1/p/b "$G/a" "$G/b" "$G/hand"
	bind "$G/a" name=mw:/a
	bind "$G/b" pids:/a/unit
	load $N/a proc churn exec true
	load $N/a proc churn map 1M
	inside=$loads
	load '' proc moves $N/a $N/b 1000000
	load '' proc moves $V1/p/a $V1/p/b 1000000
	# shellcheck disable=SC2016
	load '' sh -c 'n=0; while :; do
		mkdir "$0/unit"; sh -c "echo 0 >$0/unit/cgroup.procs; exec true"; mv "$0/unit" "$0/once"; rmdir "$0/once"
		n=$((n + 1)); echo "load:$n" >/proc/$$/comm; done' $V1/p/a
	# shellcheck disable=SC2016
	load '' sh -c 'n=0; mkdir -p "$0"; while :; do
		mount -t cgroup -o none,name=brief cgroup "$0"; mkdir "$0/a"; sh -c "echo 0 >$0/a/cgroup.procs; exec true"; rmdir "$0/a"; umount "$0"
		n=$((n + 1)); echo "load:$n" >/proc/$$/comm; done' $V1/brief
	note_loads
	for i in $(seq $((20 * ROUNDS))); do
		bind "$G/b" name=brief:/a
		bind "$G/b" name=mw:/b
		bind "$G/hand" name=brief:/
		read -r one <$N/a/cgroup.procs && echo "$one" >"$G/hand/cgroup.procs" 2>/dev/null || true
		members "$G/a" >$TMP/list
		bind "$G/hand" -name=brief:/
		bind "$G/b" -name=mw:/b
		bind "$G/b" -name=brief:/a
		audit >$TMP/audit
	done
	await 120 have_gone_on 3
	audit_is_clean
	for i in $loads; do
		case " $inside " in *" $i "*) kill -STOP "$i" ;; *) stop "$i" ;; esac
	done
	for i in $(members "$G/hand"); do
		# a move to a cgroup that is bound ends that by hand
		put $N/cgroup.procs "$i"
		put $N/a/cgroup.procs "$i"
	done
	await 20 agree "$G/a" $N/a
	at_least "members at rest" "$(members "$G/a" | wc -l)" 2
	only_member "$G/b" ""
	audit_is_clean
}
