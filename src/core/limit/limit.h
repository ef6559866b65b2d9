/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_LIMIT_H
#define MEMWARD_LIMIT_H

#include <linux/gfp.h>

#include <pure/kind.h>

struct mm_struct;
struct mw_group;
struct mw_scan_control;

/**
 * struct mw_charge_request - pages that somebody is to pay for
 * @mm:       who pays, or
 * @owner_id: if it is not 0, whom the swap slot names that the pages come from
 * @pfn:      first page frame
 * @nr_pages: pages
 * @kind:     what they hold
 * @gfp:      flags of the allocation
 */
struct mw_charge_request {
	struct mm_struct *mm;
	u32 owner_id;
	unsigned long pfn;
	unsigned int nr_pages;
	enum mw_kind kind;
	gfp_t gfp;
};

struct mw_group *mw_limit_full_get(struct mw_group *group, unsigned int nr_pages);
int mw_limit_charge(const struct mw_charge_request *request);
void mw_limit_reclaim(struct mw_scan_control *sc, bool may_swap);

#endif
