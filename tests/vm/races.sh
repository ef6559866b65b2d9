# SPDX-License-Identifier: GPL-2.0
# Two things at once that have to do with each other. ROUNDS: see docs/testing.md.

# race_for DONE PREVENTED ARG...: of what may come of it there was so much of either, at least, or nobody was in a race.
race_for() {
	local done_want=$1 prevented_want=$2 got
	shift 2
	race "$@" >$TMP/raced || fail "race $*: $(cat $TMP/raced)"
	got=$(cat $TMP/raced)
	say "$got"
	at_least "what was done" "$(echo "$got" | sed 's/^done \([0-9]*\),.*/\1/')" "$done_want"
	at_least "what another has prevented" "$(echo "$got" | sed 's/.*prevented \([0-9]*\),.*/\1/')" "$prevented_want"
}

# A process that ends while it is moved is in no group afterwards: nobody would ever take it out again.
limit_a_process_is_moved_while_it_ends=300
test_a_process_is_moved_while_it_ends() {
	mkdir "$G/a"
	race_for $((100 * ROUNDS)) $((10 * ROUNDS)) exiting "$G/a" $((1000 * ROUNDS)) 3
	is members "$(members "$G/a")" ""
	is populated "$(populated "$G/a")" 0
	attempt ok rmdir "$G/a"
}

# Groups that are entered, left by fork and exit, read, listed, written and removed by everybody.
limit_groups_are_removed_while_they_are_used=300
test_groups_are_removed_while_they_are_used() {
	race_for $((900 * ROUNDS)) 1 removals "$G" 6 $((150 * ROUNDS)) $MW/cgroup.procs
	audit_is_clean
	is "groups left" "$(find "$G" -mindepth 1 -type d | wc -l)" 0
	is nr_descendants "$(stat_of "$G" nr_descendants cgroup.stat)" 0
	is "children killed at their birth" "$(awk '/fork_kills/ { print $2 }' $MW/memward.status)" 0
}

# The same in the middle of reclaim: there is next to no room for any of them.
limit_groups_are_removed_while_they_are_reclaimed=400
test_groups_are_removed_while_they_are_reclaimed() {
	put "$G/memory.high" 1M
	put "$G/memory.high.stall_max" 1
	put "$G/memory.high.stall_action" lift
	race_for $((900 * ROUNDS)) 1 removals "$G" 6 $((300 * ROUNDS)) $MW/cgroup.procs
	audit_is_clean
	is "groups left" "$(find "$G" -mindepth 1 -type d | wc -l)" 0
	at_least "stolen" "$(stat_of "$G" pgsteal)" 1
	audit_is_clean
}

# Removed groups are folded into what is above them, in whatever order; a sum over the tree misses none.
limit_trees_fall_while_audited=300
test_trees_fall_while_audited() {
	local audits=0
	# an audit may take longer than the trees need to fall
	while [ $audits -lt 2 ]; do
		race trees "$G" 4 $((60 * ROUNDS)) $MW/cgroup.procs &
		while kill -0 $! 2>/dev/null; do
			audit_is_clean
			audits=$((audits + 1))
		done
		wait $!
	done
}

# What is remembered of a group's files does not keep the group.
inodes() { cut -f1 /proc/sys/fs/inode-nr; }
test_removed_groups_leave_no_inodes() {
	local before i
	before=$(inodes)
	for i in $(seq 200); do
		mkdir "$G/$i"
		cat "$G/$i/memory.stat" "$G/$i/cgroup.procs" "$G/$i/memory.events" >/dev/null
		chmod 600 "$G/$i/memory.high"
		rmdir "$G/$i"
	done
	at_most "inodes more than before" $(($(inodes) - before)) 100
}
