# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# How scripts/check runs many jobs, the longest first: as many at a time as there are processors, and as fit into the host's memory.
# Sourced by it; run_job and memory_of are its own.
#
# Not more: an emulated machine whose processors have to wait for real ones is slow out of proportion, and one whose memory is
# swapped out, or which is killed for it, is no machine that a test can be judged by.
#
# The queue has a line for each job: the seconds it took last time, its name, what has to be ready before it, and the
# words for run_job. queue NAME SECONDS NEED KIND ARGS...
queued=()
queue() {
	local name=$1 seconds=$2 need=$3
	shift 3
	# the generic flavour takes as long, but for what it is prepared with
	if [ -e "$times/$name" ]; then
		seconds=$(cat "$times/$name")
	elif [ -e "$times/${name/-amd64/}" ]; then
		seconds=$(cat "$times/${name/-amd64/}")
	fi
	queued+=("$seconds $name ${need:--} $*")
}

# longest_first: what others wait for, and then by time.
longest_first() {
	mapfile -t queued < <(printf '%s\n' "${queued[@]}" | awk '{ print ($4 == "prepare" ? 0 : 1), $0 }' |
		sort -k1,1n -k2,2rn | cut -d' ' -f2-)
}

# Megabytes: what the host had when the first job was to start, and what each of those that run may take, by its process.
available=''
declare -A taken=()

# has_room_for MEGABYTES: beside what runs. Where nothing does it is tried, however much it is.
has_room_for() {
	local pid sum=$1
	[ "$running" -gt 0 ] || return 0
	for pid in $(jobs -pr); do
		sum=$((sum + ${taken[$pid]:-0}))
	done
	[ "$sum" -le "$available" ]
}

running=0
start_job() {
	local name=$1 megabytes=$2
	shift 2
	running=$((running + 1))
	started+=("$name")
	# in a process group of its own, so that cleanup reaches the machines too
	set -m
	run_job "$name" "$@" &
	set +m
	taken[$!]=$megabytes
}
wait_job() {
	wait -n || true
	running=$((running - 1))
}

# is_ready NEED: 0 if it is there, 1 if it is not yet, 2 if it will never be.
is_ready() {
	[ "$1" != - ] || return 0
	[ -e "$results/$1.status" ] || return 1
	[ "$(cat "$results/$1.status")" = 0 ] || return 2
}

# After so many seconds nothing more is started, so that the verdict comes before whoever waits for it gives up.
latest_start=3600
is_late() { [ "$is_gate" ] && [ "$SECONDS" -ge "$latest_start" ]; }

# Jobs that want something which failed, as "NAME NEED".
left_out=()

# next_job: starts the first whose need is there and for which there is room; fails if there is none. What will never be is left out.
next_job() {
	local i seconds name need args status megabytes
	! is_late || return 1
	for i in "${!queued[@]}"; do
		read -r seconds name need args <<<"${queued[i]}"
		status=0
		is_ready "$need" || status=$?
		[ "$status" != 1 ] || continue
		if [ "$status" = 2 ]; then
			left_out+=("$name $need")
			unset "queued[$i]"
			continue
		fi
		# shellcheck disable=SC2086 # words
		megabytes=$(memory_of $args)
		has_room_for "$megabytes" || continue
		unset "queued[$i]"
		# shellcheck disable=SC2086 # words
		start_job "$name" "$megabytes" $args
		return
	done
	return 1
}

# run_queue NUMBER: so many at a time, until nothing is left of what can be run.
run_queue() {
	available=${available:-$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)}
	while :; do
		if [ "$running" -lt "$1" ] && next_job; then continue; fi
		[ "$running" -gt 0 ] || break
		wait_job
	done
}
