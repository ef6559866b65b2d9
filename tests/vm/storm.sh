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
	is "children killed at their birth" "$(awk '/fork_kills/ { print $2 }' $MW/memward.status)" 0
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
	local audits=0
	mkdir "$G/a" "$G/b"
	load "$G/a" proc churn map 4M
	load "$G/b" proc churn exec $PROGS/proc
	load "$G/a" proc churn file /tmp/churn
	note_loads
	until [ $audits -ge 20 ] && have_gone_on 10; do
		audit_is_clean
		audits=$((audits + 1))
	done
}

test_readers_and_writers_at_once() {
	local i=0
	mkdir "$G/a" "$G/b"
	run $MW born proc storm "$G/a" 10 50
	read_all 1 &
	read_all 2 &
	until [ $i -ge 30 ] && has_read 1 && has_read 2; do
		i=$((i + 1))
		put "$G/memory.high" "$i"G
		is memory.high "$(cat "$G/memory.high")" $((i * 1024 * MB))
	done
	audit_is_clean
	put "$G/a/cgroup.kill" 1
	await 30 is_empty "$G/a"
	finish
	audit_is_clean
}
# Over and over; what is read may be gone the next moment.
read_all() {
	local round=0
	while :; do
		mkdir "$G/b/$1"
		cat "$G"/a/*/memory.stat "$G"/a/*/cgroup.procs "$G/cgroup.stat" || true
		find "$G" -type f || true
		rmdir "$G/b/$1"
		round=$((round + 1))
		echo $round >"$TMP/read.$1"
	done >/dev/null 2>&1
}
has_read() { [ -s "$TMP/read.$1" ] && [ "$(cat "$TMP/read.$1")" -ge 5 ]; }

# A day in a container host's life: groups are made, used (threads, memory, a file, tmpfs, every other one killed) and removed below a
# limit, beside a reader of all statistics. Nothing is more in the evening than in the morning. scripts/soak has one of 20 minutes.
limit_a_container_hosts_day=$((DAY * 5 + 120))
test_a_container_hosts_day() {
	local line_limit=$((DAY * 2 + 60)) records kernel_kb
	put "$G/memory.max" 16M
	run $MW morning day host "$G" $DISK $((DAY / 2)) 4
	say "$line"
	records=$(records) kernel_kb=$(kernel_kb)
	next_step evening
	say "$line"
	say "records: $records, then $(records); KB of the kernel's own: $kernel_kb, then $(kernel_kb)"
	at_least "groups" "$(word 2)" 20
	at_least "statistics that were read" "$(word 4)" 20
	at_least "times that the limit was in the way" "$(stat_of "$G" max memory.events)" 1
	at_most "records" "$(records)" $((records + 64))
	at_most "KB of the kernel's own" "$(kernel_kb)" $((kernel_kb + 2048))
	at_most "owners that removed groups have left" "$(orphans)" $MOST_ORPHANS
	finish
	rm -f $DISK/day.* /tmp/day.*
	audit_is_clean
	drop_caches
	drain
	at_most "what is charged in the end" "$(current "$G")" $((MB))
}
kernel_kb() { awk '/^(Slab|Percpu|KernelStack|PageTables):/ { sum += $2 } END { print sum }' /proc/meminfo; }
