# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# What scripts/check runs where: the boots with their tests, and what of them `make check` has, which is the same each time. Sourced by it.
#
# A machine is a series, as 6.1, or a series with a flavour, as 6.1-amd64. Seconds are those on an idle host of two
# processors; they only matter until a run has measured its own.

# Boots of a VM: name, seconds, options of scripts/vm, and the files of tests/vm that share it. What unloads the module or
# counts the machine's memory has a boot of its own, and so has what must not share the processors. Tracing all functions
# rewrites code that the other processors are running, which QEMU (10.0) gets wrong if they do run: it drops what it has
# translated of a page before it stores the byte, so one that translates the page in between keeps the old byte for good,
# and meets a breakpoint that is no longer there for ever. Those processors take turns.
#
# Most have virtual time (scripts/vm --virtual): then nothing that a test waits for depends on the host, and --timeout, which does, only
# says that something is broken. disks.sh has not, as its device-mapper targets wait by the clock for requests that the host serves by its
# own; nor has systemd.sh, which compiles; nor have the kernels that are built here, whose races want processors that run at the same time.
# --real takes it away from all.
boots='
main       300 --virtual,--timeout=1500               accounting.sh membership.sh bind.sh lifecycle.sh badinput.sh files.sh delegation.sh rights.sh throttle.sh events.sh storm.sh fuzz.sh
limit      240 --virtual,--timeout=1500,--swap=600M   swap.sh limit.sh reclaim.sh combos.sh adopt.sh
protect    300 --virtual,--timeout=2400,--swap=1200M,--exhausted  protect.sh
ids        100 --virtual,--timeout=1200               ids.sh
cycles     200 --virtual,--no-module,--timeout=1700   cycles.sh
storms     300 --virtual,--cpus=8,--nodes=2,--dimm=128M,--dimm=256M,--own-memmap,--swap=600M,--exhausted,--timeout=2400 races.sh pages.sh nodes.sh hotplug.sh
mirror     100 --virtual,--timeout=2400,--swap=600M   mirror.sh command.sh apply.sh bind_v1.sh
mounts      60 --virtual,--cpus=4,--swap=1200M,--timeout=1200 mounts.sh
hibernate   50 --virtual,--memory=512M,--swap=600M,--exhausted,--hibernate,--timeout=900 hibernate.sh
failures   600 --timeout=3000               failures.sh
proto       30 --virtual,--no-module,--define=MW_TEST_WRONG_PROTO proto.sh
untested   30 --virtual,--no-module,--define=MW_TEST_UNTESTED untested.sh
above      30 --virtual,--no-module,--define=MW_TEST_SLOT_PFNS,--dimm=128M,--timeout=600 above.sh
neighbours 200 --virtual,--memory=2G,--timeout=1500 neighbours.sh
large       60 --virtual,--memory=67G,--touched=3G,--timeout=900 large.sh
model      250 --virtual,--timeout=2800,--memory=512M,--swap=600M model.sh
curve       40 --timeout=400,--icount       curve.sh scale.sh
systemd    900 --systemd,--swap=600M,--timeout=7000 systemd.sh
disks      200 --debian,--disk=400M,--disk=400M,--timeout=2400 disks.sh
smoke       60 --virtual,--timeout=600,--swap=600M    smoke
'

# What is run for each machine outside of a guest of scripts/check's own.
machine_jobs='
text     10
install  60
package  60
demo     40
'

# Jobs that want no kernel, by name, with what they run. Each writes TAP. The outside world, which canary looks at, may change between two
# runs: no job of the gate. Nor is packages, which compiles everything twice.
plain_jobs='
unit      20  tests/unit/run
command   60  tests/command/run
fuzz      60  tests/fuzz/run
mutation   5  tests/mutation/run --dry-run
plan      10  tests/plan/run
queue      5  tests/queue/run
verdict    5  tests/verdict/run
record    20  tests/record/run
canary    60  scripts/canary --newest
packages 120  tests/package/run
floors     5  scripts/house/floors
floors_test 5 tests/floors/run
docs       5  scripts/house/files-doc --check
'
soak_jobs='canary packages'

# What `make check` runs: of each file, or of a single test, or of a job, how much on each kernel of the matrix, the oldest first. half and
# rest are the two halves of its tests, by a hash of their names: so none changes sides because another one comes or goes. What has no row,
# and what its own file keeps for soak (soak_NAME=REASON), is run by scripts/soak alone. docs/testing.md has the same table.
gate='
accounting.sh    all  half rest all
membership.sh    all  half rest all
bind.sh          all  -    all  -
mirror.sh        all  -    -    -
bind_v1.sh       all  -    -    -
adopt.sh         all  -    all  -
lifecycle.sh     all  half rest all
files.sh         all  half rest all
badinput.sh      all  half rest all
delegation.sh    all  half rest all
rights.sh        all  half rest all
throttle.sh      all  half rest all
events.sh        all  half rest all
fuzz.sh          half rest half rest
limit.sh         all  half rest all
reclaim.sh       all  half rest all
swap.sh          all  half rest all
combos.sh        half -    -    rest
protect.sh       all  half rest all
curve.sh         all  -    -    all
scale.sh         -    rest half -
model.sh:test_a_seed            all - all -
model.sh:test_a_seed_with_swap  - all - all
model.sh:test_what_differed_once all all all all
model.sh:test_a_seed_with_bindings all - - all
proto.sh         -    -    all  -
untested.sh      -    all  -    -
above.sh         -    all  -    -
storm.sh         -    half rest -
ids.sh:test_slab_does_not_grow  - all - -
cycles.sh        all  -    -    -
mounts.sh:test_untested_on_a_tested_kernel           - all - -
hibernate.sh:test_suspend_to_disk          all - - -
large.sh:test_a_block_of_memory_waits_for_one - all - -
large.sh:test_a_mount_waits_for_few_grace_periods - all - -
neighbours.sh:test_a_tracer_that_is_off              - - all -
neighbours.sh:test_livepatch_after_and_unloading     - - all -
neighbours.sh:test_livepatch_of_what_is_diverted     - - all -
neighbours.sh:test_kprobes                           - - all -
neighbours.sh:test_fentry_before                     - - all -
races.sh:test_a_process_is_moved_while_it_ends       - - all -
races.sh:test_trees_fall_while_audited               - - all -
pages.sh:test_huge_pages_on_demand                   - - all -
pages.sh:test_pages_change_their_node                - - all -
nodes.sh:test_the_older_node_gives_first             - - all -
nodes.sh:test_two_nodes_are_looked_at_as_one         - - all -
nodes.sh:test_a_node_gives_by_what_it_has            - - all -
nodes.sh:test_what_is_mapped_no_more_is_found_on_each_node - - all -
nodes.sh:test_low_gives_way_where_memory_is_short    - - all -
nodes.sh:test_nothing_is_taken_where_it_does_not_help - - all -
hotplug.sh:test_processors_come_and_go               - - all -
text             all  all  all  all
demo             all  -    -    all
'

# What a kernel of backports that is not tested in full has to pass.
smoke_tests='
accounting.sh:test_anonymous accounting.sh:test_file_read accounting.sh:test_rmdir_leaves_the_rest_to_the_parent
accounting.sh:test_tmpfs accounting.sh:test_huge_pages accounting.sh:test_migration accounting.sh:test_nesting
membership.sh:test_children_are_born_in_the_group membership.sh:test_exec membership.sh:test_kill
membership.sh:test_moving_leaves_the_charges
lifecycle.sh:test_rmdir_with_a_zombie lifecycle.sh:test_umount_keeps_the_groups lifecycle.sh:test_umount_and_rmmod
files.sh:test_what_there_is files.sh:test_order_of_memory_stat files.sh:test_status
swap.sh:test_slots_are_charged_to_who_is_swapped_out swap.sh:test_memory_and_swap_together
limit.sh:test_an_ancestors_limit_counts limit.sh:test_oom_kills_the_largest
reclaim.sh:test_as_much_as_asked_for
protect.sh:test_low_is_spared protect.sh:test_effective_values
throttle.sh:test_death_while_held_back
'

flavour_of() { case $1 in *-*) echo "${1#*-}" ;; *) echo cloud-amd64 ;; esac; }
is_built() { [[ $MW_BUILT_KERNELS == *$'\n'"$1 "* ]]; }

# --- the tests there are ---------------------------------------------------------------------------------------------

declare -A tests_of=() half_of=() kept_for_soak=() seconds_of=() options_of=() files_of=() gate_of=()
boot_names=()

# hash_of TEXT: sets hash.
hash_of() {
	local i code
	hash=0
	for ((i = 0; i < ${#1}; i++)); do
		printf -v code %d "'${1:i:1}"
		hash=$(((hash * 31 + code) % 65521))
	done
}

# Fills tests_of, by file, and by FILE:TEST half_of and kept_for_soak.
read_tests() {
	local file name
	while read -r file name; do
		if [ "${name#soak_}" != "$name" ]; then
			kept_for_soak[$file:test_${name#soak_}]=yes
			continue
		fi
		tests_of[$file]+="$file:$name "
		hash_of "$file:$name"
		half_of[$file:$name]=$((hash / 7 % 2))
	done < <(cd "$tests/vm" && grep -oE '^(test_[a-z0-9_]*\(\) \{|soak_[a-z0-9_]*=)' ./*.sh | sed 's,^\./,,; s/:/ /; s/[(=].*//')
	tests_of[smoke]=$smoke_tests
}

read_boots() {
	local name seconds options files
	while read -r name seconds options files; do
		[ "$name" ] || continue
		boot_names+=("$name")
		seconds_of[$name]=$seconds options_of[$name]=$options files_of[$name]=$files
	done <<<"$boots"
	while read -r name seconds files; do
		[ ! "$name" ] || seconds_of[$name]=$seconds
	done <<<"$machine_jobs$plain_jobs"
}

read_gate() {
	local name i share shares
	while read -r name shares; do
		i=0
		for share in $shares; do
			gate_of[$name $i]=$share
			i=$((i + 1))
		done
	done <<<"$gate"
}

# --- what the gate has -------------------------------------------------------------------------------------------------

# is_gate is set for `make check` itself, where neither kernels nor tests were asked for.
is_gate='' all_parallel='' all_real='' all_two_nodes=''
declare -A place=()
smoke=()

# Each machine's column in the table gate: the last is the newest's, however many there are.
place_machines() {
	local i
	for i in "${!machines[@]}"; do
		place[${machines[i]}]=$i
	done
	place[${machines[-1]}]=3
}

# is_share SHARE NAME: it belongs to this much of all there is.
is_share() {
	case $1 in
	all) ;;
	half) [ "${half_of[$2]-0}" = 0 ] ;;
	rest) [ "${half_of[$2]-0}" = 1 ] ;;
	*) return 1 ;;
	esac
}

# is_due MACHINE FILE:TEST: is it run there?
is_due() {
	local share
	[ "$is_gate" ] || return 0
	share=${gate_of[$2 ${place[$1]}]-}
	if [ ! "$share" ]; then
		[ ! "${kept_for_soak[$2]-}" ] || return 1
		share=${gate_of[${2%%:*} ${place[$1]}]-}
	fi
	is_share "$share" "$2"
}

# is_job_due MACHINE JOB: of those outside of a guest; is_plain_due JOB: of those that want no kernel.
is_job_due() { [ ! "$is_gate" ] || is_share "${gate_of[$2 ${place[$1]}]-}" "$2"; }
is_plain_due() { [ ! "$is_gate" ] || [[ ! " $soak_jobs " == *" $1 "* ]]; }

# can_run SERIES BOOT: allocations fail on purpose only where the kernel can do that.
can_run() {
	case $2-$1 in
	failures-debug) ;;
	failures-*) return 1 ;;
	# what is many times the same, or tells how long a throttled program computes, says nothing on a slow one
	cycles-* | ids-* | curve-*) ! is_built "$1" ;;
	# a part of scripts/soak by itself; and for what is built here there are no headers that dkms could have
	systemd-*) [ "$only$full" ] && ! is_built "$1" ;;
	# it is for the races of what waits for them; that they are slow says nothing where all is
	disks-kcsan) return 1 ;;
	esac
}

is_wanted() { [ -z "$only" ] || [[ $1 =~ $only ]]; }

# find_wanted MACHINE BOOT: sets wanted, the FILE:TEST words that are run there.
find_wanted() {
	local file one
	wanted=''
	can_run "${1%%-*}" "$2" || return 0
	for file in ${files_of[$2]}; do
		for one in ${tests_of[$file]-}; do
			if is_wanted "$one" && { [ "$2" = smoke ] || is_due "$1" "$one"; }; then wanted+="$one "; fi
		done
	done
}

is_smoke() { [[ " ${smoke[*]} " == *" $1 "* ]]; }

# boots_of MACHINE: a kernel that is tested in full has all but the smoke test.
boots_of() {
	if is_smoke "$1"; then echo smoke; else echo "${boot_names[@]/smoke/}"; fi
}

# is_alone MACHINE BOOT: a storm whose processors run at the same time takes all of the host's.
is_alone() {
	case $2 in
	storms | mounts) [ "$all_parallel" ] && ! is_built "${1%%-*}" ;;
	*) return 1 ;;
	esac
}

# list_plan: MACHINE BOOT FILE:TEST of all that would be run.
list_plan() {
	local machine boot one wanted
	for machine in "${machines[@]}" "${smoke[@]}"; do
		for boot in $(boots_of "$machine"); do
			find_wanted "$machine" "$boot"
			for one in $wanted; do
				echo "$machine $boot $one"
			done
		done
	done
}
