/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SCAN_H
#define MEMWARD_SCAN_H

#include <linux/types.h>

#include <core/reclaim/reclaim.h>

struct mw_group;

/* pages that are sent to swap before they are wanted */
#define MW_SCAN_AHEAD		96
/* how weak the first look is: 2^-12 of a group's pages */
#define MW_SCAN_PRIORITIES	12

/**
 * struct mw_tally - what was found, in pages
 * @scanned:   looked at
 * @rotated:   of them, in use
 * @reclaimed: of them, reclaimed
 * @writing:   of them, being written
 * @dirty:     of them, to be written by somebody else
 * @woken:     whom that was told
 * @memcg_low_skipped:    memory.low has kept some from being looked at
 */
struct mw_tally {
	unsigned long scanned;
	unsigned long rotated;
	unsigned long reclaimed;
	unsigned long writing;
	unsigned long dirty;
	bool woken;
	bool memcg_low_skipped;
};

bool mw_tally_is_enough(const struct mw_tally *sum, unsigned long nr_pages);
bool mw_scan_must_stop(const struct mw_reclaim *how);
void mw_scan_group(struct mw_group *group, struct mw_group *top,
		   const struct mw_reclaim *how, unsigned int priority, unsigned long nr_pages,
		   struct mw_tally *sum);
void mw_scan_written(struct mw_group *group, const struct mw_reclaim *how,
		     unsigned long nr_pages, struct mw_tally *sum);
void mw_scan_ahead(struct mw_group *group, struct mw_group *top,
		   const struct mw_reclaim *how, struct mw_tally *sum);

#endif
