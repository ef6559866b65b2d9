# SPDX-License-Identifier: GPL-2.0
# Load, mount, work, unmount, unload, again and again, while the machine is busy. In a boot of its own. scripts/soak does
# it a hundred times (CYCLES=100).
mounts=no

CYCLES=${CYCLES:-$((15 * ROUNDS))}

# The disk is a sparse file on a tmpfs, which grows as its file system takes blocks that it did not have yet. What CPUs hold
# in their own lists of free pages, some megabytes, does not count as free.
free_kb() {
	awk '/^(MemFree|Shmem):/ { sum += $2 } $1 == "count:" { sum += 4 * $2 } END { print sum }' /proc/meminfo /proc/zoneinfo
}

# Outside of groups all the time, and three more that go into a group in each cycle. They rest in between, because an
# emulated machine without a free moment needs half a minute for what waits for every task and processor.
start_loops() {
	load '' proc churn map 2M 150000
	load '' proc churn file $DISK/outside 150000
	load '' proc churn exec $PROGS/proc 150000
	outside=$loads loads=''
	load '' proc churn map 1M 150000
	load '' proc churn file $DISK/inside 150000
	load '' proc churn exec $PROGS/proc 150000
	inside=$loads loads="$outside $loads"
	note_loads
}

signal_loops() {
	local one
	for one in $outside $inside; do
		kill "-$1" "$one"
	done
}

all_to() {
	local one
	for one in $inside; do
		echo "$one" >"$1/cgroup.procs"
	done
}

# Children of the loops may be left there for an instant.
is_removed() { rmdir "$1" 2>/dev/null; }

cycle() {
	modprobe memward
	mount_memward
	mkdir -p "$G/a" "$G/b"
	all_to "$G/a"
	run "$G/b" written mem write $DISK/work 1M
	finish
	audit_is_clean
	all_to $MW
	await 30 is_removed "$G/a"
	rmdir "$G/b" "$G"
	audit_is_clean
	umount $MW
	rmmod memward
}

# Free memory with the loops at rest and no cache.
rest() {
	signal_loops STOP
	drop_caches
	drop_caches
	free_kb
	signal_loops CONT
}

left_behind() {
	grep -w memward /proc/vmallocinfo || true
	grep memward /proc/slabinfo || true
	ls -d /sys/module/memward /sys/kernel/livepatch/memward /sys/fs/memward 2>/dev/null || true
}

is_back() { after=$(rest); [ "$after" -ge "$1" ]; }

limit_cycles=$((100 * CYCLES))
test_cycles() {
	local i=0 before after begin
	start_loops
	clock
	begin=$now
	# a fast host may have done the cycles before the loops have done their rounds
	until [ $i -ge $CYCLES ] && have_gone_on $CYCLES; do
		cycle
		i=$((i + 1))
		[ $((i % 20)) != 0 ] || echo "memward-test: $i cycles" >/dev/kmsg
		[ "$i" != 10 ] || before=$(rest)
	done
	clock
	# what RCU and deferred work still hold comes back within seconds; a leaked copy of the module does not
	await 60 is_back $((before - 4096))
	say "$i cycles in $(((now - begin) * 10)) ms; free memory from $before to $after KiB"
	is "what is left behind" "$(left_behind)" ""
	signal_loops KILL
}
