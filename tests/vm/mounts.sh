# SPDX-License-Identifier: GPL-2.0
# Attaching and detaching, loading and unloading, when the machine has something else to do. ROUNDS: see docs/testing.md.
mounts=no

# From a test before, or from the boot.
unmounted() {
	if grep -q " $MW memward " /proc/mounts; then umount $MW; fi
	modprobe memward
}

reclaimed() { awk '/^pgsteal_(kswapd|direct)/ { sum += $2 } END { print sum }' /proc/vmstat; }
available() { awk '/MemAvailable/ { print $2 * 1024 }' /proc/meminfo; }

# What was being swapped out when its process ended stays in the swap cache until reclaim finds it.
has_nothing() {
	drain
	echo 1M >"$1/memory.reclaim" 2>/dev/null || true
	[ "$(stat_of "$1" anon)" = 0 ]
}

# Little memory is left, and a swap disk is there: whoever allocates has to reclaim.
limit_mounting_under_pressure=400
test_mounting_under_pressure() {
	local i one reclaims
	[ -b /dev/vda ] || skip "the machine has no swap disk"
	unmounted
	swapoff /dev/vda 2>/dev/null || true
	swapon /dev/vda
	load '' proc churn map $(($(available) / MB - 20))M 100000
	load '' proc churn file $DISK/pressure 10000
	reclaims=$(reclaimed)
	for i in $(seq $((4 * ROUNDS))); do
		mount_memward
		mkdir "$G"
		race trees "$G" 2 5 $MW/cgroup.procs
		audit_is_clean
		await 20 has_nothing "$G"
		rmdir "$G"
		umount $MW
	done
	# both live; a round of the larger one may take longer than all this
	have_gone_on 1
	say "the kernel has reclaimed $(($(reclaimed) - reclaims)) pages"
	for one in $loads; do
		stop "$one"
	done
}

limit_unloading_while_mounting=300
test_unloading_while_mounting() {
	unmounted
	mkdir -p /tmp/first /tmp/second
	race modules "$(modinfo -n memward 2>/dev/null || find /lib/modules -name memward.ko)" \
		/tmp/first /tmp/second $((6 * ROUNDS))
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
