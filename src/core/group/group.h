/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_GROUP_H
#define MEMWARD_GROUP_H

#include <linux/limits.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <core/group/counter.h>
#include <core/group/events.h>
#include <core/group/protection.h>
#include <core/group/stat.h>
#include <core/life/sample.h>
#include <core/limit/stall.h>
#include <core/pages/lru.h>

struct mw_owner;

/* of groups below: no bound; and how deep a tree may be if nobody has said anything */
#define MW_BOUND_NONE		INT_MAX
#define MW_DEFAULT_DEPTH	64

/**
 * struct mw_hidden - the pages of a group that are hidden from reclaim
 * @nr:      how many at the most: who uncharges one does not look
 * @before:  @nr as a walk began; this and what follows under the mutex of hide.c
 * @found:   what that walk has found
 * @to_show: how many of them are too many
 */
struct mw_hidden {
	atomic_long_t nr;
	long before;
	long found;
	long to_show;
};

/**
 * struct mw_unsplit - a search through all memory of a group that finds nothing; in split.c
 * @busy:  somebody searches; the rest is his
 * @seen:  pages that were looked at since it began, or found something
 * @took:  how long that took, in ns
 * @until: it was in vain: it does not begin again before that, in ns of ktime_get()
 * @node:  where it began last
 */
struct mw_unsplit {
	bool busy;
	unsigned long seen;
	u64 took;
	u64 until;
	int node;
};

/**
 * struct mw_group - one directory of the memward file system
 * @parent:         NULL at the root; holds a reference on it
 * @marks:          which walks meet it, by enum mw_walk: the parent's @children have the same marks.
 *                  Changes under their lock
 * @index:          in the parent's @children
 * @level:          0 at the root, 1 below it and so on
 * @ancestors:      who is above it at which level, from 1 on, itself included; see
 *                  mw_group_ancestor()
 * @nr_pending:     how many groups are @pending, here and below
 * @memory:         pages charged here and below
 * @swap:           swap slots, likewise
 * @swapcached:     pages in memory that have a slot, likewise
 * @unwritten:      file pages that are dirty or under writeback, likewise; see
 *                  mw_unwritten_read()
 * @protection:     memory.min and memory.low
 * @asked:          pages that global reclaim has asked for, ever, in parts
 *                  (mw_protect_asked())
 * @scan_deferred:  pages that memward's own reclaim may look at, but were too few at a
 *                  time
 * @hidden:         its pages that reclaim does not look at, see hide.c
 * @stall:          what memory.high has cost
 * @soft:           memory.soft_limit_in_bytes in pages, MW_COUNTER_MAX for none
 * @soft_rests_until: jiffies (64 bits) until which it is not asked because of that, as it
 *                  had nothing to give
 * @memsw_max:      memory.memsw.limit_in_bytes in pages, MW_COUNTER_MAX for none
 * @memsw_watermark: highest use of memory and swap together
 * @memsw_failcnt:  how often @memsw_max was in the way
 * @owner:          the token that new charges carry
 * @lru:            its pages, for reclaim
 * @swappiness:     how willingly to swap, 0 to 200; -1 for vm.swappiness
 * @dirty_ratio:    share of a limit that may be unwritten, see mw_unwritten_ratio()
 * @oom_group:      memory.oom.group: kill all of its processes or none
 * @helpless_said:  when the log said last that nobody here can be killed, in jiffies
 * @failcnt:        how often memory.max was in the way
 * @last_reclaim:   pages that the last write of memory.swap.reclaim got
 * @unsplit:       the search for huge pages to be split
 * @stock_looked_at: when its limit was in the way and what CPUs have in stock was last
 *                  looked at, in jiffies (64 bits)
 * @stalled_until:  jiffies (64 bits) until which nobody who reclaims here waits for what is
 *                  being written
 * @desperate_until: jiffies (64 bits) until which who would have somebody killed here takes
 *                  what he may only take then at once; see mw_reclaim_is_desperate()
 * @victim_mm:      memory of who was killed here, and may have left without having given it back, referenced;
 *                  NULL if it was seen to be reaped.  A lock of oom.c's own
 * @cursor:         the group here or below that had its turn last in reclaim, without a
 *                  reference; see tree.c
 * @credit:         for its next turn, see src/pure/credit.c
 * @reclaimable:    of MW_BALANCE_ALL parts of its pages so many could be reclaimed when it was asked last
 * @leaving:        pages here and below that are about to go; see leaving.c
 * @pending:        pages of it may be on their way out; see pending.c
 * @stats:          each CPU's share of its statistics
 * @own:            statistics without groups below, under the mutex of stat.c
 * @below:          statistics with all groups below, likewise
 * @scanned:        pages that reclaim has looked at, here and below, by why and type
 * @stolen:         of them, reclaimed
 * @id:             serial number, never used twice
 * @dead:           removed; set under the tree mutex and @members_lock
 * @folded:         a grace period has passed since: its queues are an ancestor's
 * @nr_children:    groups below that are not dead, one level
 * @nr_descendants: groups below that are not dead, all levels
 * @max_descendants: how many @nr_descendants there may be; MW_BOUND_NONE for any number
 * @max_depth:      how many levels there may be below, likewise
 * @children:       groups one level below, dead ones that are not folded yet included;
 *                  under the tree mutex, or read under RCU
 * @owners:         every owner that points here; under the tree mutex
 * @members:        processes that were moved here, and their children; under @members_lock, see
 *                  member.c
 * @members_lock:   inside the tree mutex
 * @bindings:       cgroups whose processes are here; under the tree mutex, see binding.c
 * @nr_bindings:    how many of them, here and below
 * @killed:         when cgroup.kill came to those, by ktime_get_ns(); 0 for never, U64_MAX: it is at it
 * @sample:         see sample.c
 * @events:         what happened here and below
 * @events_local:   what happened here
 * @peaks:          readers with a peak of their own, under @peaks_lock
 * @peaks_lock:     protects @peaks and the restart of a counter's local_watermark
 * @fs:             the file system's own
 * @refs:           memory of this structure
 * @release:        folds and unlinks after a grace period
 * @rcu:            frees it a grace period after the last reference
 */
struct mw_group {
	struct mw_group *parent;
	unsigned long marks;
	u32 index;
	unsigned int level;
	atomic_t nr_pending;
	struct mw_group **ancestors;
	struct mw_counter memory;
	struct mw_counter swap;
	struct mw_counter swapcached;
	atomic_long_t unwritten;
	struct mw_protection protection[MW_NR_PROTECTIONS];
	atomic_long_t asked;
	long scan_deferred;
	struct mw_hidden hidden;
	struct mw_stall stall;
	unsigned long soft;
	u64 soft_rests_until;
	unsigned long memsw_max;
	unsigned long memsw_watermark;
	atomic_long_t memsw_failcnt;
	struct mw_owner *owner;
	struct mw_cpu_stats __percpu *stats;
	struct mw_lru lru;
	int swappiness;
	unsigned int dirty_ratio;
	bool oom_group;
	unsigned long helpless_said;
	atomic_long_t failcnt;
	unsigned long last_reclaim;
	struct mw_unsplit unsplit;
	u64 stock_looked_at;
	u64 stalled_until;
	u64 desperate_until;
	struct mm_struct *victim_mm;
	struct mw_group *cursor;
	s64 credit;
	unsigned int reclaimable;
	/* not beside what each charge reads */
	atomic_long_t leaving;
	unsigned long pending;
	u64 id;
	bool dead;
	bool folded;
	unsigned int nr_children;
	unsigned int nr_descendants;
	unsigned int max_descendants;
	unsigned int max_depth;
	struct xarray children;
	struct list_head owners;
	struct list_head members;
	spinlock_t members_lock;
	struct list_head bindings;
	unsigned int nr_bindings;
	u64 killed;
	struct mw_stats own;
	struct mw_stats below;
	atomic_long_t scanned[MW_NR_RECLAIM_WHYS][MW_NR_LRU_TYPES];
	atomic_long_t stolen[MW_NR_RECLAIM_WHYS][MW_NR_LRU_TYPES];
	struct mw_group_sample sample;
	atomic_long_t events[MW_NR_EVENTS];
	atomic_long_t events_local[MW_NR_EVENTS];
	struct list_head peaks;
	spinlock_t peaks_lock;
	void *fs;
	refcount_t refs;
	struct rcu_work release;
	struct rcu_head rcu;
};

extern struct mw_group mw_root;

#endif
