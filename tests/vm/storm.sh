# SPDX-License-Identifier: GPL-2.0
# Too much at once.

strays() {
	local pid
	for pid in $(members $MW); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != mwbomb ] || echo "$pid"
	done
}

# A fork bomb in 50 groups, its processes moved all the time, the groups removed and made again.
limit_storm=300
test_storm() {
	# a fork takes 0.2 s on the debug kernel if another machine runs beside it
	local line_limit=240
	run $MW born proc storm "$G" 50 2000
	say "$line"
	case $line in
	*" wrong 0") ;;
	*) fail "$line: $(cat "$out")" ;;
	esac
	at_least "moves" "$(echo "$line" | awk '{ print $4 }')" 500
	at_least "removals" "$(echo "$line" | awk '{ print $8 }')" 50
	audit_is_clean
	is "processes that have left their groups" "$(strays)" ""
	is "processes that were born outside" "$(awk '/fork_escapes/ { print $2 }' $MW/memward.status)" 0
	put "$G/cgroup.kill" 1
	await 30 is_empty "$G"
	finish
	drain
	is "anon" "$(stat_of "$G" anon)" 0
	audit_is_clean
}

# Audits while everything moves: what is in motion is not a difference.
limit_audit_under_load=200
test_audit_under_load() {
	local i
	mkdir "$G/a" "$G/b"
	in_group "$G/a" proc churn map 4M &
	in_group "$G/b" proc churn exec $PROGS/proc &
	in_group "$G/a" proc churn file /tmp/churn &
	for i in $(seq 20); do
		audit_is_clean
	done
}

test_readers_and_writers_at_once() {
	local i
	mkdir "$G/a" "$G/b"
	run $MW born proc storm "$G/a" 10 50
	for i in 1 2; do
		while :; do
			mkdir "$G/b/$i"
			cat "$G"/a/*/memory.stat "$G"/a/*/cgroup.procs "$G/cgroup.stat"
			find "$G" -type f
			rmdir "$G/b/$i"
		done >/dev/null 2>&1 &
	done
	for i in $(seq 30); do
		put "$G/memory.high" "$i"G
		is memory.high "$(cat "$G/memory.high")" $((i * 1024 * MB))
	done
	audit_is_clean
	put "$G/a/cgroup.kill" 1
	await 30 is_empty "$G/a"
	finish
	audit_is_clean
}
