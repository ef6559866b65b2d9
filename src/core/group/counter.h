/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_COUNTER_H
#define MEMWARD_COUNTER_H

#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/mm.h>

/* "no limit", in pages; larger settings are cut to it */
#define MW_COUNTER_MAX	(LONG_MAX / PAGE_SIZE)

/* CPUs charge up to so many pages in advance: a counter is never more exact */
#define MW_COUNTER_BATCH	64U

/**
 * struct mw_counter - pages charged to a group and all its descendants
 * @usage:           pages, the unspent stocks of the CPUs included
 * @high:            memory.high in pages, MW_COUNTER_MAX for none
 * @max:             memory.max, likewise
 * @watermark:       highest @usage since creation or the last reset of it
 * @local_watermark: highest @usage since a reader last restarted its own peak
 * @parent:          next level, NULL at the root
 */
struct mw_counter {
	atomic_long_t usage;
	unsigned long high;
	unsigned long max;
	unsigned long watermark;
	unsigned long local_watermark;
	struct mw_counter *parent;
};

void mw_watermark_set(unsigned long *watermark, unsigned long value);
void mw_counter_init(struct mw_counter *counter, struct mw_counter *parent);
void mw_counter_charge(struct mw_counter *counter, unsigned long nr_pages);
void mw_counter_uncharge(struct mw_counter *counter, unsigned long nr_pages);
bool mw_counter_try_charge(struct mw_counter *counter, unsigned long nr_pages);
struct mw_counter *mw_counter_full(struct mw_counter *counter,
				   unsigned long nr_pages);
bool mw_counter_breaks_high(struct mw_counter *counter, unsigned long nr_pages);

/**
 * mw_counter_read() - pages charged, unspent stocks included
 * @counter: the counter
 *
 * Context: any.
 * Return: pages; never negative, although an uncharge may for an instant be
 * seen before the charge that it undoes.
 */
static inline unsigned long mw_counter_read(struct mw_counter *counter)
{
	long usage = atomic_long_read(&counter->usage);

	return usage < 0 ? 0 : usage;
}

/**
 * mw_watermark_raise() - note a value if it is the highest yet
 * @watermark: where
 * @value:     the value
 *
 * Context: any.
 */
static inline void mw_watermark_raise(unsigned long *watermark, unsigned long value)
{
	if (unlikely(value > READ_ONCE(*watermark)))
		mw_watermark_set(watermark, value);
}

#endif
