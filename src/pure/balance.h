/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_BALANCE_H
#define MEMWARD_BALANCE_H

#include <linux/types.h>

#include <pure/kind.h>

/* pages that are isolated at a time; one folio may have more */
#define MW_SCAN_BATCH		32U
/* pages of both types that a group is asked for where it has not come by credit: a batch of each */
#define MW_SCAN_SHARE		(MW_NR_LRU_TYPES * MW_SCAN_BATCH)
/* of so many parts of a group's pages all can be reclaimed; and none, but that somebody looks now and then */
#define MW_BALANCE_ALL		256U
#define MW_BALANCE_LITTLE	4U

/**
 * struct mw_balance - how much of each type of a group's pages to look at
 * @pages:  pages of the type
 * @weight: relative to the other type's; 0 if it cannot be reclaimed
 */
struct mw_balance {
	unsigned long pages[MW_NR_LRU_TYPES];
	unsigned long weight[MW_NR_LRU_TYPES];
};

unsigned long mw_balance_weight(unsigned long wanted, unsigned long scanned,
				unsigned long rotated);
unsigned long mw_balance_part(const struct mw_balance *balance,
			      enum mw_lru_type type, unsigned int priority,
			      unsigned long share);
unsigned int mw_balance_reclaimable(const struct mw_balance *balance, unsigned long locked);
bool mw_balance_trims_cache(const struct mw_balance *balance,
			    unsigned long scanned, unsigned long rotated);

#endif
