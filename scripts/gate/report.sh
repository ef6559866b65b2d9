# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# What scripts/check says of the jobs that it has run, and what it remembers of them. Sourced by it.
#
# Of each job results has NAME.tap, NAME.err, NAME.log (the kernel's), NAME.status, NAME.seconds, NAME.pace (what each test took of these),
# and NAME.verdict: a line for each test, with what became of it (see scripts/gate/verdict), its name and the reason, with tabs between.

# Of each job the seconds of its last good run, in a file of its name.
times=$MW_CACHE/times

# tap_verdict NAME: of a job that is no boot. A test that was planned and never came has failed, and so has a tool that no test blames.
tap_verdict() {
	awk -v status="$(cat "$results/$1.status")" -v name="$1" -v unobtainable="$MW_UNOBTAINABLE" '
	function say(state, test, reason) { printf "%s\t%s\t%s\n", state, test, reason }
	/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; planned = 1 }
	/^# / { notes = notes ? notes : substr($0, 3) }
	/^(not )?ok / {
		test = $0
		sub(/^(not )?ok [0-9]* *-? */, "", test)
		seen++
		if (/^not/) { failed++; say("failed", test, notes) }
		else if (split(test, part, / # SKIP */) > 1) say("skipped", part[1], part[2])
		else say("passed", test, "")
		notes = ""
	}
	END {
		if (status == unobtainable) { say("skipped", name, "it cannot be had"); exit }
		for (; seen < plan; seen++) { say("failed", name, "a test that was never reached"); failed++ }
		if (status != 0 && !failed) say("failed", name, "ended with status " status)
		else if (!planned) say("failed", name, "no tests came")
	}' "$results/$1.tap" >"$results/$1.verdict"
}

# boot_verdict NAME SERIES FILE:TEST...: of one of tests/vm.
boot_verdict() {
	if [ "$(cat "$results/$1.status")" = "$MW_UNOBTAINABLE" ]; then
		printf 'skipped\t%s\tit cannot be had\n' "$1" >"$results/$1.verdict"
	else
		make_verdict "$@"
	fi
}

# Whoever is not told of has not passed.
make_verdict() {
	local made=$results/$1.verdict.new
	if ! "$here/gate/verdict" "$results/$1" "${@:2}" >"$made" || [ "$(wc -l <"$made")" -lt $(($# - 2)) ]; then
		printf 'failed\t%s\tthere is no verdict on it\n' "$1" >"$made"
	fi
	mv "$made" "$results/$1.verdict"
}

# count NAME STATE: its tests that have come to this.
count() { grep -c "^$2	" "$results/$1.verdict" || true; }
sum_up() {
	local state text=''
	for state in again known lost; do
		[ "$(count "$1" $state)" = 0 ] || text+=", $(count "$1" $state) $state"
	done
	echo "$(count "$1" passed) passed, $(count "$1" failed) failed, $(count "$1" skipped) skipped$text"
}

# Reads to the end, or whoever writes dies of it.
first_ten() { awk 'NR <= 10'; }

# The jobs and tests that took longest: where to look if all of it takes too long.
show_slowest() {
	local name
	echo "the slowest jobs, in seconds:"
	for name in "${started[@]}"; do
		printf '%7d %s\n' "$(cat "$results/$name.seconds" 2>/dev/null || echo 0)" "$name"
	done | sort -rn | first_ten
	echo "the slowest tests, in seconds of this host:"
	for name in "${started[@]}"; do
		[ ! -e "$results/$name.pace" ] || awk -v job="$name" '{ printf "%7.1f %s", $1 / 1000, job; $1 = ""; print }' "$results/$name.pace"
	done | sort -rn | first_ten
}

# keep_time NAME: for the next run, if this one was whole and good.
keep_time() {
	[ "$is_gate" ] && [ "$(cat "$results/$1.status")" = 0 ] || return 0
	mkdir -p "$times"
	cp "$results/$1.seconds" "$times/$1"
}

# All kernels that were asked for, and not one test: nobody should take that for a success.
has_any() { [ "$is_gate" ] || [ "$1" -gt 0 ]; }

# Three of the matrix, and all that were asked for by name.
has_enough() {
	if [ "$is_gate" ]; then [ "$nr_full" -ge 3 ]; else [ ! "$chosen" ] || [ "$nr_full" -ge "$nr_machines" ]; fi
}

# What a machine that ended before its time had left to do is done by another, once.
go_on_with_lost() {
	local name machine series boot lost
	for name in "${started[@]}"; do
		if [ ! "${words_of[$name]-}" ] || [ ! -e "$results/$name.verdict" ]; then continue; fi
		lost=$(awk -F'\t' '$1 == "lost" { print $2 }' "$results/$name.verdict" | xargs)
		[ "$lost" ] || continue
		sed -i '/^lost\t/d' "$results/$name.verdict"
		read -r series boot <<<"${words_of[$name]}"
		machine=${name%"-$boot"*}
		words_of[$name.rest]="$series $boot"
		asked_of[$name.rest]=$lost
		queued+=("0 $name.rest - boot $machine $series $boot $lost")
	done
	run_queue "$(nproc)"
}

# Sets jobs, all that has a verdict, and tells of what has none. What has been run again is in nobody's count.
count_jobs() {
	local name one
	jobs=() findings=() nr_failed=0 nr_unstable=0 nr_known=0 nr_full=0
	for name in "${started[@]}"; do
		[[ ! $name =~ \.[23]\. ]] || continue
		if [ ! -e "$results/$name.verdict" ]; then
			finding FAILED "$name" "$name" "it was ended before its time"
			continue
		fi
		jobs+=("$name")
		keep_time "$name"
		case $name-$(cat "$results/$name.status") in
		*-prepare-0) nr_full=$((nr_full + 1)) ;;
		esac
	done
	# what cannot be had is skipped with what prepares it
	for one in "${left_out[@]}"; do
		[ "$(cat "$results/${one#* }.status")" = "$MW_UNOBTAINABLE" ] || finding FAILED "${one% *}" "${one% *}" "${one#* } has failed"
	done
	for one in "${queued[@]}" "${alone[@]}"; do
		read -r _ name _ <<<"$one"
		finding FAILED "$name" "$name" "it was never started"
	done
}

# Those that no second run can make good, and what has no business to be lost twice.
find_failures() {
	local word state name test reason
	for word in 'FAILED failed' 'FAILED lost' 'KNOWN known'; do
		state=${word#* }
		while IFS=$'\t' read -r name test reason; do
			finding "${word% *}" "$name" "$test" "$reason"
		done < <(tests_in "$state")
	done
}

# tests_in STATE: NAME, test and reason of all first runs that came to this, with tabs.
tests_in() {
	local name
	for name in "${jobs[@]}"; do
		awk -F'\t' -v state="$1" -v name="$name" '$1 == state { print name "\t" $2 "\t" $3 }' "$results/$name.verdict"
	done
}

# show_one WORD NAME TEST REASON: all there is to see of what went wrong.
show_one() {
	# what was never started has nothing to show
	[ -e "$results/$2.tap" ] || return 0
	echo
	echo "--- $1 $2 $3: $4"
	if [ "${words_of[$2]-}" ]; then
		# shellcheck disable=SC2086 # words
		"$here/gate/verdict" --show "$results/$2" ${words_of[$2]%% *} "$3"
	else
		grep '^# ' "$results/$2.tap" 2>/dev/null | tail -n 60 || true
	fi
	# but not the log once more
	grep -v '^\[' "$results/$2.err" 2>/dev/null | tail -n 40 || true
}

# finding WORD NAME TEST REASON: told at the end, with its name alone in the last lines.
finding() {
	findings+=("$1	$2	$3	$4")
	case $1 in
	FAILED) nr_failed=$((nr_failed + 1)) ;;
	UNSTABLE) nr_unstable=$((nr_unstable + 1)) ;;
	KNOWN) nr_known=$((nr_known + 1)) ;;
	esac
}

show_findings() {
	local one word name test reason
	for one in "${findings[@]}"; do
		IFS=$'\t' read -r word name test reason <<<"$one"
		show_one "$word" "$name" "$test" "$reason"
	done
	[ ${#findings[@]} = 0 ] || echo
	for one in "${findings[@]}"; do
		IFS=$'\t' read -r word name test reason <<<"$one"
		echo "$word $name $test: $reason"
	done
}

# Whatever a run has found unstable stays on record, by day. A test that is there already is told of: it is to be mended within a week.
record_unstable() {
	local one
	for one in "${findings[@]}"; do
		case $one in
		UNSTABLE*)
			awk -F'\t' -v name="$(cut -f2,3 <<<"$one")" '$3 "\t" $4 == name { if (!nr++) first = $1 }
				END { if (nr) print "unstable before: " name ", " nr " times since " first }' "$MW_CACHE/unstable" 2>/dev/null || true
			printf '%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$(commit_of "$here/..")" "${one#*	}" >>"$MW_CACHE/unstable"
			;;
		esac
	done
}

show_skips() {
	tests_in skipped | awk -F'\t' '{ print $1 ": skipped: " $2 ": " $3 }'
}

# More than so many that fail now and then are no accidents.
most_unstable=3

# report: the last words. Its status is that of all.
report() {
	local passed nr_skipped broke smoke_skips=0
	passed=$(tests_in passed | wc -l)
	nr_skipped=$(tests_in skipped | wc -l)
	# a kernel that does not fit is an answer
	[ ! "$smoke_alone" ] || smoke_skips=$nr_skipped
	broke=$(cat "$results"/*.err 2>/dev/null | grep -c 'started again, as QEMU broke' || true)
	show_slowest
	show_skips
	show_findings
	record_unstable
	echo "it took $((SECONDS / 60)) min $((SECONDS % 60)) s; logs: $results"
	has_enough || echo "only $nr_full of $nr_machines kernels could be tested"
	echo "unstable: $nr_unstable; failed for a known fault of the kernel: $nr_known; machines that QEMU broke and that were started again: $broke"
	[ "$nr_unstable" -le "$most_unstable" ] || echo "more than $most_unstable are unstable, which fails the run"
	echo "$passed passed, $nr_failed failed, $nr_skipped skipped"
	[ "$nr_failed" = 0 ] && [ "$nr_unstable" -le "$most_unstable" ] && has_enough && has_any $((passed + nr_unstable + nr_known + smoke_skips))
}
