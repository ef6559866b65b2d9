/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_RECLAIM_H
#define MEMWARD_RECLAIM_H

#include <linux/gfp.h>

#include <core/group/stat.h>

struct mw_group;

/**
 * struct mw_reclaim - a request to reclaim
 * @why:        what it is counted as
 * @gfp:        what it may do: __GFP_IO to swap, __GFP_FS for pages that a file
 *              system holds on to
 * @swappiness: 0 to 200; -1 for each group's own
 * @signals:    end it on any signal, not only on a fatal one
 * @memcg_low_reclaim: memory.low does not hold
 */
struct mw_reclaim {
	enum mw_reclaim_why why;
	gfp_t gfp;
	int swappiness;
	bool signals;
	bool memcg_low_reclaim;
};

unsigned long mw_reclaim(struct mw_group *top, unsigned long nr_pages,
			 const struct mw_reclaim *how);

#endif
