# SPDX-License-Identifier: GPL-2.0
# What a process had before it came to its group: memward.adopt.

# KB that the program has of the file whose path ends so.
rss_of_file() { awk -v end="$1" 'index($1, "-") { here = $NF ~ end "$" } here && $1 == "Rss:" { kb += $2 } END { print kb + 0 }' "/proc/$pid/smaps"; }

# Of files, without shared memory.
cache_of() { echo $(($(stat_of "$1" file) - $(stat_of "$1" shmem))); }

# outside STEP COMMAND...: a program in no group that has come to this step; come: it comes to $G, and what it had does not.
outside() {
	local step=$1
	shift
	run $MW "$step" "$@"
}
come() {
	put "$G/cgroup.procs" "$pid"
	at_most "what came along" "$(current "$G")" $((1 * MB))
}
adopt() { attempt ok write "$G/memward.adopt" "$pid"; }
# All that it has of its own is paid for.
adopt_all() {
	adopt
	drain
	stat_is "$G" anon $(($(rollup Pss_Anon) * KB)) 1
}

make_file() {
	dd if=/dev/zero of="$DISK/had" bs=1M count="$1" 2>/dev/null
	drop_caches
}

# --- what is charged ---------------------------------------------------------------------------------------------

test_what_it_had() {
	make_file 12
	outside mapped mem had 20M $DISK/had
	come
	adopt_all
	# the program itself may be in a memory file system, and belong to another group by now
	at_least "shmem of $G" "$(stat_of "$G" shmem)" $((20 * MB))
	at_most "shmem of $G" "$(stat_of "$G" shmem)" $(($(rollup Pss_Shmem) * KB))
	is "MB of the file that are mapped" "$(($(rss_of_file had) / 1024))" 12
	at_least "pages of files" "$(cache_of "$G")" $((12 * MB - 64 * KB))
	at_most "pages of files" "$(cache_of "$G")" $((14 * MB))
	audit_is_clean
	next_step checked
	finish
	drain
	is "anon after its end" "$(stat_of "$G" anon)" 0
	stat_below "$G" shmem $((1 * MB))
}

test_once() {
	local before
	outside filled mem smallpattern 10M
	come
	adopt
	drain
	before=$(stat_of "$G" anon)
	adopt
	drain
	at_least "anon before" "$before" $((10 * MB - 64 * KB))
	within "anon after another time" "$(stat_of "$G" anon)" "$before" 1
	finish_empty
}

# What it charged itself is not charged again.
test_what_it_has_paid_for() {
	outside touched mem grow 10M 6M
	come
	next_step grown
	at_least "anon before" "$(stat_of "$G" anon)" $((6 * MB))
	at_most "anon before" "$(stat_of "$G" anon)" $((7 * MB))
	adopt_all
	finish_empty
}

test_huge_pages_as_a_whole() {
	local huge
	[ -e /sys/kernel/mm/transparent_hugepage ] || skip "no huge pages on this kernel"
	outside touched mem thp 20M
	huge=$(rollup AnonHugePages)
	at_least "KB of huge pages" "$huge" $((16 * 1024))
	come
	adopt
	drain
	at_least "KB of huge pages afterwards" "$(rollup AnonHugePages)" "$huge"
	stat_is "$G" anon $(($(rollup Pss_Anon) * KB)) 1
	# by parts now
	next_step split
	audit_is_clean
	finish_empty
}

# A part of a huge page is mapped here, and by entries for each page: it is one page to be paid for.
test_a_huge_page_in_parts() {
	[ -e /sys/kernel/mm/transparent_hugepage ] || skip "no huge pages on this kernel"
	outside touched mem thp 8M
	at_least "KB of huge pages" "$(rollup AnonHugePages)" 8192
	next_step split
	come
	adopt
	drain
	at_least "anon of $G" "$(stat_of "$G" anon)" $((8 * MB))
	at_most "anon of $G" "$(stat_of "$G" anon)" $((9 * MB))
	finish_empty
}

test_who_paid_first_goes_on() {
	local before
	mkdir "$G/a" "$G/b"
	make_file 8
	in_group "$G/a" cat $DISK/had >/dev/null
	drain
	before=$(cache_of "$G/a")
	at_least "what a has of files" "$before" $((8 * MB))
	outside mapped mem had 1M $DISK/had
	put "$G/b/cgroup.procs" "$pid"
	attempt ok write "$G/b/memward.adopt" "$pid"
	drain
	is "what a has of files" "$(cache_of "$G/a")" "$before"
	at_least "shmem of b" "$(stat_of "$G/b" shmem)" $((1 * MB))
	at_most "what b has of files" "$(cache_of "$G/b")" $((2 * MB))
	finish
}

# It has come from a group that stays what it charged there.
test_what_was_charged_elsewhere() {
	mkdir "$G/a" "$G/b"
	run "$G/a" filled mem smallpattern 8M
	put "$G/b/cgroup.procs" "$pid"
	attempt ok write "$G/b/memward.adopt" "$pid"
	drain
	at_least "anon of a" "$(stat_of "$G/a" anon)" $((8 * MB))
	stat_below "$G/b" anon $((1 * MB))
	finish
}

test_by_a_group_above() {
	mkdir "$G/a" "$G/a/b"
	outside filled mem smallpattern 8M
	put "$G/a/b/cgroup.procs" "$pid"
	adopt
	drain
	at_least "anon of b" "$(stat_of "$G/a/b" anon)" $((8 * MB))
	finish
	outside filled mem smallpattern 8M
	put "$G/a/cgroup.procs" "$pid"
	attempt ok write $MW/memward.adopt "$pid"
	drain
	at_least "anon of a without b" "$(($(stat_of "$G/a" anon) - $(stat_of "$G/a/b" anon)))" $((8 * MB))
	finish
}

# Whoever is there by the kernel's cgroup.
test_a_bound_process() {
	local cgroup=/sys/fs/cgroup/adopted
	mkdir -p $cgroup
	outside filled mem smallpattern 8M
	put $cgroup/cgroup.procs "$pid"
	put "$G/memward.bind" /adopted
	adopt
	drain
	at_least "anon of $G" "$(stat_of "$G" anon)" $((8 * MB))
	finish
	put "$G/memward.bind" -/adopted
	await 20 rmdir $cgroup
}

test_itself() {
	local first second
	# shellcheck disable=SC2016
	sh -c 'read_anon() { while read -r key value; do [ $key != anon ] || echo $value; done <$1/memory.stat; }
		echo 0 >$1/cgroup.procs; read_anon $1; echo 0 >$1/memward.adopt; read_anon $1' - "$G" >$TMP/itself
	say "anon before and after: $(tr '\n' ' ' <$TMP/itself)"
	{ read -r first && read -r second; } <$TMP/itself
	at_least "what is more" $((second - first)) $((24 * KB))
}

test_the_first_thread_is_gone() {
	outside leaderless proc leaderless 8M
	come
	adopt
	drain
	at_least "anon of $G" "$(stat_of "$G" anon)" $((8 * MB))
	finish_empty
}

# What is dirty counts as that, until it is written.
test_dirty_pages() {
	setting /proc/sys/vm/dirty_writeback_centisecs 0
	outside touched mem shared $DISK/dirty 8M
	come
	is "file_unwritten before" "$(stat_of "$G" file_unwritten)" 0
	adopt
	at_least "file_unwritten" "$(stat_of "$G" file_unwritten)" $((7 * MB))
	audit_is_clean
	next_step synced
	# but for what the file system itself has dirtied for it
	sync
	is "file_unwritten after sync" "$(stat_of "$G" file_unwritten)" 0
	finish
	rm $DISK/dirty
}

has_swap() { [ -b "$(readlink -f /dev/disk/by-id/virtio-swap)" ] || skip "no swap"; }

# What is in swap is nobody's there, and so as it comes back; it can be taken over then.
test_what_is_in_swap() {
	has_swap
	outside filled mem back 10M
	next_step out
	at_least "KB in swap" "$(rollup Swap)" $((8 * 1024))
	come
	adopt
	drain
	stat_below "$G" anon $((1 * MB))
	next_step back
	drain
	stat_below "$G" anon $((2 * MB))
	adopt_all
	at_least "anon of $G" "$(stat_of "$G" anon)" $((10 * MB))
	finish_with_swap
}

# What has come back and was only read has a slot already, which is charged along: it leaves memory without being written.
test_what_has_come_back_from_swap() {
	has_swap
	outside filled mem back 10M
	next_step out
	next_step back
	come
	adopt
	at_least "memory.swap.current" "$(cat "$G/memory.swap.current")" $((8 * MB))
	audit_is_clean
	attempt ok write "$G/memory.reclaim" 8M
	at_least "memory.swap.current" "$(cat "$G/memory.swap.current")" $((8 * MB))
	next_step checked
	drain
	stat_is "$G" anon $(($(rollup Pss_Anon) * KB)) 5
	finish_with_swap
}

# The way to it is longer than one look is.
test_behind_much_that_is_paid_for() {
	outside touched mem below 8M 90M
	come
	next_step below
	at_most "anon before" "$(stat_of "$G" anon)" $((92 * MB))
	adopt_all
	finish_empty
}

# Locked in memory; or filled by somebody else.
test_kept_and_given_pages() {
	local words none=yes
	for words in 'locked locked' 'filled userfault'; do
		# shellcheck disable=SC2086
		set -- $words
		start $MW odd "$2" 8M
		case $line in
		lacking*) continue ;;
		esac
		at_step "$1"
		come
		adopt_all
		at_least "anon of $G" "$(stat_of "$G" anon)" $((8 * MB))
		finish_empty
		none=''
	done
	[ ! $none ] || skip "the kernel has neither"
}

test_pool_of_huge_pages() {
	setting /proc/sys/vm/nr_hugepages 8
	start $MW odd hugetlb 16M
	case $line in
	lacking*) skip "$line" ;;
	esac
	come
	adopt
	drain
	stat_below "$G" anon $((512 * KB))
	audit_is_clean
	finish_empty
}

# --- limits -------------------------------------------------------------------------------------------------------------

# 5.10 leaves in its swap cache some of what it has read ahead, whoever has charged it.
finish_with_swap() {
	finish
	drain
	stat_below "$G" anon $((256 * KB))
	audit_is_clean
}

killed() { stat_of "$G" oom_kill memory.events; }

test_more_than_memory_max() {
	has_swap
	put "$G/memory.max" 20M
	outside filled mem smallpattern 50M
	come
	adopt
	at_most "memory.current" "$(current "$G")" $((20 * MB))
	at_least "memory.current" "$(current "$G")" $((15 * MB))
	at_least "memory.swap.current" "$(cat "$G/memory.swap.current")" $((25 * MB))
	is "killed" "$(killed)" 0
	next_step checked
	finish_with_swap
}

test_more_than_memory_max_without_swap() {
	put "$G/memory.max" 20M
	put "$G/memory.swap.max" 0
	outside filled mem smallpattern 50M
	come
	attempt ENOMEM write "$G/memward.adopt" "$pid"
	at_most "memory.current" "$(current "$G")" $((20 * MB))
	at_least "memory.current" "$(current "$G")" $((15 * MB))
	is "killed" "$(killed)" 0
	put "$G/memory.max" max
	adopt_all
	finish_empty
}

# The limit is that of a group above.
test_a_limit_above() {
	mkdir "$G/a"
	put "$G/memory.max" 20M
	put "$G/memory.swap.max" 0
	outside filled mem smallpattern 50M
	put "$G/a/cgroup.procs" "$pid"
	attempt ENOMEM write "$G/a/memward.adopt" "$pid"
	at_most "memory.current" "$(current "$G")" $((20 * MB))
	is "killed" "$(killed)" 0
	put "$G/memory.max" max
	finish
}

test_less_than_a_huge_page() {
	[ -e /sys/kernel/mm/transparent_hugepage ] || skip "no huge pages on this kernel"
	outside touched mem thp 8M
	at_least "KB of huge pages" "$(rollup AnonHugePages)" 8192
	put "$G/memory.max" 1M
	come
	attempt ENOMEM write "$G/memward.adopt" "$pid"
	is "killed" "$(killed)" 0
	finish
}

test_more_than_memory_high() {
	has_swap
	put "$G/memory.high" 20M
	outside filled mem smallpattern 50M
	come
	adopt
	at_most "memory.current" "$(current "$G")" $((21 * MB))
	at_least "memory.current" "$(current "$G")" $((15 * MB))
	finish_with_swap
}

# --- who may, and what is refused ----------------------------------------------------------------------------------------

test_what_is_refused() {
	local word
	outside filled mem smallpattern 4M
	for word in '' x -1 1x '1 2' 99999999999 2; do
		attempt EINVAL write "$G/memward.adopt" "$word"
	done
	attempt ESRCH write "$G/memward.adopt" 2147483647
	# in no group, or another
	attempt ESRCH write "$G/memward.adopt" "$pid"
	attempt ESRCH write $MW/memward.adopt "$pid"
	mkdir "$G/a" "$G/b"
	put "$G/a/cgroup.procs" "$pid"
	attempt ESRCH write "$G/b/memward.adopt" "$pid"
	is "what b has" "$(current "$G/b")" 0
	attempt EACCES read "$G/memward.adopt"
	finish
}

# It was in the group.
test_who_has_ended() {
	run $MW zombie proc zombie "$G"
	attempt ESRCH write "$G/memward.adopt" "$(word 2)"
	finish
}

test_a_removed_group() {
	mkdir "$G/a"
	exec 5>"$G/a/memward.adopt"
	rmdir "$G/a"
	is "a write to it" "$(try writefd 5 "$$" 2>&1 || true)" ENODEV
	exec 5>&-
}

# What he has mapped others may have brought into memory, and may be using.
test_a_delegate() {
	outside filled try as 1000 $PROGS/mem smallpattern 4M
	chown 1000 "$G" "$G/cgroup.procs" "$G/cgroup.subtree_control"
	attempt EACCES as 1000 $PROGS/try write "$G/memward.adopt" "$pid"
	try as 1000 $PROGS/try mkdir "$G/a" >/dev/null
	put "$G/a/cgroup.procs" "$pid"
	attempt EPERM as 1000 $PROGS/try write "$G/a/memward.adopt" "$pid"
	is "what a has" "$(stat_of "$G/a" anon)" 0
	finish
}

# --- at the same time -----------------------------------------------------------------------------------------------------

test_while_it_forks_and_faults() {
	local one child
	load '' mem forking 16M
	one=$!
	put "$G/cgroup.procs" "$one"
	note_loads
	until have_gone_on 10; do
		attempt ok write "$G/memward.adopt" "$one"
		for child in $(members "$G"); do
			try write "$G/memward.adopt" "$child" >/dev/null 2>&1 || true
		done
	done
	# between two rounds it has no child
	kill -STOP "$one"
	await 20 is_stopped "$one"
	for child in $(members "$G"); do
		try write "$G/memward.adopt" "$child" >/dev/null 2>&1 || true
	done
	await 20 is_alone
	drain
	pid=$one
	adopt_all
	audit_is_clean
	stop "$one"
	await 20 is_empty "$G"
	drain
	is "anon after its end" "$(stat_of "$G" anon)" 0
}
# A child that ends is a zombie of its parent's, which is stopped, and has no memory.
is_alone() {
	local one state
	for one in $(members "$G"); do
		state=$(task_state "$one" 2>/dev/null) || continue
		case $state in
		T | Z) ;;
		*) return 1 ;;
		esac
	done
}

test_several_at_once() {
	local pids='' one
	outside filled mem smallpattern 40M
	come
	for _ in 1 2 3 4; do
		echo "$pid" >"$G/memward.adopt" &
		pids="$pids $!"
	done
	for one in $pids; do wait "$one" || fail "a writer has failed"; done
	drain
	adopt_all
	audit_is_clean
	finish_empty
}

# While reclaim takes what has just been charged.
test_while_reclaim_takes_it() {
	local one
	has_swap
	outside filled mem smallpattern 30M
	come
	(while :; do echo 2M >"$G/memory.reclaim" 2>/dev/null || true; done) &
	one=$!
	# in a loop: five times, and until a third of it was taken
	for _ in 1 2 3 4 5; do adopt; done
	until [ "$(stat_of "$G" pgsteal)" -ge 2560 ]; do adopt; done
	stop "$one"
	audit_is_clean
	next_step checked
	finish_with_swap
}

# Whoever adopts it is held where he makes room: that does not keep its memory.
test_killed_meanwhile() {
	local writer
	has_swap
	put "$G/memory.max" 10M
	outside filled mem smallpattern 20M
	come
	mkfifo $TMP/go
	# shellcheck disable=SC2016
	sh -c 'read -r _ <"$0"; echo "$1" >"$2"' $TMP/go "$pid" "$G/memward.adopt" 2>/dev/null &
	writer=$!
	divert psi_memstall_enter later=1 pid="$writer"
	echo >$TMP/go
	await 60 is_diverted
	at_least "anon of $G" "$(stat_of "$G" anon)" $((5 * MB))
	stop "$pid"
	await 20 is_empty "$G"
	drain
	# what the writer has gathered last
	at_most "anon of $G" "$(stat_of "$G" anon)" $((1 * MB))
	end_divert
	wait "$writer" && fail "the writer has adopted who is dead" || true
	drain
	is "anon after its end" "$(stat_of "$G" anon)" 0
	audit_is_clean
}

# Everything that can be done to memory, in groups and out of them, while it is taken over, reclaimed and handed up.
limit_a_storm=400
test_a_storm() {
	local one turn=0
	has_swap
	mkdir "$G/a" "$G/b"
	put "$G/memory.max" 40M
	for _ in 1 2 3; do load '' odd mix 16M 1000000; done
	note_loads
	while [ $turn -lt 12 ] || ! have_gone_on 10; do
		turn=$((turn + 1))
		for one in $loads; do
			case $(((turn + one) % 3)) in
			0) put "$G/a/cgroup.procs" "$one" ;;
			1) put "$G/b/cgroup.procs" "$one" ;;
			2) put "$MW/cgroup.procs" "$one" ;;
			esac
			# a group of its own, or none; or there is no room
			try write $MW/memward.adopt "$one" >>$TMP/adopted 2>&1 || true
		done
		(echo 4M >"$G/memory.reclaim") 2>/dev/null || true
		rmdir "$G/b" 2>/dev/null && mkdir "$G/b"
		[ $((turn % 4)) != 0 ] || audit_is_clean
	done
	for one in $loads; do
		kill -USR1 "$one"
		wait "$one"
	done
	say "$turn turns: $(sort $TMP/adopted | uniq -c | tr '\n' ' ')"
	at_least "how often something was adopted" "$(grep -c '^ok$' $TMP/adopted)" 8
	await 20 is_empty "$G"
	drain
	# what was on its way to swap as its process ended, huge pages perhaps, is in the swap cache until somebody asks for it
	(echo 100M >"$G/memory.reclaim") 2>/dev/null || true
	stat_below "$G" anon $((1 * MB))
	audit_is_clean
}
