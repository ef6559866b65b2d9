# SPDX-License-Identifier: GPL-2.0
# Limits on disks that are slow, that hang, or that hold other file systems than ext4. In the Debian of the release
# (scripts/vm --debian), with two disks. Nothing here says how long anything takes: what hangs hangs until the test has seen
# what it is about, or has failed.

DISK1=/dev/disk/by-id/virtio-disk1
DISK2=/dev/disk/by-id/virtio-disk2
# after so many seconds the kernel calls a task hung
HUNG_LIMIT=/proc/sys/kernel/hung_task_timeout_secs

# limit GROUP SIZE: of which all may be dirty, as is the case with who maps its files, and was with everybody before there were shares.
limit() {
	put "$1/memory.max" "$2"
	put "$1/memory.dirty_ratio" max
}
event() { stat_of "$1" "$2" memory.events; }
no_kills() { is "oom_kill" "$(event "$1" oom_kill)" 0; }

sectors() { blockdev --getsz "$1"; }

# map NAME DEVICE: a device-mapper device that can be suspended. delay NAME DEVICE MS: one that takes so long for each write.
map() { dmsetup create "$1" --table "0 $(sectors "$2") linear $2 0"; }
delay() { dmsetup create "$1" --table "0 $(sectors "$2") delay $2 0 0 $2 0 $3"; }
# becomes NAME DEVICE MS [READ_MS]: one that is there takes so long for each write from now on, and for each read.
becomes() {
	dmsetup suspend "$1"
	dmsetup load "$1" --table "0 $(sectors "$2") delay $2 0 ${4:-0} $2 0 $3"
	dmsetup resume "$1"
}
hang() { dmsetup suspend --noflush --nolockfs "$1"; }
go_on() { dmsetup resume "$1"; }

# file_system TYPE DEVICE DIR: empty, mounted.
file_system() {
	case $1 in
	xfs | btrfs | f2fs) "mkfs.$1" -f -q "$2" >/dev/null 2>&1 || "mkfs.$1" -f "$2" >/dev/null ;;
	*) "mkfs.$1" -q -F "$2" ;;
	esac || fail "mkfs.$1"
	mkdir -p "$3"
	mount -t "$1" "$2" "$3"
}

# await_exit PID SECONDS: it has ended by then; sets status.
await_exit() {
	await "$2" has_ended "$1"
	status=0
	wait "$1" || status=$?
}

# under_writeback KB: at least so much is being written, by the kernel's own count.
under_writeback() { [ "$(awk '$1 == "Writeback:" { print $2 }' /proc/meminfo)" -ge "$1" ]; }

# keep_vm FILE...: settings of the machine that vm_as_it_was brings back.
keep_vm() {
	local file
	for file; do
		kept_vm="${kept_vm-} $file=$(cat "/proc/sys/vm/$file")"
	done
}

vm_as_it_was() {
	local setting
	for setting in $kept_vm; do
		echo "${setting#*=}" >"/proc/sys/vm/${setting%%=*}"
	done
}

zeroes() { dd if=/dev/zero of="$1" bs=1M count="$2" conv=notrunc 2>/dev/null; }

# hung_pages GROUP [MB]: 4 MB of it, or so many, are being written to a disk that does not answer. They have their places there already, or the
# file system would look for some first, and hang in that. The disk answers again when the test ends, however it does.
hung_pages() {
	hung_mb=${2:-4}
	map hung $DISK1
	file_system ext4 /dev/mapper/hung /hung
	zeroes /hung/file $hung_mb
	sync -f /hung/file
	drop_caches
	in_group "$1" dd if=/dev/zero of=/hung/file bs=1M count=$hung_mb conv=notrunc 2>/dev/null
	# who syncs is not to be found hung, however long the test needs
	hung_limit=$(cat $HUNG_LIMIT)
	trap clean_up_hung EXIT
	put $HUNG_LIMIT 0
	hang hung
	sync -f /hung/file &
	hung_sync=$!
	await 60 under_writeback $((hung_mb * 1000 - 100))
}
has_hung() { under_writeback $((hung_mb * 1000 - 100)) || fail "only $(grep Writeback: /proc/meminfo) are being written"; }
clean_up_hung() {
	go_on hung
	wait $hung_sync
	put $HUNG_LIMIT "$hung_limit"
	umount /hung
	dmsetup remove hung
	[ -e /dev/mapper/slow_swap ] || return 0
	swapoff /dev/mapper/slow_swap
	dmsetup remove slow_swap
}

# big_file DIR MB: there, and not in memory.
big_file() {
	zeroes "$1/big" "$2"
	drop_caches
}

# Whatever comes of the test, the next one finds the disks free.
sound_disk() {
	umount /sound 2>/dev/null || true
	file_system ext4 $DISK2 /sound
}

# --- a disk that hangs --------------------------------------------------------------------------------------------

limit_a_hung_disk_does_not_keep_from_reading_another=240
test_a_hung_disk_does_not_keep_from_reading_another() {
	sound_disk
	big_file /sound 96
	limit "$G" 32M
	hung_pages "$G"
	in_group "$G" dd if=/sound/big of=/dev/null bs=1M 2>/dev/null &
	await_exit $! 120
	is "the status of who reads" "$status" 0
	no_kills "$G"
	has_hung
}

limit_a_childs_hung_disk_does_not_stall_its_parent=240
test_a_childs_hung_disk_does_not_stall_its_parent() {
	local begun
	sound_disk
	big_file /sound 96
	mkdir "$G/hung" "$G/reads"
	limit "$G" 32M
	hung_pages "$G/hung"
	in_group "$G/reads" dd if=/sound/big of=/dev/null bs=1M 2>/dev/null
	trap 'deafen; clean_up_hung' EXIT
	listen
	clock
	begun=$now
	in_group "$G/reads" env HURRY=1 mem anon 16M small >/dev/null &
	await_exit $! 120
	clock
	stop_listening
	is "the status of who grows" "$status" 0
	# one wait in vain a second, of 131 ms
	at_most "microseconds that were waited" "$(told reclaim_end "$G" | value_of waited_us | sum)" $(((now - begun) * 1400 + 300000))
	no_kills "$G"
	has_hung
}

# What is being written comes back page by page, so it is worth waiting for; but a sibling has clean pages all the time.
limit_a_childs_slow_disk_does_not_stall_its_sibling=400
test_a_childs_slow_disk_does_not_stall_its_sibling() {
	local writer syncs ends waits before reads
	sound_disk
	big_file /sound 24
	slow_disk ext4 6000
	trap 'put "$G/cgroup.kill" 1; becomes slow $DISK1 0; await 60 umount /slow; dmsetup remove slow; deafen' EXIT
	# what is above it has nothing
	reads=$G/1/2/3/4/5/6/7/8/9/reads
	mkdir -p "$G/writes" "$reads"
	zeroes /slow/file 16
	zeroes /slow/more 8
	drop_caches
	before=$(nr_written)
	in_group "$G/writes" mem trickle /slow/file 16M 5000 &
	writer=$!
	await 60 under_writeback 800
	await 60 have_been_written $((before + 100))
	# and is so much that it is asked as often as the sibling
	in_group "$G/writes" dd if=/dev/zero of=/slow/more bs=1M count=8 conv=notrunc 2>/dev/null
	sync -f /slow/more &
	syncs=$!
	await 60 under_writeback 8800
	cp "$PROGS/mem" $TMP/grows
	limit "$G" 32M
	listen
	in_group "$reads" cat /sound/big >/dev/null
	in_group "$reads" env HURRY=1 $TMP/grows anon 14M small >/dev/null &
	await_exit $! 200
	stop_listening
	under_writeback 4000 || fail "the disk has written it before it was measured"
	put "$G/writes/cgroup.kill" 1
	wait $writer $syncs || true
	is "the status of who grows" "$status" 0
	told reclaim_end "$G" | grep -E '^ *(cat|grows)-' >$TMP/ends
	ends=$(count <$TMP/ends)
	waits=$(value_of waited_us <$TMP/ends | awk '$1 >= 100' | count)
	say "$ends times somebody has reclaimed, and waited $waits times of these, $(value_of waited_us <$TMP/ends | sum) us"
	at_least "how often somebody has reclaimed" "$ends" 40
	is "how often somebody has waited for the other's disk" "$waits" 0
	no_kills "$G"
}

nr_written() { awk '$1 == "nr_written" { print $2 }' /proc/vmstat; }
have_been_written() { [ "$(nr_written)" -ge "$1" ]; }

# All that is left is being written, and memory.low protects it: that gives way, and so it is waited for.
limit_what_low_protects_is_waited_for=300
test_what_low_protects_is_waited_for() {
	local syncs
	slow_disk ext4 3000
	limit "$G" 32M
	mkdir "$G/a" "$G/b"
	put "$G/a/memory.low" max
	zeroes /slow/file 16
	drop_caches
	in_group "$G/a" dd if=/dev/zero of=/slow/file bs=1M count=24 conv=notrunc 2>/dev/null
	sync -f /slow/file &
	syncs=$!
	await 60 under_writeback 8000
	in_group "$G/b" env HURRY=1 mem anon 24M >/dev/null &
	await_exit $! 200
	is "the status of who grows" "$status" 0
	no_kills "$G"
	wait $syncs
}

# A file system asks for what it needs to cut a file off until it gets it (ext4 of 6.12), whatever signal there is, and all others wait for its
# journal meanwhile. There is enough to be had.
limit_who_is_killed_ends_what_it_has_begun=300
test_who_is_killed_ends_what_it_has_begun() {
	local cuts
	file_system ext4 $DISK1 /fs
	odd fragments /fs/file 60000
	zeroes /fs/cold 40
	umount /fs
	mount $DISK1 /fs
	# shellcheck disable=SC2016
	in_group "$G" sh -c 'kill -STOP $$; exec rm /fs/file' &
	await 20 is_populated "$G" 1
	cuts=$(members "$G")
	await 20 is_stopped "$cuts"
	limit "$G" 16M
	in_group "$G" dd if=/fs/cold of=/dev/null bs=1M 2>/dev/null
	divert ext4_truncate later=1 pid="$cuts" longest=60
	kill -CONT "$cuts"
	await 20 is_diverted
	kill -KILL "$cuts"
	end_divert
	await 60 has_ended "$cuts"
	at_most "KB that are used" "$(df -k /fs | awk 'END { print $3 }')" $((100 * 1024))
	no_kills "$G"
	umount /fs
}

# is_brought_back MB: the program $brings, in no group, has as much of $G's memory in swap; $G is at its limit, with dirty pages of a disk
# that hangs.
is_brought_back() {
	swap_on_map
	run "$G" filled mem smallpattern "$1"M
	brings=$pid
	ask "$G" $(($1 + $1 / 3))M
	at_least "what is in swap" "$(read_file "$G/memory.swap.current")" $((($1 - 1) * MB))
	put "$G/memory.swap.max" 0
	put $MW/cgroup.procs "$brings"
	hung_pages "$G"
	trap 'deafen; clean_up_hung' EXIT
	drain
	limit "$G" "$(current "$G")"
	listen
}

# Who is in another group and brings back what this one has in swap does not wait for its disks: others wait for him, up to 6.12 where no
# signal ends it.
limit_who_is_not_in_a_group_waits_for_none_of_its_disks=400
test_who_is_not_in_a_group_waits_for_none_of_its_disks() {
	local brings
	is_brought_back 3
	next_step checked
	stop_listening
	has_hung
	is "rounds that waited for the disk" "$(told limit_try "$G" round=waited | count)" 0
	at_least "times that the limit was in the way" "$(event "$G" max)" 1
	at_least "what has come back" "$(stat_of "$G" anon)" $((2 * MB))
	no_kills "$G"
	finish
}

# But 4 MB above the limit he does: what others wait for is not to come at the cost of the whole machine.
limit_who_is_not_in_a_group_waits_far_above_its_limit=400
test_who_is_not_in_a_group_waits_far_above_its_limit() {
	local brings
	is_brought_back 12
	kill -USR1 "$brings"
	await 60 has_tried_so round=waited
	stop_listening
	has_hung
	within "what has come back, in KB" $(($(stat_of "$G" anon) / KB)) 4096 10
	no_kills "$G"
	limit "$G" max
	go_on hung
	next_line
	at_step checked
	finish
}

# As when the machine is suspended, which gives up if somebody is not through with the kernel after 20 seconds. In a system call,
# which cannot be begun again as a page fault can.
is_frozen() { [ "$(cat "$1/freezer.state")" = FROZEN ]; }
# waits_at_its_limit GROUP FREEZER: a process of both.
waits_at_its_limit() {
	[ "$(current "$1")" -gt $(($(cat "$1/memory.max") - 256 * KB)) ] && [ "$(task_state "$(cat "$2/cgroup.procs")")" = D ]
}
freezer=/tmp/freezer
# waiter_for_hung_pages GROUP MB: it waits at its limit, in a system call, for so many that are hung. Sets waiter.
waiter_for_hung_pages() {
	mkdir -p $freezer
	mount -t cgroup -o freezer freezer $freezer
	mkdir $freezer/held
	mkdir -p /tmpfs
	mount -t tmpfs tmpfs /tmpfs
	hung_pages "$1" "$2"
	limit "$1" $(($(current "$1") + 2 * MB))
	# shellcheck disable=SC2016
	in_group "$1" sh -c 'echo 0 >"$0/cgroup.procs" && exec dd if=/dev/zero of=/tmpfs/file bs=1M count=4 2>/dev/null' $freezer/held &
	waiter=$!
	await 60 waits_at_its_limit "$1" $freezer/held
}
no_freezer() {
	rmdir $freezer/held
	umount $freezer /tmpfs
}

limit_who_waits_for_a_hung_disk_can_be_frozen=300
test_who_waits_for_a_hung_disk_can_be_frozen() {
	waiter_for_hung_pages "$G" 4
	echo FROZEN >$freezer/held/freezer.state
	await 20 is_frozen $freezer/held
	no_kills "$G"
	has_hung
	echo THAWED >$freezer/held/freezer.state
	go_on hung
	await_exit $waiter 60
	is "the status of who waited" "$status" 0
	no_kills "$G"
	no_freezer
}

# A freezer may take its time, so that is not for free: he does not get ever more memory while he is being frozen. Nor is he killed.
has_tried() { [ "$(event "$G" max)" -ge "$1" ]; }
limit_who_is_far_above_the_limit_waits_while_being_frozen=400
test_who_is_far_above_the_limit_waits_while_being_frozen() {
	local above
	waiter_for_hung_pages "$G" 12
	# without room being made, as with cgroup v2
	echo $(($(current "$G") - 8 * MB)) | dd of="$G/memory.max" oflag=nonblock 2>/dev/null
	above=$(current "$G")
	echo FROZEN >$freezer/held/freezer.state
	await 60 has_tried $(($(event "$G" max) + 2))
	no_kills "$G"
	is "its state" "$(cat $freezer/held/freezer.state)" FREEZING
	at_most "what it has by now" "$(current "$G")" $((above + 256 * KB))
	has_hung
	go_on hung
	await 60 is_frozen $freezer/held
	echo THAWED >$freezer/held/freezer.state
	await_exit $waiter 60
	is "the status of who waited" "$status" 0
	no_kills "$G"
	no_freezer
}

# --- a disk that is slow ------------------------------------------------------------------------------------------

limit_a_writer_on_a_slow_disk_lives=500
test_a_writer_on_a_slow_disk_lives() {
	delay slow $DISK1 2000
	file_system ext4 /dev/mapper/slow /slow
	limit "$G" 16M
	trap 'umount /slow && dmsetup remove slow' EXIT
	in_group "$G" dd if=/dev/zero of=/slow/file bs=1M count=$((22 * ROUNDS)) 2>/dev/null &
	await_exit $! 400
	is "the status of who writes" "$status" 0
	no_kills "$G"
}

# slow_disk TYPE MS: each write takes so long, those of mkfs do not.
slow_disk() {
	map slow $DISK1
	file_system "$1" /dev/mapper/slow /slow
	trap 'becomes slow $DISK1 0; umount /slow; dmsetup remove slow' EXIT
	becomes slow $DISK1 "$2"
}

# written_slowly TYPE MS LIMIT MB: who writes so much below such a limit comes to its end.
written_slowly() {
	slow_disk "$1" "$2"
	limit "$G" "$3"
	in_group "$G" dd if=/dev/zero of=/slow/file bs=64K count=$((16 * $4)) 2>/dev/null &
	await_exit $! 400
	is "the status of who writes" "$status" 0
	no_kills "$G"
	at_least "times that memory.max was in the way" "$(event "$G" max)" 1
}

# A group as it is made: the machine's share of its limit may be dirty, so it never comes to that, and one write() of all of it neither.
limit_out_of_the_box=500
test_out_of_the_box() {
	local writer most
	slow_disk xfs 500
	put "$G/memory.max" 64M
	is "memory.dirty_ratio" "$(cat "$G/memory.dirty_ratio")" 20
	in_group "$G" dd if=/dev/zero of=/slow/file bs=30M count=2 2>/dev/null &
	writer=$!
	most=$(largest_unwritten "$G" "$writer")
	at_least "dirty at once" "$most" $((4 * MB))
	at_most "dirty at once" "$most" $((16 * MB))
	await_exit "$writer" 400
	is "the status of who writes" "$status" 0
	no_kills "$G"
}

# What keeps a group's pages dirty is on one disk; who writes to another does not wait for that with the lock of his file held. All that he
# writes at once would cost him 200 ms for each 128 KB; the rest is what is paid for when the write is done.
limit_a_sound_disk_is_not_slowed=500
test_a_sound_disk_is_not_slowed() {
	local slow
	sound_disk
	slow_disk ext4 20000
	trap 'becomes slow $DISK1 0; umount /slow; dmsetup remove slow; umount /sound; deafen' EXIT
	put "$G/memory.max" 64M
	mkdir "$G/slow" "$G/sound"
	in_group "$G/slow" dd if=/dev/zero of=/slow/file bs=14M count=1 2>/dev/null &
	slow=$!
	await 60 is_unwritten $((12 * MB))
	listen
	in_group "$G/sound" dd if=/dev/zero of=/sound/file bs=16M count=1 2>/dev/null
	stop_listening
	! has_ended "$slow" || fail "the disk was not slow"
	becomes slow $DISK1 0
	wait $slow
	at_most "microseconds that 16 MB have waited" "$(told throttle "$G/sound" why=dirty | value_of waited_us | sum)" 5000000
}
is_unwritten() { [ "$(stat_of "$G" file_unwritten)" -ge "$1" ]; }

# Neither asks for memory with __GFP_FS, so a round waits a tenth of a second at the most.
limit_a_writer_on_slow_xfs_lives=500
test_a_writer_on_slow_xfs_lives() { written_slowly xfs 8000 16M 40; }
limit_a_writer_on_slow_btrfs_lives=500
test_a_writer_on_slow_btrfs_lives() { written_slowly btrfs 8000 16M 40; }
limit_a_small_writer_on_slow_xfs_lives=500
test_a_small_writer_on_slow_xfs_lives() { written_slowly xfs 2000 8M 20; }
limit_a_small_writer_on_slow_btrfs_lives=500
test_a_small_writer_on_slow_btrfs_lives() { written_slowly btrfs 2000 8M 20; }
# Most of a large group is on its way to the disk at once.
limit_a_large_writer_on_slow_ext4_lives=700
test_a_large_writer_on_slow_ext4_lives() { written_slowly ext4 5000 128M 200; }
limit_a_large_writer_on_slow_xfs_lives=700
test_a_large_writer_on_slow_xfs_lives() { written_slowly xfs 5000 128M 200; }
limit_a_large_writer_on_slow_btrfs_lives=700
test_a_large_writer_on_slow_btrfs_lives() { written_slowly btrfs 5000 128M 200; }
# Long after the last page has come back another one does.
limit_a_small_writer_on_a_very_slow_disk_lives=500
test_a_small_writer_on_a_very_slow_disk_lives() { written_slowly ext4 5000 1M 3; }

# A disk that writes nothing for twenty seconds is taken for one that hangs, and from then on tries are used up; this one does before there
# are none left. (A journal is written without a sign of that.)
limit_a_writer_on_a_disk_that_answers_late_lives=700
test_a_writer_on_a_disk_that_answers_late_lives() { written_slowly ext2 23000 16M 64; }

# Whoever looks for the reason why it takes so long finds it in the trace events.
limit_what_a_slow_disk_costs_is_told=500
test_what_a_slow_disk_costs_is_told() {
	local begin waited
	slow_disk ext4 5000
	trap 'becomes slow $DISK1 0; umount /slow; dmsetup remove slow; deafen' EXIT
	limit "$G" 1M
	listen
	clock
	begin=$now
	in_group "$G" dd if=/dev/zero of=/slow/file bs=64K count=48 2>/dev/null
	clock
	stop_listening
	waited=$(told reclaim_end "$G" why=limit | value_of waited_us | sum)
	say "$((waited / 1000)) ms of $(((now - begin) * 10)) ms"
	at_least "microseconds that reclaim has waited" "$waited" $(((now - begin) * 10000 / 2))
	at_most "microseconds that reclaim has waited" "$waited" $(((now - begin + 10) * 10000))
	at_least "rounds that waited" "$(told limit_try "$G" round=waited | count)" 1
	no_kills "$G"
}

# Which disks there are to wait for is asked by who waits for them, in the last round: each question goes to all processors.
limit_no_disk_is_asked_before_the_last_round=500
test_no_disk_is_asked_before_the_last_round() {
	slow_disk ext4 200
	trap 'becomes slow $DISK1 0; umount /slow; dmsetup remove slow; deafen; [ ! -e $TRACING/events/kprobes ] || put $TRACING/events/kprobes/enable 0; : >$TRACING/kprobe_events' EXIT
	limit "$G" 16M
	listen 16384
	echo 'p:asks mw_devices_note' >>$TRACING/kprobe_events
	put $TRACING/events/kprobes/asks/enable 1
	in_group "$G" dd if=/dev/zero of=/slow/file bs=1M count=40 2>/dev/null
	put $TRACING/events/kprobes/asks/enable 0
	stop_listening
	at_least "reclaims that met what is being written, and ended before" "$(told reclaim_end "$G" | grep -v 'priority=0 ' | grep -cv 'nr_writeback=0 ')" 1
	is "of these, those that asked" "$(awk '
		/ memward_reclaim_begin: / { asked[$1] = 0 }
		/ asks: / { asked[$1] = 1 }
		/ memward_reclaim_end: / && !/priority=0 / && asked[$1]' $TRACING/trace)" ''
}

# What the disk gets on with is theirs.
written_beside_others() {
	local other i
	slow_disk "$1" 2000
	mkdir "$G/small" "$G/others"
	limit "$G/small" 8M
	for i in 1 2 3; do
		in_group "$G/others" dd if=/dev/zero of=/slow/other.$i bs=1M count=60 2>/dev/null &
		other="${other-} $!"
	done
	in_group "$G/small" dd if=/dev/zero of=/slow/file bs=64K count=384 2>/dev/null &
	await_exit $! 400
	is "the status of who writes" "$status" 0
	no_kills "$G"
	becomes slow $DISK1 0
	# shellcheck disable=SC2086
	wait $other
}
limit_a_writer_beside_others_lives=900
test_a_writer_beside_others_lives() { written_beside_others ext4; }
limit_a_writer_beside_others_on_xfs_lives=900
test_a_writer_beside_others_on_xfs_lives() { written_beside_others xfs; }
limit_a_writer_beside_others_on_btrfs_lives=900
test_a_writer_beside_others_on_btrfs_lives() { written_beside_others btrfs; }

# As long as the disk writes something for others the group's turn may come, though nothing came for longer than a disk that writes
# nothing is waited for. Half of the disk answers and half does not; neither has a file system.
write_for_others() {
	local i=0
	while :; do
		dd if=/dev/urandom of=/dev/mapper/both bs=64K count=1 seek=$((i % 512)) conv=notrunc 2>/dev/null
		i=$((i + 1))
		sleep 0.3
	done
}
# is_later_or_ended HUNDREDTHS PID
is_later_or_ended() {
	clock
	[ "$now" -ge "$1" ] || has_ended "$2"
}
# half_hangs [GROUP [KB]]: 4 MB of $G, or so much of that, are being written to a half of a disk that does not answer. The other half does.
# Neither has a file system.
half_hangs() {
	local half=$((64 * MB / 512))
	hung_group=${1-$G} hung_kb=${2:-4096}
	umount /sound 2>/dev/null || true
	others='' kept_vm=''
	trap no_half EXIT
	map hung $DISK2
	printf '%s\n' "0 $half linear $DISK1 0" "$half $half linear /dev/mapper/hung 0" | dmsetup create both
	mkdir -p /tmpfs
	mount -t tmpfs tmpfs /tmpfs
	# who closes a disk last waits until all of it is written
	sleep 3600 </dev/mapper/both &
	others=$!
	keep_vm dirty_writeback_centisecs dirty_expire_centisecs
	echo 50 >/proc/sys/vm/dirty_writeback_centisecs
	echo 50 >/proc/sys/vm/dirty_expire_centisecs
	hang hung
	in_group "$hung_group" dd if=/dev/zero of=/dev/mapper/both bs=4K count=$((hung_kb / 4)) seek=16384 conv=notrunc 2>/dev/null
	await 60 under_writeback $((hung_kb * 95 / 100))
}
no_half() {
	rmmod mw_divert 2>/dev/null || true
	deafen
	[ ! -e /dev/mapper/hung ] || go_on hung
	vm_as_it_was
	[ ! "$others" ] || kill $others
	put "$G/cgroup.kill" 1
	! mountpoint -q /tmpfs || await 60 umount /tmpfs
	[ ! -e /dev/mapper/both ] || await 60 dmsetup remove both
	[ ! -e /dev/mapper/hung ] || dmsetup remove hung
}
half_has_hung() {
	under_writeback $((hung_kb * 95 / 100)) || fail "only $(grep Writeback: /proc/meminfo) are being written"
	at_least "what $hung_group has not written" "$(stat_of "$hung_group" file_unwritten)" $((hung_kb * KB * 95 / 100))
}
# needs_a_page: somebody in $G, which has the 4 MB. Sets waiting, which ends when he does, and waiter, his process.
needs_a_page() {
	limit "$G" $(($(current "$G") + 2 * MB))
	in_group "$G" dd if=/dev/zero of=/tmpfs/file bs=1M count=4 2>/dev/null &
	waiting=$!
	await 60 has_met 1
	waiter=$(cat "$G/cgroup.procs")
}
half_answers() {
	go_on hung
	await_exit $waiting 60
	is "the status of who waited" "$status" 0
	no_kills "$G"
}

limit_a_disk_that_writes_for_others_is_waited_for=500
test_a_disk_that_writes_for_others_is_waited_for() {
	half_hangs
	write_for_others &
	others="$others $!"
	needs_a_page
	# 28 would be enough for the end if the disk wrote nothing; 60 are for any
	clock
	await 300 is_later_or_ended $((now + 3500)) $waiting
	no_kills "$G"
	half_has_hung
	half_answers
}

# What a disk has written between two rounds, as one that answers in leaps does, is found by the second.
# writes_once: where the disk answers.
writes_once() {
	local before
	before=$(written_sectors)
	dd if=/dev/urandom of=/dev/mapper/both bs=64K count=1 conv=notrunc 2>/dev/null
	await 60 has_written $((before + 128))
}
written_sectors() { awk '{ print $7 }' "/sys/block/$(basename "$(readlink $DISK1)")/stat"; }
has_written() { [ "$(written_sectors)" -ge "$1" ]; }
# tries GREP: of those that the trace has, when somebody has tried; one is enough.
has_tried_so() { grep ' memward_limit_try: ' $TRACING/trace | grep -q "$1"; }
limit_what_is_written_between_two_rounds_counts=300
test_what_is_written_between_two_rounds_counts() {
	half_hangs
	listen
	needs_a_page
	# which disk it is was seen in the rounds before
	await 20 has_tried_so round=waited
	stop_listening
	divert mw_reclaim later=1 pid="$waiter" longest=60
	await 20 is_diverted
	writes_once
	listen
	end_divert
	await 20 has_tried_so round=
	stop_listening
	is "what the next round is told as" "$(told limit_try | value_of round | head -n 1)" progress
	half_has_hung
	half_answers
}

# A disk that has written nothing for twenty seconds uses up tries from then on; once it has written something there are as many as ever.
limit_a_disk_that_gets_on_gives_tries_back=400
test_a_disk_that_gets_on_gives_tries_back() {
	half_hangs
	listen
	needs_a_page
	await 120 has_tried_so tries_left=14
	writes_once
	await 20 has_tried_so round=progress
	stop_listening
	is "what was left after the disk had written" "$(told limit_try | sed -n '/round=progress/,$p' | value_of tries_left | head -n 1)" 16
	half_has_hung
	half_answers
}

# And there is an end: twenty seconds after the disk has written something last, with sixteen tries more. Counted in rounds: from the
# eighth one on each takes half a second at the least, so that a slow host makes them fewer, never more.
limit_a_hung_disk_is_not_waited_for_for_ever=300
test_a_hung_disk_is_not_waited_for_for_ever() {
	local begun
	expect_log 'memward: (out of memory|oom|/[^ ]+ is out of memory): '
	half_hangs
	listen
	clock
	begun=$now
	needs_a_page
	await 200 is_event "$G" oom_kill
	clock
	stop_listening
	half_has_hung
	# silent for 20 s, and 16 rounds in vain
	at_least "hundredths of a second until somebody was killed" $((now - begun)) 2500
	at_least "rounds that waited" "$(told limit_try "$G" round=waited | count)" 3
	at_most "rounds that waited" "$(told limit_try "$G" round=waited | count)" 60
	is "rounds in vain" "$(told limit_try "$G" round=vain | count)" 16
	wait $waiting || true
}
# Of a disk that writes for others, after a minute.
limit_a_disk_that_writes_for_others_has_an_end=400
test_a_disk_that_writes_for_others_has_an_end() {
	local begun
	expect_log 'memward: (out of memory|oom|/[^ ]+ is out of memory): '
	half_hangs
	write_for_others &
	others="$others $!"
	clock
	begun=$now
	needs_a_page
	await 300 is_event "$G" oom_kill
	clock
	half_has_hung
	at_least "hundredths of a second until somebody was killed" $((now - begun)) 6000
	wait $waiting || true
}

# What is being written is sorted anew as a whole before somebody gives up. Who does so has it in hands, and another one who finds nothing
# meanwhile waits.
test_what_another_sorts_anew_is_waited_for() {
	local first second
	swapoff -a
	mkdir "${G}_elsewhere" "$G/in"
	run "${G}_elsewhere" touched mem grow 4M 4K
	first=$pid
	run "${G}_elsewhere" touched mem grow 4M 2M
	second=$pid
	put $MW/cgroup.procs "$first"
	put $MW/cgroup.procs "$second"
	rmdir "${G}_elsewhere"
	half_hangs "$G/in" 4
	# there is nothing else
	echo 1M >"$G/in/memory.reclaim" 2>/dev/null || true
	put "$G/in/cgroup.procs" "$first"
	put "$G/cgroup.procs" "$second"
	drain
	limit "$G" "$(current "$G")"
	# by the first it is sorted when he has looked at what was being written, and anew in his last round
	divert mw_queue_sort_in pass=1 later=1 pid="$first" longest=60
	kill -USR1 "$first"
	await 20 is_diverted
	kill -USR1 "$second"
	await 20 has_met 5
	is_diverted || fail "the first has gone on"
	half_has_hung
	limit "$G" max
	end_divert
	kill -USR2 "$first" "$second"
	wait "$first" || fail "status of the first: $?"
	wait "$second" || fail "status of the second: $?"
	no_kills "$G"
}

# Nothing but what it has just written can be reclaimed, and that is a few pages at a time.  Its program is somebody else's:
# if it had to read that again and again there would be no room for anything.
test_a_few_pages_are_waited_for() {
	drop_caches
	its_program_is_others
	map slow $DISK1
	file_system ext4 /dev/mapper/slow /slow
	trap 'put "$G/cgroup.kill" 1; await 60 umount /slow; dmsetup remove slow' EXIT
	run "$G" touched mem anon 16M
	holder=$pid
	run "$G" opened mem write_later /slow/file 64K
	sync
	drain
	# what is left cannot be reclaimed
	echo 0 >"$G/memory.force_empty"
	limit "$G" $(($(current "$G") + 5 * 4096))
	becomes slow $DISK1 1500
	next_step written
	finish
	no_kills "$G"
	at_least "times that memory.max was in the way" "$(event "$G" max)" 1
	stop "$holder"
	becomes slow $DISK1 0
}

# grows_after COMMAND...: who can grow by 8 pages only if others are reclaimed waits for what the command makes possible.
grows_after() {
	local met
	met=$(event "$G" max)
	kill -USR1 "$pid"
	await 20 has_met $((met + 4))
	no_kills "$G"
	"$@"
	next_line
	at_step grown
	finish
	no_kills "$G"
}

# If it had to be read again and again, that is what would be reclaimed.
its_program_is_others() { cat "$PROGS/mem" >/dev/null; }
has_met() { [ "$(event "$G" max)" -ge "$1" ]; }

# All that could be reclaimed is being read, and so locked. (Of a device that is suspended nothing is read ahead, but page by page.)
is_being_read() { [ "$(($(current "$G") - before))" -ge $((16 * 4096)) ]; }
test_what_is_being_read_is_waited_for() {
	local before
	map slow $DISK1
	file_system ext4 /dev/mapper/slow /slow
	reader=''
	trap 'becomes slow $DISK1 0; [ ! "$reader" ] || stop "$reader"; await 20 umount /slow; dmsetup remove slow' EXIT
	zeroes /slow/file 1
	truncate -s 64K /slow/file
	sync -f /slow/file
	run "$G" opened mem read_later /slow/file
	reader=$pid
	drop_caches
	its_program_is_others
	run "$G" touched mem grow 16M 32K
	drain
	echo 0 >"$G/memory.force_empty"
	before=$(current "$G")
	becomes slow $DISK1 60000 60000
	kill -USR1 "$reader"
	await 20 is_being_read
	# what it reads it into is not for this group to pay
	put $MW/cgroup.procs "$reader"
	limit "$G" $(($(current "$G") + 2 * 4096))
	grows_after becomes slow $DISK1 0
}

# It is in a pipe, and let go soon.
test_what_somebody_holds_is_waited_for() {
	local reader
	file_system ext4 $DISK1 /fs
	trap 'umount /fs' EXIT
	zeroes /fs/file 1
	sync -f /fs/file
	await 20 is_dropped /fs/file
	its_program_is_others
	run "$G" held mem held /fs/file 64K
	reader=$pid
	# what it needs to let go is not for this group to pay
	put $MW/cgroup.procs "$reader"
	run "$G" touched mem grow 16M 32K
	drain
	echo 0 >"$G/memory.force_empty"
	limit "$G" $(($(current "$G") + 2 * 4096))
	grows_after kill -USR1 "$reader"
	stop "$reader"
}

# In a transaction of a file system nobody waits for files that are being written, nor does he die for them while there is memory that could
# be swapped out. The page at the end of a file that is cut short is read, and charged, inside of one.
test_who_may_not_wait_swaps() {
	local before
	swap_on_map
	truncate -s 32M $TMP/image
	mkfs.ext4 -q -F $TMP/image
	mkdir -p /fs
	umount /fs 2>/dev/null || true
	mount -o loop $TMP/image /fs
	run "$G" touched mem anon 20M small
	run "$G" written mem truncate /fs/cold 64K 20001
	sync -f /fs/cold
	hung_pages "$G"
	trap 'put "$G/cgroup.kill" 1; clean_up_hung; wait; await 20 umount /fs; rm -f $TMP/image' EXIT
	is "what of the file is in memory" "$(look cached /fs/cold)" 0
	drain
	# reclaim has seen that they are being written, and has sent nothing to swap
	put "$G/memory.swap.max" 0
	echo 1M >"$G/memory.reclaim" 2>/dev/null || true
	put "$G/memory.swap.max" max
	# for a second after that nobody waits, and nothing that is being written is in the way: nothing tells when it is over
	sleep 2
	limit "$G" "$(current "$G")"
	before=$(awk '$1 == "pswpout" { print $2 }' /proc/vmstat)
	next_step halved
	no_kills "$G"
	has_hung
	at_least "times that memory.max was in the way" "$(event "$G" max)" 1
	at_least "pages that were swapped out" $(($(awk '$1 == "pswpout" { print $2 }' /proc/vmstat) - before)) 1
	limit "$G" max
}

# Before somebody is killed processors give the kernel's lists what they have gathered, also where the charge has no __GFP_FS.
test_who_has_no_fs_has_it_gathered() {
	local reader first second
	expect_log 'memward: (out of memory|oom|/[^ ]+ is out of memory): '
	swapoff -a
	file_system xfs $DISK1 /fs
	trap '[ ! -e $TRACING/events/kprobes ] || put $TRACING/events/kprobes/enable 0; : >$TRACING/kprobe_events; put "$G/cgroup.kill" 1; [ ! -e "${G}_elsewhere" ] || put "${G}_elsewhere/cgroup.kill" 1; await 20 umount /fs' EXIT
	zeroes /fs/file 1
	sync -f /fs/file
	# what they need of their programs is charged elsewhere: it could be reclaimed
	mkdir "${G}_elsewhere"
	run "${G}_elsewhere" opened mem read_later /fs/file
	first=$pid
	run "${G}_elsewhere" touched mem anon 1M
	second=$pid
	run "$G" opened mem read_later /fs/file
	reader=$pid
	run "$G" touched mem anon 16M
	drop_caches
	# which takes what CPUs have in stock: that would be enough to begin with, and what was read is clean then
	audit_is_clean
	limit "$G" "$(current "$G")"
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	echo 'p:gathers mw_drain_wait' >>$TRACING/kprobe_events
	put $TRACING/events/kprobes/gathers/enable 1
	kill -USR1 "$reader"
	await 60 is_event "$G" oom_kill
	at_least "times that processors were asked" "$(awk '$1 == "gathers" { print $2 }' $TRACING/kprobe_profile)" 1
	put "$G/cgroup.kill" 1
	await 20 is_empty "$G"
	stop "$first"
	stop "$second"
	await 20 rmdir "${G}_elsewhere"
}
is_event() { [ "$(event "$1" "$2")" -gt 0 ]; }

# A file system with blocks larger than a page has no smaller folios: who needs one gets it, and is killed as others are if there is none.
test_large_blocks_find_room() {
	file_system xfs $DISK1 /fs
	umount /fs
	mkfs.xfs -f -q -b size=16384 $DISK1
	mount -t xfs $DISK1 /fs 2>/dev/null || skip "the kernel has no such XFS"
	trap 'put "$G/cgroup.kill" 1; await 20 umount /fs' EXIT
	swapoff -a
	zeroes /fs/file 8
	sync -f /fs/file
	dd if=/dev/zero of=/fs/block bs=16K count=1 conv=fsync 2>/dev/null
	run "$G" touched mem anon 16M
	run "$G" opened mem read_later /fs/block
	drop_caches
	drain
	# one page would fit
	limit "$G" $(($(current "$G") + 4096))
	next_step read
	is "kills where it is not much that is missing" "$(event "$G" oom_kill)" 0
	finish
	limit "$G" max
	expect_log 'memward: (out of memory|oom|/[^ ]+ is out of memory): '
	run "$G" opened mem read_later /fs/file
	drop_caches
	drain
	limit "$G" "$(current "$G")"
	next_step read
	is "kills" "$(event "$G" oom_kill)" 1
	finish
	# and where there is something to reclaim nobody dies
	limit "$G" 4M
	in_group "$G" dd if=/fs/file of=/dev/null bs=64K 2>/dev/null || fail "who reads has ended with $?"
	in_group "$G" dd if=/dev/zero of=/fs/new bs=64K count=256 2>/dev/null || fail "who writes has ended with $?"
	is "kills" "$(event "$G" oom_kill)" 1
}

# largest_unwritten GROUP PID: bytes that were dirty or being written at the most while the process ran, by the walk over
# all pages, not by what memory.dirty_ratio counts.
largest_unwritten() {
	local now most=0 gone=
	while [ ! "$gone" ]; do
		! has_ended "$2" || gone=yes
		sleep 0.1
		now=$(awk '$1 == "file_dirty" || $1 == "file_writeback" { sum += $2 } END { print sum + 0 }' "$1/memory.stat")
		[ "$now" -le "$most" ] || most=$now
	done
	echo "$most"
}

# dirtied RATIO KB COUNT: bytes of a limit of 100 MB that a writer of 60 MB had dirty at the most, who writes so much at once. Its disk
# takes a fifth of a second for each write.
dirtied() {
	put "$G/memory.dirty_ratio" "$1"
	in_group "$G" dd if=/dev/zero of=/slow/file bs="$2K" count="$3" 2>/dev/null &
	largest_unwritten "$G" $!
	wait $! || fail "status of who writes: $?"
	sync -f /slow/file
	is "unwritten after sync" "$(stat_of "$G" file_unwritten)" 0
}

# Nobody else has anything written: neither the machine, which has room for all of it, nor age, nor a limit that is near. Before
# anything is mounted: the first inode that is dirty, that of the disk, says when its flusher looks, to whom any dirty page is too
# many of a disk that has written nothing yet.
only_the_share_writes() {
	keep_vm dirty_background_ratio dirty_ratio dirty_writeback_centisecs
	echo 90 >/proc/sys/vm/dirty_ratio
	echo 80 >/proc/sys/vm/dirty_background_ratio
	# an hour: with 0 it looks at once
	echo 360000 >/proc/sys/vm/dirty_writeback_centisecs
}

test_a_share_of_the_limit_is_dirty() {
	trap 'vm_as_it_was; umount /slow && dmsetup remove slow; deafen' EXIT
	only_the_share_writes
	delay slow $DISK1 200
	file_system ext4 /dev/mapper/slow /slow
	limit "$G" 100M
	at_least "dirty without a share" "$(dirtied max 64 960)" $((40 * MB))
	listen
	at_most "dirty with 15 %" "$(dirtied 15 64 960)" $((18 * MB))
	at_most "dirty with 15 %, by two writes" "$(dirtied 15 30720 2)" $((18 * MB))
	rm /slow/file
	at_most "dirty with 15 %, by two writes of a new file" "$(dirtied 15 30720 2)" $((18 * MB))
	stop_listening
	at_least "microseconds that were told of" "$(told throttle "$G" why=dirty | value_of waited_us | sum)" 10000
	no_kills "$G"
}

limit_who_passes_the_share_has_it_written=300
test_who_passes_the_share_has_it_written() {
	trap 'vm_as_it_was; umount /sound' EXIT
	only_the_share_writes
	sound_disk
	limit "$G" 160M
	put "$G/memory.dirty_ratio" 5
	in_group "$G" dd if=/dev/zero of=/sound/file bs=64K count=640 2>/dev/null &
	await_exit $! 120
	is "the status of who writes" "$status" 0
	# shellcheck disable=SC2016
	in_group "$G" sh -c 'for i in $(seq 640); do head -c 65536 /dev/zero >/sound/small.$i; done' &
	await_exit $! 120
	is "the status of who writes small files" "$status" 0
	at_most "unwritten, of which the share is 8 MB" "$(stat_of "$G" file_unwritten)" $((9 * MB))
}

# --- folios of several pages --------------------------------------------------------------------------------------

# Nothing can be reclaimed, and there is room for less than the file system asks for at once: it has to do with less.
test_a_large_folio_is_not_worth_a_life() {
	file_system xfs $DISK1 /fs
	trap 'umount /fs' EXIT
	run "$G" touched mem anon 16M
	holder=$pid
	run "$G" opened mem write_later /fs/file 256K
	sync
	drain
	# what is left cannot be reclaimed
	echo 0 >"$G/memory.force_empty"
	limit "$G" $(($(current "$G") + 5 * 4096))
	next_step written
	finish
	no_kills "$G"
	stop "$holder"
}

# What a file system writes is not swapped out by who has no __GFP_FS: he may hold locks of a file system, and on XFS nobody has it who writes.
# (The writer's own faults have, so a little may go.)
limit_a_swap_file_on_nfs=400
test_a_swap_file_on_nfs() {
	local before
	modprobe nfsd 2>/dev/null || skip "the kernel has no NFS server"
	trap no_nfs_swap EXIT
	nfs_swap 64
	file_system xfs $DISK2 /sound
	limit "$G" 24M
	# anonymous memory is what is to go first
	put "$G/memory.swappiness" 200
	run "$G" touched mem anon 18M
	before=$(swapped_out)
	in_group "$G" dd if=/dev/zero of=/sound/file bs=64K count=640 2>/dev/null || fail "who writes has ended with $?"
	at_least "how often the limit was in the way" "$(event "$G" max)" 20
	say "$(($(swapped_out) - before)) pages were swapped out"
	at_most "pages that were swapped out" $(($(swapped_out) - before)) 128
	# who has it swaps
	run "$G" touched mem anon 12M
	at_least "pages that were swapped out" $(($(swapped_out) - before)) 1024
	no_kills "$G"
	stop "$pid"
}
swapped_out() { awk '$1 == "pswpout" { print $2 }' /proc/vmstat; }
# nfs_swap MB: a swap file that this machine serves to itself, and no other swap.
nfs_swap() {
	swapoff -a
	file_system ext4 $DISK1 /base
	mkdir -p /var/lib/nfs/v4recovery /nfs
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	echo '/base 127.0.0.1(rw,no_root_squash,no_subtree_check,insecure,fsid=1)' >/etc/exports
	exportfs -ra
	rpc.mountd -N 3
	rpc.nfsd -N 3 4
	# nobody comes back who was there before; an error if that is known already
	echo Y >/proc/fs/nfsd/v4_end_grace 2>/dev/null || true
	mount -t nfs4 127.0.0.1:/base /nfs
	zeroes /nfs/swap "$1"
	chmod 600 /nfs/swap
	mkswap /nfs/swap >/dev/null
	sync -f /nfs/swap
	swapon /nfs/swap
}
no_nfs_swap() {
	swapoff -a
	umount /nfs
	rpc.nfsd 0
	exportfs -au
	# the server lets go of its last files by itself
	await 60 umount /base
	umount /sound
}

# --- a swap device that is slow, or hangs ---------------------------------------------------------------------------

# swap_on_map: there is no other. What there may be on /sound is unmounted with it.
swap_on_map() {
	swapoff -a
	# which another test may have left
	umount /sound 2>/dev/null || true
	map slow_swap $DISK2
	mkswap /dev/mapper/slow_swap >/dev/null
	swapon /dev/mapper/slow_swap
	trap 'becomes slow_swap $DISK2 0; swapoff /dev/mapper/slow_swap; dmsetup remove slow_swap; ! mountpoint -q /sound || umount /sound' EXIT
}
nothing_is_written() { [ "$(awk '$1 == "Writeback:" { print $2 }' /proc/meminfo)" = 0 ]; }
# ask GROUP WHAT: of its memory.reclaim, whatever comes of it.
ask() { echo "$2" 2>/dev/null >"$1/memory.reclaim" || true; }
# all_is_wanted GROUP: more than once while it is on its way, and when it has been written.
all_is_wanted() {
	for _ in 1 2 3; do
		for _ in $(seq 8); do ask "$1" 200M; done
		await 60 nothing_is_written
	done
}
# group_of_file GROUP MB: it has read so much, which nobody else has.
group_of_file() {
	file_system ext4 $DISK1 /sound
	zeroes /sound/file "$2"
	sync -f /sound/file
	drop_caches
	in_group "$1" cat /sound/file >/dev/null
}
# is_about GROUP MB: what all that was taken has left of it.
is_about() {
	drain
	say "left of ${1#"$G"/}: $(current "$1")"
	at_least "what is left of ${1#"$G"/}" "$(current "$1")" $((($2 - 2) * MB))
	at_most "what is left of ${1#"$G"/}" "$(current "$1")" $((($2 + 6) * MB))
}

# What a parent's memory.min gives its children changes as pages of one are gone while another's are on their way.
limit_what_min_of_a_parent_protects_stays=400
test_what_min_of_a_parent_protects_stays() {
	local one two
	swap_on_map
	becomes slow_swap $DISK2 4000
	mkdir "$G/p" "$G/p/one" "$G/p/two"
	put "$G/p/memory.min" 40M
	run "$G/p/one" touched mem anon 50M
	one=$pid
	run "$G/p/two" touched mem anon 50M
	two=$pid
	ask "$G/p/one" 26M
	all_is_wanted "$G"
	is_about "$G/p" 40
	stop "$one"
	stop "$two"
}

# hung_on_its_way GROUP MB: so much of it, or some more, is on its way to a swap device that hangs.
hung_on_its_way() {
	hang slow_swap
	for _ in $(seq 20); do
		! under_writeback $(($2 * 1024)) || return 0
		ask "$1" "$2M swappiness=200"
	done
	fail "on its way: $(grep Writeback: /proc/meminfo)"
}
# goes_on GROUP: the swap device does.
goes_on() {
	go_on slow_swap
	await 60 nothing_is_written
	all_is_wanted "$1"
}

# As long as what may be taken is on its way to swap no files are taken.
limit_what_min_protects_stays_of_files_too=400
test_what_min_protects_stays_of_files_too() {
	swap_on_map
	mkdir "$G/a"
	put "$G/a/memory.min" 40M
	run "$G/a" touched mem anon 40M
	group_of_file "$G/a" 40
	hung_on_its_way "$G" 16
	for _ in 1 2 3; do ask "$G" 200M; done
	goes_on "$G"
	is_about "$G/a" 40
	stop "$pid"
}

# Nor of who has no part in what his parent protects, as another one uses it up.
limit_what_min_of_a_parent_protects_stays_of_others_too=400
test_what_min_of_a_parent_protects_stays_of_others_too() {
	swap_on_map
	mkdir "$G/p" "$G/p/a" "$G/p/b"
	put "$G/p/memory.min" 40M
	put "$G/p/a/memory.min" 40M
	run "$G/p/a" touched mem anon 40M
	group_of_file "$G/p/b" 40
	# its own memory.min is against others
	hung_on_its_way "$G/p/a" 16
	for _ in 1 2 3; do ask "$G" 200M; done
	goes_on "$G"
	is_about "$G/p" 40
	stop "$pid"
}

# But nobody is killed for what hangs on its way: it is still there.
limit_what_hangs_on_its_way_to_swap_kills_nobody=400
test_what_hangs_on_its_way_to_swap_kills_nobody() {
	local holder
	swap_on_map
	mkdir "$G/p" "$G/p/a" "$G/p/b" "$G/x"
	put "$G/p/memory.min" 80M
	run "$G/p/a" touched mem anon 60M
	holder=$pid
	group_of_file "$G/p/b" 40
	limit "$G" 104M
	hung_on_its_way "$G/p/a" 20
	in_group "$G/x" env HURRY=1 mem anon 6M >/dev/null &
	await_exit $! 200
	is "the status of who grows" "$status" 0
	no_kills "$G"
	say "memory.max was in the way $(event "$G" max) times"
	# who has found out that there is nothing else does not for each batch of 2 MB
	at_most "how often memory.max was in the way" "$(event "$G" max)" 250
	go_on slow_swap
	stop "$holder"
}

# --- file systems --------------------------------------------------------------------------------------------------

# through TYPE: 200 MB are written, read and mapped below a limit of 24 MB.
through() {
	file_system "$1" $DISK1 /fs
	trap 'umount /fs' EXIT
	limit "$G" 24M
	in_group "$G" dd if=/dev/zero of=/fs/long bs=1M count=100 2>/dev/null || fail "who writes has ended with $?"
	sync -f /fs/long
	in_group "$G" dd if=/fs/long of=/dev/null bs=1M 2>/dev/null || fail "who reads has ended with $?"
	run "$G" touched mem shared /fs/long 60M
	finish
	no_kills "$G"
	at_least "reclaimed" "$(stat_of "$G" pgsteal_file)" $((100 * 256))
}

test_ext4() { through ext4; }
test_xfs() { through xfs; }
test_btrfs() { through btrfs; }

# --- too much at once -----------------------------------------------------------------------------------------------

# Groups whose files and swap are on disks that are slow are made, used, killed and removed below a limit that they have together, while
# somebody reclaims, throttles and audits: there is memory for all, so nobody dies but who is killed by the test.
storm_on() {
	local worker rounds=0
	workers=''
	umount /sound 2>/dev/null || true
	slow_disk "$1" 50
	slow_swap 20
	trap clean_up_storm EXIT
	put "$G/memory.max" 20M
	for worker in 1 2 3; do
		work_by_turns "$G/$worker" /slow/$worker &
		workers="$workers $!"
	done
	until all_have_ended; do
		rounds=$((rounds + 1))
		echo 2M >"$G/memory.reclaim" 2>/dev/null || true
		put "$G/memory.high" $((18 + rounds % 2 * 8))M
		audit_is_clean
	done
	for worker in $workers; do
		wait "$worker" || fail "a worker has ended with $?"
	done
	say "$rounds rounds beside them"
	at_least "rounds beside them" $rounds 3
	at_least "times that the limit of all was in the way" "$(stat_of "$G" max memory.events.local)" 1
	at_least "times that somebody was held back" "$(event "$G" high)" 1
	at_least "pages that were swapped out" "$(stat_of "$G" pgsteal_anon)" 1000
	at_least "pages of files that were reclaimed" "$(stat_of "$G" pgsteal_file)" 1000
	no_kills "$G"
	calm_down
	rm -rf /slow/?
	drop_caches
	drain
	# what was being written or read as its owner was killed stays in the swap cache, for the next who reclaims
	at_most "what is charged and in no swap cache" $(($(current "$G") - $(stat_of "$G" swapcached))) $MB
	say "in the swap cache: $(stat_of "$G" swapcached)"
	echo 100M >"$G/memory.reclaim" 2>/dev/null || true
	at_most "what is charged in the end" "$(current "$G")" $MB
}
all_have_ended() {
	local one
	for one in $workers; do
		has_ended "$one" || return 1
	done
}

# work_by_turns GROUP DIR: every third time it is killed before its end.
work_by_turns() {
	local round=0 anon file size status
	mkdir "$2"
	while [ $round -lt $((6 * ROUNDS)) ]; do
		mkdir "$1"
		put "$1/memory.max" 8M
		size=12M
		# it is not to have ended before it is killed
		[ $((round % 3)) != 2 ] || size=64M
		in_group "$1" env HURRY=1 mem swapped $size >/dev/null &
		anon=$!
		in_group "$1" dd if=/dev/zero of="$2/$round" bs=64K count=200 2>/dev/null &
		file=$!
		if [ $((round % 3)) = 2 ]; then
			await 60 is_event "$1" max
			put "$1/cgroup.kill" 1
			status=0
			wait $anon || status=$?
			is "the status of who was killed" $status 137
			wait $file || true
		else
			wait $anon || fail "who needs memory has ended with $?"
			wait $file || fail "who writes has ended with $?"
			cat "$2/$round" >/dev/null
		fi
		rm -f "$2/$round"
		await 60 is_empty "$1"
		rmdir "$1"
		round=$((round + 1))
	done
}

slow_swap() {
	swapoff -a
	map swap $DISK2
	mkswap /dev/mapper/swap >/dev/null
	swapon /dev/mapper/swap
	becomes swap $DISK2 "$1"
}
no_slow_swap() {
	swapoff /dev/mapper/swap
	dmsetup remove swap
}
calm_down() {
	becomes slow $DISK1 0
	becomes swap $DISK2 0
}
# Also in the midst of it.
clean_up_storm() {
	calm_down
	# shellcheck disable=SC2086
	kill $workers 2>/dev/null || true
	put "$G/cgroup.kill" 1
	await 60 is_empty "$G"
	no_slow_swap
	# a worker may just be reading
	await 60 umount /slow
	dmsetup remove slow
}

limit_a_storm_on_slow_xfs=900
test_a_storm_on_slow_xfs() { storm_on xfs; }
limit_a_storm_on_slow_btrfs=900
test_a_storm_on_slow_btrfs() { storm_on btrfs; }
limit_a_storm_on_slow_ext4=900
test_a_storm_on_slow_ext4() { storm_on ext4; }
