# SPDX-License-Identifier: GPL-2.0
# Who pays for swap: memory.swap.*, memory.memsw.*. With 600M of swap.

SLACK=$((64 * 4096 * $(nproc)))

swap_of() { read_file "$1/memory.swap.current"; }
memsw_of() { read_file "$1/memory.memsw.usage_in_bytes"; }
swap_event() { stat_of "$1" "$2" memory.swap.events; }
# Slots are given back in batches, each CPU its own.
few_slots() { [ "$(swap_of "$1")" -le $((64 * 4096 * $(nproc))) ]; }
all_slots_are_back() {
	drain
	await 20 few_slots "$1"
}

test_slots_are_charged_to_who_is_swapped_out() {
	local swap
	put "$G/memory.max" 20M
	run "$G" filled mem pattern 40M
	swap=$(swap_of "$G")
	at_least "swap" "$swap" $((18 * MB))
	at_most "swap" "$swap" $((42 * MB))
	at_least "peak" "$(read_file "$G/memory.swap.peak")" "$swap"
	audit_is_clean
	next_step checked
	audit_is_clean
	finish
	all_slots_are_back "$G"
	audit_is_clean
}

# Pages that were charged one after the other, by one processor, go one after the other, and come back so: what is sent to swap together
# has its places there side by side, and is one request or a few.
test_what_goes_to_swap_is_in_order() {
	local pages before after requests least=32
	# whose places are scattered with the kernel's own memcg too
	case $(uname -r) in 5.10.*) least=12 ;; esac
	put "$G/memory.max" 16M
	pages=$(swapped_out)
	before=$(writes)
	run "$G" touched taskset 1 mem again 32M 4
	pages=$(($(swapped_out) - pages))
	after=$(writes)
	requests=$((${after% *} - ${before% *}))
	say "$pages pages in $requests requests"
	at_least "pages that were swapped out" "$pages" 20000
	at_least "requests" "$requests" 1
	at_least "pages in a request" $((pages / requests)) $least
	stop "$pid"
}
swapped_out() { awk '$1 == "pswpout" { print $2 }' /proc/vmstat; }
# What was asked of the disk of scripts/vm --swap: how many writes, and of how many sectors.
writes() { awk '{ print $5, $7 }' "/sys/block/$(basename "$(readlink -f /dev/disk/by-id/virtio-swap)")/stat"; }

# Who goes beyond a limit finds what was sent to swap before, and need not wait for the disk: of a large group that is more than one
# request of the disk, of a small one not all that it has.
test_more_is_sent_ahead_of_a_large_group() {
	sent_ahead 48M 60M
	# a 64th, with what is one batch more
	at_least "pages of 48M that are on their way" "$ahead" 192
	sent_ahead 8M 20M
	at_least "pages of 8M" "$ahead" 80
	at_most "pages of 8M" "$ahead" 350
}
# sent_ahead LIMIT MEMORY: sets ahead, which is what was on its way after a request that need not wait, of a tenth of them at least.
sent_ahead() {
	put "$G/memory.max" "$1"
	trap deafen EXIT
	listen 8192
	run "$G" touched mem again "$2" 1
	stop_listening
	stop "$pid"
	ahead=$(told reclaim_end "$G" waited_us=0 | grep ' priority=12 ' | value_of nr_writeback | sort -n |
		awk '{ all[NR] = $1 } END { print all[NR - int(NR / 10)] + 0 }')
	say "$1: $ahead pages"
}

# What is sent ahead is of all groups below the limit together: who grows sends as much of his idle neighbours as he wants, and some more.
test_no_more_is_sent_ahead_than_is_wanted() {
	local i pages
	put "$G/memory.max" 64M
	for i in 1 2 3 4 5 6 7 8; do
		mkdir "$G/$i"
		run "$G/$i" touched mem again 7M 1
	done
	mkdir "$G/grows"
	pages=$(swapped_out)
	run "$G/grows" touched mem again 18M 1
	pages=$(($(swapped_out) - pages))
	say "$pages pages for $(((8 * 7 + 18 - 64) * MB / 4096))"
	at_least "pages" "$pages" $((8 * MB / 4096))
	at_most "pages" "$pages" $((16 * MB / 4096))
	put "$G/cgroup.kill" 1
}

# Nor does it go on when there is cache that nobody uses, be it a neighbour's.
test_cache_ends_what_is_sent_ahead() {
	put "$G/memory.max" 40M
	run "$G" touched mem again 48M 1
	read_through "$G" 80
	at_most "pages" "$pages" $((12 * MB / 4096))
	stop "$pid"
}
test_cache_of_a_neighbour_ends_what_is_sent_ahead() {
	put "$G/memory.max" 40M
	mkdir "$G/idle" "$G/reads"
	run "$G/idle" touched mem again 48M 1
	read_through "$G/reads" 30
	at_most "pages" "$pages" $((22 * MB / 4096))
	stop "$pid"
}
# read_through GROUP MB: where a group below G's limit has been swapping, a file of that size is read once, and the limit is met; sets
# pages, of what was swapped out meanwhile.
read_through() {
	local met
	at_least "swap" "$(swap_of "$G")" $((7 * MB))
	file_of "$2"
	pages=$(swapped_out)
	met=$(stat_of "$G" max memory.events)
	in_group "$1" cat "$file" >/dev/null
	pages=$(($(swapped_out) - pages))
	rm "$file"
	at_least "times that the limit was met" "$(($(stat_of "$G" max memory.events) - met))" 1
	say "$pages pages"
}

swap_out_and_end() {
	run "$G" filled mem smallpattern "$1"
	attempt ok write "$G/memory.reclaim" "$2"
	# on a busy host more than was asked for: what is being written for long does not count
	swapped=$(swap_of "$G")
	at_least "what was swapped out" "$swapped" $((${2%M} * MB * 9 / 10))
	next_step checked
	finish
}

# As memory.peak: who writes restarts it for this open file alone.
test_peak_of_each_reader() {
	local watcher watch_out first
	swap_out_and_end 40M 30M
	all_slots_are_back "$G"
	run $MW opened look peaks "$G/memory.swap.peak"
	within "the first reader's" "$(word 2)" "$swapped" 5
	first=$(word 2)
	is "the second reader's" "$(word 3)" "$(word 2)"
	next_step reset
	at_most "the first reader's after its reset" "$(word 2)" $((64 * 4096 * $(nproc)))
	is "the second reader's" "$(word 3)" "$first"
	watcher=$pid watch_out=$out
	swap_out_and_end 20M 10M
	pid=$watcher out=$watch_out seen=2
	next_step later
	within "the first reader's new peak" "$(word 2)" "$swapped" 8
	is "the second reader's" "$(word 3)" "$first"
	finish
}

# A page that is in memory and has a slot counts once.
test_memory_and_swap_together() {
	run "$G" filled mem smallpattern 40M
	within "before" "$(memsw_of "$G")" $((40 * MB)) 5
	attempt ok write "$G/memory.reclaim" 30M
	within "while 30M are in swap" "$(memsw_of "$G")" $((40 * MB)) 5
	at_least swap "$(swap_of "$G")" $((29 * MB))
	next_step checked
	within "when they are back" "$(memsw_of "$G")" $((40 * MB)) 5
	finish
	at_least "the peak" "$(read_file "$G/memory.memsw.max_usage_in_bytes")" $((39 * MB))
	all_slots_are_back "$G"
	audit_is_clean
}

test_no_swap_for_this_group() {
	put "$G/memory.swap.max" 0
	run "$G" filled mem pattern 30M
	attempt EAGAIN write "$G/memory.reclaim" 20M
	is swap "$(swap_of "$G")" 0
	# reclaim does not even look at what it could not swap out
	is "pages looked at" "$(stat_of "$G" pgscan_anon)" 0
	next_step checked
	finish
}

# Five huge pages, and more than the program has of small ones, be it what it may: were it just filled by these, reclaim would not even try.
test_swap_max_holds() {
	put "$G/memory.swap.max" 11M
	run "$G" filled mem pattern 40M
	attempt EAGAIN write "$G/memory.reclaim" 30M
	at_most swap "$(swap_of "$G")" $((11 * MB))
	at_least swap "$(swap_of "$G")" $((9 * MB))
	at_least "max events" "$(swap_event "$G" max)" 1
	at_least "fail events" "$(swap_event "$G" fail)" 1
	next_step checked
	finish
	all_slots_are_back "$G"
}

test_swap_max_of_an_ancestor() {
	mkdir "$G/a" "$G/a/b"
	put "$G/memory.swap.max" 5M
	run "$G/a/b" filled mem pattern 20M
	attempt EAGAIN write "$G/memory.reclaim" 18M
	at_most swap "$(swap_of "$G/a/b")" $((5 * MB))
	is "what the ancestor counts" "$(swap_of "$G")" "$(swap_of "$G/a/b")"
	finish
}

# The kill that the slides of 2009 show: 10 times the memory, no more swap than that.
test_memsw_kills_at_the_limit() {
	local status=0
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process|invoked oom-killer'
	put "$G/memory.max" 20M
	put "$G/memory.memsw.limit_in_bytes" 20M
	watch "$G"
	trap deafen EXIT
	listen
	in_group "$G" mem anon 100M >/dev/null 2>&1 || status=$?
	stop_listening
	watched
	is "the status" "$status" 137
	at_least "times that the event says that it was both together" "$(told limit "$G" memsw=1 | count)" 1
	at_most "the most in swap" "$(read_file "$G/memory.swap.peak")" $((1 * MB))
	at_least "failcnt" "$(cat "$G/memory.memsw.failcnt")" 1
	at_most "the peak" "$(read_file "$G/memory.memsw.max_usage_in_bytes")" $((20 * MB + SLACK))
	at_most "what was seen in both" "$most_with_swap" $((20 * MB + SLACK))
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 1
}

# Without a limit of both it goes to swap.
test_without_memsw_it_swaps() {
	put "$G/memory.max" 20M
	run "$G" touched mem anon 60M
	at_least swap "$(swap_of "$G")" $((38 * MB))
	finish
	is oom_kill "$(stat_of "$G" oom_kill memory.events)" 0
}

test_memsw_limits_are_in_order() {
	attempt ok write "$G/memory.limit_in_bytes" 20M
	attempt EINVAL write "$G/memory.memsw.limit_in_bytes" 10M
	attempt ok write "$G/memory.memsw.limit_in_bytes" 30M
	attempt EINVAL write "$G/memory.limit_in_bytes" 40M
	is memory.max "$(cat "$G/memory.max")" $((20 * MB))
	attempt ok write "$G/memory.memsw.limit_in_bytes" -1
	is memsw "$(cat "$G/memory.memsw.limit_in_bytes")" max
}

test_memsw_below_use_is_refused() {
	run "$G" filled mem pattern 30M
	put "$G/memory.max" 10M
	attempt EBUSY write "$G/memory.memsw.limit_in_bytes" 15M
	is memsw "$(cat "$G/memory.memsw.limit_in_bytes")" max
	next_step checked
	finish
}

# Pages come back to the group of their slots, whoever brings them.
test_swapoff_brings_them_back() {
	mkdir "$G/a" "$G/b"
	run "$G/a" filled mem smallpattern 20M
	first=$pid
	run "$G/b" filled mem smallpattern 30M
	attempt ok write "$G/memory.reclaim" 45M
	at_least "swap of both" "$(swap_of "$G")" $((42 * MB))
	in_group "$G/b" swapoff /dev/vda
	within "memory of one" "$(current "$G/a")" $((20 * MB)) 5
	within "memory of the other" "$(current "$G/b")" $((30 * MB)) 5
	is "swap of both" "$(swap_of "$G")" 0
	audit_is_clean
	next_step checked
	finish
	stop "$first"
}

# A slot whose group is gone is the parent's.
test_slots_after_rmdir() {
	mkdir "$G/gone" "$G/other"
	run "$G/gone" filled mem smallpattern 20M
	attempt ok write "$G/memory.reclaim" 15M
	put "$G/other/cgroup.procs" "$pid"
	await 5 rmdir "$G/gone"
	at_least "swap of the parent" "$(swap_of "$G")" $((14 * MB))
	is "swap of the new group" "$(swap_of "$G/other")" 0
	audit_is_clean
	next_step checked
	at_most "memory of the new group" "$(current "$G/other")" $((1 * MB))
	finish
	all_slots_are_back "$G"
	audit_is_clean
}

# The kernel's memcg of cgroup v1 forgets a slot when its page is back; the page may leave memory again without being written.
# Before any test that makes a memcg of the kernel's: on a stock 5.10, without memward, one with a limit whose process the OOM
# killer took stays for minutes after it was removed, and cgroup v1 cannot have the controller.
v1_is_mounted_or_not_had() { mount -t cgroup -o memory none "$TMP/v1" 2>"$TMP/mounting" || ! grep -qi busy "$TMP/mounting"; }
test_slots_beside_cgroup_v1() {
	mkdir -p "$TMP/v1"
	await 60 v1_is_mounted_or_not_had
	grep -q " $TMP/v1 " /proc/mounts || skip "the kernel has no memory controller of cgroup v1"
	trap 'umount "$TMP/v1"' EXIT
	run "$G" filled mem smallpattern 40M
	attempt ok write "$G/memory.reclaim" 38M
	at_least swap "$(swap_of "$G")" $((37 * MB))
	next_step checked
	within "memory when all is back" "$(current "$G")" $((40 * MB)) 5
	attempt ok write "$G/memory.reclaim" 38M
	at_least "swap when it has left again" "$(swap_of "$G")" $((37 * MB))
	finish
	all_slots_are_back "$G"
	audit_is_clean
}

test_shmem_stays_shmem() {
	run "$G" touched mem shmanon 20M
	attempt ok write "$G/memory.reclaim" 15M
	at_least swap "$(swap_of "$G")" $((14 * MB))
	echo 3 >/proc/sys/vm/drop_caches
	audit_is_clean
	in_group "$G" swapoff /dev/vda
	within shmem "$(stat_of "$G" shmem)" $((20 * MB)) 5
	finish
	audit_is_clean
}

test_swap_high_holds_back() {
	put "$G/memory.swap.high" 5M
	run "$G" filled mem pattern 30M
	attempt ok write "$G/memory.reclaim" 20M
	stop "$pid"
	put "$G/memory.max" 10M
	in_group "$G" mem anon 40M >/dev/null 2>&1 &
	await 30 is_event "$G" high
	put "$G/cgroup.kill" 1
	await 5 is_empty "$G"
}
is_event() { [ "$(swap_event "$1" "$2")" -gt 0 ]; }

# What one round of reclaim sends to swap is handed to the disk together, so that it is written in few requests.
test_pages_are_written_together() {
	local before after requests pages
	before=$(writes)
	put "$G/memory.max" 20M
	run "$G" filled mem smallpattern 60M
	after=$(writes)
	requests=$((${after% *} - ${before% *})) pages=$(((${after#* } - ${before#* }) / 8))
	say "$pages pages in $requests requests"
	at_least "pages written" "$pages" $((30 * MB / 4096))
	at_least "pages in each request" $((pages / requests)) 12
	next_step checked
	finish
}

# --- large folios that come back from swap, as they may from a device that answers at once ------------------------

ZRAM=/sys/block/zram0
swap_to_zram() {
	[ -e $THP/hugepages-64kB/enabled ] || skip "there are no folios of 64K"
	modprobe zram
	put $ZRAM/disksize $((256 * MB))
	mkswap /dev/zram0 >/dev/null
	swapoff /dev/vda
	trap no_zram EXIT
	swapon /dev/zram0
	put $THP/hugepages-64kB/enabled always
}
no_zram() {
	echo never >$THP/hugepages-64kB/enabled
	# what a program that has failed has there comes back
	swapoff /dev/zram0
	echo 1 >$ZRAM/reset
}

# A folio that is wanted for its last page has its slots before that page's, not behind it.
test_large_folios_come_back() {
	swap_to_zram
	run "$G" filled mem bigback 64M
	next_step out
	at_most "memory while all is in swap" "$(current "$G")" $((4 * MB))
	next_step half
	at_least "memory when half of it is back, in large folios" "$(current "$G")" $((31 * MB))
	within "memory and swap" "$(memsw_of "$G")" $((64 * MB)) 5
	next_step back
	within "memory and swap when all is back" "$(memsw_of "$G")" $((64 * MB)) 5
	finish
	all_slots_are_back "$G"
	audit_is_clean
}

# One page of each 64K is nobody's, and no more than that. Where the kernel counts it, large folios were tried.
refused_folios() { cat $THP/hugepages-64kB/stats/swpin_fallback_charge 2>/dev/null || echo unknown; }
test_large_folios_of_several_owners() {
	local refused
	swap_to_zram
	refused=$(refused_folios)
	run $MW filled mem bigback 64M "$G/cgroup.procs"
	next_step out
	within "swap" "$(swap_of "$G")" $((60 * MB)) 5
	next_step half
	next_step back
	within "memory when all is back" "$(current "$G")" $((60 * MB)) 5
	[ "$refused" = unknown ] || at_least "folios that were refused" "$(refused_folios)" $((refused + 100))
	finish
	all_slots_are_back "$G"
	audit_is_clean
}
