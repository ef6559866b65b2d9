# SPDX-License-Identifier: GPL-2.0
# What the tests in VMs share. Sourced by busybox sh, under set -eu: what fails ends the test.
#
# A test is a function test_NAME; it runs in a shell of its own with a fresh group $G. See docs/testing.md.

MW=/sys/fs/memward
PROGS=/copy/progs
TRACING=/sys/kernel/tracing
DISK=/mnt
TMP=/tmp/test
G=$MW/t
# storms last so many times as long
ROUNDS=${ROUNDS:-1}
# What scripts/vm says of the machine. mw_time: how its time is made, if not by the host's clock.
mw_time=counted
# shellcheck disable=SC1091 # made for each run
[ ! -r /vm/config ] || . /vm/config
# How much longer everything may take that has an end: where the clock is the host's, which has other things to do, and on the kernels of
# tests/kernel, which are slow. A disk is the host's in any case, and virtual time goes on while it is waited for. No limit that is
# multiplied by this says anything of memward but that it hangs.
PATIENCE=1
[ "$mw_time" ] && [ ! "${mw_swap-}" ] || PATIENCE=4
case $(uname -r) in *-memward-*) PATIENCE=6 ;; esac

PATH=$PROGS:$PATH

# --- verdicts ----------------------------------------------------------------------------------------------

say() { echo "# $*"; }

# Ends the test even from a function that is called in a $( ).
fail() {
	say "$*" >&2
	: >"$TMP/failed"
	exit 1
}

skip() {
	echo "$*" >"$TMP/skipped"
	exit 0
}

# kernel_since MAJOR MINOR
kernel_since() {
	local major minor
	IFS=.- read -r major minor _ </proc/sys/kernel/osrelease
	[ "$major" -gt "$1" ] || { [ "$major" -eq "$1" ] && [ "$minor" -ge "$2" ]; }
}

# expect_log REGEX: such lines of the kernel's log are what the test is about; there must be one.
expect_log() { echo "$1" >>"$TMP/expected"; }

# is WHAT GOT WANT
is() { [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"; }

# at_least|at_most|within WHAT GOT WANT [PERCENT]: numbers
at_least() { [ "$2" -ge "$3" ] || fail "$1 is $2, below $3"; }
at_most() { [ "$2" -le "$3" ] || fail "$1 is $2, above $3"; }
within() {
	[ $((${2:-0} * 100)) -ge $(($3 * (100 - $4))) ] && [ $(($2 * 100)) -le $(($3 * (100 + $4))) ] ||
		fail "$1 is $2, not within $4 % of $3"
}

# has WHAT LINES LINE: one of the lines is this
has_a_line() {
	case "
$1
" in
	*"
$2
"*) ;;
	*) return 1 ;;
	esac
}
has() { has_a_line "$2" "$3" || fail "$1 has no '$3': $2"; }
has_not() { ! has_a_line "$2" "$3" || fail "$1 has '$3'"; }

# clock: sets now, in hundredths of a second.
clock() {
	read -r now _ </proc/uptime
	now=${now%.*}${now#*.}
}

# ask_helper WORD NUMBER: what tests/progs/helper.c does without a program being started; tests/vm/run has started that.
HELPER=/tmp/helper
ask_helper() {
	local answer
	echo "$1 $2" >$HELPER.asked
	read -r answer <$HELPER.said
}

# await SECONDS COMMAND...: until it succeeds, at the latest then. For what the kernel does in its own time. It looks less often after a
# while: to look is what takes time where time is virtual.
await() {
	local end left=30
	clock
	end=$((now + $1 * 100 * PATIENCE))
	shift
	until "$@"; do
		clock
		[ "$now" -lt "$end" ] || fail "it never came to this: $*${line:+ (the program said '$line')}"
		left=$((left - 1))
		if [ $left -gt 0 ]; then ask_helper pause 20; else ask_helper pause 100; fi
	done
}

# --- sizes and files -----------------------------------------------------------------------------------------

KB=1024
MB=1048576

read_file() { cat "$1" || fail "cannot read $1"; }
current() {
	local bytes
	{ read -r bytes <"$1/memory.current"; } || fail "cannot read $1/memory.current"
	echo "$bytes"
}

# stat_of GROUP KEY [FILE]
stat_of() { awk -v key="$2" '$1 == key { print $2; found = 1 } END { exit !found }' "$1/${3:-memory.stat}" ||
	fail "$1/${3:-memory.stat} has no key $2"; }

# stat_is GROUP KEY BYTES PERCENT; stat_below GROUP KEY BYTES
stat_is() { within "$2 of $1" "$(stat_of "$1" "$2")" "$3" "$4"; }
stat_below() { at_most "$2 of $1" "$(stat_of "$1" "$2")" "$3"; }

# mount_memward [DIR]: with the option that an untested kernel needs (scripts/vm says so in /vm/config). Programs that mount it find
# it in the environment.
mw_mount_options=${mw_mount_options-}
export MW_MOUNT_OPTIONS="${MW_MOUNT_OPTIONS-${mw_mount_options#-o }}"
mount_memward() { mount -t memward ${MW_MOUNT_OPTIONS:+-o "$MW_MOUNT_OPTIONS"} memward "${1:-$MW}"; }

# unmounted: from a test before, or from the boot.
unmounted() {
	if grep -q " $MW memward " /proc/mounts; then umount $MW; fi
	modprobe memward
}

# mount_mirror [OPTION]: likewise, with this option too.
mount_mirror() { mount -t memward -o "${1:-mirror}${MW_MOUNT_OPTIONS:+,$MW_MOUNT_OPTIONS}" memward $MW; }

# What differs between the mirror and the kernel's own cgroups: groups, and their members. The root's, and those of where this runs, come and
# go with what looks.
CGROUPS=/sys/fs/cgroup
dirs() { (cd "$1" && find . -type d | sort); }
differences() {
	local dir own
	own=.$(sed -n 's/^0:://p' /proc/self/cgroup)
	dirs $CGROUPS >$TMP/cgroups
	dirs $MW | diff - $TMP/cgroups || true
	while IFS= read -r dir; do
		[ "$dir" != . ] && [ "$dir" != "$own" ] && [ -d "$MW/$dir" ] || continue
		sort "$CGROUPS/$dir/cgroup.procs" >$TMP/procs
		sort "$MW/$dir/cgroup.procs" | diff - $TMP/procs >$TMP/differ || sed "s|^|$dir: |" $TMP/differ
	done <$TMP/cgroups
}

put() { echo "$2" >"$1" || fail "cannot write '$2' to $1"; }

# rollup KEY: KB, of the smaps_rollup of $pid.
rollup() { awk -v key="$1:" '$1 == key { print $2 }' "/proc/$pid/smaps_rollup"; }

# setting FILE VALUE: until the test's shell ends.
setting() {
	[ -e "$1" ] || skip "the kernel has no $1"
	cat "$1" | sed 's/.*\[\(.*\)\].*/\1/' >"$TMP/was"
	# shellcheck disable=SC2064 # now
	trap "echo $(cat "$TMP/was") >$1" EXIT
	put "$1" "$2"
}

# unbind GROUP: nothing is bound to it or to those below it any more (memward.bind).
unbind() {
	local file path
	for file in $(find "$1" -name memward.bind); do
		cat "$file" >/tmp/bindings
		while IFS= read -r path; do
			echo "-$path" >"$file"
		done </tmp/bindings
	done
}

# Pages that CPUs have gathered for the LRU lists keep a reference until they are put there, for as long as the CPU
# likes, even if their process is gone. drain puts them there and does no more (accounting.sh:test_drain); compact does the
# same and then moves what it can on all of the machine.
drain() { odd drain; }
compact() { echo 1 >/proc/sys/vm/compact_memory; }

# is_swapped_down_to KERNELS MB: the kernel's own memcg has reclaimed so much of a group of its own, in which all of $G's processes
# are. By memory.high, which works again when it is written: at its memory.max it kills as soon as the disk keeps it waiting.
is_swapped_down_to() {
	put "$1/memory.high" "$2M"
	drain
	[ "$(stat_of "$G" anon)" -le $((($2 + 2) * MB)) ]
}

drop_caches() {
	sync
	drain
	echo 3 >/proc/sys/vm/drop_caches
}

# --- processes ---------------------------------------------------------------------------------------------

# in_group GROUP COMMAND...: runs it there.
# shellcheck disable=SC2016
in_group() { sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$@"; }

# start GROUP COMMAND...: runs it there in the background until its first step; sets pid, and out, its output.
nr_started=0
start() {
	nr_started=$((nr_started + 1))
	out=$TMP/out.$nr_started seen=0
	# through a pipe, so that the group does not pay for the page of a file in /tmp
	: >"$out"
	mkfifo "$out.pipe"
	cat "$out.pipe" >"$out" &
	# shellcheck disable=SC2016
	sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$@" >"$out.pipe" 2>&1 &
	pid=$!
	next_line
}

# has_line: it has said more than was seen; sets said, the first line of this. read_line: the same, of what it has said by now.
read_line() {
	local nr=0
	while [ $nr -le "$seen" ]; do
		IFS= read -r said || return 1
		nr=$((nr + 1))
	done <"$out"
}
has_line() {
	read_line || {
		[ -d "/proc/$pid" ] || fail "the program ended: $(cat "$out")"
		return 1
	}
}

# Sets line to what the program says next; a test whose programs have much to do sets line_limit, in seconds.
next_line() {
	await "${line_limit:-60}" has_line
	seen=$((seen + 1)) line=$said
}

# at_step NAME: the program has come to this step; next_step NAME: let it go on to this one.
at_step() {
	case $line in
	"$1"*) ;;
	*) fail "the program is at '$line', not at '$1': $(cat "$out")" ;;
	esac
}
next_step() {
	kill -USR1 "$pid" || fail "the program is gone: $(cat "$out")"
	next_line
	at_step "$1"
}

# word N: of the line that the program said last.
word() { echo "$line" | cut -d' ' -f"$1"; }

# run GROUP STEP COMMAND...: start, and it is at this step.
run() {
	local step=$2 group=$1
	shift 2
	start "$group" "$@"
	at_step "$step"
}

# The program goes on to its end without further steps.
finish() {
	kill -USR2 "$pid" || fail "the program is gone: $(cat "$out")"
	wait "$pid" || fail "the program failed with status $?: $(cat "$out")"
}

stop() {
	kill -KILL "$1"
	wait "$1" 2>/dev/null || true
}

# A test before may have brought memory.low to give way, which lasts for ten seconds, and nothing tells when they are over.
until_low_holds() { sleep 11; }

# run_if STEP COMMAND...: as run in $G, but where the kernel cannot do it the test is skipped.
run_if() {
	local step=$1
	shift
	start "$G" "$@"
	case $line in
	lacking*) skip "$line" ;;
	esac
	at_step "$step"
}
next_if() {
	kill -USR1 "$pid" || fail "the program is gone: $(cat "$out")"
	next_line
	case $line in
	lacking*) skip "$line" ;;
	esac
	at_step "$1"
}

# The program goes on to its end, and nothing is left of what it had.
finish_empty() {
	finish
	drain
	is anon "$(stat_of "$G" anon)" 0
	audit_is_clean
}

# --- loads ----------------------------------------------------------------------------------------------------------

# What shall be at work while something is tested must be seen to be. load GROUP COMMAND...: a program that counts its
# rounds (round_done in tests/progs), there, or where this shell is if GROUP is ''; its first round is done.
loads=''
load() {
	if [ "$1" ]; then
		# shellcheck disable=SC2016
		sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$@" >/dev/null &
	else
		shift
		"$@" >/dev/null &
	fi
	loads="$loads $!"
	eval "noted_$!=0"
	await "${line_limit:-60}" has_gone_on $! 1
}
rounds_of() {
	local name
	[ -e "/proc/$1/comm" ] && [ "$(task_state "$1")" != Z ] || fail "a load has ended"
	read -r name <"/proc/$1/comm"
	case $name in
	load:*) echo "${name#load:}" ;;
	*) echo 0 ;;
	esac
}

# note_loads: what is tested begins. have_gone_on ROUNDS: each of them has done so many since, and is at work; has_gone_on
# PID ROUNDS: this one.
note_loads() {
	local one rounds
	for one in $loads; do
		rounds=$(rounds_of "$one")
		eval "noted_$one=$rounds"
	done
}
has_gone_on() {
	local rounds noted
	rounds=$(rounds_of "$1") || exit 1
	eval "noted=\$noted_$1"
	[ "$rounds" -ge $((noted + $2)) ]
}
have_gone_on() {
	local one
	[ "$loads" ] || fail "there is no load"
	for one in $loads; do
		has_gone_on "$one" "$1" || return 1
	done
}

# --- what a group has at the most -------------------------------------------------------------------------------------

# memory.peak is no witness of a limit: it is never above it. watch GROUP: from now on somebody looks at what the group's
# pages come to. watched: no longer; sets most, the most that was seen in memory, and most_with_swap; in bytes.
watch() {
	look most "$1" >"$TMP/watched" &
	watcher=$!
	await 20 test -s "$TMP/watched"
}
watched() {
	local looks
	kill -USR1 "$watcher" || fail "nobody has looked"
	wait "$watcher" || fail "who looked failed with status $?"
	tail -n 1 "$TMP/watched" >"$TMP/most"
	# shellcheck disable=SC2034 # for the tests
	read -r most most_with_swap looks <"$TMP/most"
	# a fast host has done in milliseconds what is looked at
	at_least "how often it was looked at" "$looks" 2
}

# attempt WANT VERB...: the system call of this verb (see tests/progs/try.c) ends so.
attempt() {
	local want=$1 got
	shift
	got=$(try "$@" 2>&1) || true
	[ "$got" = "$want" ] || fail "try $(echo "$*" | cut -c1-120): $got, not $want"
}

members() { read_file "$1/cgroup.procs"; }
populated() { stat_of "$1" populated cgroup.events; }
is_populated() {
	local key value
	{ read -r key value <"$1/cgroup.events"; } || fail "cannot read $1/cgroup.events"
	is "the first key of $1/cgroup.events" "$key" populated
	[ "$value" = "$2" ]
}
is_empty() { is_populated "$1" 0; }

has_anon() { [ "$(stat_of "$1" anon)" -ge "$2" ]; }

# are_cleared DIR...: cgroups of the kernel's own; who is in them is killed, and they are removed.
are_cleared() {
	local dir pids left=''
	for dir; do
		[ -d "$dir" ] || continue
		pids=$(find "$dir" -name cgroup.procs -exec cat {} + 2>/dev/null)
		# shellcheck disable=SC2086
		[ ! "$pids" ] || kill -KILL $pids 2>/dev/null || true
		find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || true
		[ ! -d "$dir" ] || left=$dir
	done
	[ ! "$left" ]
}

is_stopped() { [ "$(task_state "$1")" = T ]; }

# task_state PID: S if it sleeps, D if it waits for a disk, and so on.
task_state() {
	local stat
	read -r stat <"/proc/$1/stat" || return
	stat=${stat##*) }
	echo "${stat%% *}"
}
# has_ended PID: it has ended, be it that nobody has waited for it yet.
has_ended() { [ ! -e "/proc/$1/stat" ] || [ "$(task_state "$1")" = Z ]; }

# --- process 1 ------------------------------------------------------------------------------------------------------

# bear_by_init: process 1 (scripts/machine/guest-init) has a child, which is in $G too. sleepers: how many of those in $G
# have begun to run: one that is killed at its birth has not even a name of its own.
sleepers() {
	local one name nr=0
	for one in $(members "$G"); do
		read -r name 2>/dev/null <"/proc/$one/comm" || continue
		[ "$name" != sleep ] || nr=$((nr + 1))
	done
	echo $nr
}
has_sleepers() { [ "$(sleepers)" -ge "$1" ]; }
bear_by_init() {
	local before
	before=$(sleepers)
	kill -USR1 1
	await 20 has_sleepers $((before + 1))
}

# --- races that are met for certain ------------------------------------------------------------------------------

# hold SYMBOL [second=ARGUMENT] [until=SYMBOL]: the program goes on, and stops as it enters this function of the kernel (mw_pause in
# tests/modules); let_go: it goes on, and has not done so by itself, as it does after 20 s.
PAUSE=/sys/module/mw_pause/parameters
hold() {
	# a test that failed has left it
	rmmod mw_pause 2>/dev/null || true
	insmod /copy/mw_pause.ko pid="$pid" symbol="$@"
	kill -USR1 "$pid" || fail "the program is gone: $(cat "$out")"
	await 20 is_held
}
is_held() { [ "$(cat $PAUSE/held)" = Y ]; }
let_go() {
	local late
	late=$(cat $PAUSE/late)
	put $PAUSE/pid 0
	rmmod mw_pause
	[ "$late" = N ] || fail "who was held has gone on by himself, before what he was held for was done"
}

# divert SYMBOL [later=1] [pid=PID] [pass=N] [ret=ERROR] [from=MODULE]: who enters this function, of that process, or anybody, finds nothing
# done or, with later=1, sleeps there until end_divert (mw_divert in tests/modules). In the latter case he has not gone on by himself, as he does
# after 20 s; $DIVERT/nothing, if it is written, has him find nothing done after all, and all who come after him.
DIVERT=/sys/module/mw_divert/parameters
divert() {
	local symbol=$1
	shift
	# a test that failed has left it
	rmmod mw_divert 2>/dev/null || true
	insmod /copy/mw_divert.ko symbol="$symbol" "$@"
}
is_diverted() { [ "$(cat $DIVERT/held)" = Y ]; }
end_divert() {
	local late times
	late=$(cat $DIVERT/late) times=$(cat $DIVERT/times)
	rmmod mw_divert
	[ "$late" = N ] || fail "who was held has gone on by himself, before what he was held for was done"
	[ "$times" -gt 0 ] || fail "nobody has come by"
}

# begin_birth: $pid (proc bear) has a child that the kernel has in its cgroup and nobody has been told of, until end_divert.
begin_birth() {
	local between=uprobe_copy_process
	grep -qw "$between" /proc/kallsyms || between=perf_event_fork
	divert $between later=1 pid="$pid"
	kill -USR1 "$pid"
	await 20 is_diverted
}

# child_of PID: the youngest.
child_of() {
	local one found=''
	for one in $(ls /proc); do
		case $one in [0-9]*) ;; *) continue ;; esac
		[ "$(parent_of "$one")" != "$1" ] || found=$one
	done
	[ "$found" ] || fail "$1 has no child"
	echo "$found"
}
parent_of() {
	local stat
	read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	echo "$2"
}

# held_back GROUP: a process that pays two seconds for each batch has just begun to wait there, beside $pid; sets held.
held_back() {
	local waited
	put "$1/memory.high" 1M
	in_group "$1" mem anon 60M >/dev/null 2>&1 &
	await 60 has_waited "$1" 4000000
	waited=$(stat_of "$1" high_stall_usec)
	await 10 has_waited "$1" $((waited + 1))
	held=$(grep -vxF "${pid:-none}" "$1/cgroup.procs")
}
has_waited() { [ "$(stat_of "$1" high_stall_usec)" -ge "$2" ]; }

THP=/sys/kernel/mm/transparent_hugepage
# has_holes GROUP MORE [NODE]: without swap, a process has given back all but a few pages of 32 MB (or of $holes_mb), of this node, which are
# charged until huge pages are split.
has_holes() {
	[ -e $THP ] || skip "the kernel has no huge pages"
	swapoff /dev/vda
	# nobody makes whole ones of them again
	kept_none=${kept_none-$(cat $THP/khugepaged/max_ptes_none)}
	trap 'put $THP/khugepaged/max_ptes_none "$kept_none"' EXIT
	put $THP/khugepaged/max_ptes_none 0
	run "$1" touched mem holes "${holes_mb:=32}M" "$2" ${3:+"$3"}
	drain
	at_least "what is charged" "$(current "$1")" $((holes_mb * MB * 15 / 16))
}

# dies_alone DIR: of two processes that come to this group or cgroup, $G's either way, the larger one is killed at the limit; and as long as it has
# not given its memory back nobody else is.
dies_alone() {
	local big
	run "$1" touched mem anon 16M small
	big=$pid
	run "$1" touched mem grow 2M 4M
	drain
	put "$G/memory.max" $(($(current "$G") + 64 * KB))
	divert exit_mmap later=1 pid="$big" longest=60
	kill -USR1 "$pid"
	await 60 is_diverted
	# the kernel takes it away two seconds later
	next_line
	at_step grown
	is_diverted || fail "who was killed is gone"
	end_divert
	is "how many were killed" "$(stat_of "$G" oom_kill memory.events)" 1
	finish
	wait "$big" || true
}

# --- when memory is short -------------------------------------------------------------------------------------------

# A process of no group that wants most of the memory there is.
hog() {
	local status=0 looked
	: >$TMP/exhausted
	looked=$(looked_at)
	HURRY=1 mem anon "$(awk '$1 == "MemTotal:" { printf "%dK\n", $2 * 9 / 10 }' /proc/meminfo)" >/dev/null 2>&1 &
	wait $! || status=$?
	# if it was killed, the log says so, and the test has failed
	[ $status = 0 ] || is "how the hog ended" $status 137
	at_least "pages that reclaim has looked at" "$(looked_at)" $((looked + 1000))
}
# by all of the kernel's, also for nothing
looked_at() { awk '/^pgscan_(kswapd|direct) / { sum += $2 } END { print sum }' /proc/vmstat; }

unevictable() { awk '$1 == "nr_unevictable" { print $2 * 4096 }' /proc/vmstat; }
is_below() { [ "$(unevictable)" -le "$1" ]; }
# are_hidden SIZE: somebody asks the kernel for all there is, and then so many MB more are hidden than before.
are_hidden() {
	mem rewrite /sys/fs/cgroup/memory.reclaim 40M 4 >/dev/null
	[ "$(unevictable)" -ge $((before + $1 * MB)) ]
}
# press_until_hidden SIZE: hogs come by until so many MB are unevictable that were not before.
press_until_hidden() {
	for _ in 1 2 3 4 5; do
		hog
		if [ "$(unevictable)" -ge $((before + $1 * MB)) ]; then break; fi
	done
	at_least "what is unevictable" "$(unevictable)" $((before + $1 * MB))
}

# shows_half: of what is hidden now, which is all of the pages in $G that are not to be shown. What is not, though it once was, does
# not count: half of the rest stays hidden, as if it had never been.
shows_half() {
	local left usage
	left=$(($(unevictable) - before))
	say "$((left / MB)) MB are hidden"
	at_least "what is hidden" "$left" $((20 * MB))
	drain
	usage=$(current "$G")
	put "$G/memory.low" $(((usage + left / 2) / 2))
	await 20 is_below $((before + left / 2 + 4 * MB))
	sleep 4
	at_least "what is hidden of half as much" "$(unevictable)" $((before + left / 2 - 4 * MB))
	audit_is_clean
}

# --- pages that move ---------------------------------------------------------------------------------------------------

# free_part PERCENT: of what is available
free_part() { awk -v part="$1" '$1 == "MemAvailable:" { printf "%dK\n", $2 * part / 100 }' /proc/meminfo; }

# scattered [shared]: a process in $G with pages all over memory, and holes between them: compaction moves what is below
# the middle into the holes above it. So it has most of the memory there is.
scattered() { run "$G" touched mem frames "$(free_part 70)" 2000 "$@"; }

# move_pages: until 2000 of them have another frame. Compaction gives up where it finds no free page for those that it
# has taken; asked again it begins anew.
move_pages() { await 60 have_moved 2000; }
have_moved() {
	compact
	next_step moved
	[ "${line#moved }" -ge "$1" ]
}

# --- trace events -------------------------------------------------------------------------------------------------

EVENTS=$TRACING/events/memward

# listen [KB]: from now on, with so much room on each processor; stop_listening: that was all. A test that listens has deafen in its trap.
listen() {
	[ -d $EVENTS ] || mount -t tracefs tracefs $TRACING
	put $TRACING/buffer_size_kb "${1:-4096}"
	: >$TRACING/trace
	put $EVENTS/enable 1
}
deafen() {
	[ -d $EVENTS ] || return 0
	put $EVENTS/enable 0
	: >$TRACING/trace
	put $TRACING/buffer_size_kb 1
}
stop_listening() {
	put $EVENTS/enable 0
	grep ' memward_[a-z_]*: ' $TRACING/trace >$TMP/events || true
	! grep -q 'LOST' $TRACING/trace || fail "events were lost"
	is "events that were lost" "$(cat $TRACING/per_cpu/cpu*/stats | awk '$1 == "overrun:" || $1 == "dropped" { sum += $NF } END { print sum + 0 }')" 0
}

# told EVENT [GROUP [FIELD=VALUE]]: such lines; value_of FIELD: of each line that it reads.
told() { grep " memward_$1: " $TMP/events | grep "ino=$(stat -c %i "${2:-$G}") " | grep "${3:+ $3\( \|$\)}" || true; }
value_of() { sed -n "s/.* $1=\([^ ]*\).*/\1/p"; }
sum() { awk '{ sum += $1 } END { print sum + 0 }'; }
count() { wc -l; }

# --- file system on a disk: a page cache that is not tmpfs -------------------------------------------------------

# file_of MB: a file of zeroes that nobody has in memory; sets file.
file_of() {
	file=$DISK/file.$1
	[ -e "$file" ] || dd if=/dev/zero of="$file" bs=1M count="$1" 2>/dev/null
	await 20 is_dropped "$file"
}
# Dropping leaves out what is in use at that moment, be it by the kernel.
is_dropped() {
	drop_caches
	[ "$(look cached "$1")" = 0 ]
}

# How many seconds the day of a container host has (tests/progs/day.c).
DAY=${DAY:-$((6 * ROUNDS))}
# Of its 128 files each is another group's, which leaves an owner; twice as many and 256 may gather before they are cleared away, and some meanwhile.
MOST_ORPHANS=$((2 * 128 + 256 + 256))
# hits_of FEATURE: how often its hook ran.
hits_of() { awk -v feature="$1" '$1 == feature { print $5 }' $MW/memward.status; }
orphans() { awk '$1 == "orphans" { print $2 }' $MW/memward.status; }
# What is left of groups and of their pages, in use.
records() {
	drop_caches
	for cache in /sys/kernel/slab/memward_*; do
		echo 1 >"$cache/shrink"
	done
	awk '/^memward_/ { sum += $2 } END { print sum }' /proc/slabinfo
}

# note_calls NAME=FUNCTION...: from now on, until deafen_calls or the end of the test, calls prints these names in the order in which the functions
# are called, and calls_of NAME how often.
note_calls() {
	trap deafen_calls EXIT
	count_calls "$@"
}
# Likewise, in a test that has to deafen_calls at its end itself, as there is more to do then.
count_calls() {
	local event
	[ -d $TRACING/events ] || mount -t tracefs tracefs $TRACING
	: >$TRACING/trace
	for event; do
		echo "p:${event%%=*} ${event#*=}" >>$TRACING/kprobe_events
	done
	put $TRACING/events/kprobes/enable 1
}
calls() { awk '/: \(/ { sub(":", "", $5); print $5 }' $TRACING/trace; }
calls_of() { awk -v name="$1" '$1 == name { print $2 }' $TRACING/kprobe_profile; }
# was_called NAME [PID]
was_called() { [ "$(calls_of "$1")" -ge 1 ]; }
deafen_calls() {
	[ ! -e $TRACING/events/kprobes ] || put $TRACING/events/kprobes/enable 0
	: >$TRACING/kprobe_events
}

audit() { read_file $MW/memward.audit; }
audit_is_clean() {
	local said
	said=$(audit)
	case $said in
	ok*) ;;
	*) fail "the audit: $said" ;;
	esac
}

# --- the command --------------------------------------------------------------------------------------------------

# ask WORD...: sets status; what it says is in $TMP/answer and, of what is wrong, $TMP/complaint.
ask() {
	status=0
	memward "$@" >$TMP/answer 2>$TMP/complaint </dev/null || status=$?
}
answer() { cat $TMP/answer; }
complaint() { cat $TMP/complaint; }

# does WORD...: it does it, and complains of nothing.
does() {
	ask "$@"
	is "status of memward $*" "$status $(complaint)" "0 "
}

# refuses STATUS REGEX NEXT WORD...: what it complains of, and, if it is not empty, a part of what it says to do now.
refuses() {
	local want=$1 what=$2 next=$3
	shift 3
	ask "$@"
	is "status of memward $*" "$status" "$want"
	grep -qE "^memward: $what" $TMP/complaint || fail "memward $* does not complain of '$what': $(complaint)"
	[ ! "$next" ] || grep "^  " $TMP/complaint | grep -qF -- "$next" || fail "memward $* does not say '$next': $(complaint)"
}
says() { grep -qE -- "$1" $TMP/answer || fail "there is no '$1' in: $(answer)"; }
says_not() { ! grep -qE -- "$1" $TMP/answer || fail "there is '$1' in: $(answer)"; }
