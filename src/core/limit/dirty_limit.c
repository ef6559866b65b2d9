// SPDX-License-Identifier: GPL-2.0
/*
 * memory.dirty_ratio: slowing those who write faster than their disk.
 *
 * DOC: A group that is full of dirty pages cannot be reclaimed from: all of its tasks
 * wait for the disk, those too that only need a page.  So a share of its limit is what
 * may be dirty or under writeback.  From three quarters of that on the flusher threads are
 * woken, and who dirties pays for each page when it returns to user mode, where
 * it holds no lock of a file system (throttle.c), with a wait that grows with the square of
 * the overage: so much is dirty in the end that the wait is what the disk takes.  A write that
 * dirties much before it returns pays where the kernel's balance_dirty_pages() would have it
 * wait.
 */
#include <linux/kernel.h>

#include <core/group/group.h>
#include <core/group/unwritten.h>
#include <core/limit/dirty_limit.h>
#include <pure/penalty.h>

/**
 * mw_dirty_limit_is_near() - is it time to note who dirties pages?
 * @group: that has dirty pages
 *
 * Context: any; the group is referenced or found in this RCU read side.
 * Return: whether it, or a group above it, has more than half of its share.
 */
bool mw_dirty_limit_is_near(struct mw_group *group)
{
	for (; group; group = group->parent)
		if (mw_unwritten_read(group) > mw_unwritten_share(group) / 2)
			return true;
	return false;
}

static unsigned long unwritten(struct mw_group *group, bool exact)
{
	return exact ? mw_unwritten_exact(group) : mw_unwritten_read(group);
}

/**
 * mw_dirty_limit_us() - what a task has to wait that has dirtied pages
 * @group:    that it is in
 * @nr_pages: pages
 * @exact:    with what each CPU keeps to itself, a sixteenth of a share at the most
 *
 * Context: any; takes a look at each CPU if it is to be @exact.
 * Return: microseconds, see mw_dirty_penalty_us(); 0 if neither the group nor one above it
 * has more than three quarters of its share.
 */
u64 mw_dirty_limit_us(struct mw_group *group, unsigned int nr_pages, bool exact)
{
	u64 overage = 0;

	for (; group; group = group->parent)
		overage = max(overage, mw_overage(unwritten(group, exact),
						  mw_unwritten_share(group) / 4 * 3));
	return mw_dirty_penalty_us(overage, nr_pages);
}
