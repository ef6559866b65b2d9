# SPDX-License-Identifier: GPL-2.0
# What many groups cost who is in one of them. In a boot whose clock counts instructions.

# The kernel's reclaim asks memward for each page of a group. What protects a group is found level by level, from the top to
# it, and where there is nothing to be had at the top, no further down.
limit_protection_of_a_deep_group=200
test_protection_of_a_deep_group() {
	local reclaim=/sys/fs/cgroup/memory.reclaim deep=$G flat deeper free i
	[ -e $reclaim ] || skip "the kernel has no memory.reclaim"
	for i in $(seq 60); do
		deep=$deep/$i
	done
	mkdir -p "$deep"
	truncate -s 40M $DISK/holes
	flat=$(asked_for "$G" 30M)
	deeper=$(asked_for "$deep" 30M)
	at_least "pages that were asked for" "$(stat_of "$deep" protected_kept)" 1000
	free=$(asked_for "$deep" 0)
	rm $DISK/holes
	say "reclaim takes $flat us, $deeper us from a protected group 60 levels down, $free us from one that is not protected"
	at_most "reclaim from a protected group 60 levels down" "$deeper" $((flat * 7))
	at_most "reclaim from a group 60 levels down" "$free" $((flat / 5))
}
# asked_for GROUP PROTECTION: microseconds of reclaim while this one has 40 MB of cache, the topmost this protection
asked_for() {
	echo 3 >/proc/sys/vm/drop_caches
	put "$G/memory.min" "$2"
	in_group "$1" dd if=$DISK/holes of=/dev/null bs=64K 2>/dev/null
	mem rewrite $reclaim 4M 4
	put "$G/memory.min" 0
}
