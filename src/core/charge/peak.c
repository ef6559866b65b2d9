// SPDX-License-Identifier: GPL-2.0
/*
 * The high-water mark, and readers that restart it for themselves.
 *
 * DOC: The counter keeps one watermark since creation and one since the last restart
 * by anybody.  Who restarts adds what the second of them has reached to every other
 * reader's own value first, so nobody loses a peak.
 */
#include <linux/kernel.h>
#include <linux/spinlock.h>

#include <core/charge/peak.h>
#include <core/charge/stock.h>
#include <core/group/group.h>

/** mw_peak_open() - a reader that sees the peak since creation */
void mw_peak_open(struct mw_peak *peak)
{
	INIT_LIST_HEAD(&peak->node);
	peak->value = 0;
}

/** mw_peak_close() - the reader goes */
void mw_peak_close(struct mw_group *group, struct mw_peak *peak)
{
	spin_lock(&group->peaks_lock);
	list_del_init(&peak->node);
	spin_unlock(&group->peaks_lock);
}

/**
 * mw_peak_restart() - from now on this reader sees the peak since now
 * @group:   the group
 * @peak:    the reader
 * @counter: of the group, memory's or swap's; the same at each call
 * @usage:   pages that are used now
 *
 * Context: process.
 */
void mw_peak_restart(struct mw_group *group, struct mw_peak *peak,
		     struct mw_counter *counter, unsigned long usage)
{
	struct mw_peak *other;
	unsigned long watermark;

	spin_lock(&group->peaks_lock);
	watermark = READ_ONCE(counter->local_watermark);
	list_for_each_entry(other, &group->peaks, node)
		if (other->counter == counter)
			other->value = max(other->value, watermark);
	WRITE_ONCE(counter->local_watermark, usage);
	peak->counter = counter;
	peak->value = usage;
	list_move_tail(&peak->node, &group->peaks);
	spin_unlock(&group->peaks_lock);
}

/**
 * mw_peak_read() - the highest usage that a reader sees
 * @group:   the group
 * @peak:    the reader
 * @counter: of the group, memory's or swap's
 *
 * CPUs that charge in advance, and keep some of what was freed, raise it by up to
 * three batches each: one released for use, two in reserve (stock.c).
 *
 * Context: process.
 * Return: pages.
 */
unsigned long mw_peak_read(struct mw_group *group, struct mw_peak *peak,
			   struct mw_counter *counter)
{
	unsigned long pages = READ_ONCE(counter->watermark);

	spin_lock(&group->peaks_lock);
	if (!list_empty(&peak->node))
		pages = max(peak->value,
			    READ_ONCE(counter->local_watermark));
	spin_unlock(&group->peaks_lock);
	return pages;
}

/** mw_peak_reset() - restart the group's watermark for all, as cgroup v1 does */
void mw_peak_reset(struct mw_group *group)
{
	WRITE_ONCE(group->memory.watermark, mw_group_usage(group));
}
