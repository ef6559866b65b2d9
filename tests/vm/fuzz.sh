# SPDX-License-Identifier: GPL-2.0
# Random bytes, sizes and offsets for every file (tests/progs/fuzz.c). The same commit is tried with the same seed; others by
# FUZZ_SEED=$RANDOM scripts/check --kernel 6.1 --only fuzz

a_seed() { echo "${FUZZ_SEED:-20261120}"; }

# fuzz WORKERS OPERATIONS
fuzz() {
	local seed
	# the next test finds the root as it was
	trap 'put $MW/cgroup.max.depth 64; put $MW/cgroup.max.descendants max' EXIT
	seed=$(a_seed)
	# on the console too: a machine that does not come back leaves its log
	echo "memward-test: seed $seed" >/dev/kmsg
	say "seed $seed"
	fuzz_files run "$G" "$seed" "$@" >$TMP/fuzzed 2>&1 || fail "$(cat $TMP/fuzzed)"
	say "$(cat $TMP/fuzzed)"
	audit_is_clean
	is "processes that are left" "$(find "$G" -name cgroup.procs -exec cat {} +)" ""
	drain
	is "memory.current" "$(current "$G")" 0
}
fuzz_files() { $PROGS/fuzz "$@"; }

limit_one_writer=300
test_one_writer() { fuzz 1 20000; }

limit_many_writers=300
test_many_writers() { fuzz 6 8000; }
