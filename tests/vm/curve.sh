# SPDX-License-Identifier: GPL-2.0
# memory.high where time counts: its curve (the first steps, the whole is in scripts/demo), and how long it takes to
# get away. In a boot whose clock counts instructions.

high_events() { stat_of "$1" high "${2:-memory.events}"; }

# Microseconds for which some task has waited for memory.
stalled_us() { sed -n 's/^some.*total=//p' /proc/pressure/memory; }

# A megabyte at a time up to SIZE; rows "before after microseconds".
curve() { in_group "$1" mem curve "$2" "$3"; }

# What the rows should have taken, from the usage before and after: 64 s x (overage / high)^2 for 32 pages, at most
# 2 s. Within 10 percent, and a jiffy (4 ms) for each of the 8 sleeps. Rows of less than 2 % above high are not judged:
# a sleep of 10 ms or less is none. Prints what is wrong, and at last the sum of what was due.
judge() {
	awk -v high="$1" '
	function due(from, to,   page, over, one, sum) {
		for (page = from / 4096; page < to / 4096; page++) {
			over = (page * 4096 - high) / high
			one = over > 0 ? 64e6 * over * over : 0
			sum += (one > 2e6 ? 2e6 : one) / 32
		}
		return sum
	}
	{
		want = due($1, $2)
		all += want
		if ($1 < high * 1.02) next
		rows++
		if ($3 < want * 0.9 - 32000 || $3 > want * 1.1 + 32000)
			printf "from %d to %d: %d us, not %d\n", $1, $2, $3, want
	}
	END { print "rows " rows " sum " int(all) }'
}

test_curve() {
	local verdict
	put "$G/memory.high" 100M
	curve "$G" "$G" 105M >$TMP/rows
	sed 's/^/# /' $TMP/rows | tail -n 6
	verdict=$(judge $((100 * MB)) <$TMP/rows)
	say "$verdict"
	is "rows that do not match" "$(echo "$verdict" | grep -c from)" 0
	at_least "rows judged" "$(echo "$verdict" | sed -n 's/^rows \([0-9]*\) .*/\1/p')" 3
	at_least "high events" "$(high_events "$G")" 20
}

test_limit_of_an_ancestor() {
	mkdir -p "$G/a/b"
	put "$G/memory.high" 100M
	curve "$G/a/b" "$G" 104M >$TMP/rows
	at_least "high events of the top" "$(high_events "$G")" 5
	at_least "local high events of the top" "$(high_events "$G" memory.events.local)" 5
	is "high events of the group itself" "$(high_events "$G/a/b")" 0
	judge $((100 * MB)) <$TMP/rows >$TMP/verdict
	is "rows that do not match" "$(grep -c from $TMP/verdict)" 0
	at_least "rows judged" "$(sed -n 's/^rows \([0-9]*\) .*/\1/p' $TMP/verdict)" 1
}

test_below_high_nothing_happens() {
	local before
	put "$G/memory.high" 60M
	before=$(stalled_us)
	run "$G" touched mem anon 50M
	finish
	is "high events" "$(high_events "$G")" 0
	at_most "stalled" $(($(stalled_us) - before)) 1000
}

test_pressure_is_visible() {
	local before held
	put "$G/memory.high" 20M
	before=$(stalled_us)
	curve "$G" "$G" 22M >$TMP/rows
	held=$(awk -v high=$((20 * MB)) '$2 > high { sum += $3 } END { print int(sum) }' $TMP/rows)
	at_least "held back" "$held" 1000000
	# it is summed up every two seconds
	await 5 is_stalled_for $((before + held * 9 / 10))
	say "held back for $held us, stalled for $(($(stalled_us) - before)) us"
}

is_stalled_for() { [ "$(stalled_us)" -ge "$1" ]; }

# What counts is the time, not what it was to be.
test_stalls_that_are_cut_short() {
	held_back "$G"
	# counts anew
	put "$G/memory.high.stall_max" max
	kill -KILL "$held"
	await 5 is_empty "$G"
	at_least "microseconds" "$(stat_of "$G" high_stall_usec)" 1
	at_most "microseconds" "$(stat_of "$G" high_stall_usec)" 1500000
}

test_death_takes_no_time() {
	local took
	put "$G/memory.high" 10M
	took=$(proc killtime "$G" 40M)
	say "it took $took us"
	at_most "microseconds to die" "$took" 200000
	await 5 is_empty "$G"
}
