# SPDX-License-Identifier: GPL-2.0
# The files, and the ways in which programs use them.

EVERYWHERE='cgroup.procs tasks cgroup.controllers cgroup.subtree_control cgroup.stat cgroup.max.depth cgroup.max.descendants memory.current memory.usage_in_bytes
memory.peak memory.max_usage_in_bytes memory.events memory.events.local memory.stat memory.reclaim memory.swap.reclaim
memory.force_empty memory.swappiness memward.bind memward.adopt'
IN_GROUPS='cgroup.events cgroup.type cgroup.kill memory.min memory.low memory.high memory.high.stall_max memory.high.stall_action memory.max memory.limit_in_bytes memory.failcnt
memory.soft_limit_in_bytes memory.dirty_ratio memory.oom.group memory.swap.current memory.swap.peak memory.swap.high memory.swap.max
memory.swap.events memory.memsw.usage_in_bytes memory.memsw.max_usage_in_bytes memory.memsw.limit_in_bytes
memory.memsw.failcnt'
IN_ROOT='memward.version memward.status memward.audit'

exist() {
	local dir=$1 name
	shift
	for name; do
		[ -f "$dir/$name" ] || fail "there is no $dir/$name"
		has "the list of $dir" "$(ls "$dir")" "$name"
	done
}
absent() {
	local dir=$1 name
	shift
	for name; do
		[ ! -e "$dir/$name" ] || fail "there is a $dir/$name"
	done
}

# shellcheck disable=SC2086
test_what_there_is() {
	exist "$G" $EVERYWHERE $IN_GROUPS
	exist $MW $EVERYWHERE $IN_ROOT
	absent "$G" $IN_ROOT
	absent $MW memory.high cgroup.events
}

mode_is() { is "mode of $2" "$(stat -c %a "$2")" "$1"; }

test_modes() {
	mode_is 644 "$G/cgroup.procs"
	mode_is 644 "$G/memory.high"
	mode_is 444 "$G/memory.current"
	mode_is 444 "$G/memory.stat"
	mode_is 200 "$G/cgroup.kill"
	mode_is 200 "$G/memward.adopt"
	mode_is 400 $MW/memward.audit
	mode_is 755 "$G"
}

# Every file can be read in small pieces and again from its beginning.
test_short_reads() {
	local name
	run "$G" touched mem anon 1M
	drain
	# what is empty cannot be read twice
	put "$G/memward.bind" /that/is/not
	for name in $(ls "$G"); do
		# what can only be written has no mode to read
		[ -f "$G/$name" ] && [ "$(stat -c %a "$G/$name")" != 200 ] || continue
		is "$name read twice" "$(look reread "$G/$name" 2>&1)" same
	done
	finish
}

test_empty_files_end() {
	is "members of nobody" "$(cat "$G/cgroup.procs")" ""
}

# v2's keys stand first and in its order; many take the first line that contains "anon " or "file ".
test_order_of_memory_stat() {
	is "the first keys" "$(head -n 2 "$G/memory.stat" | cut -d' ' -f1 | xargs)" "anon file"
	is "first line with 'anon '" "$(grep -m 1 -o '[a-z_]*anon ' "$G/memory.stat")" "anon "
	is "first line with 'file '" "$(grep -m 1 -o '[a-z_]*file ' "$G/memory.stat")" "file "
	is "keys that occur twice" "$(cut -d' ' -f1 "$G/memory.stat" | sort | uniq -d)" ""
	is "lines that are not a key and a number" "$(grep -vcE '^[a-z0-9_]+ [0-9]+$' "$G/memory.stat")" 0
}

test_order_of_memory_events() {
	is "the keys" "$(cut -d' ' -f1 "$G/memory.events" | head -n 5 | xargs)" "low high max oom oom_kill"
	is "the local keys" "$(cut -d' ' -f1 "$G/memory.events.local" | head -n 5 | xargs)" "low high max oom oom_kill"
	is "events of a new group" "$(awk '{ sum += $2 } END { print sum }' "$G/memory.events")" 0
}

test_empty_group() {
	is memory.current "$(current "$G")" 0
	is memory.peak "$(cat "$G/memory.peak")" 0
	is memory.high "$(cat "$G/memory.high")" max
	is cgroup.controllers "$(cat "$G/cgroup.controllers")" memory
	is cgroup.type "$(cat "$G/cgroup.type")" domain
	is "sum of memory.stat" "$(awk '{ sum += $2 } END { print sum }' "$G/memory.stat")" 0
}

test_ways_to_open_for_writing() {
	attempt ok truncating "$G/memory.high" 10M
	is memory.high "$(cat "$G/memory.high")" $((10 * MB))
	attempt ok appending "$G/memory.high" 20M
	is memory.high "$(cat "$G/memory.high")" $((20 * MB))
	attempt ok truncate "$G/memory.high" 0
	is memory.high "$(cat "$G/memory.high")" $((20 * MB))
	attempt EEXIST create "$G/memory.high"
	echo 30M >"$G/memory.high"
	is memory.high "$(cat "$G/memory.high")" $((30 * MB))
	printf 40M >>"$G/memory.high"
	is memory.high "$(cat "$G/memory.high")" $((40 * MB))
}

# A write is the whole value, wherever it is said to go, as in cgroup v2.
test_writes_at_an_offset() {
	attempt ok pwrite "$G/memory.high" 0 10M
	is memory.high "$(cat "$G/memory.high")" $((10 * MB))
	attempt ok pwrite "$G/memory.high" 1000 20M
	is memory.high "$(cat "$G/memory.high")" $((20 * MB))
	attempt ok pwrite /sys/fs/cgroup/cgroup.subtree_control 1000 +memory
}

test_version() {
	grep -qE '^[0-9]+\.[0-9]+' $MW/memward.version || fail "$(cat $MW/memward.version)"
	is "version of the module" "$(cat /sys/module/memward/version)" "$(cat $MW/memward.version)"
}

test_status() {
	local feature
	for feature in charge uncharge uncharges fork exit migrate replace swapin; do
		has "features that are attached" "$(awk '$4 == "attached" { print $1 }' $MW/memward.status)" $feature
	done
	is "lines that say refused" "$(grep -c refused $MW/memward.status)" 0
}

# hits FEATURE...: of all of them
hits() { awk -v f=" $* " 'index(f, " " $1 " ") { sum += $5 } END { print sum + 0 }' $MW/memward.status; }

test_status_counts() {
	local charge uncharge fork
	charge=$(hits charge) uncharge=$(hits uncharge uncharges) fork=$(hits fork)
	# not of huge pages
	run "$G" touched mem shmanon 10M
	finish
	drain
	at_least "hits of charge" "$(hits charge)" $((charge + 2560))
	# of several pages each
	at_least "hits of uncharge" "$(hits uncharge uncharges)" $((uncharge + 5))
	at_least "hits of fork" "$(hits fork)" $((fork + 1))
}

test_shadow_is_eight_bytes_a_page() {
	local pages
	pages=$(awk '/spanned/ { sum += $2 } END { print sum }' /proc/zoneinfo)
	at_most "shadow_bytes" "$(awk '$1 == "shadow_bytes" { print $2 }' $MW/memward.status)" \
		$(((pages + 65536) * 8))
}

test_audit_is_for_root() {
	attempt EACCES as 1000 $PROGS/try read $MW/memward.audit
	case $(audit) in
	"ok groups=2 pages="*) ;;
	*) fail "$(audit)" ;;
	esac
}

test_statfs() {
	df $MW >/dev/null 2>&1 || true
	is "type of the file system" "$(stat -f -c %t $MW)" 6d656d77
}
