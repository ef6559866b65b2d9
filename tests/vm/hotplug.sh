# SPDX-License-Identifier: GPL-2.0
# Processors and memory that come and go under load. ROUNDS: see docs/testing.md.

cpus_online() { grep -c ^processor /proc/cpuinfo; }

# cpu NR 0|1: a processor cannot always go (another change is under way); that is the kernel's business. $TMP/changes has a
# line for each time.
cpu() {
	if echo "$2" >"/sys/devices/system/cpu/cpu$1/online" 2>/dev/null; then echo "$@" >>$TMP/changes; fi
}
# have_come_and_gone ROUNDS: half of what these are if each processor can always go and come, at least
have_come_and_gone() { [ -e $TMP/changes ] && [ "$(wc -l <$TMP/changes)" -ge $(($1 * 7)) ]; }

all_cpus_on() {
	local one
	for one in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ "$(cat "$one")" = 1 ] || echo 1 >"$one"
	done
}

# toggle_cpus: until it is enough, every processor but the first goes and comes, the second half of them at once.
toggle_cpus() {
	local one
	until [ -e $TMP/enough ]; do
		for one in 1 2 3; do
			cpu $one 0
			cpu $one 1
		done
		for one in 4 5 6 7; do
			cpu $one 0
		done
		for one in 4 5 6 7; do
			cpu $one 1
		done
	done
}

load_all() {
	local i
	for i in 1 2 3 4; do
		mkdir -p "$G/$i"
		load "$G/$i" proc churn map 2M 2000
	done
	load "$G/1" proc churn exec "$PROGS/proc" 20000
	load "$G/2" proc churn file "$DISK/hotplug" 20000
	note_loads
}
unload() {
	have_gone_on 10 || fail "some load was not at work"
	put "$G/cgroup.kill" 1
	await 60 is_empty "$G"
}

# What is in stock on a processor that is going is not lost for a moment.
limit_processors_come_and_go=300
test_processors_come_and_go() {
	local kept toggler
	[ "$(cpus_online)" -ge 8 ] || skip "there are too few processors"
	mkdir "$G/kept"
	run "$G/kept" touched mem anon 10M
	kept=$(current "$G/kept")
	load_all
	toggle_cpus &
	toggler=$!
	until have_come_and_gone $((3 * ROUNDS)) && have_gone_on 10; do
		audit_is_clean
		is "memory.current of who does nothing" "$(current "$G/kept")" "$kept"
	done
	: >$TMP/enough
	wait $toggler
	all_cpus_on
	is processors "$(cpus_online)" 8
	unload
	drain
	is "anon" "$(stat_of "$G" anon)" 0
	audit_is_clean
}

# meeting COMMAND...: adds to met if $TMP/changes has got longer meanwhile.
meeting() {
	local before
	before=$(wc -l <$TMP/changes)
	"$@"
	[ "$(wc -l <$TMP/changes)" = "$before" ] || met=$((met + 1))
}

# The last unmount frees what stocks refer to: also that of a processor which is just going.
limit_unmounting_while_processors_go=300
test_unmounting_while_processors_go() {
	local i=0 met=0 toggler
	[ "$(cpus_online)" -ge 8 ] || skip "there are too few processors"
	rmdir "$G"
	: >$TMP/changes
	toggle_cpus &
	toggler=$!
	until [ $i -ge $((3 * ROUNDS)) ] && [ $met -ge $((2 * ROUNDS)) ]; do
		i=$((i + 1))
		mkdir "$G"
		race trees "$G" 2 3 $MW/cgroup.procs
		rmdir "$G"
		meeting umount $MW
		mount_memward
		audit_is_clean
	done
	: >$TMP/enough
	wait $toggler
	all_cpus_on
	mkdir "$G"
}

# --- memory --------------------------------------------------------------------------------------------------

shadow() { awk '$1 == "shadow_bytes" { print $2 }' $MW/memward.status; }

# The blocks of the two memory modules: those that are offline at first, as no daemon is there to bring them online. The first module
# is one block, and keeps its own struct pages, which are its first pages, where the kernel can do that (from 6.1 on); so do the
# blocks of the second one, but not on 6.1.
module_blocks() {
	local block
	for block in /sys/devices/system/memory/memory*; do
		[ "$(cat "$block/state")" != offline ] || echo "$block"
	done
}
need_module() {
	[ -e "$TMP/../blocks" ] || module_blocks >"$TMP/../blocks"
	blocks=$(cat "$TMP/../blocks")
	[ "$blocks" ] || skip "there is no memory module that is offline"
}

# The mask of the processors beside it: movable memory of the own node is taken first.
node1() { cat /sys/devices/system/node/node1/cpumap 2>/dev/null || echo 1; }

# A block that has a page which cannot be moved just now stays: that is asked again.
is_set() { echo "$2" >"$1/state" 2>/dev/null && echo "$@" >>$TMP/changes; }
all_blocks() {
	local block
	for block in $blocks; do
		await 60 is_set "$block" "$1"
	done
}

# Memory that came after the mount is charged, and when it goes the charges move with the pages.
limit_memory_goes_while_charged=200
test_memory_goes_while_charged() {
	local blocks before charged nr
	need_module
	before=$(shadow)
	all_blocks online_movable
	nr=$(echo "$blocks" | wc -l)
	is "shadow of the memory that came" $(($(shadow) - before)) $((nr * 32768 * 8))
	run "$G" touched taskset "$(node1 | tr -d ,)" mem anon 300M
	stat_is "$G" anon $((300 * MB)) 1
	charged=$(current "$G")
	audit_is_clean
	all_blocks offline
	drain
	is memory.current "$(current "$G")" "$charged"
	is "shadow after it has gone" "$(shadow)" "$before"
	audit_is_clean
	finish
	drain
	is anon "$(stat_of "$G" anon)" 0
}

# A block that keeps its own struct pages begins behind them, and ends where it would: what goes with it is nothing of the next one,
# whose first pages are charged where it does not keep its own (6.1).
limit_a_block_goes_from_before_another=200
test_a_block_goes_from_before_another() {
	local blocks first charged total
	need_module
	first=$(echo "$blocks" | head -n 1)
	blocks=$(echo "$blocks" | tail -n +2)
	all_blocks online_movable
	run "$G" touched taskset "$(node1 | tr -d ,)" mem anon 250M
	charged=$(current "$G")
	total=$(mem_total)
	await 60 is_set "$first" online_movable
	if keeps_struct_pages; then is "KB of the first block" $(($(mem_total) - total)) $((126 * 1024)); fi
	await 60 is_set "$first" offline
	drain
	is memory.current "$(current "$G")" "$charged"
	audit_is_clean
	all_blocks offline
	is memory.current "$(current "$G")" "$charged"
	audit_is_clean
	finish
}
mem_total() { awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo; }
keeps_struct_pages() { [ "$(cat /sys/module/memory_hotplug/parameters/memmap_on_memory 2>/dev/null)" = Y ]; }

limit_memory_comes_and_goes_under_load=300
test_memory_comes_and_goes_under_load() {
	local blocks before i=0
	need_module
	before=$(shadow)
	load_all
	until [ $i -ge $((3 * ROUNDS)) ] && have_gone_on 10; do
		i=$((i + 1))
		all_blocks online_movable
		audit_is_clean
		all_blocks offline
		audit_is_clean
	done
	unload
	is "shadow after it has gone" "$(shadow)" "$before"
	drain
	is anon "$(stat_of "$G" anon)" 0
}

limit_mounting_while_memory_comes_and_goes=300
test_mounting_while_memory_comes_and_goes() {
	local blocks before i=0 met=0 mover
	need_module
	before=$(shadow)
	rmdir "$G"
	: >$TMP/changes
	come_and_go &
	mover=$!
	until [ $i -ge $((2 * ROUNDS)) ] && [ $met -ge $((2 * ROUNDS)) ]; do
		i=$((i + 1))
		umount $MW
		meeting mount_memward
	done
	: >$TMP/enough
	wait $mover
	is "shadow after it has gone" "$(shadow)" "$before"
	mkdir "$G"
}

# Until it is enough. $TMP/changes has a line for each block that has come or gone.
come_and_go() {
	until [ -e $TMP/enough ]; do
		all_blocks online_movable
		all_blocks offline
	done
}

# The last: it does not come back.
test_module_is_taken_out() {
	local blocks slot
	need_module
	all_blocks online_movable
	run "$G" touched taskset "$(node1 | tr -d ,)" mem anon 200M
	for slot in /sys/bus/acpi/devices/PNP0C80:*/eject; do
		[ -e "$slot" ] || skip "nothing can be taken out"
		is_ejected "$slot" || true
	done
	await 60 are_gone
	stat_is "$G" anon $((200 * MB)) 1
	audit_is_clean
	finish
}
is_ejected() { echo 1 >"$1"; }
are_gone() {
	local block
	for block in $blocks; do
		[ ! -e "$block" ] || return 1
	done
}
