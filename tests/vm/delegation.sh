# SPDX-License-Identifier: GPL-2.0
# A part of the tree is given to a user by chown, as in cgroup v2.

USER_ID=1000
as_user() { try as $USER_ID "$@"; }
# attempt_as_user WANT VERB...
attempt_as_user() {
	local want=$1
	shift
	attempt "$want" as $USER_ID $PROGS/try "$@"
}

delegate() { chown $USER_ID "$G" "$G/cgroup.procs" "$G/cgroup.subtree_control"; }

# A process of the user in GROUP; sets pid.
user_process() {
	try as $USER_ID /bin/busybox sleep 1000 &
	pid=$!
	put "$1/cgroup.procs" "$pid"
}

test_nobody_may_without_rights() {
	attempt_as_user EACCES mkdir "$G/a"
	attempt_as_user EACCES rmdir "$G"
	attempt_as_user EACCES write "$G/memory.high" 10M
	attempt_as_user EACCES write "$G/cgroup.procs" 0
	attempt_as_user EACCES write "$G/cgroup.kill" 1
	attempt_as_user ok read "$G/memory.current"
	is memory.high "$(cat "$G/memory.high")" max
}

# So that who may make groups cannot make the machine slow with them.
test_bounds_of_the_tree() {
	local bad
	is "depth of the tree" "$(cat $MW/cgroup.max.depth)" 64
	is "depth of a group" "$(cat "$G/cgroup.max.depth")" max
	is "descendants" "$(cat "$G/cgroup.max.descendants")" max
	delegate
	attempt_as_user EACCES write "$G/cgroup.max.depth" max
	put "$G/cgroup.max.depth" 2
	attempt_as_user ok mkdir "$G/a"
	attempt_as_user ok mkdir "$G/a/b"
	attempt_as_user ok write "$G/a/cgroup.max.depth" 10
	attempt_as_user EAGAIN mkdir "$G/a/b/c"
	put "$G/cgroup.max.depth" 1
	is "what is there" "$(find "$G" -mindepth 1 -type d | wc -l)" 2
	attempt_as_user EAGAIN mkdir "$G/a/c"
	put "$G/cgroup.max.depth" max
	put "$G/cgroup.max.descendants" 3
	attempt_as_user ok mkdir "$G/a/b/c"
	attempt_as_user EAGAIN mkdir "$G/d"
	attempt_as_user ok rmdir "$G/a/b/c"
	attempt_as_user ok mkdir "$G/d"
	attempt_as_user EAGAIN mkdir "$G/a/b/c"
	put "$G/cgroup.max.descendants" 0
	attempt_as_user EAGAIN mkdir "$G/e"
	for bad in '' -1 x 1K 2147483647 '1 2'; do
		attempt EINVAL write "$G/cgroup.max.descendants" "$bad"
		attempt EINVAL write "$G/cgroup.max.depth" "$bad"
	done
	is "descendants" "$(cat "$G/cgroup.max.descendants")" 0
}

# Nobody has to say so.
test_a_tree_is_64_deep() {
	local dir=$MW i
	trap 'put $MW/cgroup.max.depth 64; find $MW/d -depth -type d -exec rmdir {} + 2>/dev/null || true' EXIT
	for i in $(seq 64); do
		dir=$dir/d
		mkdir "$dir"
	done
	attempt EAGAIN mkdir "$dir/d"
	put $MW/cgroup.max.depth 65
	mkdir "$dir/d"
	put $MW/cgroup.max.depth 64
	attempt EAGAIN mkdir "$dir/e"
}

# To whom a part of the tree was given is charged for what he makes of it, by the kernel's own memcg.
test_memory_of_groups_is_charged_to_who_makes_them() {
	local kernel=/sys/fs/cgroup/makes
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir -p $kernel
	# shellcheck disable=SC2016
	taskset 1 sh -c 'echo 0 >"$0/cgroup.procs"; cd "$1" && exec mkdir $(seq 1000)' $kernel "$G" || fail "making groups"
	# each processor's share of their statistics, of 120 bytes at least; 5.10 may keep 128 KB of that to itself
	at_least "what is charged for shares of statistics" "$(stat_of $kernel percpu)" $((1000 * 120 * $(nproc) / 2))
	# the rest of a group is more than one KiB, which is no inode and no dentry; those count as reclaimable
	at_least "what is charged for groups" "$(stat_of $kernel slab_unreclaimable)" $((1000 * 1500))
	# shellcheck disable=SC2046
	(cd "$G" && rmdir $(seq 1000))
	rmdir $kernel
}

test_user_makes_groups() {
	delegate
	attempt_as_user ok mkdir "$G/a"
	is "owner of the group" "$(stat -c %u "$G/a")" $USER_ID
	is "owner of its files" "$(stat -c %u "$G/a/memory.high")" $USER_ID
	attempt_as_user ok write "$G/a/memory.high" 10M
	is memory.high "$(cat "$G/a/memory.high")" $((10 * MB))
	# what limits the user is not the user's
	attempt_as_user EACCES write "$G/memory.high" max
	attempt_as_user ok rmdir "$G/a"
}

test_user_moves_inside() {
	delegate
	as_user /bin/busybox mkdir "$G/a" "$G/b"
	user_process "$G/a"
	attempt_as_user ok write "$G/b/cgroup.procs" "$pid"
	is "members of b" "$(members "$G/b")" "$pid"
	attempt_as_user ok write "$G/cgroup.procs" "$pid"
	is "members of the top" "$(members "$G")" "$pid"
	attempt_as_user ok write "$G/a/cgroup.kill" 1
}

test_user_cannot_move_out() {
	delegate
	mkdir $MW/elsewhere
	user_process "$G"
	attempt_as_user EACCES write $MW/elsewhere/cgroup.procs "$pid"
	attempt_as_user EACCES write $MW/cgroup.procs "$pid"
	is members "$(members "$G")" "$pid"
}

# Both ends belong to the user, but not what is above both.
test_user_cannot_move_between_delegated_parts() {
	delegate
	mkdir $MW/other
	chown $USER_ID $MW/other $MW/other/cgroup.procs
	user_process "$G"
	attempt_as_user EACCES write $MW/other/cgroup.procs "$pid"
	is members "$(members "$G")" "$pid"
	is "members of the other" "$(members $MW/other)" ""
}

test_user_cannot_pull_in() {
	local outside
	delegate
	try as $USER_ID /bin/busybox sleep 1000 &
	outside=$!
	attempt_as_user EACCES write "$G/cgroup.procs" "$outside"
	is members "$(members "$G")" ""
	# not even itself
	attempt_as_user EACCES write "$G/cgroup.procs" 0
}

# The rights are those of who has opened the file, whoever writes.
test_rights_are_those_of_the_opener() {
	delegate
	mkdir "$G/a"
	try as $USER_ID /bin/busybox sleep 1000 &
	pid=$!
	# shellcheck disable=SC2016
	as_user /bin/busybox sh -c 'echo $1 >&3' - "$pid" 3>"$G/a/cgroup.procs"
	is members "$(members "$G/a")" "$pid"
}

# The inodes of files are made when somebody looks at them; an owner must not be forgotten.
test_owners_are_kept() {
	delegate
	chmod 600 "$G/memory.high"
	# what was used a moment ago has a second chance, the name first and the inode after it
	for _ in 1 2 3 4 5; do
		drop_caches
	done
	is "owner of cgroup.procs" "$(stat -c %u "$G/cgroup.procs")" $USER_ID
	is "mode of memory.high" "$(stat -c %a "$G/memory.high")" 600
	is "owner of memory.high" "$(stat -c %u "$G/memory.high")" 0
	attempt_as_user ok mkdir "$G/a"
}
