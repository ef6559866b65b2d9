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
