# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# What scripts/check runs where: the boots with their tests, and what takes its turn with the date. Sourced by it.
#
# A machine is a series, as 6.1, or a series with a flavour, as 6.1-amd64. Seconds are those on an idle host of two
# processors; they only matter until a run has measured its own.

# Boots of a VM: name, seconds, options of scripts/vm, and the files of tests/vm that share it. What unloads the module or
# counts the machine's memory has a boot of its own, and so has what must not share the processors. Tracing all functions
# rewrites code that the other processors are running, which QEMU (10.0) gets wrong if they do run: it drops what it has
# translated of a page before it stores the byte, so one that translates the page in between keeps the old byte for good,
# and meets a breakpoint that is no longer there for ever. Those processors take turns.
boots='
main       300 --timeout=1500               accounting.sh membership.sh lifecycle.sh badinput.sh files.sh delegation.sh rights.sh throttle.sh storm.sh fuzz.sh
limit      240 --timeout=1500,--swap=600M   swap.sh limit.sh reclaim.sh combos.sh
protect    300 --timeout=2400,--swap=1200M,--exhausted  protect.sh
ids        100 --timeout=1200               ids.sh
cycles     200 --no-module,--timeout=1700   cycles.sh
storms     300 --cpus=8,--nodes=2,--dimm=128M,--dimm=256M,--own-memmap,--swap=600M,--exhausted,--timeout=2400 races.sh pages.sh nodes.sh hotplug.sh
mounts      60 --cpus=4,--swap=1200M,--timeout=1200 mounts.sh
hibernate   50 --memory=512M,--swap=600M,--exhausted,--hibernate,--timeout=900 hibernate.sh
failures   600 --timeout=3000               failures.sh
proto       30 --no-module,--define=MW_TEST_WRONG_PROTO proto.sh
untested   30 --no-module,--define=MW_TEST_UNTESTED untested.sh
neighbours 200 --memory=2G,--in-turn,--timeout=1500 neighbours.sh
model      250 --timeout=2800,--memory=512M,--swap=600M model.sh
curve       40 --timeout=400,--icount       curve.sh scale.sh
systemd    900 --systemd,--swap=600M,--timeout=6000 systemd.sh
disks      200 --debian,--disk=400M,--disk=400M,--timeout=2400 disks.sh
smoke       60 --timeout=600,--swap=600M    smoke
'

# What is run for each machine outside of a guest of scripts/check's own.
machine_jobs='
text     10
install  60
demo     40
'

# Jobs that want no kernel, by name, with what they run. Each writes TAP.
plain_jobs='
unit      20  tests/unit/run
fuzz      60  tests/fuzz/run
mutation   5  tests/mutation/run --dry-run
plan      10  tests/plan/run
queue      5  tests/queue/run
canary    60  scripts/canary --newest
floors     5  scripts/floors
floors_test 5 tests/floors/run
docs       5  scripts/files-doc --check
'

# What `make check` runs on the debug kernel, which takes ten times as long as others. scripts/soak runs all that can_run().
debug_short='^(accounting.sh:test_(anonymous|file_read|unwritten_pages|rmdir_leaves.*|shared_anonymous|huge_pages|swap)'
debug_short+='|membership.sh:test_(exec|threads|kill_while_forking)|lifecycle.sh:test_(umount_keeps_the_groups|umount_and_rmmod)'
debug_short+='|throttle.sh:test_(death_while_held_back|umount_while_held_back)'
debug_short+='|reclaim.sh:test_what_is_locked_meanwhile'
debug_short+='|failures.sh:test_(mkdir_and_rmdir|work_in_a_group|reclaim|forks_without_memory))$'

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

# What only scripts/soak runs, beside longer forms of what is here.
soak_only='^(model.sh:test_another_seed|systemd.sh:.*)$'

flavour_of() { case $1 in *-*) echo "${1#*-}" ;; *) echo cloud-amd64 ;; esac; }
is_built() { [[ $MW_BUILT_KERNELS == *$'\n'"$1 "* ]]; }

# --- the tests there are ---------------------------------------------------------------------------------------------

declare -A tests_of=() number_of=() seconds_of=() options_of=() files_of=()
boot_names=()

# Fills tests_of, by file, and gives each test a number, by which it takes its turn.
read_tests() {
	local file name nr=0
	while read -r file name; do
		tests_of[$file]+="$file:$name "
		number_of[$file:$name]=$((nr++))
	done < <(cd "$tests/vm" && grep -oE '^test_[a-z0-9_]*\(\) \{' ./*.sh | sed 's,^\./,,; s/:/ /; s/().*//')
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

# --- what takes turns with the date ------------------------------------------------------------------------------------

# Nothing does if kernels or tests were asked for. Otherwise day says what is run, so that the same day runs the same again.
rotates='' day=0
declare -A place=()
parallel='' other_build='' smoke=()

# nth N: the machine that is N places after the one whose day it is.
nth() { echo "${machines[$(((day + $1) % ${#machines[@]}))]}"; }

# The generic flavour is another one's turn each day, and so are the rest; they stay apart.
choose() {
	local i
	for i in "${!machines[@]}"; do
		if [ "$rotates" ] && [ ! "$chosen_by_hand" ] && [ "${machines[i]}" = "$(nth 0)" ]; then
			machines[i]+=-amd64
		fi
	done
	for i in "${!machines[@]}"; do
		place[${machines[i]}]=$i
	done
	[ "$rotates" ] || return 0
	parallel=$(nth 1) other_build=$(nth 2)
}

# choose_smoke FULL SERIES...: those of backports that are not tested in full. What is newer than FULL has its smoke test
# each time, the older ones take turns.
choose_smoke() {
	local full=$1 one older=()
	smoke=()
	shift
	for one; do
		if [ "$one" = "$full" ]; then continue; fi
		if [ "$(newest_of "$one" "$full")" = "$one" ]; then smoke+=("$one"); else older+=("$one"); fi
	done
	[ ${#older[@]} = 0 ] || smoke+=("${older[day % ${#older[@]}]}")
}

is_between() { [ "${place[$1]}" -gt 0 ] && [ "${place[$1]}" -lt $((${#machines[@]} - 1)) ]; }

# is_turn MACHINE NUMBER OF: once in so many days. The fourth part of the day moves it on, or what has its turn on the day
# of the generic flavour would be the same each time.
is_turn() { [ $(((day + day / 4 + ${place[$1]} + $2) % $3)) = 0 ]; }

# The debug kernel has half of them each day.
is_due_on_debug() { [[ $1 =~ $debug_short ]] && [ $(((day + ${number_of[$1]}) % 2)) = 0 ]; }

# is_due MACHINE FILE:TEST: is it run there today? Who is charged is seen on every kernel each day; who is in which group, what
# comes and goes, the files and their rights in full on the oldest and the newest. Half of the storms are on the kernel whose day
# it is to have processors that run at the same time, a quarter of them on each other. All else is on half of the kernels, and the
# next day on the other half.
is_due() {
	[ "$rotates" ] || return 0
	if is_built "$1"; then is_due_on_debug "$2"; return; fi
	[[ ! $2 =~ $soak_only ]] || return 1
	case $2 in
	accounting.sh:*) ;;
	# with swap on one half of the kernels, without it on the other
	model.sh:test_a_seed) is_turn "$1" 0 2 ;;
	model.sh:*) is_turn "$1" 1 2 ;;
	membership.sh:* | lifecycle.sh:*) ! is_between "$1" || is_turn "$1" "${number_of[$2]}" 2 ;;
	files.sh:* | badinput.sh:* | delegation.sh:* | rights.sh:*) ! is_between "$1" || is_turn "$1" "${number_of[$2]}" 4 ;;
	races.sh:* | pages.sh:* | nodes.sh:* | hotplug.sh:* | mounts.sh:*)
		if runs_parallel "$1"; then is_turn "$1" "${number_of[$2]}" 2; else is_turn "$1" "${number_of[$2]}" 4; fi
		;;
	# one of their tests after the other says something, or they are long
	hibernate.sh:* | curve.sh:* | scale.sh:*) is_turn "$1" 1 2 ;;
	ids.sh:* | cycles.sh:*) is_turn "$1" 0 4 ;;
	neighbours.sh:test_bpftrace_* | neighbours.sh:test_perf) is_turn "$1" 0 2 ;;
	proto.sh:* | untested.sh:* | disks.sh:*) [ "$1" = "$other_build" ] ;;
	*) is_turn "$1" "${number_of[$2]}" 2 ;;
	esac
}

# is_job_due MACHINE JOB: of those outside of a guest.
is_job_due() {
	[ "$rotates" ] || return 0
	case $2 in
	install) is_turn "$1" 2 4 ;;
	demo) is_turn "$1" 1 2 ;;
	esac
}

# can_run SERIES BOOT: allocations fail on purpose only where the kernel can do that.
can_run() {
	case $2-$1 in
	failures-debug) ;;
	failures-*) return 1 ;;
	# what is many times the same, or tells how long a throttled program computes, says nothing on a slow one
	cycles-* | ids-* | curve-*) ! is_built "$1" ;;
	# a part of scripts/soak by itself; and for what is built here there are no headers that dkms could have
	systemd-*) [ "$only$full" ] && ! is_built "$1" ;;
	# it has no device-mapper and no other file systems
	disks-*) ! is_built "$1" ;;
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

# runs_parallel MACHINE: its storms have processors that run at the same time.
runs_parallel() { [ "$all_parallel" ] || [ "$1" = "$parallel" ]; }

# has_two_nodes MACHINE: so has its protect.sh.
has_two_nodes() { [ "$all_two_nodes" ] || [ "$1" = "$other_build" ]; }

# describe_day: what the date has chosen.
describe_day() {
	local one tracers=''
	for one in "${machines[@]}"; do
		! is_due "$one" neighbours.sh:test_perf || tracers+=" $one"
	done
	echo "day $day (MEMWARD_DAY=$day does the same again): ${machines[*]}; smoke test on ${smoke[*]:-none};"
	echo "storms with processors at the same time on $parallel, tracers on$tracers, builds made for a test and protect.sh on two nodes on $other_build"
}

# is_alone MACHINE BOOT: a storm whose processors run at the same time takes all of the host's.
is_alone() {
	case $2 in
	storms | mounts) ! is_built "${1%%-*}" && runs_parallel "$1" ;;
	*) return 1 ;;
	esac
}

# list_plan: MACHINE BOOT FILE:TEST of all that would be run.
list_plan() {
	local machine boot one wanted
	for machine in "${machines[@]}" "${smoke[@]}" ${rotates:+debug}; do
		for boot in $(boots_of "$machine"); do
			find_wanted "$machine" "$boot"
			for one in $wanted; do
				echo "$machine $boot $one"
			done
		done
	done
}
