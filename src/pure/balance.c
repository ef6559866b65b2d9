// SPDX-License-Identifier: GPL-2.0
/* How much of a group's memory and how much of its cache reclaim looks at. */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include <pure/balance.h>

/**
 * mw_balance_weight() - how much a type counts
 * @wanted:  by swappiness
 * @scanned: pages of it that were looked at lately
 * @rotated: of these, pages that were in use
 *
 * Pages of a type that are in use weigh against looking at it.
 */
unsigned long mw_balance_weight(unsigned long wanted, unsigned long scanned,
				unsigned long rotated)
{
	return wanted * (scanned + 1) * 16 / (rotated + 1);
}

static unsigned long weights(const struct mw_balance *balance)
{
	return balance->weight[MW_LRU_ANON] + balance->weight[MW_LRU_FILE];
}

/* Of so many pages of both types, what falls to one by weight and size. */
static unsigned long part_of_share(const struct mw_balance *balance,
				   enum mw_lru_type type, unsigned long share)
{
	unsigned long size[MW_NR_LRU_TYPES] = {};
	int i;

	for (i = 0; i < MW_NR_LRU_TYPES; i++)
		if (balance->weight[i])
			size[i] = balance->pages[i] *
				  (balance->weight[i] * 1024 / weights(balance) + 1);
	return mult_frac(share, size[type], size[MW_LRU_ANON] + size[MW_LRU_FILE]);
}

/**
 * mw_balance_part() - how many pages of a type to look at
 * @balance:  of the group
 * @type:     the type
 * @priority: 2^-@priority of the pages if both types weigh the same; 0 for all of
 *            them, whatever they weigh, if they can be reclaimed at all
 * @share:    so many pages of both types, if that is more
 *
 * A small group, whose part is less than a page, gives of both types in proportion
 * too: its share is parted.
 *
 * Return: pages.
 */
unsigned long mw_balance_part(const struct mw_balance *balance,
			      enum mw_lru_type type, unsigned int priority,
			      unsigned long share)
{
	unsigned long pages = balance->pages[type];

	if (!balance->weight[type] || !pages)
		return 0;
	/* the last round spares nothing that may be reclaimed at all */
	if (!priority)
		return pages;
	return max(mult_frac(pages >> priority, 2 * balance->weight[type],
			     weights(balance)),
		   part_of_share(balance, type, share));
}

/**
 * mw_balance_reclaimable() - what part of a group's pages can be reclaimed
 * @balance: of the group
 * @locked:  pages that are locked in memory, of whichever type
 *
 * Return: of MW_BALANCE_ALL, MW_BALANCE_LITTLE at least.
 */
unsigned int mw_balance_reclaimable(const struct mw_balance *balance, unsigned long locked)
{
	unsigned long all = 0, some = 0;
	int i;

	for (i = 0; i < MW_NR_LRU_TYPES; i++) {
		all += balance->pages[i];
		if (balance->weight[i])
			some += balance->pages[i];
	}
	if (!all)
		return MW_BALANCE_ALL;
	/* what is locked may be of a type that cannot be reclaimed anyway */
	some = min(some, all - min(locked, all));
	return max_t(unsigned int, mult_frac(some, (unsigned long)MW_BALANCE_ALL, all), MW_BALANCE_LITTLE);
}

/**
 * mw_balance_trims_cache() - does cache go before anything else is looked at?
 * @balance: of the group
 * @scanned: pages of its cache that were looked at lately
 * @rotated: of these, pages that were in use
 *
 * As long as most of the cache was not used since it was read: a stream, however
 * long, costs programs nothing.
 */
bool mw_balance_trims_cache(const struct mw_balance *balance,
			    unsigned long scanned, unsigned long rotated)
{
	return balance->weight[MW_LRU_FILE] >= balance->weight[MW_LRU_ANON] &&
	       2 * rotated <= scanned;
}
