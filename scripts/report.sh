# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# What scripts/check says of the jobs that it has run, and what it remembers of the time they took. Sourced by it.

# Of each job the seconds of its last good run, in a file of its name.
times=$MW_CACHE/times

# TAP of a job with what it lacks: tests that were planned and never came, and a failure that no test has told of.
complete_tap() {
	local name=$1 status
	status=$(cat "$work/$name.status")
	awk -v status="$status" -v name="$name" -v unobtainable="$MW_UNOBTAINABLE" '
	/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; planned = 1 }
	/^(not )?ok / { seen++ }
	/^not ok / { failed++ }
	{ print }
	END {
		if (status == unobtainable) { print "ok - " name " # SKIP it cannot be had"; exit }
		for (; seen < plan; seen++) { print "not ok - " name ": a test that was never reached"; failed++ }
		if (status != 0 && !failed) print "not ok - " name ": ended with status " status
		else if (!planned) print "not ok - " name ": no tests came"
	}' "$work/$name.tap"
}

count() { complete_tap "$1" | grep -cE "$2" || true; }
passed_in() { complete_tap "$1" | grep -E '^ok ' | grep -cv '# SKIP' || true; }
sum_up() { echo "$(passed_in "$1") passed, $(count "$1" '^not ok ') failed, $(count "$1" '^ok .*# SKIP') skipped"; }

# What failed, with the diagnostics before it; then what the tool had to say.
show_failures() {
	local name=$1
	[ "$(count "$name" '^not ok ')" = 0 ] && return
	echo "--- $name"
	complete_tap "$name" | awk '
	/^# / { notes = notes $0 "\n"; next }
	/^not ok / { printf "%s%s\n", notes, $0 }
	{ notes = "" }'
	tail -n 60 "$work/$name.err"
	echo
}

show_skips() {
	complete_tap "$1" | sed -n "s/^ok .*# SKIP/$1: skipped:/p"
}

# Reads to the end, or whoever writes dies of it.
first_ten() { awk 'NR <= 10'; }

# The jobs and tests that took longest: where to look if all of it takes too long.
show_slowest() {
	local name
	echo "the slowest jobs, in seconds:"
	for name in "${started[@]}"; do
		printf '%7d %s\n' "$(cat "$work/$name.seconds")" "$name"
	done | sort -rn | first_ten
	echo "the slowest tests, in seconds:"
	for name in "${started[@]}"; do
		sed -n "s/^\(not \)\{0,1\}ok [0-9]* - \(.*\) (\([0-9]*\) ms).*/\3 $name \2/p" "$work/$name.tap"
	done | sort -rn | first_ten | awk '{ printf "%7.1f", $1 / 1000; $1 = ""; print }'
}

# keep_time NAME: for the next run, if this one was whole and good.
keep_time() {
	[ "$all" ] && [ "$(cat "$work/$1.status")" = 0 ] || return 0
	mkdir -p "$times"
	cp "$work/$1.seconds" "$times/$1"
}

# All kernels that were asked for, and not one test: nobody should take that for a success.
has_any() { [ "$all" ] || [ "$1" -gt 0 ]; }

has_enough() { [ ! "$all" ] || [ "$nr_full" -ge 3 ]; }

report() {
	local name one passed=0 failed=0 nr_skipped=${#skipped[@]} reason
	show_slowest
	for reason in "${skipped[@]}"; do
		echo "skipped: $reason"
	done
	for name in "${jobs[@]}"; do
		show_failures "$name"
		show_skips "$name"
		passed=$((passed + $(passed_in "$name")))
		failed=$((failed + $(count "$name" '^not ok ')))
		nr_skipped=$((nr_skipped + $(count "$name" '^ok .*# SKIP')))
	done
	for one in "${lost[@]}"; do
		echo "not ok - $(cut -d' ' -f2 <<<"$one"): it was never started"
		failed=$((failed + 1))
	done
	echo "it took $((SECONDS / 60)) min $((SECONDS % 60)) s"
	has_enough || echo "only $nr_full kernels of the matrix could be tested; three are needed"
	echo "$passed passed, $failed failed, $nr_skipped skipped"
	[ "$failed" = 0 ] && has_enough && has_any "$passed"
}
