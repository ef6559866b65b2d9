# SPDX-License-Identifier: GPL-2.0
# Who may do what, side by side with cgroup v2: the same steps in a group of each, and the same answers.

USER_ID=1000
V2=/sys/fs/cgroup/rights

begin() {
	[ ! -d $V2 ] || remove_v2
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $V2
	trap remove_v2 EXIT
}
remove_v2() {
	local pid
	for pid in $(find $V2 -name cgroup.procs -exec cat {} +); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	await 20 is_all_removed
}
is_all_removed() {
	find $V2 -depth -type d -exec rmdir {} \; 2>/dev/null
	[ ! -d $V2 ]
}

# each COMMAND: with $tree as one group after the other.
each() {
	local tree
	for tree in "$G" $V2; do
		eval "$1"
	done
}

# both WANT VERB...: of try; @ stands for the group
both() {
	local want=$1 tree
	shift
	for tree in "$G" $V2; do
		# shellcheck disable=SC2046 # words
		attempt "$want" $(printf '%s\n' "$@" | sed "s,@,$tree,g")
	done
}
user() {
	local want=$1
	shift
	both "$want" as $USER_ID $PROGS/try "$@"
}

# A process of the user; sets pid.
user_process() {
	try as $USER_ID /bin/busybox sleep 1000 &
	pid=$!
}
delegate() { each 'chown $USER_ID $tree $tree/cgroup.procs $tree/cgroup.subtree_control'; }
# give NAME...: this alone to the user
give() {
	local name
	for name; do
		each "chown $USER_ID \$tree/$name"
	done
}
in_both() { is "members of $1" "$(cat "$G/$1/cgroup.procs") $(cat "$V2/$1/cgroup.procs")" "$2 $2"; }

test_nothing_without_rights() {
	begin
	each 'mkdir $tree/a'
	user_process
	user EACCES mkdir @/b
	user EACCES rmdir @/a
	user EACCES write @/cgroup.procs 0
	user EACCES write @/a/cgroup.procs "$pid"
	user EACCES write @/memory.high 1
	user EACCES write @/cgroup.subtree_control +memory
	user EPERM chown @/cgroup.procs $USER_ID
	user EPERM chmod @/cgroup.procs 666
	user EPERM chown @ $USER_ID
	user EPERM chmod @ 777
	user ok read @/cgroup.procs
	in_both a ""
}

test_inside_of_what_is_delegated() {
	begin
	delegate
	user ok mkdir @/a
	user ok mkdir @/a/deep
	user ok mkdir @/b
	user_process
	each 'echo $pid >$tree/a/cgroup.procs'
	user ok write @/b/cgroup.procs "$pid"
	in_both b "$pid"
	user ok write @/a/deep/cgroup.procs "$pid"
	user ok write @/cgroup.procs "$pid"
	in_both . "$pid"
	user EBUSY rmdir @/a
	user ok rmdir @/b
	user ok chmod @/a/cgroup.procs 600
	# to give something away takes more
	user EPERM chown @/a/cgroup.procs 1001
	user EPERM chown @/a 0
}

test_nothing_goes_in_or_out() {
	begin
	delegate
	each 'mkdir $tree/../rights2; chown $USER_ID $tree/../rights2 $tree/../rights2/cgroup.procs'
	user_process
	# in, from the root's
	user EACCES write @/cgroup.procs "$pid"
	user EACCES write @/cgroup.procs 0
	each 'echo $pid >$tree/cgroup.procs'
	# out
	user EACCES write @/../cgroup.procs "$pid"
	# over to another part that the same user has
	user EACCES write @/../rights2/cgroup.procs "$pid"
	in_both . "$pid"
	rmdir /sys/fs/cgroup/rights2
}

# Three places where the right to write cgroup.procs may lack.
test_common_ancestor() {
	begin
	each 'mkdir -p $tree/a/x $tree/b'
	user_process
	each 'echo $pid >$tree/a/x/cgroup.procs'
	# the destination
	give cgroup.procs
	user EACCES write @/b/cgroup.procs "$pid"
	# nothing but what counts: neither the source nor the directories
	give b/cgroup.procs
	user ok write @/b/cgroup.procs "$pid"
	# what is above both
	each 'chown 0 $tree/cgroup.procs'
	give a/x/cgroup.procs a/cgroup.procs
	user EACCES write @/a/x/cgroup.procs "$pid"
	in_both b "$pid"
	# the lowest of those is asked, not those above it
	each 'echo $pid >$tree/a/x/cgroup.procs'
	user ok write @/a/cgroup.procs "$pid"
	user ok write @/a/x/cgroup.procs "$pid"
	each 'chown 0 $tree/a/cgroup.procs'
	# to where it is already: that is the lowest itself
	user ok write @/a/x/cgroup.procs "$pid"
	each 'echo $pid >$tree/a/cgroup.procs'
	user EACCES write @/a/x/cgroup.procs "$pid"
}

test_rights_by_group_and_mode() {
	begin
	each 'mkdir $tree/a $tree/b'
	user_process
	each 'echo $pid >$tree/a/cgroup.procs'
	each 'chgrp $USER_ID $tree/cgroup.procs $tree/b/cgroup.procs; chmod 664 $tree/cgroup.procs'
	user EACCES write @/b/cgroup.procs "$pid"
	each 'chmod 664 $tree/b/cgroup.procs'
	user ok write @/b/cgroup.procs "$pid"
	each 'chmod 602 $tree/cgroup.procs; chmod 666 $tree/a/cgroup.procs'
	# the owning group has none, although others have
	user EACCES write @/a/cgroup.procs "$pid"
	each 'chown 0:0 $tree/cgroup.procs'
	user ok write @/a/cgroup.procs "$pid"
}

# Rights are about groups: whose the process is does not matter.
test_processes_of_others() {
	begin
	delegate
	user ok mkdir @/a
	sleep 1000 &
	pid=$!
	user EACCES write @/a/cgroup.procs "$pid"
	each 'echo $pid >$tree/cgroup.procs'
	user ok write @/a/cgroup.procs "$pid"
	in_both a "$pid"
}

test_groups_of_others() {
	begin
	delegate
	each 'mkdir -p $tree/a/b'
	user EACCES mkdir @/a/c
	user EACCES write @/a/cgroup.procs 0
	user EACCES rmdir @/a/b
	each 'rmdir $tree/a/b'
	# the directory above is his
	user ok rmdir @/a
}

# Who has opened the file counts, not who writes.
test_opener() {
	local outside
	begin
	delegate
	each 'mkdir $tree/a'
	user_process
	outside=$pid
	user_process
	both ok relay 0 $USER_ID @/a/cgroup.procs "$pid"
	in_both a "$pid"
	both EACCES relay $USER_ID 0 @/cgroup.procs "$outside"
	give a/cgroup.procs
	both ok relay $USER_ID 0 @/cgroup.procs "$pid"
	both EACCES relay 1001 0 @/cgroup.procs "$pid"
	in_both . "$pid"
}

# A user has a setuid program write into a file that he has opened.
test_setuid_writer() {
	begin
	local outside
	delegate
	each 'mkdir $tree/a; chown $USER_ID $tree/a/cgroup.procs'
	cp $PROGS/try /tmp/suid
	chmod 4755 /tmp/suid
	user_process
	outside=$pid
	each 'suid $outside >$TMP/said.suid; is "a pid from outside" "$(cat $TMP/said.suid)" EACCES'
	each 'suid 0 >$TMP/said.suid; is "itself" "$(cat $TMP/said.suid)" EACCES'
	user_process
	each 'echo $pid >$tree/cgroup.procs'
	each 'suid $pid >$TMP/said.suid; is "a pid from inside" "$(cat $TMP/said.suid)" ok'
	in_both a "$pid"
	rm /tmp/suid
}
# shellcheck disable=SC2016
suid() { try as $USER_ID /bin/busybox sh -c '/tmp/suid writefd 3 "$1" 3>"$2/a/cgroup.procs"' - "$1" "$tree" || true; }

# --- namespaces --------------------------------------------------------------------------------------------

allow_user_namespaces() {
	local switch=/proc/sys/kernel/unprivileged_userns_clone
	[ ! -e $switch ] || put $switch 1
}

# The user is root in a user namespace of his own: that is worth nothing outside of it.
fake_root() {
	local want=$1
	shift
	both "$want" as $USER_ID /bin/busybox unshare -U -r $PROGS/try "$@"
}

test_user_namespace() {
	begin
	allow_user_namespaces
	each 'mkdir $tree/a'
	user_process
	fake_root EACCES mkdir @/b
	fake_root EACCES write @/a/cgroup.procs 0
	fake_root EACCES write @/memory.high 1
	fake_root EPERM chown @/cgroup.procs 0
	fake_root EPERM chmod @/cgroup.procs 666
	delegate
	give a/cgroup.procs
	each 'echo $pid >$tree/cgroup.procs'
	fake_root ok write @/a/cgroup.procs "$pid"
	fake_root EACCES write @/../cgroup.procs "$pid"
	fake_root ok mkdir @/b
	is "owner of the group" "$(stat -c %u "$G/b")" $USER_ID
	attempt EACCES as $USER_ID /bin/busybox unshare -U -r $PROGS/try read $MW/memward.audit
}

test_mounting() {
	allow_user_namespaces
	mkdir -p /tmp/mine
	chown $USER_ID /tmp/mine
	attempt EPERM as $USER_ID $PROGS/try mount memward /tmp/mine ""
	attempt EPERM as $USER_ID $PROGS/try umount $MW
	attempt EPERM as $USER_ID /bin/busybox unshare -U -r -m $PROGS/try mount memward /tmp/mine ""
	[ ! -e /tmp/mine/cgroup.procs ] || fail "it is mounted"
	rmdir /tmp/mine
}

# A pid is one of the writer's namespace, and who is not in it cannot be named.
test_pid_namespace() {
	begin
	each 'mkdir $tree/a'
	# far from what a new namespace numbers its processes
	sleep 1000 &
	pid=$!
	at_least "a pid" "$pid" 50
	both ESRCH as 0 /bin/busybox unshare -p -f $PROGS/try write @/a/cgroup.procs "$pid"
	in_both a ""
	both ok as 0 /bin/busybox unshare -p -f $PROGS/try write @/a/cgroup.procs 1
	both ok as 0 /bin/busybox unshare -p -f $PROGS/try write @/a/cgroup.procs 0
	kill -0 "$pid"
}

# --- what memward has alone --------------------------------------------------------------------------------

test_files_of_the_root() {
	local name
	for name in version status; do
		attempt ok as $USER_ID $PROGS/try read $MW/memward.$name
	done
	attempt EACCES as $USER_ID $PROGS/try read $MW/memward.audit
	attempt EPERM as $USER_ID $PROGS/try chmod $MW/memward.audit 444
	attempt EACCES as $USER_ID $PROGS/try write $MW/memory.max_usage_in_bytes 0
	attempt EACCES as $USER_ID $PROGS/try write $MW/memory.peak 0
	attempt EACCES as $USER_ID $PROGS/try mkdir $MW/x
}

# The names of cgroup v1 are no way around: what is not given is not his, and for tasks the rule is the same.
test_the_other_names() {
	chown $USER_ID "$G" "$G/cgroup.procs"
	mkdir "$G/a" "$G/b"
	chown $USER_ID "$G/a/tasks" "$G/b/tasks"
	user_process
	attempt EACCES as $USER_ID $PROGS/try write "$G/tasks" "$pid"
	attempt EACCES as $USER_ID $PROGS/try write "$G/a/tasks" "$pid"
	put "$G/b/cgroup.procs" "$pid"
	attempt ok as $USER_ID $PROGS/try write "$G/a/tasks" "$pid"
	chown 0 "$G/cgroup.procs"
	attempt EACCES as $USER_ID $PROGS/try write "$G/b/tasks" "$pid"
	attempt EACCES as $USER_ID $PROGS/try write "$G/memory.max_usage_in_bytes" 0
	attempt EACCES as $USER_ID $PROGS/try write "$G/cgroup.kill" 1
	is "members of a" "$(members "$G/a")" "$pid"
}

# A limit that somebody sets below does not lift the one above.
test_a_limit_above_holds() {
	chown $USER_ID "$G"
	put "$G/memory.high" 8M
	attempt ok as $USER_ID $PROGS/try mkdir "$G/a"
	attempt ok as $USER_ID $PROGS/try write "$G/a/memory.high" max
	attempt EACCES as $USER_ID $PROGS/try write "$G/memory.high" max
	in_group "$G/a" mem curve "$G/a" 9M >/dev/null
	at_least "high events of the group above" "$(stat_of "$G" high memory.events)" 1
	is "local high events below" "$(stat_of "$G/a" high memory.events.local)" 0
}
