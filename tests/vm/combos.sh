# SPDX-License-Identifier: GPL-2.0
# Every kind of memory against every kind of limit, with swap and without; and groups that thrash while others come and go.

LIMIT=8
SLACK=$((64 * 4096 * $(nproc)))
# the programs do not wait between their steps
export HURRY=1
deaths='memward: oom: |memward: .* is out of memory: |memward: .* was held back for too long|Killed process|invoked oom-killer'

# What a job touches, two and a half times the limit.
job_anon() { mem smallpattern 20M; }
job_shmem() { mem shmanon 20M; }
job_file() {
	dd if=/dev/zero of="$DISK/combo" bs=1M count=20 2>/dev/null
	dd if="$DISK/combo" of=/dev/null bs=1M 2>/dev/null
	rm "$DISK/combo"
}
job_mixed() {
	job_file &
	mem shmanon 8M &
	mem smallpattern 8M
	wait
}

limit_max() { put "$G/memory.max" ${LIMIT}M; }
limit_high() { put "$G/memory.high" ${LIMIT}M; }
limit_memsw() {
	put "$G/memory.max" ${LIMIT}M
	put "$G/memory.memsw.limit_in_bytes" ${LIMIT}M
}

# What the limit is about never was above it, also not by what was seen of it: a peak is never above a limit. memory.high is
# passed by what one write charges, up to a huge page.
holds_max() {
	at_most "the peak" "$(read_file "$G/memory.peak")" $((LIMIT * MB + SLACK))
	at_most "what was seen in memory" "$most" $((LIMIT * MB + SLACK))
}
holds_high() { at_most "the peak" "$(read_file "$G/memory.peak")" $((LIMIT * MB * 3 / 2 + SLACK)); }
holds_memsw() {
	holds_max
	at_most "the peak of both" "$(read_file "$G/memory.memsw.max_usage_in_bytes")" $((LIMIT * MB + SLACK))
	at_most "what was seen in both" "$most_with_swap" $((LIMIT * MB + SLACK))
}

# What has nowhere to go. What is in swap counts for both together.
must_die() { [ "$1" != file ] && { [ "$3" = none ] || [ "$2" = memsw ]; }; }

# combo JOB LIMIT SWAP
combo() {
	[ "$3" = swap ] || swapoff /dev/vda
	"limit_$2"
	if must_die "$@"; then
		expect_log "$deaths"
		# who is at his memory.high for good is not waited for
		put "$G/memory.high.stall_max" 500000
		put "$G/memory.high.stall_action" kill
	fi
	watch "$G"
	(
		echo 0 >"$G/cgroup.procs"
		"job_$1"
	) >/dev/null 2>&1 &
	await 60 has_ended $!
	watched
	# it did come to the limit: by the peak, a fair witness of what there was at least
	at_least "the peak" "$(read_file "$G/memory.peak")" $((LIMIT * MB * 3 / 4))
	"holds_$2"
	audit_is_clean
	put "$G/cgroup.kill" 1
	await 10 is_empty "$G"
}

test_anon_max_swap() { combo anon max swap; }
test_anon_max_none() { combo anon max none; }
test_anon_high_swap() { combo anon high swap; }
test_anon_high_none() { combo anon high none; }
test_anon_memsw_swap() { combo anon memsw swap; }
test_anon_memsw_none() { combo anon memsw none; }
test_file_max_swap() { combo file max swap; }
test_file_max_none() { combo file max none; }
test_file_high_swap() { combo file high swap; }
test_file_high_none() { combo file high none; }
test_file_memsw_swap() { combo file memsw swap; }
test_file_memsw_none() { combo file memsw none; }
test_shmem_max_swap() { combo shmem max swap; }
test_shmem_max_none() { combo shmem max none; }
test_shmem_high_swap() { combo shmem high swap; }
test_shmem_high_none() { combo shmem high none; }
test_shmem_memsw_swap() { combo shmem memsw swap; }
test_shmem_memsw_none() { combo shmem memsw none; }
test_mixed_max_swap() { combo mixed max swap; }
test_mixed_max_none() { combo mixed max none; }
test_mixed_high_swap() { combo mixed high swap; }
test_mixed_high_none() { combo mixed high none; }
test_mixed_memsw_swap() { combo mixed memsw swap; }
test_mixed_memsw_none() { combo mixed memsw none; }

# --- storms ------------------------------------------------------------------------------------------------------------

# Touches 12M in turn, for ever.
thrash() {
	mkdir -p "$1"
	put "$1/memory.max" ${LIMIT}M
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs" && while :; do mem smallpattern 12M >/dev/null 2>&1; done' "$1" &
}

# Two that thrash, one of them killed each time; the tasks of a third are moved out while they reclaim, and it is removed.
limit_thrashing_while_others_die=300
test_thrashing_while_others_die() {
	local round steady killed
	for round in $(seq $((3 * ROUNDS))); do
		thrash "$G/steady"
		thrash "$G/killed"
		thrash "$G/gone"
		steady=$(stolen "$G/steady") killed=$(stolen "$G/killed")
		await 20 has_thrashed "$G/steady" "$steady"
		await 20 has_thrashed "$G/killed" "$killed"
		await 20 has_thrashed "$G/gone" 0
		put "$G/killed/cgroup.kill" 1
		empty_into "$G/gone" "$G/steady"
		await 5 rmdir "$G/gone"
		put "$G/steady/cgroup.kill" 1
		# who is stuck in memward is still there then
		await 5 is_empty "$G"
		say "round $round"
	done
	audit_is_clean
}
stolen() { stat_of "$1" pgsteal_anon; }
# has_thrashed GROUP PAGES: since it was so many, for about a second
has_thrashed() { [ "$(stolen "$1")" -ge $(($2 + 4000)) ]; }
count() { members "$1" | wc -l; }
empty_into() {
	local pid
	while [ "$(count "$1")" -gt 0 ]; do
		for pid in $(members "$1"); do
			echo "$pid" >"$2/cgroup.procs" 2>/dev/null || true
		done
	done
}

# The parent can reclaim what a removed group leaves behind: at once, before any grace period is over, which none is while the
# writer is held; and what reclaim had in its hands, a batch and the rest of the chunk that it is from, when it is through with that.
test_rmdir_while_it_is_reclaimed() {
	local round
	unset HURRY
	dd if=/dev/zero of=$DISK/combo bs=1M count=20 2>/dev/null
	for round in 1 2 3; do
		is_dropped $DISK/combo || true
		mkdir "$G/gone"
		in_group "$G/gone" dd if=$DISK/combo of=/dev/null bs=1M 2>/dev/null
		put "$G/memory.max" $(($(current "$G") + MB))
		run $MW open look heldwrite "$G/gone/memory.swap.reclaim" 10M
		hold reclaim_pages
		rmdir "$G/gone"
		# or the parent would find room in what is its own
		put "$G/memory.swap.max" 0
		in_group "$G" env HURRY=1 mem smallpattern 8M >/dev/null
		is_held || fail "the parent had to wait"
		let_go
		next_line
		at_step write
		finish
		is "kills" "$(stat_of "$G" oom_kill memory.events)" 0
		at_least "what is the parent's now" "$(current "$G")" $((8 * MB))
		echo 0 >"$G/memory.force_empty"
		at_most "left in round $round" "$(current "$G")" $((256 * KB))
		put "$G/memory.max" max
		put "$G/memory.swap.max" max
	done
	rm $DISK/combo
}
