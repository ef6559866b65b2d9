# SPDX-License-Identifier: GPL-2.0
# Random operations against a model (tests/model). In a boot of its own; the model mounts and unmounts memward itself.
mounts=no

MODEL=/copy/progs/model

# model_run SEED OPERATIONS: what it prints is a file for --replay.
model_run() {
	modprobe memward
	grep -q " $MW memward " /proc/mounts || mount -t memward memward $MW
	sh $MODEL/guest --seed "$1" --ops "$2" >$TMP/model && status=0 || status=$?
	[ "$status" = 0 ] || {
		grep '^#' $TMP/model | cut -c1-160 >&2
		sed -n '/for --replay:$/,/end of the sequence/p' $TMP/model | grep -v '^#' | head -n 60 | sed 's/^/#   /' >&2
		fail "the model and memward differ with seed $1"
	}
	grep 'compared exactly' $TMP/model
}

# The same in each run: what has once worked still does.
limit_a_fixed_seed=900
test_a_fixed_seed() {
	model_run 1 5000
}

# New with each commit, but not with each run: what fails can be run again, and a commit is to blame.
limit_the_seed_of_this_commit=900
test_the_seed_of_this_commit() {
	model_run "$(cat $MODEL/seed)" 5000
}
