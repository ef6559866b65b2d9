# SPDX-License-Identifier: GPL-2.0
# Suspending to disk and going on in the next boot, in a machine of its own: scripts/vm --hibernate.

# To the swap disk, and off. What is behind this runs after the next boot.
suspend() {
	[ -e /sys/power/disk ] || skip "the kernel cannot suspend to disk"
	# not the smallest image: to make room for that, the kernel runs out of memory itself (7.2: kswapd, tables of swap)
	echo $((128 * MB)) >/sys/power/image_size
	echo shutdown >/sys/power/disk || skip "the kernel does not suspend to disk"
	sync
	put /sys/power/state disk
}

limit_suspend_to_disk=400
test_suspend_to_disk() {
	local before kept sure first refused
	mkdir "$G/child"
	put "$G/memory.high" 500M
	file_of 20
	run "$G/child" read mem read "$file"
	finish
	# kept from reclaim, by being unevictable, until room has to be made for what is written
	before=$(unevictable)
	mkdir "$G/kept"
	put "$G/kept/memory.low" max
	put "$G/memory.low" max
	mkdir "$G/sure"
	put "$G/sure/memory.min" 20M
	put "$G/memory.min" 20M
	run "$G/sure" touched mem anon 16M
	sure=$pid
	# of the first level, where a setting is not what there is of it
	mkdir $MW/first
	put $MW/first/memory.low max
	run $MW/first touched mem anon 60M
	first=$pid
	run "$G/kept" filled mem smallpattern 60M
	press_until_hidden 50
	kept=$pid
	run "$G/child" touched mem dontneed 20M
	audit_is_clean
	refused=$(refused)
	# what is shown is shown at once, and not by who looks each second
	divert tick_fn
	await 20 is_not_looked_for
	suspend
	# memory.low gives way as a whole, not page by page, each after reclaim has looked at all of them in vain
	at_most "pages that reclaim was refused" $(($(refused) - refused)) 100000
	at_most "what is unevictable" "$(unevictable)" $((before + 21 * MB))
	end_divert
	at_least "what memory.min has kept" "$(stat_of "$G/sure" anon)" $((16 * MB))
	stop "$sure"
	stop "$first"
	rmdir "$G/sure" $MW/first
	stop "$kept"
	rmdir "$G/kept"
	is "memory.high" "$(cat "$G/memory.high")" $((500 * MB))
	is members "$(members "$G/child")" "$pid"
	audit_is_clean
	next_step dropped
	next_step "touched again"
	stat_is "$G" anon $((20 * MB)) 5
	audit_is_clean
	finish
	rmdir "$G/child"
	audit_is_clean
}

is_not_looked_for() { [ "$(cat $DIVERT/times)" -ge 1 ]; }

# by either of the two that have memory.low
refused() { echo $(($(stat_of "$G" protected_kept) + $(stat_of $MW/first protected_kept))); }

limit_mounting_after_it=200
test_mounting_after_it() {
	rmdir "$G"
	umount $MW
	rmmod memward
	modprobe memward
	mount_memward
	mkdir "$G"
	run "$G" touched mem anon 10M
	stat_is "$G" anon $((10 * MB)) 3
	finish
}
