// SPDX-License-Identifier: GPL-2.0
/*
 * Owners whose group was removed, until no page carries them any more.
 *
 * DOC: An orphan is held by @refs alone, and only the reaper frees it: after a grace
 * period that began when the owner was already an orphan no charge can pick it up
 * any more (they find owners through live groups, under RCU), so @refs can only
 * fall, and at zero no page, no stock and no CPU knows the id.
 *
 * The reaper runs when orphans have doubled since its last run, so its walk costs
 * O(1) for each removed group, and needs no timer.
 *
 * It empties their stocks first, which are above owners: hence a file of its own.
 */
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/life/orphan.h>
#include <core/pages/owner.h>

/* orphans that may gather before the first reaping */
#define REAP_SLACK	256

static LIST_HEAD(orphans);
static unsigned long nr_orphans;
static unsigned long reap_at = REAP_SLACK;

static void reap_work_fn(struct work_struct *work)
{
	mw_owners_reap();
}
static DECLARE_WORK(reap_work, reap_work_fn);

/**
 * mw_orphan_add() - note that an owner's own group is being removed
 * @owner: the group's live owner
 *
 * Context: process, tree mutex held.
 */
void mw_orphan_add(struct mw_owner *owner)
{
	mw_tree_assert_held();
	WRITE_ONCE(owner->orphan, true);
	list_add_tail(&owner->idle, &orphans);
	WRITE_ONCE(nr_orphans, nr_orphans + 1);
	if (nr_orphans >= reap_at)
		schedule_work(&reap_work);
}

/**
 * mw_orphans() - how many owners have outlived their groups
 *
 * Context: any.
 * Return: those that pages carry, and those that have not been reaped yet.
 */
unsigned long mw_orphans(void)
{
	return READ_ONCE(nr_orphans);
}

static void reap_list(struct list_head *candidates)
{
	struct mw_owner *owner, *next;

	list_for_each_entry_safe(owner, next, candidates, idle) {
		if (atomic_long_read(&owner->refs))
			continue;
		list_del(&owner->idle);
		WRITE_ONCE(nr_orphans, nr_orphans - 1);
		mw_owner_destroy(owner);
	}
}

/**
 * mw_owners_reap() - free the orphans that no page carries any more
 *
 * Context: process, may sleep; takes the tree mutex.
 */
void mw_owners_reap(void)
{
	LIST_HEAD(candidates);

	mw_tree_lock();
	list_splice_init(&orphans, &candidates);
	mw_tree_unlock();
	/* no charge that found one of these while it was live is under way */
	synchronize_rcu();
	mw_stock_drain_orphans();

	mw_tree_lock();
	reap_list(&candidates);
	list_splice(&candidates, &orphans);
	reap_at = 2 * nr_orphans + REAP_SLACK;
	mw_tree_unlock();
}

/**
 * mw_orphan_stop() - free all orphans at the last unmount
 *
 * Nothing charges or frees any more and nobody reads the shadow array, so whatever
 * their count says, no page carries them.
 *
 * Context: process, may sleep; hooks detached, stocks drained.
 */
void mw_orphan_stop(void)
{
	struct mw_owner *owner, *next;

	cancel_work_sync(&reap_work);
	mw_tree_lock();
	list_for_each_entry_safe(owner, next, &orphans, idle) {
		list_del(&owner->idle);
		mw_owner_destroy(owner);
	}
	WRITE_ONCE(nr_orphans, 0);
	reap_at = REAP_SLACK;
	mw_tree_unlock();
}
