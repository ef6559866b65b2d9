/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_STAT_H
#define MEMWARD_STAT_H

#include <linux/build_bug.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <pure/kind.h>
#include <uapi/memward.h>

struct mw_group;

/**
 * enum mw_reclaim_why - what reclaim is done for
 * @MW_RECLAIM_LIMIT:     a limit of the group or of one above it
 * @MW_RECLAIM_BACKGROUND: a soft limit, while the machine is short of memory
 * @MW_RECLAIM_PROACTIVE: somebody asked for it
 */
enum mw_reclaim_why {
	MW_RECLAIM_LIMIT = MEMWARD_RECLAIM_LIMIT,
	MW_RECLAIM_BACKGROUND = MEMWARD_RECLAIM_BACKGROUND,
	MW_RECLAIM_PROACTIVE = MEMWARD_RECLAIM_PROACTIVE,
	MW_NR_RECLAIM_WHYS,
};

/**
 * enum mw_stat - what is counted, in pages
 * @MW_STAT_CHARGED:   ever charged; one for each kind
 * @MW_STAT_UNCHARGED: ever uncharged; one for each kind
 * @MW_STAT_REFAULTED: came back after they were reclaimed; one for each LRU type
 * @MW_NR_ESTIMATED:   those before it are what mw_stats_estimate() looks at
 * @MW_STAT_MOVED:     whose charge was taken over by another page
 * @MW_STAT_SLOTS_CHARGED: swap slots ever charged
 * @MW_STAT_SLOTS_UNCHARGED: swap slots ever uncharged
 * @MW_STAT_DIRTIED:   ever dirtied
 * @MW_STAT_WRITTEN:   of them, ever written, or freed; the others are dirty or under writeback
 * @MW_STAT_KEPT:      memory.min or memory.low has kept from reclaim
 * @MW_STAT_OFFERED:   of a group with such a setting, given to reclaim all the same
 * @MW_STAT_GIVEN_UP:  of them, those that memory.low would have kept
 * @MW_NR_STATS:       how many there are
 */
enum mw_stat {
	MW_STAT_CHARGED,
	MW_STAT_UNCHARGED = MW_STAT_CHARGED + MW_NR_KINDS,
	MW_STAT_REFAULTED = MW_STAT_UNCHARGED + MW_NR_KINDS,
	MW_NR_ESTIMATED = MW_STAT_REFAULTED + MW_NR_LRU_TYPES,
	MW_STAT_MOVED = MW_NR_ESTIMATED,
	MW_STAT_SLOTS_CHARGED,
	MW_STAT_SLOTS_UNCHARGED,
	MW_STAT_DIRTIED,
	MW_STAT_WRITTEN,
	MW_STAT_KEPT,
	MW_STAT_OFFERED,
	MW_STAT_GIVEN_UP,
	MW_NR_STATS,
};

/**
 * struct mw_stats - sums by what is counted
 * @pages: one for each enum mw_stat
 */
struct mw_stats {
	unsigned long pages[MW_NR_STATS];
};

/**
 * struct mw_cpu_stats - one CPU's share of a group's statistics
 * @now:    one for each enum mw_stat; any of them may wrap around
 * @added:  as much of it as is in the sums; under the mutex of stat.c
 * @unwritten: dirty pages and pages under writeback that are not yet in the group's
 *          counter of them, see mw_unwritten_add()
 * @marked: it is in its CPU's list of those that have changed, which holds a reference
 * @node:   in that list
 * @group:  whose it is
 *
 * One CPU's share of what a group holds may be negative: pages are freed on other CPUs
 * than those that charged them.
 */
struct mw_cpu_stats {
	u32 now[MW_NR_STATS];
	u32 added[MW_NR_STATS];
	s32 unwritten;
	u32 marked;
	struct llist_node node;
	struct mw_group *group;
};
/* a processor and group: what a host with many of both can bear */
static_assert(sizeof(struct mw_cpu_stats) <= 184);

/** mw_stats_held() - pages of a kind that are charged now */
static inline long mw_stats_held(const struct mw_stats *stats,
				 enum mw_kind kind)
{
	return stats->pages[MW_STAT_CHARGED + kind] -
	       stats->pages[MW_STAT_UNCHARGED + kind];
}

/** mw_stats_swapbacked() - pages that are charged now and that would go to swap */
static inline long mw_stats_swapbacked(const struct mw_stats *stats)
{
	return mw_stats_held(stats, MW_KIND_ANON) + mw_stats_held(stats, MW_KIND_SHMEM);
}

/** mw_stats_unwritten() - pages that are dirty or under writeback */
static inline long mw_stats_unwritten(const struct mw_stats *stats)
{
	return stats->pages[MW_STAT_DIRTIED] - stats->pages[MW_STAT_WRITTEN];
}

struct mw_cpu_stats __percpu *mw_stats_alloc(struct mw_group *group);
void mw_stats_reset(struct mw_group *group);
unsigned long mw_stats_charged(const struct mw_stats *stats);
unsigned long mw_stats_uncharged(const struct mw_stats *stats);
void mw_stats_add(struct mw_group *group, unsigned int stat, int nr_pages);
void mw_stats_use(int cpu, struct mw_group __rcu **group);
void mw_stats_reclaimed(struct mw_group *group, enum mw_reclaim_why why,
			enum mw_lru_type type, unsigned long scanned,
			unsigned long stolen);
void mw_stats_estimate(struct mw_group *group, struct mw_stats *own);
void mw_stats_read(struct mw_group *group, struct mw_stats *own,
		   struct mw_stats *below);
void mw_stats_hand_over(struct mw_group *group);
void mw_stats_settle(struct mw_group *group);
int mw_stats_init(void);
void mw_stats_exit(void);
int mw_stats_start(void);
void mw_stats_stop(void);

#endif
