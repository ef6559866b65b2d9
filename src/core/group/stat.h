/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_STAT_H
#define MEMWARD_STAT_H

#include <pure/kind.h>

struct mw_group;

/**
 * enum mw_reclaim_why - what reclaim is done for
 * @MW_RECLAIM_LIMIT:     a limit of the group or of one above it
 * @MW_RECLAIM_BACKGROUND: a soft limit, while the machine is short of memory
 * @MW_RECLAIM_PROACTIVE: somebody asked for it
 */
enum mw_reclaim_why {
	MW_RECLAIM_LIMIT,
	MW_RECLAIM_BACKGROUND,
	MW_RECLAIM_PROACTIVE,
	MW_NR_RECLAIM_WHYS,
};

/**
 * struct mw_stats - statistics of a group, in pages
 * @charged:   pages ever charged, by kind
 * @uncharged: pages ever uncharged, by kind
 * @moved:     pages whose charge was taken over by another page
 * @scanned:   pages that reclaim has looked at, by why and type
 * @stolen:    of them, reclaimed
 * @refaulted: pages that came back after they were reclaimed, by type
 * @slots_charged: swap slots ever charged
 * @slots_uncharged: swap slots ever uncharged
 * @unwritten: dirty pages and pages under writeback that are not yet in the group's
 *             counter of them, see mw_unwritten_add(); may be negative
 * @kept:      pages that memory.min or memory.low has kept from reclaim
 * @offered:   pages of a group with such a setting that reclaim was given all the same
 * @given_up:  of them, those that memory.low would have kept
 *
 * What a group holds is the difference.  One CPU's share of it may be negative:
 * pages are freed on other CPUs than those that charged them.
 */
struct mw_stats {
	unsigned long charged[MW_NR_KINDS];
	unsigned long uncharged[MW_NR_KINDS];
	unsigned long moved;
	unsigned long scanned[MW_NR_RECLAIM_WHYS][MW_NR_LRU_TYPES];
	unsigned long stolen[MW_NR_RECLAIM_WHYS][MW_NR_LRU_TYPES];
	unsigned long refaulted[MW_NR_LRU_TYPES];
	unsigned long slots_charged;
	unsigned long slots_uncharged;
	unsigned long unwritten;
	unsigned long kept;
	unsigned long offered;
	unsigned long given_up;
};

/** mw_stats_held() - pages of a kind that are charged now */
static inline long mw_stats_held(const struct mw_stats *stats,
				 enum mw_kind kind)
{
	return stats->charged[kind] - stats->uncharged[kind];
}

unsigned long mw_stats_charged(const struct mw_stats *stats);
unsigned long mw_stats_uncharged(const struct mw_stats *stats);
void mw_stats_own(struct mw_group *group, struct mw_stats *sum);
void mw_stats_read_local(struct mw_group *group, struct mw_stats *sum);
void mw_stats_read(struct mw_group *group, struct mw_stats *sum);
void mw_stats_fold(struct mw_group *from, struct mw_group *to);

#endif
