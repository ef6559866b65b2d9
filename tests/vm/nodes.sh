# SPDX-License-Identifier: GPL-2.0
# What memward does on a machine of two nodes.

# Of 90 MB below a limit of 100 the older half goes first, whichever node it is on.
test_the_older_node_gives_first() {
	local node
	has_two_nodes
	put "$G/memory.max" 100M
	for node in 0 1; do
		run "$G" pushed mem nodewise $node 45M 50M
		at_least "pages of the older node that have gone" "$(word 3)" $((20 * 256))
		at_most "pages of the newer node that have gone" "$(word 4)" $((20 * 256))
		finish
	done
	audit_is_clean
}

balancing=/proc/sys/kernel/numa_balancing
# balancing_is VALUE: until the test ends
balancing_is() {
	# shellcheck disable=SC2064 # as it is now
	trap "put $balancing $(cat $balancing)" EXIT
	put $balancing "$1"
}
cpu_of() { sed 's/[^0-9].*//' /sys/devices/system/node/node"$1"/cpulist; }

# What has moved is not hidden any more, so it does not count as what is too much: of 60 MB that stay half is shown then, as it
# would be without the 60 MB that have moved.
limit_what_has_moved_is_not_shown_again=300
test_what_has_moved_is_not_shown_again() {
	local before cpu
	has_two_nodes
	# 6.1's move_pages() does not say where a page is that balancing has marked
	if [ -e $balancing ]; then balancing_is 0; fi
	until_low_holds
	before=$(unevictable)
	put "$G/memory.low" max
	mkdir "$G/a"
	put "$G/a/memory.low" max
	cpu=$(printf %x $((1 << $(cpu_of 0))))
	run "$G/a" touched taskset "$cpu" mem bound 0 60M
	run "$G/a" touched taskset "$cpu" odd nodes 60M 1
	for _ in 1 2 3 4 5; do
		press_node 0
		if [ "$(unevictable)" -ge $((before + 90 * MB)) ]; then break; fi
	done
	at_least "what is hidden" "$(unevictable)" $((before + 90 * MB))
	next_if migrated
	at_least "pages that have moved" "$(word 2)" $((50 * 256))
	at_most "what is hidden after the move" "$(unevictable)" $((before + 70 * MB))
	shows_half
}
# press_node NODE: somebody of no group wants most of its memory. Not of both: 5.10 fills as much swap as a process writes.
press_node() {
	: >$TMP/exhausted
	HURRY=1 mem bound "$1" "$(awk '$3 == "MemTotal:" { printf "%dK\n", $4 * 9 / 10 }' "/sys/devices/system/node/node$1/meminfo")" >/dev/null
}

has_two_nodes() { [ -d /sys/devices/system/node/node1 ] || skip "the machine has one node"; }
