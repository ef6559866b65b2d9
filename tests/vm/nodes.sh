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

has_two_nodes() { [ -d /sys/devices/system/node/node1 ] || skip "the machine has one node"; }
