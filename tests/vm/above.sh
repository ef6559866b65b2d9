# SPDX-License-Identifier: GPL-2.0
# A build for which all memory is what memory above 8 TiB is for others (-DMW_TEST_SLOT_PFNS): an emulated processor addresses one TiB. In a boot
# of its own, to which a block of memory can be added.
mounts=no
BLOCKS=/sys/devices/system/memory

told_line="memward: of memory above 8 TiB pages are charged, but a limit of memward's cannot reclaim them\$"

# Who mounts it is told, once.
test_memory_that_no_limit_reclaims() {
	local block= before
	expect_log "$told_line"
	modprobe memward
	mount_memward
	mkdir "$G"
	file_of 60
	in_group "$G" dd if="$file" of=/dev/null bs=1M 2>/dev/null
	drain
	stat_is "$G" file $((60 * MB)) 5
	audit_is_clean
	attempt EAGAIN write "$G/memory.reclaim" 60M
	say "$(current "$G") of 60 MB are left"
	at_least "what is left" "$(current "$G")" $((59 * MB))
	audit_is_clean
	for block in $BLOCKS/memory[0-9]*; do
		[ "$(cat "$block/state")" != offline ] || break
	done
	is "the block" "$(cat "$block/state")" offline
	before=$(shadow)
	put "$block/state" online
	at_least "shadow_bytes with the block" "$(shadow)" $((before + 1))
	is "lines in the log" "$(dmesg | grep -cE "$told_line")" 1
	await 20 is_without_cache
	audit_is_clean
	rmdir "$G"
	umount $MW
}
shadow() { awk '$1 == "shadow_bytes" { print $2 }' $MW/memward.status; }
# Dropping leaves out what is in use at that moment.
is_without_cache() {
	drop_caches
	[ "$(stat_of "$G" file)" = 0 ]
}
