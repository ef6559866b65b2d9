# SPDX-License-Identifier: GPL-2.0
# The command memward, where there is memward. What of it wants systemd is in systemd.sh.

is_loaded() { [ -d /sys/module/memward ]; }

# out_of_the_kernel: no module, no mount.
out_of_the_kernel() {
	rmdir "$G"
	umount $MW
	rmmod memward
}

mount_by_command() {
	# shellcheck disable=SC2086 # words
	does mount ${MW_MOUNT_OPTIONS:+--untested} "$@"
}

test_in_and_out() {
	out_of_the_kernel
	refuses 1 "memward is not mounted" "memward mount" ls
	refuses 1 "memward is not mounted" "memward mount" set db memory.high=1M
	refuses 125 "memward is not mounted" "memward mount" run true
	ask status
	is "status of what is not loaded" "$status" 3
	says "^module   not loaded: /lib/modules/.*/memward.ko"
	says "^mounted  no$"
	says "^next     memward mount "
	mount_by_command
	says "^memward is mounted at $MW, as a tree of one's own$"
	is_loaded || fail "it is not loaded"
	does status
	says "^module   loaded, version $(cat $MW/memward.version)$"
	says "^mounted  $MW, as a tree of one's own$"
	says "^hooks    [1-9][0-9]* attached$"
	[ "$MW_MOUNT_OPTIONS" ] || says_not "^next"
	does unload
	says "^memward is unloaded$"
	! is_loaded || fail "it is loaded"
	! grep -q memward /proc/mounts || fail "it is mounted"
	does unload
	says "^memward is not loaded$"
}

# What /etc/memward.d says is to be what is applied, and without a mistake: after a boot with one nothing else tells.
test_status_of_the_configuration() {
	local next='^next     memward apply --diff says what is'
	rm -rf /etc/memward.d /run/memward
	mkdir /etc/memward.d
	trap 'rm -r /etc/memward.d /run/memward' EXIT
	does status
	says_not "^config"
	printf '[group.db]\nmemory.max = "64M"\n' >/etc/memward.d/1.toml
	ask status
	is "status of what is not applied" "$status" 1
	says "^config   1 file in /etc/memward.d: 2 changes not applied$"
	says "$next not applied of /etc/memward.d; memward apply, "
	does apply
	does status
	says "^config   1 file in /etc/memward.d, all applied$"
	is "whether there is something to be done" "$(answer | grep -c "^next     memward apply")" 0
	does --json status
	is "changes in JSON" "$(answer | grep -c '"changes": \[\]')" 1
	printf '[group.' >/etc/memward.d/2.toml
	chmod 600 /etc/memward.d/2.toml
	ask status
	is "status of a mistake" "$status" 1
	says "^config   2 files in /etc/memward.d: 1 mistake$"
	says "$next wrong in /etc/memward.d, and what is not applied$"
	ask --json status
	is "status in JSON" "$status" 1
	says '"file": "/etc/memward.d/2.toml",'
	# who may not read it is not told of it
	try as 1000 $PROGS/memward status >$TMP/answer 2>$TMP/complaint || fail "$(answer) $(complaint)"
	says "^config   2 files in /etc/memward.d, "
	chmod 644 /etc/memward.d/2.toml
	try as 1000 $PROGS/memward status >$TMP/answer 2>$TMP/complaint && fail "there is no mistake: $(answer)"
	says "^config   2 files in /etc/memward.d: 1 mistake$"
	rm /etc/memward.d/2.toml
	does status
	# by hand
	put $MW/db/memory.max 32M
	ask status
	is "status of what was changed by hand" "$status" 1
	rm /etc/memward.d/1.toml
	ask status
	is "status of what is to be taken back" "$status" 1
	says "^config   0 files in /etc/memward.d: 1 change not applied$"
	does apply
	does status
}

# After an upgrade: what is loaded works on, and how to have the other one loaded is said.
test_status_after_an_upgrade() {
	[ -e /sys/module/memward/srcversion ] || skip "the kernel does not say what it has loaded"
	mkdir $TMP/bin
	printf '#!/bin/sh\necho 0123456789ABCDEF\n' >$TMP/bin/modinfo
	chmod +x $TMP/bin/modinfo
	(PATH=$TMP/bin:$PATH; does status)
	says "^module   loaded, version .* \(what is built now is another\)$"
	says "^next     the next boot loads .*systemctl restart memward, or memward unload --remove-groups && memward mount"
}

test_mounted_already() {
	mount_by_command
	says "^memward is mounted already at $MW"
	refuses 1 "memward is mounted already, as a tree of one's own, at $MW" "memward unload" mount --mirror
	refuses 1 "memward is not mounted at /mnt, but at $MW" "" --mount /mnt ls
	is "mounts" "$(grep -c ' memward ' /proc/mounts)" 1
}

test_a_mirror() {
	rmdir "$G"
	does unload
	mount_by_command --mirror
	says "^memward is mounted at $MW, as a mirror of the kernel's cgroups$"
	refuses 1 "what is mounted is a mirror" "systemctl" create db
	refuses 125 "what is mounted is a mirror" "systemctl" run true
	refuses 1 "what is mounted is a mirror" "systemctl" attach / $$
	mkdir $CGROUPS/x
	does set x memory.high=64M
	does ls
	says "x +0 +64M"
	refuses 1 "what is mounted is a mirror" "systemctl" remove x
	sleep 1000 &
	put $CGROUPS/x/cgroup.procs $!
	refuses 1 "what is mounted is a mirror" "systemctl" remove --kill x
	[ "$(task_state $!)" = S ] || fail "who was in it was killed"
	stop $!
	refuses 1 "what is mounted is a mirror" "systemctl" bind x /x
	rmdir $CGROUPS/x
	does unload
	! is_loaded || fail "it is loaded"
}

test_refused_by_the_kernel() {
	out_of_the_kernel
	# as if nobody had built it
	dep=/lib/modules/$(uname -r)/modules.dep
	mv "$dep" /tmp/dep
	trap 'mv /tmp/dep "$dep"' EXIT
	: >"$dep"
	refuses 1 "there is no module memward for this kernel" "apt install linux-headers-$(uname -r)" mount
	ask status
	says "^module   not built for this kernel$"
	cp /tmp/dep "$dep"
	mount_by_command
	does unload
	refuses 1 "memward does not take the options" "" mount --mirror=x
}

test_a_group_and_its_settings() {
	does create db memory.high=64M memory.max=128M
	is memory.high "$(cat $MW/db/memory.high)" $((64 * MB))
	is memory.max "$(cat $MW/db/memory.max)" $((128 * MB))
	does create db/a
	does set db/a memory.low=8M memory.swappiness=7
	does set $MW/db/a/ memory.oom.group=1
	does show db/a memory.low memory.swappiness memory.oom.group
	is "what is shown" "$(answer | xargs)" "$((8 * MB)) 7 1"
	does show db
	says "^  memory.high  +64M$"
	says "^  memory.events  +low 0  high 0  max 0"
	says_not "memory.usage_in_bytes"
	does show --all db
	says "memory.usage_in_bytes"
	does ls
	says "^\`- db +0 +64M +128M +- +0 +-$|^.*- db +0 +64M +128M"
	says "a +0 +- +- +8M"
	refuses 1 "db has groups below it" "remove --recursive db" remove db
	does remove --recursive db
	! [ -d $MW/db ] || fail "db is there"
}

test_nobody_is_killed_in_vain() {
	mkdir "$G/a"
	run "$G" touched mem dontneed 4M
	refuses 1 "t has groups below it" "remove --recursive --kill t" remove --kill t
	[ "$(task_state "$pid")" != Z ] || fail "it was killed"
	rmdir "$G/a"
	# who would be killed itself
	in_group "$G" memward remove --kill t 2>$TMP/complaint && fail "it has removed itself"
	grep -q "^memward: memward itself is in t, and would be killed$" $TMP/complaint || fail "$(complaint)"
	refuses 1 "process $pid is in t" "remove --kill t" remove --recursive t
	finish
}

test_something_else_on_top() {
	mount -t tmpfs none $MW
	trap 'umount $MW' EXIT
	mkdir $MW/t
	refuses 1 "something else is mounted on $MW, on top of memward" "findmnt $MW" remove t
	refuses 1 "something else is mounted on $MW, on top of memward" "findmnt $MW" unload
	[ -d $MW/t ] || fail "what is no group was removed"
}

test_all_settings_or_none() {
	put "$G/memory.high" 64M
	put "$G/memory.max" 128M
	refuses 1 "memory.max does not take nonsense" "a size is a number" set t memory.high=1G memory.low=4M memory.max=nonsense
	is memory.high "$(cat "$G/memory.high")" $((64 * MB))
	is memory.low "$(cat "$G/memory.low")" 0
	is memory.max "$(cat "$G/memory.max")" $((128 * MB))
	refuses 1 "there is no file memory.hihg in t" "memward show t" set t memory.low=4M memory.hihg=1G
	is memory.low "$(cat "$G/memory.low")" 0
	refuses 1 "memory.max does not take -5" "" create u memory.high=1G memory.max=-5
	! [ -d $MW/u ] || fail "u was made"
	# these are set when all else was taken
	refuses 1 "memory.oom.group does not take 7" "" set t memory.max=1G memory.high=1G memory.low=4M memory.oom.group=7
	is memory.high "$(cat "$G/memory.high")" $((64 * MB))
	is memory.low "$(cat "$G/memory.low")" 0
	is memory.max "$(cat "$G/memory.max")" $((128 * MB))
	# both raised, both lowered: in the order in which they can be
	does set t memory.memsw.limit_in_bytes=3G memory.limit_in_bytes=2G
	does set t memory.limit_in_bytes=128M memory.memsw.limit_in_bytes=1G
	# what only the kernel knows to be wrong is refused when others have been set
	refuses 1 "memory.memsw.limit_in_bytes does not take 64M" "cannot be less than memory alone" set t memory.low=4M memory.memsw.limit_in_bytes=64M
	is memory.low "$(cat "$G/memory.low")" 0
	is memory.memsw.limit_in_bytes "$(cat "$G/memory.memsw.limit_in_bytes")" $((1024 * MB))
	put "$G/memory.swappiness" 7
	refuses 1 "memory.dirty_ratio does not take 101" "" set t memory.swappiness=20 memory.dirty_ratio=101
	is memory.swappiness "$(cat "$G/memory.swappiness")" 7
}

test_what_is_refused() {
	refuses 2 "there is no command frobnicate" "memward --help" frobnicate
	refuses 2 "unknown flag: --frob" "memward --help" ls --frob
	refuses 2 "usage: memward set GROUP" "memward --help" set t
	refuses 2 "memory.high is not FILE=VALUE" "memward --help" set t memory.high
	refuses 2 "'?\.\./x'? is no name of a file" "memward --help" set t ../x=1
	refuses 1 "there is no group nowhere" "memward ls" set nowhere memory.high=1M
	refuses 1 "there is no group nowhere" "memward ls" show nowhere
	refuses 1 "there is no group nowhere" "memward ls" ls nowhere
	refuses 1 "there is no group nowhere" "memward ls" remove nowhere
	refuses 1 "there is no group nowhere" "memward ls" reclaim nowhere 1M
	refuses 1 "there is no file nothing in t" "memward show t" show t nothing
	refuses 1 "memory.current is a measurement" "" set t memory.current=1
	refuses 1 "cgroup.procs is a list of processes: memward attach" "" set t cgroup.procs=1
	refuses 1 "memory.reclaim is no setting: memward reclaim" "" set t memory.reclaim=1M
	refuses 1 "t is there already" "" create t
	refuses 1 "what a/b is to be in is not there" "" create a/b
	refuses 1 "\.\./x is no name of a group" "" create ../x
	refuses 1 "t/memory.high is there already" "" create t/memory.high
	refuses 1 "the root cannot be removed" "memward unload" remove /
	refuses 1 "there is no process 4194303" "" attach t 4194303
	refuses 2 "x is no pid" "" attach t x
	refuses 1 "2 is a thread of the kernel" "" attach t 2
	refuses 2 "5Q is no size" "" reclaim t 5Q
	refuses 1 "max takes no swappiness" "" reclaim --swappiness=1 t max
	refuses 1 "memory.reclaim does not take '1M swappiness=201'" "" reclaim --swappiness=201 t 1M
	refuses 1 "systemd cannot be asked for nowhere.service" "" bind t nowhere.service
	refuses 1 "nowhere is no path of a cgroup, no unit of systemd and no container" "systemctl" bind t nowhere
	refuses 1 "/x is not bound to t" "" bind --remove t /x
	refuses 1 "/../x is no path of a cgroup" "" bind t /../x
	refuses 1 "there is no cgroup 4711" "" bind t 4711
	refuses 2 "what is to be bound no longer" "" bind --remove t
	refuses 1 "there is no file ../memory.stat in t" "" show t ../memory.stat
	refuses 1 "there is no directory /nowhere" "mkdir it first" mount /nowhere
}

test_not_by_root() {
	for what in "set t memory.high=1M" "create u" "remove t" "attach t $$" "reclaim t 1M" "bind t /x"; do
		# shellcheck disable=SC2086 # words
		try as 1000 $PROGS/memward $what >$TMP/answer 2>$TMP/complaint && fail "memward $what was done"
		grep -q "^memward: not permitted: " $TMP/complaint || fail "memward $what: $(complaint)"
		grep -q "^  this needs root: sudo memward" $TMP/complaint || fail "memward $what: $(complaint)"
	done
	try as 1000 $PROGS/memward ls >$TMP/answer || fail "nobody but root may see what there is"
	says "t +0 "
	try as 1000 $PROGS/memward status >$TMP/answer || fail "nobody but root may see the status"
}

test_run() {
	# its own first instruction is in the group
	does run -q --group r -p memory.high=64M -p memory.max=128M -- sh -c "grep -x \$\$ $MW/r/cgroup.procs; cat $MW/r/memory.high"
	is "what it has seen" "$(answer | wc -l) $(answer | tail -n 1)" "2 $((64 * MB))"
	! [ -d $MW/r ] || fail "the group is there"
	ask run -q sh -c 'echo out; echo err >&2; exit 3'
	is "its status and what it says" "$status $(answer) $(complaint)" "3 out err"
	is "groups that are left" "$(ls -d $MW/*/)" "$G/"
}

test_run_says_what_was_used() {
	ask --json run --group r -p memory.high=16M -- env HURRY=1 mem anon 20M
	is "its status" "$status" 0
	grep -q '"group": "r"' $TMP/complaint || fail "$(complaint)"
	at_least "memory.peak" "$(sed -n 's/.*"memory.peak": \([0-9]*\).*/\1/p' $TMP/complaint)" $((15 * MB))
	at_least "high" "$(sed -n 's/.*"high": \([0-9]*\).*/\1/p' $TMP/complaint)" 1
	ask run --group r -p memory.high=16M -- env HURRY=1 mem anon 20M
	grep -qE "^memward: r: exit status 0 after [0-9.]+m?s; peak [0-9.]+M.*; events: .*high [1-9]" $TMP/complaint || fail "$(complaint)"
}

test_run_ends_as_the_program_does() {
	local status
	refuses 127 "nowhere: there is no such program" "" run nowhere
	refuses 126 "/etc: it cannot be run" "" run /etc
	printf nonsense >$TMP/x
	chmod +x $TMP/x
	refuses 126 "it cannot be run: $TMP/x: exec format error" "" run $TMP/x
	refuses 1 "memory.max does not take x" "" create y memory.max=x
	refuses 125 "memory.max does not take x" "a size" run -p memory.max=x true
	refuses 125 "t is there already" "" run --group t true
	refuses 2 "usage: memward run" "" run
	# shellcheck disable=SC2016 # for the inner shell
	ask run sh -c 'kill -9 $$'
	is "status of who was killed" "$status" 137
	grep -q "ended by SIGKILL after" $TMP/complaint || fail "$(complaint)"
	ask run sh -c 'exit 255'
	is "status" "$status" 255
	is "groups that are left" "$(ls -d $MW/*/)" "$G/"
}

has_said() { grep -q "$1" $TMP/out; }

test_signals_are_passed_on() {
	local one runner
	for one in TERM HUP INT QUIT USR1 USR2; do
		: >$TMP/out
		# shellcheck disable=SC2016 # for the inner shell
		try unignoring memward run -q -- sh -c 'trap "echo got; exit 7" '$one'; echo ready; while :; do :; done' >$TMP/out 2>&1 &
		runner=$!
		await 20 has_said ready
		kill -$one $runner
		status=0
		wait $runner || status=$?
		is "status after $one" "$status $(tail -n 1 $TMP/out)" "7 got"
	done
}

test_what_was_ignored_stays_so() {
	# HUP and INT
	(trap '' HUP INT; memward run -q -- cat /proc/self/status) >$TMP/answer
	is "what it ignores" "$(($(sed -n 's/^SigIgn:[^0-9a-f]*/0x/p' $TMP/answer) & 3))" 3
	try unignoring memward run -q -- cat /proc/self/status >$TMP/answer
	is "what it ignores" "$(sed -n 's/^SigIgn:[^0-9a-f]*//p' $TMP/answer)" 0000000000000000
	is "what it has blocked" "$(sed -n 's/^SigBlk:[^0-9a-f]*//p' $TMP/answer)" 0000000000000000
}

test_files_are_passed_on() {
	echo three >$TMP/three
	echo nine >$TMP/nine
	memward run -q -- sh -c 'cat <&3; cat <&9; ls /proc/self/fd' 3<$TMP/three 9<$TMP/nine >$TMP/answer
	# and that of the directory
	is "what it was given" "$(answer | xargs)" "three nine 0 1 2 3 4 9"
}

is_sleep() { [ -e "$1/cgroup.procs" ] && read -r pid <"$1/cgroup.procs" && grep -qx sleep "/proc/$pid/comm"; }

# A loop of a shell's ends then.
test_died_of_what_may_be_typed() {
	local one number runner
	for one in INT:2 TERM:15 HUP:1 QUIT:3; do
		number=${one#*:} one=${one%:*}
		try unignoring memward run --group r -- sleep 1000 2>$TMP/complaint &
		runner=$!
		await 20 is_sleep $MW/r
		kill -"$one" "$pid"
		status=0
		wait $runner || status=$?
		is "status after $one" "$status" $((128 + number))
		# Go's runtime would say where it was
		is "lines" "$(wc -l <$TMP/complaint)" 1
		grep -q "ended by SIG$one after" $TMP/complaint || fail "$(complaint)"
	done
}

test_who_stops_and_goes_on() {
	local runner
	# shellcheck disable=SC2016 # for the inner shell
	memward run -q --group r -- sh -c 'kill -STOP $$; exit 7' &
	runner=$!
	await 20 is_stopped $runner
	# both are, until somebody goes on
	read -r pid <$MW/r/cgroup.procs
	for _ in 1 2 3 4 5; do
		is "states" "$(task_state $runner) $(task_state "$pid")" "T T"
		ask_helper pause 20
	done
	kill -CONT $runner
	status=0
	wait $runner || status=$?
	is "status" "$status" 7
	! [ -d $MW/r ] || fail "r is there"
}

has_current() { [ -e "$1/memory.current" ] && [ "$(current "$1")" -ge "$2" ]; }

# Whoever has taken memory takes a while to end, after the program has.
test_children_that_die_with_it() {
	local runner
	# shellcheck disable=SC2016 # for the inner shell
	memward run -q --group r -- sh -c 'unset HURRY; for i in 1 2 3 4; do mem anon 20M >/dev/null & done; while :; do :; done' 2>$TMP/complaint &
	runner=$!
	await 60 has_current $MW/r $((80 * MB))
	put $MW/r/cgroup.kill 1
	status=0
	wait $runner || status=$?
	is "status" "$status" 137
	! [ -d $MW/r ] || fail "r is there: $(complaint)"
}

test_a_report() {
	ask run --report $TMP/report -q -- sh -c 'exit 3'
	is "status" "$status" 3
	grep -qE '^\{"group":"run-[0-9]+","status":3,"seconds":[0-9.e-]+,"left":\[\],"memory.peak":[0-9]+,' $TMP/report || fail "$(cat $TMP/report)"
	is "what is said besides" "$(complaint)" ""
	ask run -q --report /nowhere/x true
	grep -q "^memward: the report: open /nowhere/x" $TMP/complaint || fail "$(complaint)"
	# a group by the name that it would have is there
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'mkdir $0/run-$$; echo $$ >$1/pid; exec memward run -q --report $1/report true' $MW $TMP
	grep -q "\"group\":\"run-$(cat $TMP/pid)-2\"" $TMP/report || fail "$(cat $TMP/report)"
	rmdir $MW/run-"$(cat $TMP/pid)"
}

test_run_oom() {
	expect_log 'memward: .*out of memory'
	expect_log 'memward: oom: '
	ask run -p memory.max=16M -p memory.swap.max=0 -- env HURRY=1 mem anon 32M
	is "status of who was killed" "$status" 137
	grep -q "oom_kill 1" $TMP/complaint || fail "$(complaint)"
}

test_who_is_left_keeps_the_group() {
	ask run --group r -- sh -c 'sleep 1000 >/dev/null 2>&1 & echo $!'
	is "status" "$status" 0
	grep -q "^memward: r stays: process $(answer) is in r$" $TMP/complaint || fail "$(complaint)"
	grep -q "memward remove --kill r" $TMP/complaint || fail "$(complaint)"
	is "members" "$(members $MW/r)" "$(answer)"
	refuses 1 "process $(answer) is in r" "remove --kill r" remove r
	does remove --kill r
	! [ -d $MW/r ] || fail "r is there"
	does run -q --keep --group k true
	[ -d $MW/k ] || fail "k is gone"
	does remove k
}

test_attach_and_adopt() {
	run $MW touched mem dontneed 20M
	does attach t "$pid"
	is members "$(members "$G")" "$pid"
	is anon "$(stat_of "$G" anon)" 0
	does attach --adopt t "$pid"
	stat_is "$G" anon $((20 * MB)) 6
	refuses 1 "there is no process 4194303" "pgrep" attach / 4194303 "$pid"
	is "who is left" "$(members "$G")" ""
	finish
}

test_bind_a_path() {
	mkdir $CGROUPS/bound
	trap 'await 20 are_cleared $CGROUPS/bound' EXIT
	does bind t $CGROUPS/bound
	says "^/bound is bound to t$"
	does bind t /later
	says "^/later is bound to t; there is no such cgroup yet$"
	does bind --remove t /later
	does bind t
	is "what is listed" "$(answer)" /bound
	run $MW touched mem dontneed 4M
	put $CGROUPS/bound/cgroup.procs "$pid"
	is members "$(members "$G")" "$pid"
	does create u
	refuses 1 "/bound is bound to another group" "" bind u /bound
	does --json bind t
	is "as JSON" "$(answer | xargs)" "[ /bound ]"
	does bind --remove t /bound
	is members "$(members "$G")" ""
	finish
	does remove u
}

test_a_container_by_its_id() {
	local id=0123456789ab0123456789ab0123456789ab0123456789ab0123456789abcdef
	mkdir -p $CGROUPS/bound/docker-$id.scope
	trap 'await 20 are_cleared $CGROUPS/bound' EXIT
	does bind t 0123456789ab
	says "^/bound/docker-$id.scope is bound to t$"
	does bind --remove t $id
	is "what is bound" "$(cat "$G/memward.bind")" ""
}

test_reclaim() {
	local before
	run "$G" written mem write $DISK/file 20M
	finish
	sync
	before=$(current "$G")
	does reclaim t 5M
	says "^reclaimed [5-9](\.[0-9])?M$"
	at_most "what is left" "$(current "$G")" $((before - 5 * MB))
	ask reclaim t 1G
	is "status where there is less" "$status" 1
	says "^reclaimed .* of 1G: there was no more$"
	does --json reclaim t max
	says '"reclaimed": [0-9]+'
	rm $DISK/file
}

test_unload_with_groups() {
	run "$G" touched mem dontneed 4M
	refuses 1 "there are groups, t first" "unload --remove-groups" unload
	is_loaded || fail "it is not loaded"
	mkdir -p "$G/a/b"
	mkdir $CGROUPS/bound
	trap 'await 20 are_cleared $CGROUPS/bound' EXIT
	does bind t/a /bound
	sh -c 'echo $$ >$0/cgroup.procs; exec sleep 1000' $CGROUPS/bound &
	await 20 is_populated "$G/a" 1
	does unload --remove-groups
	! is_loaded || fail "it is loaded"
	finish
	is "state of who was bound" "$(task_state $!)" S
}

test_unload_while_somebody_is_there() {
	cd "$G"
	refuses 1 "$MW cannot be unmounted: device or resource busy" "fuser -vm $MW" unload --remove-groups
	[ -d "$G" ] || fail "the groups are gone all the same"
	cd /
	is_loaded || fail "it is not loaded"
	does unload --remove-groups
}

test_groups_that_nobody_sees() {
	umount $MW
	is_loaded || fail "it is not loaded"
	refuses 1 "the module is in use" "unload --remove-groups" unload
	does unload --remove-groups
	! is_loaded || fail "it is loaded"
}

test_names() {
	local name
	for name in "a blank" "it's" '$(reboot)' 'größe' "-x" "*"; do
		does create -- "t/$name"
		does set -- "t/$name" memory.high=1M
		is "memory.high of $name" "$(cat "$G/$name/memory.high")" $MB
	done
	mkdir "$G/a$(printf '\t\033[31m')b"
	does ls t
	says "'a blank' +0 +1M"
	says "\\$'a\\\\t\\\\x1b\[31mb'"
	is "lines with control characters" "$(tr -d '\n' <$TMP/answer | tr -dc '\000-\037' | wc -c)" 0
	does remove --recursive t
}

test_a_thousand_groups() {
	local i=0
	while [ $i -lt 1000 ]; do
		mkdir "$G/$i"
		i=$((i + 1))
	done
	does ls
	is "lines" "$(wc -l <$TMP/answer)" 1003
	does --json ls t
	is "groups as JSON" "$(grep -c '"group": "t/' $TMP/answer)" 1000
	does ls --depth 1
	is "lines of one level" "$(wc -l <$TMP/answer)" 3
	does remove -r t
	! [ -d "$G" ] || fail "t is there"
}

test_groups_that_go_meanwhile() {
	local i=0
	(while :; do mkdir "$G/a" "$G/a/b"; rmdir "$G/a/b" "$G/a"; done) &
	while [ $i -lt 12 ]; do
		does ls
		does --json ls
		i=$((i + 1))
	done
	[ "$(task_state $!)" != Z ] || fail "the groups did not go on"
	stop $!
}

test_completion() {
	does create t/a
	ask __complete show ""
	says "^t/a$"
	says "^t$"
	ask __complete l
	says "^ls	"
	for shell in bash zsh fish; do
		does completion $shell
		says memward
	done
}

test_json() {
	does --json status
	says '"loaded": true'
	says '"feature": "charge"'
	[ "$MW_MOUNT_OPTIONS" ] || says '"next": \[\]'
	put "$G/memory.high" 1M
	does --json show t
	says '"memory.high": 1048576'
	says '"memory.max": null'
	says '"cgroup.procs": \[\]'
	does --json ls t
	says '"memory.max": null'
}

# at_terminal COLUMNS LINES WORD...: starts it there; what it writes is in $TMP/screen, and what is written to fd 5 happens there.
at_terminal() {
	mkfifo $TMP/typed
	: >$TMP/screen
	term "$@" <$TMP/typed >>$TMP/screen 2>&1 &
	terminal=$!
	exec 5>$TMP/typed
}
happens() { echo "$*" >&5; }
shows() { grep -qF -- "$1" $TMP/screen; }
# shows_anew WHAT EVENT: after that. Of a line only what has changed is written, but all where the terminal has another size.
columns=80
shows_at_another_size() {
	columns=$((columns % 100 + 1 + columns / 100 * 80))
	happens "size $columns 24"
	shows "$1"
}
shows_anew() {
	happens "$2"
	: >$TMP/screen
	await 20 shows_at_another_size "$1"
}

test_interrupted_at_a_terminal() {
	# shellcheck disable=SC2016 # for the inner shell
	at_terminal 80 24 memward run --group r -- sh -c 'n=0; trap "n=\$((n + 1)); echo got \$n" INT; trap "exit 5" TERM; echo ready; while :; do :; done'
	await 20 shows ready
	happens 'type \x03'
	await 20 shows "got 1"
	# not `head`: who writes to it is told that nobody reads any more
	read -r pid <$MW/r/cgroup.procs
	kill -TERM "$pid"
	status=0
	wait $terminal || status=$?
	is "status, and how often it was interrupted" "$status $(grep -c got $TMP/screen)" "5 1"
	shows "memward: r: exit status 5" || fail "no summary: $(cat $TMP/screen)"
	! [ -d $MW/r ] || fail "r is there"
}

# A terminal that never answers, as a serial console is.
test_nothing_is_asked_of_a_terminal() {
	at_terminal 80 24 memward --version
	wait $terminal
	is "what it has written" "$(tr -d '\r' <$TMP/screen)" "memward version $(cat $MW/memward.version)"
	rm $TMP/typed
	at_terminal 80 24 memward run -q -- echo said
	wait $terminal
	is "what it has written" "$(tr -d '\r' <$TMP/screen)" said
	rm $TMP/typed
	at_terminal 80 24 memward ls
	wait $terminal
	is "escapes" "$(tr -dc '\033' <$TMP/screen | wc -c)" 0
}

test_narrow_terminals() {
	local columns
	mkdir "$G/a_group_with_a_long_name" "$G/b"
	put "$G/b/memory.max" 100M
	for columns in 20 40 80; do
		at_terminal $columns 24 memward ls
		wait $terminal
		is "the longest line of $columns columns" "$(tr -d '\r' <$TMP/screen | awk -v most=$columns 'length($0) > most')" ""
		shows "GROUP" || fail "$(cat $TMP/screen)"
		rm $TMP/typed
	done
	shows "100M" || fail "$(cat $TMP/screen)"
}

test_top_at_a_terminal() {
	mkdir "$G/b" "$G/c"
	run "$G/b" touched mem dontneed 20M
	put "$G/b/memory.high" 40M
	at_terminal 80 24 env LC_ALL=C.UTF-8 TERM=xterm memward top --delay 200ms
	await 30 shows "t/b"
	await 20 shows "█████░░░░░"
	await 20 shows "by current"
	shows_anew "by swap" "type s"
	shows_anew "paused" "type p"
	happens "type p"
	mkdir "$G/made_later"
	await 30 shows made_later
	: >$TMP/screen
	happens "size 40 10"
	await 30 shows "t/b"
	# a narrow one has no columns but the first ones
	! shows "SWAP" || fail "too wide: $(cat $TMP/screen)"
	happens "type q"
	wait $terminal || fail "it ended with status $?"
	finish
}

test_top_gives_the_terminal_back() {
	at_terminal 80 24 sh -c 'echo $$ >'$TMP'/pid; exec env TERM=xterm memward top --delay 200ms'
	await 30 shows "memward: 1 groups"
	: >$TMP/screen
	kill -TERM "$(cat $TMP/pid)"
	wait $terminal || fail "it ended with status $?"
	# xterm's other screen is left
	shows "$(printf '\033[?1049l')" || fail "the terminal is not as it was: $(cat $TMP/screen)"
}

test_top_without_a_terminal() {
	mkdir "$G/b"
	run "$G/b" touched mem dontneed 20M
	put "$G/b/memory.max" 40M
	does top --count 2 --delay 100ms
	is "tables" "$(grep -c ^GROUP $TMP/answer)" 2
	says "^t/b +20(\.[0-9])?M +#####..... +50% +40M "
	does --json top --count 1
	says '"group": "t/b"'
	refuses 2 "there is no order of" "" top --sort of
	refuses 2 "a delay of 1ms is too short" "" top --delay 1ms
	finish
}

test_top_while_groups_go() {
	(while :; do mkdir "$G/a" "$G/a/b"; rmdir "$G/a/b" "$G/a"; done) &
	does top --count 10 --delay 100ms
	[ "$(task_state $!)" != Z ] || fail "the groups did not go on"
	stop $!
	is "tables" "$(grep -c ^GROUP $TMP/answer)" 10
}
