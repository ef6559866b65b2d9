// SPDX-License-Identifier: GPL-2.0
/*
 * A hierarchical count of pages.
 *
 * DOC: A charge is added to the counter and to every ancestor, one atomic
 * addition a level, no lock.  Callers come with whole batches (see stock.c),
 * so the shared cache lines are touched once in 64 pages.
 *
 * Watermarks are raised by compare and exchange, so that of two CPUs the one with
 * the higher value wins; they are almost never written.
 */
#include <linux/bug.h>
#include <linux/kernel.h>

#include <core/group/counter.h>

/**
 * mw_counter_init() - an empty counter without limits
 * @counter: what to initialise
 * @parent:  next level up, or NULL
 */
void mw_counter_init(struct mw_counter *counter, struct mw_counter *parent)
{
	atomic_long_set(&counter->usage, 0);
	counter->high = MW_COUNTER_MAX;
	counter->max = MW_COUNTER_MAX;
	counter->watermark = 0;
	counter->local_watermark = 0;
	counter->parent = parent;
}

/**
 * mw_watermark_set() - the rare part of mw_watermark_raise()
 * @watermark: where
 * @value:     above it, unless another CPU was faster
 *
 * Context: any.
 */
void mw_watermark_set(unsigned long *watermark, unsigned long value)
{
	unsigned long old = READ_ONCE(*watermark);

	while (value > old) {
		unsigned long seen = cmpxchg(watermark, old, value);

		if (seen == old)
			break;
		old = seen;
	}
}

static void raise_watermarks(struct mw_counter *counter, unsigned long usage)
{
	mw_watermark_raise(&counter->watermark, usage);
	mw_watermark_raise(&counter->local_watermark, usage);
}

/**
 * mw_counter_charge() - add pages to a counter and its ancestors
 * @counter:  where to begin
 * @nr_pages: pages
 *
 * Context: any.  Cannot fail; limits are the caller's business.
 */
void mw_counter_charge(struct mw_counter *counter, unsigned long nr_pages)
{
	for (; counter; counter = counter->parent) {
		long usage = atomic_long_add_return(nr_pages, &counter->usage);

		if (likely(usage >= 0))
			raise_watermarks(counter, usage);
	}
}

/* Take pages back from @counter and its ancestors below @end. */
static void cancel(struct mw_counter *counter, struct mw_counter *end,
		   unsigned long nr_pages)
{
	for (; counter != end; counter = counter->parent)
		atomic_long_sub(nr_pages, &counter->usage);
}

/**
 * mw_counter_try_charge() - add pages unless a memory.max is in the way
 * @counter:  where to begin
 * @nr_pages: pages
 *
 * Adds before it decides, so that two CPUs cannot both take the last pages.  What
 * another adds in vain may be read meanwhile: a watermark must not take it for
 * usage.  So no watermark is raised above the max here, and more than a batch, such as a
 * huge page in a group that is nearly full, is not added at all if it cannot fit.
 *
 * Context: any.
 * Return: false, with nothing charged, if the counter or an ancestor would be
 * above its max.
 */
bool mw_counter_try_charge(struct mw_counter *counter, unsigned long nr_pages)
{
	struct mw_counter *pos;

	if (nr_pages > MW_COUNTER_BATCH && mw_counter_full(counter, nr_pages))
		return false;
	for (pos = counter; pos; pos = pos->parent) {
		long usage = atomic_long_add_return(nr_pages, &pos->usage);

		if (unlikely(usage > (long)READ_ONCE(pos->max))) {
			cancel(counter, pos->parent, nr_pages);
			return false;
		}
	}
	for (pos = counter; pos; pos = pos->parent)
		raise_watermarks(pos, min(mw_counter_read(pos), READ_ONCE(pos->max)));
	return true;
}

/**
 * mw_counter_full() - which memory.max is in the way?
 * @counter:  where to begin
 * @nr_pages: pages about to be charged
 *
 * Context: any.
 * Return: the lowest counter that would be above its max, NULL if none would.
 */
struct mw_counter *mw_counter_full(struct mw_counter *counter,
				   unsigned long nr_pages)
{
	for (; counter; counter = counter->parent)
		if (mw_counter_read(counter) + nr_pages > READ_ONCE(counter->max))
			break;
	return counter;
}

/* An unsigned wrap once put a group into an endless OOM loop: clamp, say so. */
static void clamp_underflow(struct mw_counter *counter, long usage)
{
	if (WARN_ONCE(usage < 0, "memward: counter underflow by %ld pages\n",
		      -usage))
		atomic_long_cmpxchg(&counter->usage, usage, 0);
}

/**
 * mw_counter_uncharge() - take pages from a counter and its ancestors
 * @counter:  where to begin
 * @nr_pages: pages
 *
 * Context: any.
 */
void mw_counter_uncharge(struct mw_counter *counter, unsigned long nr_pages)
{
	for (; counter; counter = counter->parent) {
		long usage = atomic_long_sub_return(nr_pages, &counter->usage);

		if (unlikely(usage < 0))
			clamp_underflow(counter, usage);
	}
}

/**
 * mw_counter_breaks_high() - would so many more pages exceed a memory.high?
 * @counter:  where to begin; its ancestors count as well
 * @nr_pages: pages about to be charged
 *
 * Context: any.
 * Return: true if the counter or an ancestor would be above its high.
 */
bool mw_counter_breaks_high(struct mw_counter *counter, unsigned long nr_pages)
{
	for (; counter; counter = counter->parent)
		if (mw_counter_read(counter) + nr_pages > READ_ONCE(counter->high))
			return true;
	return false;
}
