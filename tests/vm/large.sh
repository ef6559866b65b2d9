# SPDX-License-Identifier: GPL-2.0
# A machine with more memory than its host has: what takes longer with more of it.
BLOCKS=/sys/devices/system/memory

# Who waits for grace periods, and where, is in $TMP/waits after end_watch.
watch_waits() {
	# a test that failed has left it
	[ ! -e $TRACING/events/kprobes/grace ] || end_watch
	: >$TRACING/trace
	echo 'p:grace synchronize_rcu' >>$TRACING/kprobe_events
	echo stacktrace >$TRACING/events/kprobes/grace/trigger
	put $TRACING/events/kprobes/grace/enable 1
}
end_watch() {
	put $TRACING/events/kprobes/grace/enable 0
	cat $TRACING/trace >$TMP/waits
	echo '!stacktrace' >$TRACING/events/kprobes/grace/trigger
	: >$TRACING/kprobe_events
}

# On a large machine one takes a tenth of a second, and nobody can sync file systems meanwhile: there must not be more of them with
# more memory, of which this one has 500 sections, nor for each function that is attached to, which the first mount looks at.
test_a_mount_waits_for_few_grace_periods() {
	local waits
	rmdir "$G"
	umount $MW
	rmmod memward
	modprobe memward
	watch_waits
	mount_memward
	end_watch
	mkdir "$G"
	waits=$(grep -c '^ *mount-.* grace: ' $TMP/waits || true)
	at_least "grace periods that were seen" "$waits" 1
	at_most "grace periods waited for" "$waits" 2
}

shadow() { awk '$1 == "shadow_bytes" { print $2 }' $MW/memward.status; }

# With more than 64 GB memory goes in blocks of up to sixteen sections: as large as its end allows, which is at 68 GB here.
test_a_block_of_memory_waits_for_one() {
	local block before
	at_least "bytes of a block" $((0x$(cat $BLOCKS/block_size_bytes))) $((16 * 128 * MB))
	before=$(shadow)
	watch_waits
	for block in $BLOCKS/memory[1-9]*; do
		echo offline 2>/dev/null >"$block/state" && break
	done
	end_watch
	is "the block" "$(cat "$block/state")" offline
	is "shadow_bytes" "$(shadow)" $((before - 16 * 256 * KB))
	put "$block/state" online
	is "shadow_bytes with the block" "$(shadow)" "$before"
	is "grace periods waited for" "$(grep -c '=> memory_event' $TMP/waits)" 1
}
