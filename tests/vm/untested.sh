# SPDX-License-Identifier: GPL-2.0
# A build that knows of no series that it was tested on (-DMW_TEST_UNTESTED), so that every kernel is an untested one. In a boot of
# its own.
mounts=no

refused_line='memward: nobody has tested it on Linux [0-9.]+[^ ]*, only on [0-9. ]+; all functions look as expected.*-o untested$'
mounted_line='memward: mounted on Linux [0-9.]+[^ ]*, on which nobody has tested it$'

options_of() { awk -v at="$1" '$2 == at && $3 == "memward" { print $4 }' /proc/mounts | tr ',' '\n'; }

nothing_is_attached() {
	[ ! -e /sys/kernel/livepatch/memward ] || fail "there is a livepatch"
	! grep -w memward $TRACING/enabled_functions || fail "a function is traced"
}

test_mount_is_refused() {
	expect_log "$refused_line"
	modprobe memward
	attempt EOPNOTSUPP mount memward $MW ""
	attempt EOPNOTSUPP mount memward $MW nomemory_recursiveprot
	nothing_is_attached
	is "lines in the log" "$(dmesg | grep -cE "$refused_line")" 2
	is "files" "$(ls $MW)" ""
}

test_untested_is_what_helps() {
	expect_log "$mounted_line"
	mount -t memward -o untested memward $MW
	has "the options" "$(options_of $MW)" untested
	mkdir "$G"
	run "$G" touched mem anon 20M
	stat_is "$G" anon $((20 * MB)) 5
	finish
	rmdir "$G"
	umount $MW
	nothing_is_attached
}

# There is one tree: who joins it attaches nothing.
test_a_second_mount_needs_no_option() {
	expect_log "$mounted_line"
	mount -t memward -o untested memward $MW
	mkdir -p $TMP/second
	mount -t memward memward $TMP/second
	has "the options of the second" "$(options_of $TMP/second)" untested
	umount $TMP/second
	umount $MW
}

# The last mount's option is not the next one's.
test_asked_anew_after_the_last_unmount() {
	expect_log "$mounted_line"
	expect_log "$refused_line"
	mount -t memward -o untested memward $MW
	umount $MW
	attempt EOPNOTSUPP mount memward $MW ""
	nothing_is_attached
	rmmod memward
}
