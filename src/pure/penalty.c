// SPDX-License-Identifier: GPL-2.0
/* How long a task that charges above memory.high, or dirties too much, is held back. */
#include <linux/math64.h>
#include <linux/types.h>

#include <pure/nominal.h>
#include <pure/penalty.h>

/* 2^14 with the 2^20 of the ratio: 64 s for a ratio of 1, squared below it */
#define SCALING_SHIFT	14
/* twice the limit; the clamp is long reached: 256 s for a nominal batch */
#define OVERAGE_MAX	(2ULL << MW_OVERAGE_SHIFT)

#define US_PER_S	1000000ULL
/* of a nominal batch that is dirtied where as much is unwritten as may be */
#define DIRTY_US	(US_PER_S / 5)
/* no sleep that is not worth a timer, none that hides the task for long */
#define PENALTY_MIN_US	(US_PER_S / 100)
#define PENALTY_MAX_US	(2 * US_PER_S)

/**
 * mw_overage() - by how much usage is above high, as a share of high
 * @usage: pages
 * @high:  pages; 0 counts as one page
 *
 * Return: the ratio times 2^MW_OVERAGE_SHIFT, 0 at or below @high, cut at 2.
 */
u64 mw_overage(unsigned long usage, unsigned long high)
{
	u64 over;

	if (usage <= high)
		return 0;
	if (!high)
		high = 1;
	over = usage - high;
	if (over / 2 >= high)
		return OVERAGE_MAX;
	return div64_u64(over << MW_OVERAGE_SHIFT, high);
}

/* Microseconds for one overage, neither cut nor clamped. */
static u64 delay_us(u64 overage, unsigned int nr_pages)
{
	u64 us;

	if (overage > OVERAGE_MAX)
		overage = OVERAGE_MAX;
	us = (overage * overage * US_PER_S) >> (MW_OVERAGE_SHIFT + SCALING_SHIFT);
	return div64_u64(us * nr_pages, MW_NOMINAL_BATCH);
}

/**
 * mw_penalty_us() - the delay for being above memory.high, or that of swap
 * @memory:   from mw_overage(), the largest of the group and its ancestors
 * @swap:     the same for swap
 * @nr_pages: pages that the task charged meanwhile
 *
 * The sum of one delay for each, of which each is
 * 64 s x (overage / high)^2 for the nominal batch of 32 pages, in proportion
 * for more or fewer pages.  The curve is that of the kernel's memory.high
 * ("mm, memcg: throttle allocators when failing reclaim over memory.high",
 * 0e4b01df8659): 6 ms at 1 % over, 639 ms at 10 %.
 *
 * Return: microseconds; 0 instead of 10 ms or less, 2 s at most.
 */
u64 mw_penalty_us(u64 memory, u64 swap, unsigned int nr_pages)
{
	u64 us = delay_us(memory, nr_pages) + delay_us(swap, nr_pages);

	if (us <= PENALTY_MIN_US)
		return 0;
	return us < PENALTY_MAX_US ? us : PENALTY_MAX_US;
}

/**
 * mw_dirty_penalty_us() - the delay for dirtying pages of which there are too many
 * @overage:  by how much unwritten pages are above three quarters of what may be, from
 *            mw_overage()
 * @nr_pages: pages that the task has dirtied meanwhile
 *
 * 200 ms for a nominal batch where unwritten pages are what may be, an overage of a
 * third; with its square below and beyond, and in proportion to the pages.  So a task
 * gets on with 640 kB/s there, with 64 MB/s where a tenth of that overage is left, and a
 * disk of any speed in between finds the place where its writers are as fast as it is.
 *
 * Return: microseconds; 7.2 s for a nominal batch at the most.
 */
u64 mw_dirty_penalty_us(u64 overage, unsigned int nr_pages)
{
	u64 square, us;

	if (overage > OVERAGE_MAX)
		overage = OVERAGE_MAX;
	square = (overage * overage) >> MW_OVERAGE_SHIFT;
	us = (square * 9 * DIRTY_US) >> MW_OVERAGE_SHIFT;
	return div64_u64(us * nr_pages, MW_NOMINAL_BATCH);
}
