# SPDX-License-Identifier: GPL-2.0
# memory.min and memory.low: what is spared when others have something to give. With 1200M of swap: 5.10 fills as much as a
# process writes before it frees any of it, also if nothing but mlock() protects the rest.

# group_with NAME SIZE FILE SETTING: of which so much is to be kept.
group_with() {
	mkdir "$G/$1"
	put "$G/$1/$3" "$4"
	run "$G/$1" filled mem smallpattern "$2"
	eval "$1=$pid"
}
left() { current "$G/$1"; }
low_events() { stat_of "$G/$1" low memory.events; }
stop_both() {
	# shellcheck disable=SC2154 # by group_with
	stop "$a"
	# shellcheck disable=SC2154
	stop "$b"
}

test_files() {
	is "memory.min" "$(cat "$G/memory.min")" 0
	is "memory.low" "$(cat "$G/memory.low")" 0
	attempt ok write "$G/memory.low" 1M
	is "memory.low" "$(cat "$G/memory.low")" $MB
	attempt ok write "$G/memory.min" max
	is "memory.min" "$(cat "$G/memory.min")" max
	attempt EINVAL write "$G/memory.min" 1q
	is "memory.min" "$(cat "$G/memory.min")" max
}

# What is read need not be waited for, where memory.low would give way as its neighbour's is on a disk that is slow.
test_low_is_spared() {
	mkdir "$G/a" "$G/b"
	put "$G/a/memory.low" 21M
	file_of 20
	file_of 19
	in_group "$G/a" dd if=$DISK/file.20 of=/dev/null bs=1M 2>/dev/null
	in_group "$G/b" dd if=$DISK/file.19 of=/dev/null bs=1M 2>/dev/null
	attempt ok write "$G/memory.reclaim" 15M
	at_least "left of a" "$(left a)" $((20 * MB))
	at_most "left of b" "$(left b)" $((6 * MB))
	is "low events" "$(low_events a)" 0
}

test_low_gives_way() {
	group_with a 20M memory.low 21M
	group_with b 20M memory.low 0
	attempt ok write "$G/memory.reclaim" 30M
	at_most "left of both" "$(current "$G")" $((11 * MB))
	at_least "low events" "$(low_events a)" 1
	stop_both
}

# tries_of_b SIZE TRIES: b locks so much in memory, for which nobody is killed, nor were less than so many tries left.
tries_of_b() {
	listen 8192
	trap deafen EXIT
	in_group "$G/b" env HURRY=1 mem bound - "$1" locked >/dev/null || fail "who wanted $1 ended with $?"
	stop_listening
	is "kills" "$(stat_of "$G" oom_kill memory.events)" 0
	at_least "how often there was no room" "$(stat_of "$G" max memory.events)" 1
	at_least "tries that were left" "$(echo 16 "$(told limit_try "$G" round=vain | value_of tries_left)" | xargs -n 1 | sort -n | head -n 1)" "$2"
}

# The more of its memory.low a group uses, the more it gives: it may use a part of it that is as good as none, with `max` for one. Nobody
# is killed because of that.
test_low_gives_way_if_it_is_far_away() {
	put "$G/memory.max" 50M
	mkdir "$G/b"
	group_with a 40M memory.low max
	tries_of_b 30M 8
	at_least "low events" "$(low_events a)" 1
	# newer kernels have the last few pages that were locked in a list of the processor, and they are still met: but they do not come
	# round until as many were looked at as are locked
	at_most "pages of b that were looked at" "$(stat_of "$G/b" pgscan)" 1000000
	stop "$a"
}

# Of 300 MB that are all in use 4 MB more are there than memory.min protects. They are found before there are no tries left.
test_what_min_does_not_protect_is_found() {
	put "$G/memory.max" 303M
	mkdir "$G/b"
	group_with a 300M memory.min 296M
	tries_of_b 4M 8
	at_least "left of a" "$(left a)" $((296 * MB))
	stop "$a"
}

# Of 300 MB 180 are protected: two thirds are looked at in a round, however large the group, so it is not tries that this takes.
test_much_of_a_large_group_is_looked_at() {
	put "$G/memory.max" 303M
	mkdir "$G/b"
	group_with a 300M memory.min 180M
	tries_of_b 10M 14
	stop "$a"
}

# With twice its protection a group is looked at as a whole, but that is not to be taken as a whole, however much is wanted of all.
test_what_min_protects_stays_if_much_is_wanted() {
	group_with a 300M memory.min 30M
	group_with b 100M memory.min 0
	reclaim_all
	say "left of a: $(left a), of b: $(left b)"
	# what processors have in stock counts as used, 512 KB each at most
	at_least "left of a" "$(left a)" $((28 * MB))
	at_most "left of b" "$(left b)" $((1 * MB))
	stop_both
}
# More than there is; and what was on its way to swap then.
reclaim_all() {
	attempt EAGAIN write "$G/memory.reclaim" 2G
	await 20 nothing_is_written
	attempt EAGAIN write "$G/memory.reclaim" 2G
}
nothing_is_written() { [ "$(awk '$1 == "Writeback:" { print $2 }' /proc/meminfo)" = 0 ]; }

# To a batch of reclaim's (32 pages; up to 20 were seen, of those that are just being written): what the processor that takes it has freed, and
# has in stock until it has 128 of them, does not count as there.
test_what_min_protects_stays_to_a_batch() {
	group_with a 60M memory.min 40M
	drain
	# on one processor: that it changes in between is rare, and then the other one keeps what it has
	on_one write "$G/memory.reclaim" 2G
	await 20 nothing_is_written
	on_one write "$G/memory.reclaim" 2G
	say "left of a: $(left a)"
	at_least "left of a" "$(left a)" $((40 * MB - 32 * 4096))
	at_most "left of a" "$(left a)" $((41 * MB))
	# shellcheck disable=SC2154 # by group_with
	stop "$a"
}

on_one() { is "the answer" "$(taskset 1 try "$@" 2>&1 || true)" EAGAIN; }

# Nor do several take of it what one may.
test_what_min_protects_stays_if_several_want_it() {
	local pids=''
	group_with a 200M memory.min 60M
	for _ in 1 2 3 4; do
		echo 2G 2>/dev/null >"$G/memory.reclaim" &
		pids="$pids $!"
	done
	for pid in $pids; do wait "$pid" || true; done
	await 20 nothing_is_written
	attempt EAGAIN write "$G/memory.reclaim" 2G
	say "left of a: $(left a)"
	# 32 pages that each of the others has in hands, and what processors have in stock
	at_least "left of a" "$(left a)" $((58 * MB))
	at_most "left of a" "$(left a)" $((64 * MB))
	# shellcheck disable=SC2154 # by group_with
	stop "$a"
}

# Nor is a huge page taken of which a part is protected, but for what another processor has in stock, up to 512 KB. Of 30 of 2 MB, and some 700 KB of
# small ones, 22 are left, or 21 if that is as much.
test_huge_pages_are_not_cut() {
	[ -e /sys/kernel/mm/transparent_hugepage ] || skip "no huge pages on this kernel"
	mkdir "$G/a"
	put "$G/a/memory.min" 43M
	run "$G/a" touched taskset 1 mem thp 60M
	at_least "KB of huge pages" "$(rollup AnonHugePages)" $((50 * 1024))
	drain
	for _ in 1 2 3; do echo 300M >"$G/memory.reclaim" 2>/dev/null || true; done
	say "left of a: $(left a)"
	at_least "left of a" "$(left a)" $((43 * MB - 512 * KB))
	at_most "left of a" "$(left a)" $((46 * MB))
	finish
}

# What could have been looked at before memory.min was raised is not taken after that.
test_a_raised_min_holds_at_once() {
	local before
	group_with a 100M memory.min 60M
	group_with b 1M memory.min 0
	attempt ok write "$G/memory.reclaim" 2M
	put "$G/a/memory.min" 200M
	drain
	before=$(left a)
	attempt EAGAIN write "$G/memory.reclaim" 20M
	# some may have been on their way to swap
	at_least "left of a" "$(left a)" $((before - 160 * 4096))
	stop_both
}

test_min_does_not() {
	group_with a 20M memory.min 21M
	group_with b 20M memory.low 0
	attempt EAGAIN write "$G/memory.reclaim" 30M
	at_least "left of a" "$(left a)" $((20 * MB))
	at_most "left of b" "$(left b)" $((1 * MB))
	stop_both
}

# Its own protection is against others.
test_own_protection_does_not_count() {
	put "$G/memory.min" max
	run "$G" filled mem smallpattern 20M
	attempt ok write "$G/memory.reclaim" 10M
	at_most "left" "$(current "$G")" $((11 * MB))
	finish
}

# What two children claim is more than their parent has: each gets its part, as it uses it.
test_effective_values() {
	put "$G/memory.low" 30M
	group_with a 20M memory.low 40M
	group_with b 10M memory.low 10M
	stat_is "$G" protected_low $((30 * MB)) 0
	stat_is "$G/a" protected_low $((20 * MB)) 5
	stat_is "$G/b" protected_low $((10 * MB)) 5
	put "$G/memory.low" 15M
	stat_is "$G/a" protected_low $((10 * MB)) 5
	stat_is "$G/b" protected_low $((5 * MB)) 5
	is "protected_min" "$(stat_of "$G/a" protected_min)" 0
	stop_both
}

# What nobody claims is for all below, unless the mount option says that it is not.
test_recursive_protection() {
	put "$G/memory.min" 30M
	group_with a 20M memory.min 0
	stat_is "$G/a" protected_min $((20 * MB)) 5
	mount -o remount,nomemory_recursiveprot $MW
	grep -q " $MW memward .*nomemory_recursiveprot" /proc/mounts || fail "/proc/mounts says nothing of it"
	is "protected_min without it" "$(stat_of "$G/a" protected_min)" 0
	mkdir /tmp/second
	mount_memward /tmp/second
	is "protected_min with a second mount" "$(stat_of "$G/a" protected_min)" 0
	umount /tmp/second
	mount -t memward -o memory_recursiveprot memward /tmp/second
	stat_is "$G/a" protected_min $((20 * MB)) 5
	umount /tmp/second
	expect_log "memward: Unknown parameter 'memory_recursive'"
	if mount -t memward -o memory_recursive memward /tmp/second 2>/dev/null; then fail "any option is taken"; fi
	rmdir /tmp/second
	# shellcheck disable=SC2154
	stop "$a"
}

# siblings KIND: cgroup v2's own example. 50M are protected, the children want 75M, 25M, nothing and 500M of it, and three of
# them have 50M of files, when somebody beside them needs 148M of 200M.
siblings() {
	local child
	put "$G/memory.max" 200M
	put "$G/memory.swap.max" 0
	mkdir "$G/p" "$G/g"
	put "$G/p/memory.$1" 50M
	for child in c:75M d:25M e:0 f:500M; do
		mkdir "$G/p/${child%:*}"
		put "$G/p/${child%:*}/memory.$1" "${child#*:}"
	done
	# nobody reads for another group on the processor that has charged c's last pages
	for child in c:1 d:2 e:2; do
		truncate -s 50M "$DISK/${child%:*}"
		in_group "$G/p/${child%:*}" taskset "${child#*:}" dd if="$DISK/${child%:*}" of=/dev/null bs=1M 2>/dev/null
	done
	need 148M
	say "of 50M each: c $(current "$G/p/c"), d $(current "$G/p/d"), e $(current "$G/p/e"), low events $(stat_of "$G/p" low memory.events)"
	within "what is left of all" "$(current "$G/p")" $((50 * MB)) 10
	within "what is left of c" "$(current "$G/p/c")" $((29 * MB)) 15
	within "what is left of d" "$(current "$G/p/d")" $((21 * MB)) 20
	at_most "what is left of e" "$(current "$G/p/e")" $((3 * MB))
}
need() { in_group "$G/g" env HURRY=1 taskset 2 mem smallpattern "$1" >/dev/null; }
no_files() { rm "$DISK/c" "$DISK/d" "$DISK/e"; }

test_siblings_with_low() {
	siblings low
	need 170M || fail "who needed 170M was killed"
	within "what is left of all then" "$(current "$G/p")" $((30 * MB)) 15
	at_least "low events of c" "$(stat_of "$G/p/c" low memory.events)" 1
	no_files
}

test_siblings_with_min() {
	siblings min
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	if need 170M 2>/dev/null; then fail "nobody was killed"; fi
	at_least "what is left of all then" "$(current "$G/p")" $((45 * MB))
	no_files
}

# --- when memory is short -----------------------------------------------------------------------------------------

# squeezed SETTING SIZE ENOUGH: what is left of 200M with that protection when hogs have come by until it was no more than
# ENOUGH. Whose pages a hog takes, those of others or its own, is the kernel's choice; what is never used goes in the end.
squeezed() {
	# what is above it must let it have that
	put "$G/$1" "$2"
	group_with a 200M "$1" "$2"
	for _ in 1 2 3 4 5 6 7 8; do
		hog
		left=$(left a)
		say "$1 $2: $((left / MB))M of 200M"
		if [ "$left" -le "$3" ]; then break; fi
	done
	stop "$a"
}

limit_a_hog_takes_what_is_not_protected=900
soak_a_hog_takes_what_is_not_protected='a hog'
test_a_hog_takes_what_is_not_protected() {
	local left
	squeezed memory.low 0 $((60 * MB))
	at_most "left without protection" "$left" $((60 * MB))
}

limit_a_hog_leaves_what_is_low=300
soak_a_hog_leaves_what_is_low='a hog'
test_a_hog_leaves_what_is_low() {
	local left
	squeezed memory.low 210M $((300 * MB))
	at_least "left" "$left" $((198 * MB))
}

limit_a_hog_leaves_what_is_min=300
soak_a_hog_leaves_what_is_min='a hog'
test_a_hog_leaves_what_is_min() {
	local left
	squeezed memory.min 210M $((300 * MB))
	at_least "left" "$left" $((198 * MB))
}

limit_a_hog_leaves_half=900
soak_a_hog_leaves_half='a hog'
test_a_hog_leaves_half() {
	local left
	squeezed memory.low 100M $((130 * MB))
	at_most "left" "$left" $((130 * MB))
	at_least "left" "$left" $((90 * MB))
}

# --- who is not short of memory -----------------------------------------------------------------------------------

# Who wants his own pages to be swapped out is asked for nothing.
test_pages_that_are_sent_out() {
	put "$G/memory.low" max
	put "$G/memory.min" max
	run "$G" filled mem pageout 20M
	next_step out
	at_least "what is in swap" "$(cat "$G/memory.swap.current")" $((18 * MB))
	finish
}

# The root of the kernel's own groups has no limit that would have to be obeyed.
test_the_kernels_memory_reclaim() {
	local file=/sys/fs/cgroup/memory.reclaim
	[ -e $file ] || skip "the kernel has no memory.reclaim"
	put "$G/memory.min" max
	group_with a 40M memory.min max
	# as much as there is, which is not there; more than once, as what was used lately is spared at first
	for _ in 1 2 3; do
		echo 300M >$file 2>/dev/null || true
	done
	at_least "what is left" "$(left a)" $((39 * MB))
	stop "$a"
}

# Who finds nothing to reclaim for a limit of the kernel's own memcg has not failed for the machine: memory.low holds for him.
test_who_fails_at_a_limit_is_refused_elsewhere() {
	local found
	limited=/sys/fs/cgroup/limited
	[ -e /sys/fs/cgroup/memory.reclaim ] || skip "the kernel has no memory.reclaim"
	until_low_holds
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $limited
	trap 'rmdir $limited 2>/dev/null || true' EXIT
	put $limited/memory.swap.max 0
	put "$G/memory.low" max
	mkdir "$G/a"
	put "$G/a/memory.low" max
	# which drops what is in memory of any
	file_of 33
	file_of 32
	in_group "$G/a" dd if="$DISK/file.33" of=/dev/null bs=1M 2>/dev/null
	run $limited piped odd piped "$file"
	# nobody's, which can be had
	dd if="$file" of=/dev/null bs=1M skip=2 2>/dev/null
	at_least "what a has" "$(current "$G/a")" $((32 * MB + MB / 2))
	# until he comes to a's, which need not be the first; each time after he has failed at the limit
	# shellcheck disable=SC2016
	found=$(sh -c 'cd /sys/fs/cgroup
		for _ in 1 2 3 4; do
			for _ in 1 2 3; do echo 1M >"$0/memory.reclaim" || echo nothing; done
			echo 4M >memory.reclaim && echo found
			grep -q "protected_kept 0" "$1/memory.stat" || break
		done' \
		$limited "$G/a" 2>/dev/null) || true
	case $(echo $found) in
	*"nothing found") ;;
	*) fail "below the limit, and elsewhere, was found: $found" ;;
	esac
	is "what he got of a" "$(stat_of "$G/a" protected_given_up)" 0
	at_least "what is left of a" "$(left a)" $((32 * MB))
	at_least "what was refused to him" "$(stat_of "$G/a" protected_kept)" 1
	finish
	await 20 rmdir $limited
}

# A huge page is not taken if a part of it is protected: with what a program has beside them, 700 KB and more, 21 of them are about as
# much as that. What a processor has in stock, up to 512 KB, counts as used.
test_huge_pages_are_not_taken_in_part() {
	local file=/sys/fs/cgroup/memory.reclaim
	[ -e $file ] || skip "the kernel has no memory.reclaim"
	until_low_holds
	put "$G/memory.min" 43200K
	mkdir "$G/a"
	put "$G/a/memory.min" 43200K
	run "$G/a" touched taskset 1 mem thp 60M
	at_least "KB of huge pages" "$(rollup AnonHugePages)" $((50 * 1024))
	drain
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		# shellcheck disable=SC2016
		taskset 1 sh -c 'echo 300M >"$0"' $file 2>/dev/null || true
	done
	say "$(left a) of 60 MB is left"
	at_least "what is left" "$(left a)" $((43200 * KB - MB))
	at_most "what is left" "$(left a)" $((50 * MB))
	stop "$pid"
}

# --- hidden pages -------------------------------------------------------------------------------------------------

mlocked() { awk '$1 == "nr_mlock" { print $2 * 4096 }' /proc/vmstat; }
is_shown() { [ "$(unevictable)" -le $((before + 1 * MB)) ] && [ "$(mlocked)" -le $((before + 1 * MB)) ]; }

# hidden [SIZE]: a process in $G/a of whose pages some are hidden because a hog has come by; sets before, what was
# unevictable, and it is more now by SIZE MB (20). Those that reclaim has found enough without are not.
hidden() {
	before=$(unevictable)
	put "$G/memory.low" max
	group_with a 100M memory.low max
	press_until_hidden "${1:-20}"
	at_least "what is left" "$(left a)" $((99 * MB))
}

limit_a_lower_setting_shows_what_is_hidden=300
soak_a_lower_setting_shows_what_is_hidden='a hog'
test_a_lower_setting_shows_what_is_hidden() {
	local before hides
	listen 8192
	trap deafen EXIT
	hidden
	put "$G/memory.low" 10M
	await 20 is_shown
	audit_is_clean
	stop_listening
	hides=$(told hide "$G/a" | value_of nr_pages | sum)
	at_least "pages that were told to be hidden" "$hides" $((20 * MB / 4096))
	within "pages that were told to be shown" "$(grep ' memward_show: ' $TMP/events | value_of nr_pages | sum)" "$hides" 5
	next_step checked
	finish
}

# until_looked: since count_calls looks=memward:tick_fn memward has looked from the beginning to the end whose pages are to be shown: of the first look
# from now on that is known as the second begins.
until_looked() { await 20 have_looked $(($(calls_of looks) + 2)); }
have_looked() { [ "$(calls_of looks)" -ge "$1" ]; }

# Who hovers at its protection is not shown and hidden by turns: up to a thirty-second part above it nothing is shown, and farther above twice the
# excess. Without a hog: the kernel is asked to reclaim for one block, again and again, until all is hidden.
soak_who_hovers_stays_hidden='it has not passed twenty times yet'
test_who_hovers_stays_hidden() {
	local before all usage
	drop_caches
	before=$(unevictable)
	put "$G/memory.min" max
	run "$G" filled mem smallpattern 100M
	insmod /copy/mw_take.ko
	trap 'rmmod mw_take; deafen_calls' EXIT
	await 60 is_all_hidden
	drain
	all=$(unevictable) usage=$(current "$G")
	at_least "what is hidden" $((all - before)) $((usage - 1 * MB))
	count_calls looks=memward:tick_fn
	# with the 1 MB that two processors may have in stock still less than a thirty-second part
	put "$G/memory.min" $((usage - 3 * MB / 2))
	until_looked
	# a processor may keep some pages that it has counted to itself
	at_least "what is hidden with 1.5 MB too much" "$(unevictable)" $((all - 512 * KB))
	put "$G/memory.min" $((usage - 6 * MB))
	await 20 is_below $((before + usage - 11 * MB))
	until_looked
	# and that is shown for what is in stock
	at_least "what is hidden with 6 MB too much" "$(unevictable)" $((before + usage - 14 * MB))
	put "$G/memory.min" $((usage / 2))
	await 20 is_shown
	audit_is_clean
	next_step checked
	finish
}
is_all_hidden() {
	echo 1 >$TAKE/reclaim
	[ $(($(unevictable) - before)) -ge $(($(current "$G") - 768 * KB)) ]
}

# The same with memory.low, where memory is short.
limit_no_more_is_shown_than_is_too_much=300
soak_no_more_is_shown_than_is_too_much='a hog'
test_no_more_is_shown_than_is_too_much() {
	local before all usage
	hidden 30
	drain
	all=$(unevictable)
	usage=$(current "$G")
	note_calls looks=memward:tick_fn
	put "$G/memory.low" $((usage - 2 * MB))
	until_looked
	at_least "what is hidden of a group with 2 MB too much" "$(unevictable)" $((all - 1 * MB))
	# twice the protection without the usage may be hidden: 8 MB less than is
	put "$G/memory.low" $(((usage + all - before - 8 * MB) / 2))
	await 20 is_below "$((all - 6 * MB))"
	until_looked
	at_least "what is hidden with 8 MB too much" "$(unevictable)" $((all - 10 * MB))
	put "$G/memory.low" $((usage / 2))
	await 20 is_shown
	audit_is_clean
	next_step checked
	finish
}

# What was locked and unlocked is not hidden any more, though nothing has told memward.
limit_what_was_unlocked_is_not_shown_again=300
soak_what_was_unlocked_is_not_shown_again='a hog'
test_what_was_unlocked_is_not_shown_again() {
	local before
	until_low_holds
	before=$(unevictable)
	put "$G/memory.low" max
	group_with a 50M memory.low max
	run "$G/a" touched odd locked_later 50M
	press_until_hidden 80
	next_step locked
	next_step unlocked
	at_most "what is hidden after that" "$(unevictable)" $((before + 60 * MB))
	shows_half
	finish
	stop "$a"
}

limit_a_limit_finds_what_is_hidden=300
soak_a_limit_finds_what_is_hidden='a hog'
test_a_limit_finds_what_is_hidden() {
	local before
	hidden
	put "$G/a/memory.max" 50M
	at_most "what is left of it" "$(left a)" $((50 * MB))
	next_step checked
	finish
}

# For a process in $G/a and below a cgroup of the kernel's, most of whose 30 MB are hidden, that cgroup or the one above gets a limit: the kernel finds
# what is hidden, and kills nobody. Of another one, who is in no such cgroup, everything stays hidden; and nothing is shown for what somebody
# would like to have.
test_a_limit_of_the_kernels_that_comes_later() {
	local before setting kernel=/sys/fs/cgroup/later
	[ -e /sys/fs/cgroup/memory.reclaim ] || skip "the kernel has no memory.reclaim"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	put "$G/memory.min" max
	mkdir "$G/a"
	put "$G/a/memory.min" max
	# what tests before this one had is shown by and by
	await 20 is_below $((2 * MB))
	before=$(unevictable)
	group_with b 30M memory.min max
	for setting in memory.max below/memory.max memory.high below/memory.high; do
		mkdir $kernel
		put $kernel/cgroup.subtree_control +memory
		mkdir $kernel/below
		# shellcheck disable=SC2016
		run "$G/a" filled sh -c 'echo 0 >"$0/cgroup.procs" && exec mem smallpattern 30M' $kernel/below
		# not at once if the cgroup has got the id of the last one
		await 30 are_hidden 55
		(echo 1M >$kernel/memory.reclaim) 2>/dev/null || true
		at_least "what is hidden still" "$(unevictable)" $((before + 55 * MB))
		attempt ok write $kernel/$setting 15M
		within "what is hidden then" "$(($(unevictable) - before))" $((30 * MB)) 20
		at_most "what $setting leaves" "$(read_file $kernel/memory.current)" $((20 * MB))
		is "kills" "$(stat_of $kernel oom_kill memory.events)" 0
		audit_is_clean
		next_step checked
		finish
		await 20 rmdir $kernel/below
		await 20 rmdir $kernel
	done
	# shellcheck disable=SC2154
	stop "$b"
}

# hidden_in_a_cgroup CGROUP: of a process in $G/a and in a new cgroup of the kernel's most of 30 MB are hidden.
hidden_in_a_cgroup() {
	[ -e /sys/fs/cgroup/memory.reclaim ] || skip "the kernel has no memory.reclaim"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	put "$G/memory.min" max
	mkdir "$1" "$G/a"
	put "$G/a/memory.min" max
	# what tests before this one had is shown by and by
	await 20 is_below $((2 * MB))
	before=$(unevictable)
	# shellcheck disable=SC2016
	run "$G/a" filled sh -c 'echo 0 >"$0/cgroup.procs" && exec mem smallpattern 30M' "$1"
	await 30 are_hidden 25
}

# That may take long, if there is much memory. Meanwhile the kernel waits.
test_a_limit_of_the_kernels_waits() {
	local before writer kernel=/sys/fs/cgroup/later
	hidden_in_a_cgroup $kernel
	divert mw_hide_show_below later=1 pid=-1 longest=60
	hits=$(hits_of limited)
	echo 15M >$kernel/memory.max &
	writer=$!
	await 30 have_waited 4
	is_diverted || fail "the worker has gone on"
	kill -0 $writer || fail "who sets the limit has not waited"
	end_divert
	wait $writer
	at_most "what is left" "$(read_file $kernel/memory.current)" $((20 * MB))
	is "kills" "$(stat_of $kernel oom_kill memory.events)" 0
	next_step checked
	finish
	await 20 rmdir $kernel
}

# Somebody keeps the worker for longer than that. The kernel waits for 30 seconds, then no more, however often it tries.
limit_a_limit_of_the_kernels_waits_not_for_ever=200
soak_a_limit_of_the_kernels_waits_not_for_ever='until it has passed 20 times in a row'
test_a_limit_of_the_kernels_waits_not_for_ever() {
	local before began kernel=/sys/fs/cgroup/later
	hidden_in_a_cgroup $kernel
	divert mw_hide_show_below later=1 pid=-1 longest=120
	clock
	began=$now
	# tries 16 times in vain once it does not wait
	echo 1M >$kernel/memory.high
	clock
	is_diverted || fail "the worker has gone on"
	end_divert
	say "it took $((now - began)) hundredths of a second"
	at_least "hundredths of a second that it has waited" $((now - began)) 2800
	at_most "hundredths of a second that it has waited" $((now - began)) 4000
	next_step checked
	finish
	await 20 rmdir $kernel
}
have_waited() { [ "$(hits_of limited)" -ge $((hits + $1)) ]; }

# Likewise, where the machine was short of memory before, and so little is to be left that it cannot be had without what is hidden.
limit_a_limit_of_the_kernels_after_a_hog=300
soak_a_limit_of_the_kernels_after_a_hog='a hog'
test_a_limit_of_the_kernels_after_a_hog() {
	local before kernel=/sys/fs/cgroup/later
	[ ! -e /sys/fs/cgroup/memory.reclaim ] || skip "the kernel can be told to reclaim"
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel "$G/a"
	put "$G/memory.low" max
	put "$G/a/memory.low" max
	before=$(unevictable)
	# shellcheck disable=SC2016
	run "$G/a" filled sh -c 'echo 0 >"$0/cgroup.procs" && exec mem smallpattern 100M' $kernel
	press_until_hidden 20
	attempt ok write $kernel/memory.max 10M
	at_most "what is left of it" "$(read_file $kernel/memory.current)" $((10 * MB))
	is "kills" "$(stat_of $kernel oom_kill memory.events)" 0
	next_step checked
	finish
	await 20 rmdir $kernel
}

# Whole, then one of them in pieces.
limit_huge_pages_are_hidden=300
soak_huge_pages_are_hidden='a hog'
test_huge_pages_are_hidden() {
	local before
	before=$(unevictable)
	put "$G/memory.low" max
	mkdir "$G/a"
	put "$G/a/memory.low" max
	run "$G/a" touched mem thp 100M
	at_least "KB of huge pages" "$(rollup AnonHugePages)" $((90 * 1024))
	press_until_hidden 60
	at_least "what is locked" "$(mlocked)" $((before + 60 * MB))
	next_step split
	hog
	put "$G/memory.low" 0
	await 20 is_shown
	audit_is_clean
	finish
}

# Who shows a page that another one is just putting among the unevictable waits until it is there, or nobody would look at it there again. He shows
# all that memory.low protects, as room is to be made for an image of the machine.
soak_who_is_being_hidden_is_shown='it has not passed twenty times yet'
test_who_is_being_hidden_is_shown() {
	local a kernel=/sys/fs/cgroup/hiding
	[ -e /sys/fs/cgroup/memory.reclaim ] || skip "the kernel has no memory.reclaim"
	until_low_holds
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel "$G/a"
	put "$G/memory.low" max
	put "$G/a/memory.low" max
	# in a cgroup of its own, whose lists nobody else needs
	# shellcheck disable=SC2016
	run "$G/a" filled sh -c 'echo 0 >"$0/cgroup.procs" && exec mem smallpattern 10M' $kernel
	a=$pid
	drain
	# who is held has a processor to itself, with interrupts off: nobody would ever take away who waits for it, nor would it wake who sleeps
	trap 'set_processors 3; echo 1 >/proc/sys/kernel/timer_migration' EXIT
	set_processors 2
	put /proc/sys/kernel/timer_migration 0
	run $MW open taskset 1 look heldwrite /sys/fs/cgroup/memory.reclaim 100M
	# 4: the list of the unevictable, which is locked, and it was looked whether the page belongs there
	hold mem_cgroup_update_lru_size second=4 until=mw_folio_show
	exec 3</dev/snapshot
	let_go
	exec 3<&-
	next_line
	at_step write
	put "$G/a/memory.low" 0
	put "$G/memory.low" 0
	await 20 is_nothing_unevictable $kernel
	finish
	stop $a
	await 20 rmdir $kernel
}
# set_processors MASK: of this shell, of what it starts, and of those that sleep for it.
set_processors() {
	local one
	for one in $$ $(pidof helper); do taskset -p "$1" "$one" >/dev/null; done
}
is_nothing_unevictable() { [ "$(stat_of "$1" unevictable)" = 0 ]; }

limit_exit_and_hidden_pages=300
soak_exit_and_hidden_pages='a hog'
test_exit_and_hidden_pages() {
	local before
	hidden
	# shellcheck disable=SC2154
	stop "$a"
	await 20 is_shown
	drain
	is anon "$(stat_of "$G" anon)" 0
}

# Nobody is left who would know of them. The worker that looks each second has just been there: it does not come again
# while memward is unmounted.
limit_umount_shows_what_is_hidden=300
soak_umount_shows_what_is_hidden='a hog'
test_umount_shows_what_is_hidden() {
	local before b all
	mkdir "$MW/b"
	put "$MW/b/memory.low" max
	run "$MW/b" filled mem smallpattern 30M
	b=$pid
	# not only b's
	hidden 60
	put $MW/cgroup.procs "$a"
	put $MW/cgroup.procs "$b"
	all=$(unevictable)
	rmdir $MW/b
	await 20 are_fewer "$all"
	at_least "what is unevictable" "$(unevictable)" $((before + 20 * MB))
	rmdir "$G/a" "$G"
	umount $MW
	is_shown || fail "$(unevictable) bytes are unevictable, $before before"
	mount_memward
	stop_both
}
are_fewer() { [ "$(unevictable)" -lt $(($1 - 10 * MB)) ]; }

# What a process has locked itself stays locked beside all this, and is let go when it unlocks it.
limit_locked_and_hidden=300
soak_locked_and_hidden='a hog'
test_locked_and_hidden() {
	local before
	before=$(unevictable)
	put "$G/memory.low" max
	mkdir "$G/a"
	put "$G/a/memory.low" max
	run "$G/a" locked mem mlock 50M
	hog
	at_least "what is left" "$(left a)" $((50 * MB))
	put "$G/a/memory.low" 0
	put "$G/memory.low" 0
	sleep 3
	at_least "what is locked" "$(mlocked)" $((49 * MB))
	next_step unlocked
	await 20 is_shown
	finish
}

# Nothing is there but what memory.low protects: it gives way, nobody is killed.
limit_low_everywhere=900
soak_low_everywhere='nothing but memory.low is left'
test_low_everywhere() {
	put "$G/memory.low" max
	mkdir "$G/hog"
	put "$G/hog/memory.low" max
	group_with a 300M memory.low max
	in_group "$G/hog" env HURRY=1 mem anon "$(awk '$1 == "MemTotal:" { printf "%dK\n", $2 * 7 / 10 }' /proc/meminfo)" >/dev/null ||
		fail "the hog ended with $?"
	at_least "low events" "$(stat_of "$G" low memory.events)" 1
	stop "$a"
}

# --- who fails rather than have somebody killed --------------------------------------------------------------------

TAKE=/sys/module/mw_take/parameters
# asks_for MB FLAG...: who takes memory asks for what is free and so much more, with these flags; got is how many MB more it got. Nothing but what
# memory.low protects is left then.
asks_for() {
	local free more=$1 flag
	shift
	: >$TMP/exhausted
	insmod /copy/mw_take.ko "$@"
	trap 'rmmod mw_take 2>/dev/null || true' EXIT
	free=$(awk '$1 == "MemFree:" { print $2 / 4 }' /proc/meminfo)
	put $TAKE/want $((free + more * 256))
	got=$((($(cat $TAKE/want) - free) / 256))
	rmmod mw_take
	say "it was given $got MB more than were free"
}
all_is_low() {
	until_low_holds
	put "$G/memory.low" max
	group_with a "${1:-400M}" memory.low max
	hits=$(hits_of fallible)
}

# It is given what memory.low protects, as by the kernel's own reclaim, whether it was hidden or not; nobody is killed.
limit_who_may_fail=300
soak_who_may_fail='nothing but memory.low is left'
test_who_may_fail() {
	local got hits flags
	all_is_low
	for flags in "mayfail=1 nowarn=1" thisnode=1; do
		# shellcheck disable=SC2086
		asks_for 150 $flags
		at_least "MB that $flags got" "$got" 150
		at_least "how often that was looked at" "$(($(hits_of fallible) - hits))" 1
		at_most "what is left" "$(left a)" $((300 * MB))
		at_least "low events" "$(low_events a)" 1
		audit_is_clean
		stop "$a"
		rmdir "$G/a"
		all_is_low
	done
	stop "$a"
}

# Who has something else to fall back on gets none of it, and it holds for all others.
limit_who_has_something_else=300
soak_who_has_something_else='nothing but memory.low is left'
test_who_has_something_else() {
	local got hits
	all_is_low
	asks_for 150 noretry=1 mayfail=1 nowarn=1
	at_most "MB that it got" "$got" 100
	is "how often that was looked at" "$(hits_of fallible)" "$hits"
	at_least "what is left" "$(left a)" $((350 * MB))
	stop "$a"
}

# Whom the kernel's reclaim is looked at for, without any need: then it finds enough, and memory.low gives way for nobody.
test_who_may_fail_finds_enough() {
	local hits
	until_low_holds
	put "$G/memory.low" max
	group_with a 50M memory.low max
	file_of 60
	run $MW read mem read "$file"
	insmod /copy/mw_take.ko
	trap 'rmmod mw_take 2>/dev/null || true' EXIT
	is_looked_at 0
	is_looked_at 1 mayfail=1
	is_looked_at 1 mayfail=1 nowarn=1
	is_looked_at 0 mayfail=1 noretry=1
	is_looked_at 1 thisnode=1
	is_looked_at 0 thisnode=1 nowarn=1
	is_looked_at 0 order=3
	is_looked_at 1 order=4
	is_looked_at 0 order=4 nowarn=1
	if [ -e /proc/sys/vm/defrag_mode ]; then
		# which has blocks reclaimed for others, too
		put /proc/sys/vm/defrag_mode 1
		is_looked_at 0 order=9
		is_looked_at 1 order=9 mayfail=1
		put /proc/sys/vm/defrag_mode 0
	fi
	is "low events" "$(low_events a)" 0
	at_least "what is left" "$(left a)" $((50 * MB))
	put "$G/memory.low" 0
	is_looked_at 0 mayfail=1
	rmmod mw_take
	finish
	stop "$a"
}
# is_looked_at TIMES FLAG...
is_looked_at() {
	local hits times=$1 flag
	shift
	for flag in "$@"; do put $TAKE/"${flag%=*}" "${flag#*=}"; done
	hits=$(hits_of fallible)
	echo 1 >$TAKE/reclaim
	at_least "what came of reclaim for '$*'" "$(cat $TAKE/reclaim)" 1
	is "how often that for '$*' was looked at" "$(($(hits_of fallible) - hits))" "$times"
	for flag in "$@"; do put $TAKE/"${flag%=*}" 0; done
}

# What is in the way may take long to be shown: it is waited for, two seconds each time.
limit_who_may_fail_waits=300
soak_who_may_fail_waits='nothing but memory.low is left'
test_who_may_fail_waits() {
	local free hits
	# no more, as nobody waits for more than half a minute
	all_is_low 150M
	drop_caches
	: >$TMP/exhausted
	insmod /copy/mw_take.ko mayfail=1 nowarn=1
	trap 'rmmod mw_take 2>/dev/null || true' EXIT
	divert mw_hide_show_on later=1 pid=-1 longest=200
	free=$(awk '$1 ~ /^(MemFree|Active\(file\)|Inactive\(file\)|Shmem):/ { kb += $2 } END { print int(kb / 4) }' /proc/meminfo)
	# more than what is not hidden
	echo $((free + 100 * 256)) >$TAKE/want &
	await 120 is_diverted
	# nobody is to be started meanwhile, as there is no memory
	until nothing_is_taken; do :; done
	end_divert
	wait $!
	at_least "pages that it got" "$(cat $TAKE/want)" $((free + 100 * 256))
	rmmod mw_take
	stop "$a"
}
# for three seconds
nothing_is_taken() {
	local before after began
	read -r before <"$G/a/memory.current"
	clock
	began=$now
	until [ $((now - began)) -gt 300 ]; do clock; done
	read -r after <"$G/a/memory.current"
	[ "$before" = "$after" ]
}

# A node's kswapd gives up after 16 runs that have brought nothing, until the reclaim of somebody else brings something there: here
# that of the kernel's own memcg, of a file that is larger than its limit, and is read on one node after the other.
encourage_kswapd() {
	local kernel=/sys/fs/cgroup/encouraging node
	put /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir $kernel
	put $kernel/memory.max 8M
	for node in /sys/devices/system/node/node[0-9]*; do
		file_of 32
		# shellcheck disable=SC2016
		taskset "$(tr -d , <"$node/cpumap")" \
			sh -c 'echo 0 >"$0/cgroup.procs" && exec cat "$1"' $kernel "$file" >/dev/null
		await 20 is_empty $kernel
	done
	rmdir $kernel
	is "zones whose kswapd has given up" "$(awk '$1 == "node_unreclaimable:" { zones += $2 } END { print zones }' /proc/zoneinfo)" 0
}

# Nobody but kswapd makes room here, and nothing is there but what memory.low protects, which is for those who cannot wait.
# That it begins anew after a run that has brought nothing is what made memory.low give way to it once.
soak_low_holds_for_kswapd='nothing but memory.low is left'
test_low_holds_for_kswapd() {
	local kswapds stalls
	kswapds=$(pidof kswapd0 kswapd1)
	scale=$(read_file /proc/sys/vm/watermark_scale_factor)
	encourage_kswapd
	until_low_holds
	put "$G/memory.low" max
	group_with a 300M memory.low max
	stalls=$(direct_reclaims)
	trap no_shortage EXIT
	insmod /copy/mw_take.ko
	# below what kswapd wants, the least and a tenth of memory, and far above the least, below which all have to reclaim
	put /proc/sys/vm/watermark_scale_factor 1000
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		put /sys/module/mw_take/parameters/leave "$(awk '$1 == "min" { sum += $2 } END { print sum + 12000 }' /proc/zoneinfo)"
		# shellcheck disable=SC2086
		await 120 are_asleep $kswapds
	done
	no_shortage
	is "how often others have reclaimed" "$(direct_reclaims)" "$stalls"
	at_least "what was kept" "$(stat_of "$G/a" protected_kept)" 1000
	is "what kswapd got" "$(stat_of "$G/a" protected_given_up)" 0
	stop "$a"
	encourage_kswapd
}
no_shortage() {
	rmmod mw_take 2>/dev/null || true
	put /proc/sys/vm/watermark_scale_factor "$scale"
}
are_asleep() {
	local pid
	for pid in "$@"; do
		[ "$(task_state "$pid")" = S ] || return 1
	done
}
direct_reclaims() { awk '/^allocstall/ { sum += $2 } END { print sum }' /proc/vmstat; }
