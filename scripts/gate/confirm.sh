# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# A failure is confirmed, as the kernel's own test farms do it: what may have failed by chance is run again by itself, twice, each time in a
# fresh machine with nothing beside it. Each has other random numbers, or the same would happen in both. Sourced by scripts/check; run_job()
# is its own, start_job() queue.sh's, finding() and tests_in() report.sh's.

# Of so many at once none is by chance, and to run them all would take too long.
most_confirmed=12

# run_alone NAME ATTEMPT TEST: sets state and reason to what became of it.
run_alone() {
	local name=$1.$2.$3 machine series boot
	read -r series boot <<<"${words_of[$1]}"
	machine=${1%"-$boot"*}
	words_of[$name]=${words_of[$1]}
	asked_of[$name]=$3
	seed=$2
	start_job "$name" 0 boot "$machine" "$series" "$boot" "$3"
	wait_job
	state='' reason=''
	read_worst "$name"
}

# read_worst NAME: sets state and reason to what is worst in its verdict; a leak is not its test's.
read_worst() {
	local wanted
	for wanted in failed lost again skipped known passed; do
		IFS=$'\t' read -r state _ reason < <(grep "^$wanted	" "$results/$1.verdict" 2>/dev/null | head -n 1) || true
		[ ! "$state" ] || return 0
	done
}

# confirm NAME TEST REASON: it has failed once.
confirm() {
	local attempt state reason seed
	for attempt in 2 3; do
		if is_late; then
			finding FAILED "$1" "$2" "$3 (there was no time to run it again)"
			return
		fi
		run_alone "$1" "$attempt" "$2"
		case $state in passed | known) continue ;; esac
		log "$1 $2: failed again"
		finding FAILED "$1.$attempt.$2" "$2" "${reason:-it ended without a result} (before that: $3)"
		return
	done
	log "$1 $2: unstable, as it has passed two times by itself"
	finding UNSTABLE "$1" "$2" "$3"
}

# What may have failed by chance, in all jobs.
confirm_all() {
	local one name test reason all_of_them
	mapfile -t all_of_them < <(tests_in again)
	for one in "${all_of_them[@]}"; do
		IFS=$'\t' read -r name test reason <<<"$one"
		if [ "$once" ]; then
			finding FAILED "$name" "$test" "$reason"
		elif [ ${#all_of_them[@]} -gt "$most_confirmed" ]; then
			finding FAILED "$name" "$test" "$reason (not run again: ${#all_of_them[@]} have failed)"
		elif [ "$ended" ]; then
			finding FAILED "$name" "$test" "$reason (there was no time to run it again)"
		else
			confirm "$name" "$test" "$reason"
		fi
	done
}
