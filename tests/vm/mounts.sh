# SPDX-License-Identifier: GPL-2.0
# Attaching and detaching, loading and unloading, when the machine has something else to do. ROUNDS: see docs/testing.md.
mounts=no

reclaimed() { awk '/^pgsteal_(kswapd|direct)/ { sum += $2 } END { print sum }' /proc/vmstat; }
total() { awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo; }

# under_pressure COMMAND...: adds to stolen what the kernel has reclaimed meanwhile.
under_pressure() {
	local before
	before=$(reclaimed)
	"$@"
	stolen=$((stolen + $(reclaimed) - before))
}

# What was being swapped out when its process ended stays in the swap cache until reclaim finds it.
has_nothing() {
	drain
	echo 1M >"$1/memory.reclaim" 2>/dev/null || true
	[ "$(stat_of "$1" anon)" = 0 ]
}

# Somebody uses more memory than there is, and a swap disk is there: whoever allocates has to reclaim. He does not use so much all
# of the time, so it goes on until enough was reclaimed while memward was being mounted and unmounted.
limit_mounting_under_pressure=400
test_mounting_under_pressure() {
	local i=0 one stolen=0 line_limit=120
	[ -b /dev/vda ] || skip "the machine has no swap disk"
	unmounted
	swapoff /dev/vda 2>/dev/null || true
	swapon /dev/vda
	load '' proc churn map $(($(total) / MB + 60))M 100000
	load '' proc churn file $DISK/pressure 10000
	until [ $i -ge $((4 * ROUNDS)) ] && [ "$stolen" -ge 1000 ]; do
		i=$((i + 1))
		under_pressure mount_memward
		mkdir "$G"
		race trees "$G" 2 5 $MW/cgroup.procs
		audit_is_clean
		await 20 has_nothing "$G"
		rmdir "$G"
		under_pressure umount $MW
	done
	# both live; a round of the larger one may take longer than all this
	have_gone_on 1
	say "in $i rounds the kernel has reclaimed $stolen pages during mount and umount"
	for one in $loads; do
		stop "$one"
	done
}

limit_unloading_while_mounting=300
test_unloading_while_mounting() {
	unmounted
	mkdir -p /tmp/first /tmp/second
	race modules "$(modinfo -n memward 2>/dev/null || find /lib/modules -name memward.ko)" \
		/tmp/first /tmp/second $((4 * ROUNDS))
	modprobe memward
	rmmod memward
	is "what is left behind" "$(ls -d /sys/module/memward /sys/kernel/livepatch/memward /sys/fs/memward 2>/dev/null)" ""
	modprobe memward
}

# What only an untested kernel needs is no mistake on a tested one, and nothing to complain of.
test_untested_on_a_tested_kernel() {
	unmounted
	mount -t memward -o untested memward $MW
	grep -q " $MW memward .*untested" /proc/mounts || fail "the mount does not show the option: $(grep memward /proc/mounts)"
	umount $MW
	mount_memward
	! grep -q " $MW memward .*untested" /proc/mounts || fail "the mount shows an option that it was not given"
	umount $MW
}
