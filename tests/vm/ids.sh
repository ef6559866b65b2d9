# SPDX-License-Identifier: GPL-2.0
# More groups than 65 535, each of which leaves a page of file cache behind. scripts/soak makes 100 000.

GENERATIONS=${GENERATIONS:-70000}

limit_generations=900
test_generations() {
	local before began slab
	# a hole is read into the page cache like anything else
	truncate -s $((GENERATIONS * 4096)) $DISK/sparse
	drop_caches
	before=$(stat_of $MW file)
	slab=$(slab)
	clock
	began=$now
	proc generations "$G" $DISK/sparse $GENERATIONS >$TMP/generations &
	await 880 test -s $TMP/generations
	clock
	say "$GENERATIONS generations in $(((now - began) * 10)) ms"
	is "groups left" "$(cat "$G/cgroup.stat")" "nr_descendants 0
nr_dying_descendants 0"
	at_least "file" "$(stat_of "$G" file)" $((GENERATIONS * 4096))
	at_most "file" "$(stat_of "$G" file)" $((GENERATIONS * 4096 * 101 / 100))
	audit_is_clean
	kill -USR1 $!
	# as long as it has the file open, removing it leaves the cache
	wait $!
	rm $DISK/sparse
	drop_caches
	at_most "file without a cache" "$(stat_of "$G" file)" $((64 * KB))
	# the audit has what nobody needs any more freed; an owner that stayed of each would be 6 MiB
	audit_is_clean
	say "slab was $slab KiB and is $(slab)"
	await 20 is_slab_below $((slab + 4096))
}
slab() { awk '/^Slab/ { print $2 }' /proc/meminfo; }
is_slab_below() { [ "$(slab)" -le "$1" ]; }

# Nothing is left of them: neither ids nor memory.
test_slab_does_not_grow() {
	local before after
	proc generations_empty "$G" 2000
	drop_caches
	before=$(slab_and_percpu)
	proc generations_empty "$G" 10000
	# what RCU and the reaper still hold comes back; of a kilobyte for each 10 000 would stay
	await 20 are_back $((before + 2048))
	say "slab and percpu from $before to $after KiB"
}
slab_and_percpu() { awk '/^(Slab|Percpu)/ { sum += $2 } END { print sum }' /proc/meminfo; }
are_back() {
	drop_caches
	after=$(slab_and_percpu)
	[ "$after" -le "$1" ]
}
