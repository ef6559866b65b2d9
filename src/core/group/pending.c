// SPDX-License-Identifier: GPL-2.0
/*
 * Which groups have pages that reclaim has to ask after: they are being written, or a
 * reclaimer has them in hands, or they are in no queue.
 *
 * DOC: Each request of reclaim asks first, and last, what has become of such pages, in
 * all groups below.  Few groups have any, so each group knows how many below it may.
 *
 * Whoever brings such a page sets the mark after that; whoever finds none left clears it,
 * and looks again after that: of two that do this at once one sees what the other has done.
 * A group is counted, and walks meet it (mark.c), before its mark is set, and until it was
 * cleared, so that nobody finds a mark that does not count yet.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/rcupdate.h>

#include <core/group/group.h>
#include <core/group/mark.h>
#include <core/group/pending.h>

/* With a full barrier, see mw_mark_set(). */
static void count(struct mw_group *group, int change)
{
	for (; group; group = group->parent)
		atomic_add_return(change, &group->nr_pending);
}

/**
 * mw_pending_set() - reclaim has to ask after pages of this group
 * @group: which; what there is to ask after can be seen already
 *
 * Context: any; the group is referenced or inside an RCU read side.
 */
void mw_pending_set(struct mw_group *group)
{
	/* against mw_pending_clear(): what there is to ask after, then the mark */
	smp_mb();
	if (test_bit(0, &group->pending))
		return;
	/* the audit waits for who has counted and not marked yet */
	rcu_read_lock();
	count(group, 1);
	mw_mark_set(group, MW_WALK_PENDING);
	if (test_and_set_bit(0, &group->pending))
		count(group, -1);
	rcu_read_unlock();
}

/**
 * mw_pending_clear() - undo mw_pending_set()
 * @group: which; unless it is about to be freed the caller looks once more whether there
 *         is anything to ask after
 *
 * Context: any.
 * Return: whether it was set.
 */
bool mw_pending_clear(struct mw_group *group)
{
	if (!test_and_clear_bit(0, &group->pending))
		return false;
	count(group, -1);
	return true;
}
