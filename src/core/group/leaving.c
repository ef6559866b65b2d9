// SPDX-License-Identifier: GPL-2.0
/*
 * How many pages of a group and all below it are about to go.
 *
 * DOC: They are on their way to swap, which on a slow disk is long after they were taken, or
 * in the hands of who reclaims.  They are charged until they have gone.  What is
 * protected of a group is protected of what it has beside them.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>

#include <core/group/group.h>
#include <core/group/leaving.h>

/**
 * mw_leaving_add() - some more of a group's pages are about to go, or some fewer
 * @group: whose queues they are in; if it is removed they stay its ancestors'
 * @pages: how many, stale slots of queues included
 *
 * Context: any; @group is referenced or inside an RCU read side.
 */
void mw_leaving_add(struct mw_group *group, long pages)
{
	if (!pages)
		return;
	/* of the root nothing is ever protected */
	for (; group->parent; group = group->parent)
		atomic_long_add(pages, &group->leaving);
}

/**
 * mw_leaving_read() - how many are there?
 * @group: here and below
 *
 * Context: any.
 * Return: pages.
 */
unsigned long mw_leaving_read(struct mw_group *group)
{
	return max(atomic_long_read(&group->leaving), 0L);
}
