// SPDX-License-Identifier: GPL-2.0
/*
 * Memory and swap together: memory.memsw.*.
 *
 * DOC: What a group uses of both is what it has in memory and what it has in
 * swap, less the pages that are in both.  Each of the three is a counter of its
 * own, and this their sum, so nothing has to be kept in step; read while pages
 * move between them, it may be off by those that move.
 */
#include <linux/kernel.h>
#include <linux/swap.h>

#include <core/group/counter.h>
#include <core/group/group.h>
#include <core/group/memsw.h>

/**
 * mw_memsw_usage() - pages of a group and those below it, in memory or in swap
 * @group: the group
 *
 * What CPUs hold in stock is included.
 *
 * Context: any.
 * Return: pages.
 */
unsigned long mw_memsw_usage(struct mw_group *group)
{
	unsigned long sum = mw_counter_read(&group->memory) +
			    mw_counter_read(&group->swap);
	unsigned long twice = mw_counter_read(&group->swapcached);

	return sum > twice ? sum - twice : 0;
}

/**
 * mw_memsw_has_room() - would so many more pages be within memory.memsw.limit?
 * @group:    the group, whose ancestors are not asked
 * @nr_pages: pages
 *
 * Context: any.
 */
bool mw_memsw_has_room(struct mw_group *group, unsigned int nr_pages)
{
	unsigned long max = READ_ONCE(group->memsw_max);

	return max == MW_COUNTER_MAX ||
	       mw_memsw_usage(group) + nr_pages <= max;
}

/**
 * mw_memsw_is_above() - is a group above one of its limits by so much?
 * @group: the group, whose ancestors are not asked
 * @by:    pages
 *
 * Context: any.
 * Return: whether that holds for memory.max, or for memory.memsw.limit.
 */
bool mw_memsw_is_above(struct mw_group *group, unsigned long by)
{
	unsigned long max = READ_ONCE(group->memsw_max);

	return mw_counter_read(&group->memory) >= READ_ONCE(group->memory.max) + by ||
	       (max != MW_COUNTER_MAX && mw_memsw_usage(group) >= max + by);
}

/**
 * mw_memsw_full() - which memory.memsw.limit is in the way?
 * @group:    where to begin
 * @nr_pages: pages about to be charged
 *
 * Context: any; @group is referenced or inside an RCU read side.
 * Return: the lowest group that would be above its limit, NULL if none would.
 */
struct mw_group *mw_memsw_full(struct mw_group *group, unsigned int nr_pages)
{
	for (; group; group = group->parent)
		if (unlikely(!mw_memsw_has_room(group, nr_pages)))
			break;
	return group;
}

/**
 * mw_memsw_can_swap() - can a page of a group be swapped out?
 * @group: the group
 *
 * Context: any; @group is referenced.
 * Return: false if no slot is free, or a memory.swap.max is in the way.
 */
bool mw_memsw_can_swap(struct mw_group *group)
{
	return get_nr_swap_pages() > 0 && !mw_counter_full(&group->swap, 1);
}

/**
 * mw_memsw_raise() - note the highest usage
 * @group: where pages were charged within all limits; its ancestors are noted too
 *
 * What others add in vain meanwhile is no usage, see mw_counter_try_charge().
 *
 * Context: any; @group is referenced or inside an RCU read side.
 */
void mw_memsw_raise(struct mw_group *group)
{
	for (; group; group = group->parent)
		mw_watermark_raise(&group->memsw_watermark,
				   min(mw_memsw_usage(group),
				       READ_ONCE(group->memsw_max)));
}
