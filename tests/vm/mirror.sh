# SPDX-License-Identifier: GPL-2.0
# The tree as the kernel's own: mount -o mirror.
mounts=no

K=$CGROUPS/bound M=$MW/bound

# mirror [OPTION [DIR...]]: mounted as a mirror, where these cgroups are there before. They are gone with all that is in them when the
# test is over, and so is the mount.
mirror() {
	local option=${1:-mirror}
	[ $# = 0 ] || shift
	unmounted
	trap 'await 20 are_cleared $K; umount $MW' EXIT
	[ $# = 0 ] || mkdir "$@"
	mount_mirror "$option"
}

agrees() {
	is "what differs" "$(differences)" ""
	is "groups that are missing" "$(stat_of $MW mirror_missing memward.status)" 0
	is nr_descendants "$(stat_of $MW nr_descendants cgroup.stat)" $(($(dirs $CGROUPS | wc -l) - 1))
}

test_what_is_there() {
	mirror mirror $K $K/a $K/a/b "$K/with a blank" $K/none
	umount $MW
	run $K/a/b touched mem dontneed 20M
	mount_mirror mirror
	agrees
	is "members" "$(members $M/a/b)" "$pid"
	is populated "$(populated $M/a)" 1
	is "anon before" "$(stat_of $M/a/b anon)" 0
	next_step dropped
	next_step "touched again"
	stat_is $M/a/b anon $((10 * MB)) 6
	stat_is $M anon $((10 * MB)) 6
	is "what it is bound to" "$(cat "$M/with a blank/memward.bind")" "/bound/with a blank"
	finish
	audit_is_clean
}

# Who ends is in no group from then on, and what he has goes. The kernel has him in his cgroup until his files have gone, too; the newest one lists him no longer.
test_who_ends_is_no_member_any_more() {
	mirror mirror $K
	run $K touched mem anon 1M
	local listed=$pid
	is "members" "$(members $M)" "$pid"
	next_step freed
	hold exit_files
	case $(uname -r) in
	7.*) listed= ;;
	esac
	is "who is in the cgroup" "$(cat $K/cgroup.procs)" "$listed"
	is "members" "$(members $M)" ""
	let_go
}

# What the kernel makes and removes is there and gone as it returns, be it that somebody has looked before.
test_what_comes_and_goes() {
	local before
	mirror
	before=$(stat -c %h $MW)
	[ ! -e $M ] || fail "$M is there"
	mkdir $K
	[ ! -e $M/a ] || fail "$M/a is there"
	mkdir $K/a
	is "links" "$(stat -c %h $MW)" $((before + 1))
	run $K/a touched mem anon 20M
	is "members" "$(members $M/a)" "$pid"
	stat_is $M/a anon $((20 * MB)) 3
	put $K/cgroup.procs "$pid"
	is "members" "$(members $M/a)" ""
	is "members" "$(members $M)" "$pid"
	rmdir $K/a
	[ ! -e $M/a ] || fail "$M/a is there"
	is "links" "$(stat -c %h $M)" 2
	agrees
	finish
	audit_is_clean
	rmdir $K
	[ ! -e $M ] || fail "$M is there"
	is "links" "$(stat -c %h $MW)" "$before"
}

# It is limited as a group that somebody has made. What it leaves is its parent's.
test_a_limit_and_what_is_left() {
	mirror mirror $K
	expect_log 'memward: .*(out of memory|oom: )'
	for _ in 1 2 3; do
		mkdir $K/unit
		is "memory.max of a new one" "$(cat $M/unit/memory.max)" max
		put $M/unit/memory.max 8M
		put $M/unit/memory.swap.max 0
		! in_group $K/unit env HURRY=1 mem anon 20M >/dev/null 2>&1 || fail "nobody was killed"
		in_group $K/unit dd if=/dev/zero of=$DISK/left bs=1M count=4 2>/dev/null
		is "oom_kill" "$(stat_of $M/unit oom_kill memory.events)" 1
		at_least "file" "$(stat_of $M/unit file)" $MB
		await 20 rmdir $K/unit
		at_least "file of its parent" "$(stat_of $M file)" $MB
		rm $DISK/left
	done
	audit_is_clean
}

test_part_of_it() {
	mirror mirror $K
	umount $MW
	mkdir $K/a
	mount_mirror mirror=/bound
	grep -q " $MW memward .*,mirror=/bound[ ,]" /proc/mounts || fail "the mount does not show it: $(grep memward /proc/mounts)"
	is "what there is" "$(dirs $MW)" "$(dirs $K)"
	run $K/a touched mem anon 4M
	is "members" "$(members $MW/a)" "$pid"
	has_not "the root's list" "$(members $MW)" "$pid"
	put $K/cgroup.procs "$pid"
	is "members" "$(members $MW/a)" ""
	has "the root's list" "$(members $MW)" "$pid"
	mkdir $CGROUPS/bound.not
	is "what there is" "$(dirs $MW)" "$(dirs $K)"
	rmdir $CGROUPS/bound.not
	stop "$pid"
	rmdir $K/a
	await 20 rmdir $K
	is "what is left" "$(dirs $MW)" .
	# and made again
	mkdir -p $K/b/c
	is "what there is" "$(dirs $MW)" "$(dirs $K)"
	run $K/b/c touched mem anon 4M
	is "members" "$(members $MW/b/c)" "$pid"
	stop "$pid"
}

# Whose it is, its files are, as in cgroup v2: he may limit what he has made, and not what that is in.
test_whose_it_is() {
	mirror mirror $K
	mkdir $K/user
	chown 1000:1000 $K/user
	attempt ok as 1000 $PROGS/try mkdir $K/user/a
	is "owner" "$(stat -c '%u %g' $M/user/a) $(stat -c '%u %g' $M/user/a/memory.max)" "1000 1000 1000 1000"
	is "owner" "$(stat -c '%u %g' $M/user)" "0 0"
	attempt ok as 1000 $PROGS/try write $M/user/a/memory.max 16M
	attempt EACCES as 1000 $PROGS/try write $M/user/memory.max 16M
	attempt EPERM as 1000 $PROGS/try mkdir $M/user/a/b
	attempt EPERM rmdir $M/user/a
	attempt ok as 1000 $PROGS/try rmdir $K/user/a
	agrees
}

test_nobody_changes_it_by_hand() {
	mirror mirror $K
	run $K touched mem anon 4M
	attempt EPERM mkdir $M/a
	attempt EPERM mkdir $MW/a
	attempt EPERM rmdir $M
	attempt EOPNOTSUPP write $M/cgroup.procs $$
	attempt EOPNOTSUPP write $MW/cgroup.procs "$pid"
	attempt EOPNOTSUPP write $MW/tasks "$pid"
	attempt EOPNOTSUPP write $M/memward.bind /
	attempt EOPNOTSUPP write $M/memward.bind -/bound
	is "what it is bound to" "$(cat $M/memward.bind)" /bound
	attempt ok write $M/memward.adopt "$pid"
	stat_is $M anon $(($(rollup Pss_Anon) * KB)) 1
	agrees
	stop "$pid"
}

test_mounts() {
	mirror mirror $K $K/domain $K/domain/threads
	expect_log 'memward: mounted already, as a mirror of /$'
	expect_log 'memward: mounted already, as a tree of its own'
	expect_log "memward: (Unknown parameter 'nomirror'|Bad value for 'mirror')"
	grep -q " $MW memward .*,mirror[ ,]" /proc/mounts || fail "the mount does not show it: $(grep memward /proc/mounts)"
	mkdir -p $TMP/second
	attempt EBUSY mount memward $TMP/second mirror=/bound
	attempt ok mount memward $TMP/second mirror
	is "what there is" "$(dirs $TMP/second)" "$(dirs $MW)"
	mount -o remount,nomemory_recursiveprot $TMP/second
	umount $TMP/second
	attempt ok mount memward $TMP/second ""
	agrees
	umount $TMP/second
	umount $MW
	attempt ENOENT mount memward $MW mirror=/bound/a
	attempt ENOTDIR mount memward $MW mirror=/bound/cgroup.procs
	attempt EINVAL mount memward $MW mirror=bound
	attempt EINVAL mount memward $MW mirror=/bound/../bound
	attempt ENOENT mount memward $MW mirror=18446744073709551614
	put $K/domain/threads/cgroup.type threaded
	attempt EOPNOTSUPP mount memward $MW mirror=/bound/domain/threads
	attempt EINVAL mount memward $MW nomirror
	attempt EINVAL mount memward $MW mirror=
	# nothing of this is left
	mount_memward
	is "what there is" "$(dirs $MW)" .
	attempt EBUSY mount memward $TMP/second mirror
	! mount -o remount,mirror $MW 2>/dev/null || fail "a tree of one's own has become a mirror"
	mkdir $MW/own
	umount $MW
	attempt EBUSY mount memward $MW mirror
	mount_memward
	rmdir $MW/own
	umount $MW
	mount_mirror "mirror=$(stat -c %i $K/domain)"
	is "what there is" "$(dirs $MW)" "$(dirs $K/domain)"
}

# All that is a part of the process's memory is a domain's.
test_threaded_ones() {
	local thread
	mirror mirror $K
	mkdir $K/threads
	put $K/threads/cgroup.type threaded
	run $K ready proc leaves
	for thread in "/proc/$pid/task/"*; do
		put $K/threads/cgroup.threads "${thread##*/}"
	done
	is "members" "$(members $M) $(members $M/threads)" "$pid "
	await 20 has_anon $M $MB
	is "what threads are charged for" "$(stat_of $M/threads anon)" 0
	stop "$pid"
}

test_in_a_cgroup_namespace() {
	mirror mirror $K $K/a $K/a/b
	umount $MW
	in_group $K/a proc unshared mount -t memward -o "mirror${MW_MOUNT_OPTIONS:+,$MW_MOUNT_OPTIONS}" memward $MW
	grep -q " $MW memward .*,mirror=/bound/a[ ,]" /proc/mounts || fail "the mount does not show it: $(grep memward /proc/mounts)"
	is "what there is" "$(dirs $MW)" "$(dirs $K/a)"
}

# A cgroup may have the name of a file. It has no group, and its processes are where the one above is.
test_a_name_that_is_taken() {
	mirror mirror $K
	mkdir $K/memward.adopt
	run $K/memward.adopt touched mem anon 4M
	is "members" "$(members $M)" "$pid"
	is "groups that are missing" "$(stat_of $MW mirror_missing memward.status)" 1
	mkdir $K/memward.adopt/a $K/other
	is "what there is" "$(dirs $M | xargs)" ". ./other"
	stop "$pid"
	rmdir $K/memward.adopt/a
	await 20 rmdir $K/memward.adopt
	await 30 is_complete
	agrees
}
is_complete() { [ "$(stat_of $MW mirror_missing memward.status)" = 0 ]; }

# One that is there for longer than it could be made, as below a bound: it is made when there is room.
test_what_is_made_later() {
	mirror mirror $K
	put $M/cgroup.max.descendants 1
	mkdir $K/a $K/b $K/b/c
	is "what there is" "$(dirs $M | xargs)" ". ./a"
	# what a processor knows of who it has run is not forgotten because another runs there
	taskset -p 1 $$ >/dev/null
	run $K/b/c touched taskset 2 mem dontneed 20M
	is "members" "$(members $M)" "$pid"
	put $M/cgroup.max.descendants max
	await 30 is_complete
	agrees
	is "members" "$(members $M/b/c)" "$pid"
	next_step dropped
	next_step "touched again"
	stat_is $M/b/c anon $((10 * MB)) 6
	stop "$pid"
}

# What is in use of a directory that goes: it is somebody's working directory, a file of it is open, something is mounted there.
test_what_is_in_use() {
	mirror mirror $K
	mkdir $K/a
	mount -t tmpfs none $M/a
	rmdir $K/a
	! grep -q " $M/a " /proc/mounts || fail "it is mounted still"
	mkdir $K/a
	exec 9>$M/a/memory.high
	chmod 600 $M/a/memory.max
	(
		cd $M/a
		rmdir $K/a
		attempt ENOENT read memory.max
		is "what there is" "$(ls)" ""
	)
	attempt ENODEV writefd 9 8M
	exec 9>&-
	agrees
	audit_is_clean
}

# slow_reader: has read a part of $M, and holds it; sets reader.
slow_reader() {
	start $CGROUPS odd slow_list $M
	case $line in
	lacking*) skip "$line" ;;
	esac
	at_step waiting
	reader=$pid
}

# Who reads a directory has it locked for as long as he likes. Nobody who makes or removes a cgroup waits for him.
test_a_reader_who_takes_his_time() {
	local reader
	mirror mirror $K
	mkdir $K/a $K/b $K/b/c
	slow_reader
	mkdir $K/d $K/a/e
	rmdir $K/b/c $K/b
	[ -d $M/a/e ] || fail "what is made elsewhere is not there"
	[ ! -d $M/b/c ] || fail "what is removed elsewhere is there"
	is "groups that are missing" "$(stat_of $MW mirror_missing memward.status)" 1
	run $K/d touched mem anon 4M
	is "members" "$(members $M)" "$pid"
	kill -USR2 "$reader"
	await 20 is_there $M/d
	await 20 is_not_there $M/b
	await 20 is_complete
	agrees
	is "members" "$(members $M/d)" "$pid"
	stop "$pid"
}
is_there() { [ -d "$1" ]; }
is_not_there() { [ ! -d "$1" ]; }

# Likewise, and nobody comes for whom all would be looked at anew.
test_a_reader_of_what_goes() {
	local reader
	mirror mirror $K
	mkdir $K/a $K/a/c $K/b
	slow_reader
	rmdir $K/b
	rmdir $K/a/c
	# after the other one
	await 20 is_not_there $M/a/c
	[ -d $M/b ] || fail "what is removed is not there, though somebody reads where it was"
	is "groups that are missing" "$(stat_of $MW mirror_missing memward.status)" 0
	kill -USR2 "$reader"
	await 20 is_not_there $M/b
	agrees
}

# Who watches a directory is told.
test_who_watches() {
	mirror mirror $K
	run $CGROUPS watching look told $M
	mkdir $K/a
	rmdir $K/a
	next_step told
	is "what is told" "$line" "told +a/ -a/"
	finish
}

# --- before who did it has returned -----------------------------------------------------------------------------------

# held_in mkdir|rmdir DIR: somebody has done it, but for the last step; sets who.
held_in() {
	# shellcheck disable=SC2016
	start $CGROUPS sh -c 'trap "exec $1 $2" USR1; echo ready; while :; do sleep 1 || true; done' sh "$1" "$2"
	who=$pid
	# who is spinning would hold up who moves a process
	divert mnt_drop_write later=1 pid="$pid"
	kill -USR1 "$pid"
	await 20 is_diverted
}
let_him_go() {
	end_divert
	wait "$who" || fail "who was held has failed: $(cat "$out")"
}

# Who is kept from returning has a worker do it.
test_its_maker_does_not_return() {
	mirror mirror $K
	held_in mkdir $K/a
	[ -d $K/a ] || fail "it is not made"
	run $K/a touched mem dontneed 20M
	mkdir $K/a/b
	is "what there is" "$(dirs $M | xargs)" ". ./a ./a/b"
	agrees
	next_step dropped
	next_step "touched again"
	# what it had before is there or in the group above
	at_least "anon of $M/a" "$(stat_of $M/a anon)" $((9 * MB))
	let_him_go
	agrees
	stop "$pid"
}

# Nobody else has made anything since.
test_its_maker_does_not_return_and_nobody_comes() {
	mirror mirror $K
	held_in mkdir $K/a
	await 20 is_there $M/a
	agrees
	let_him_go
}

test_it_is_removed_before_it_is_made() {
	mirror mirror $K
	held_in mkdir $K/a
	rmdir $K/a
	[ ! -d $M/a ] || fail "it is mirrored"
	let_him_go
	agrees
}

# What it was in is removed, too, and so it goes with that.
test_what_it_was_in_goes() {
	mirror mirror $K
	mkdir $K/a $K/a/b $K/a/b/c
	rmdir $K/a/b/c
	held_in rmdir $K/a/b
	[ -d $M/a/b ] || fail "it is gone"
	rmdir $K/a
	is "what there is" "$(dirs $M)" .
	let_him_go
	agrees
	audit_is_clean
}

test_another_by_the_same_name() {
	mirror mirror $K
	mkdir $K/a
	put $M/a/memory.max 8M
	held_in rmdir $K/a
	mkdir $K/a
	run $K/a touched mem anon 10M
	is "members" "$(members $M/a)" "$pid"
	is "memory.max" "$(cat $M/a/memory.max)" max
	let_him_go
	is "members" "$(members $M/a)" "$pid"
	agrees
	stop "$pid"
}

# Its maker has looked where it is, and has not made it yet.
test_what_it_is_in_goes_while_it_is_made() {
	local maker pids
	mirror mirror $K
	mkdir $K/b
	# shellcheck disable=SC2016
	start $CGROUPS sh -c 'trap "exec mkdir $1" USR1; echo ready; while :; do sleep 1 || true; done' sh $K/b/c
	maker=$pid
	hold mw_bindings_remove_gone
	rmdir $K/b/c &
	pids=$!
	await 20 is_not_there $K/b/c
	rmdir $K/b &
	pids="$pids $!"
	await 20 is_not_there $K/b
	let_go
	for pid in $pids $maker; do
		wait "$pid" || fail "one of them has failed"
	done
	agrees
	audit_is_clean
}

# Who unmounts does not wait for long for those who are on their way back. They do nothing any more, and the module stays until then.
test_unmounted_meanwhile() {
	mirror mirror $K
	held_in mkdir $K/a
	umount $MW
	! rmmod memward 2>/dev/null || fail "the module has gone"
	mount_mirror
	agrees
	umount $MW
	let_him_go
	await 20 rmmod memward
	modprobe memward
	mount_mirror
	agrees
}

# --- all at once ------------------------------------------------------------------------------------------------------

# Trees of cgroups come and go, processes are moved, born and end in them, and one looks at the other.
limit_a_storm=300
test_a_storm() {
	local dir i pids=''
	mirror mirror $K
	run $K ready proc bear
	for i in 1 2 3 4; do
		mkdir $K/$i
		(
			for _ in 1 2 3 4 5 6 7 8 9 10; do
				mkdir -p $K/$i/a/b $K/$i/c
				in_group $K/$i/a/b env HURRY=1 mem anon 2M >/dev/null &
				in_group $K/$i/c dd if=/dev/zero of=$DISK/storm.$i bs=64k count=8 2>/dev/null
				wait $!
				ls -lR $M/$i >/dev/null 2>&1 || true
				for dir in $K/$i/a/b $K/$i/a $K/$i/c; do
					until rmdir $dir 2>/dev/null; do :; done
				done
			done
		) &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || fail "one of them has failed"
	done
	mkdir -p $K/1/x/y $K/4/z
	await 30 is_complete
	agrees
	audit_is_clean
	rm -f $DISK/storm.*
	stop "$pid"
}

# A thousand: as a mirror begins on a machine that runs, and as it ends.
limit_a_thousand=300
test_a_thousand() {
	local i=0
	mirror mirror $K
	umount $MW
	while [ $i -lt 25 ]; do
		# shellcheck disable=SC2046
		mkdir $K/$i $(seq 39 | sed "s|^|$K/$i/|")
		i=$((i + 1))
	done
	mount_mirror mirror
	is nr_descendants "$(stat_of $M nr_descendants cgroup.stat)" 1000
	is "what there is" "$(dirs $MW)" "$(dirs $CGROUPS)"
	audit_is_clean
	umount $MW
	mount_memward
	is "what is left" "$(dirs $MW)" .
}
