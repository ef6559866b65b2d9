# SPDX-License-Identifier: GPL-2.0
# Random operations against a model (tests/model). In a boot of its own; the model mounts and unmounts memward itself.
mounts=no

MODEL=/copy/progs/model

# agree WHAT ARGUMENT...: memward and the model do; what it prints is a file for --replay.
agree() {
	local what=$1 status
	shift
	modprobe memward
	grep -q " $MW memward " /proc/mounts || mount_memward
	sh $MODEL/guest "$@" >$TMP/model && status=0 || status=$?
	[ "$status" = 0 ] || {
		grep '^#' $TMP/model | cut -c1-160 >&2
		sed -n '/for --replay:$/,/end of the sequence/p' $TMP/model | grep -v '^# [^-]' | head -n 60 | sed 's/^/#   /' >&2
		fail "the model and memward differ with $what"
	}
}

# model_run SEED OPERATIONS [LEAST [OPTION]]: so many numbers at least can be compared exactly, or as many as there are operations.
model_run() {
	# a machine that ends before it says more has said that
	echo "memward-test: seed $1, $2 operations ${4-}" >/dev/kmsg
	agree "seed $1${4:+ $4}" --seed "$1" --ops "$2" ${4:+"$4"}
	grep 'compared exactly' $TMP/model
	at_least "numbers that were compared" "$(model_said 'numbers compared exactly')" "${3:-$2}"
}
model_said() { sed -n "s/.*[^0-9]\([0-9]*\) $1.*/\1/p" $TMP/model; }

# Nothing is in doubt then but the cache of files.
without_swap() { swapoff /dev/vda; }

# Seeds that are the same in each run: what fails is to blame on the commit. Each series has its own, so that the kernels
# together see more. Others by
# MODEL_SEED=$RANDOM scripts/check --kernel 6.1 --only model
seed() {
	local first
	case $(uname -r) in
	6.1.*) first=1 ;;
	5.10.*) first=4 ;;
	6.12.*) first=7 ;;
	7.3.*) first=10 ;;
	*) first=13 ;;
	esac
	echo "${MODEL_SEED:-$((first + $1))}"
}
operations() { echo "${MODEL_OPS:-4000}"; }

limit_a_seed=1300
test_a_seed() {
	without_swap
	model_run "$(seed 0)" "$(operations)"
}

limit_another_seed=1300
soak_another_seed='the gate has one with swap and one without'
test_another_seed() {
	without_swap
	model_run "$(seed 1)" "$(operations)"
}

limit_a_seed_with_swap=1300
test_a_seed_with_swap() {
	model_run "$(seed 2)" "$(operations)"
	at_least "pages swapped out" "$(model_said 'pages swapped out')" 200
}

# The kernel's own cgroups as well, bound to groups, and processes that are adopted.
limit_a_seed_with_bindings=1300
test_a_seed_with_bindings() {
	without_swap
	model_run "$(seed 0)" "$(operations)" $(($(operations) / 2)) --bindings
	grep '^# .* adoptions that charged' $TMP/model
	# twelve seeds on four kernels had more than twice as many (of those of the last two lines there is always one)
	at_least "adoptions that charged" "$(model_said 'adoptions that charged')" 3
	at_least "births before a move" "$(model_said 'births before a move')" 1
	at_least "entries made void" "$(model_said 'entries made void')" 15
	at_least "remounts with no group" "$(model_said 'remounts with no group')" 1
	at_least "remounts with bindings forgotten" "$(model_said 'of bindings forgotten')" 1
}

# many_seeds [OPTION]: seeds that nobody has chosen, so many in a row; the one that differs is told first. One may have few groups, and swap leaves much in doubt.
many_seeds() {
	local nr first=${MODEL_SEED:-$(od -An -N3 -tu4 /dev/urandom)}
	for nr in $(seq "${MODEL_SEEDS:-2}"); do
		model_run $((first + nr)) "$(operations)" $(($(operations) / 2)) "$@"
	done
}

limit_many_seeds=7000
soak_many_seeds='the gate has chosen ones'
test_many_seeds() {
	without_swap
	many_seeds
}

limit_many_seeds_with_swap=7000
soak_many_seeds_with_swap='the gate has chosen ones'
test_many_seeds_with_swap() { many_seeds; }

limit_many_seeds_with_bindings=7000
soak_many_seeds_with_bindings='the gate has a chosen one'
test_many_seeds_with_bindings() {
	without_swap
	many_seeds --bindings
}

# What has differed once: sequences, on each kernel, with swap and without, and the seeds of this one.
limit_what_differed_once=1300
test_what_differed_once() {
	local file series seed operations
	for file in $MODEL/seen/swap/*.ops; do replay "$file"; done
	without_swap
	for file in $MODEL/seen/*.ops; do replay "$file"; done
	while read -r series seed operations option; do
		case $(uname -r) in
		"$series".*) model_run "$seed" "$operations" ${option:+$((operations / 2)) "$option"} ;;
		esac
	done <$MODEL/seen/seeds
}
replay() {
	agree "${1##*/}" --replay "$1"
	is "operations that made no sense in ${1##*/}" \
		"$(($(grep -c '^[0-9]' "$1") - $(sed -n 's/^# \([0-9]*\) of them made sense$/\1/p' $TMP/model)))" 0
}
