// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: the tokens between charged pages and groups.
 *
 * DOC: A page stores an owner's id, an owner points to its group.  Removing a
 * group repoints its owners, however many pages carry their ids.
 *
 * Lifetime.  A live owner is held by its group.  An orphan (its group is gone)
 * is held by @refs alone, and only the reaper frees it: after a grace period
 * that began when the owner was already an orphan no charge can pick it up any
 * more (they find owners through live groups, under RCU), so @refs can only
 * fall, and at zero no page, no stock and no CPU knows the id.
 *
 * The reaper runs when orphans have doubled since its last run, so its walk
 * costs O(1) for each removed group, and needs no timer.
 */
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <memward/group.h>
#include <memward/owner.h>
#include <memward/stock.h>

/* orphans that may gather before the first reaping */
#define REAP_SLACK	256

static DEFINE_XARRAY_ALLOC1(owner_ids);
static LIST_HEAD(orphans);
static unsigned long nr_orphans;
static unsigned long reap_at = REAP_SLACK;

static void reap_work_fn(struct work_struct *work)
{
	mw_owners_reap();
}
static DECLARE_WORK(reap_work, reap_work_fn);

/**
 * mw_owner_create() - a new owner with an id of its own
 * @group: the group it points to
 *
 * Context: process, tree mutex held.
 * Return: the owner, or an ERR_PTR: -ENOMEM, or -ENOSPC when 2^32 - 1 ids are
 * in use.
 */
struct mw_owner *mw_owner_create(struct mw_group *group)
{
	struct mw_owner *owner;
	int ret;

	mw_tree_assert_held();
	owner = kzalloc(sizeof(*owner), GFP_KERNEL);
	if (!owner)
		return ERR_PTR(-ENOMEM);
	RCU_INIT_POINTER(owner->group, group);
	INIT_LIST_HEAD(&owner->idle);
	ret = xa_alloc(&owner_ids, &owner->id, owner, xa_limit_32b, GFP_KERNEL);
	if (ret) {
		kfree(owner);
		return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
	}
	list_add_tail(&owner->node, &group->owners);
	return owner;
}

/**
 * mw_owner_destroy() - free an owner that no page can carry
 * @owner: never published, or reaped
 *
 * Context: process, tree mutex held.
 */
void mw_owner_destroy(struct mw_owner *owner)
{
	mw_tree_assert_held();
	list_del(&owner->node);
	xa_erase(&owner_ids, owner->id);
	/* a reader of remote stocks may still look at it */
	kfree_rcu(owner, rcu);
}

/**
 * mw_owner_find() - the owner that an entry's id stands for
 * @id: from a shadow entry
 *
 * Context: any, inside an RCU read side.
 * Return: the owner; NULL only if the entry was corrupted.
 */
struct mw_owner *mw_owner_find(u32 id)
{
	return xa_load(&owner_ids, id);
}

/**
 * mw_owner_orphan() - note that an owner's own group is being removed
 * @owner: the group's live owner
 *
 * Context: process, tree mutex held.
 */
void mw_owner_orphan(struct mw_owner *owner)
{
	mw_tree_assert_held();
	list_add_tail(&owner->idle, &orphans);
	if (++nr_orphans >= reap_at)
		schedule_work(&reap_work);
}

/**
 * mw_owners_move() - let another group pay for these owners
 * @owners: list of owners, empty afterwards
 * @to:     the group that takes them; its counter includes them already
 *
 * Context: process, tree mutex held.
 */
void mw_owners_move(struct list_head *owners, struct mw_group *to)
{
	struct mw_owner *owner;

	mw_tree_assert_held();
	list_for_each_entry(owner, owners, node)
		rcu_assign_pointer(owner->group, to);
	list_splice_tail_init(owners, &to->owners);
}

static void reap_list(struct list_head *candidates)
{
	struct mw_owner *owner, *next;

	list_for_each_entry_safe(owner, next, candidates, idle) {
		if (atomic_long_read(&owner->refs))
			continue;
		list_del(&owner->idle);
		nr_orphans--;
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
	mw_stock_drain_all();

	mw_tree_lock();
	reap_list(&candidates);
	list_splice(&candidates, &orphans);
	reap_at = 2 * nr_orphans + REAP_SLACK;
	mw_tree_unlock();
}

/**
 * mw_owner_max_id() - upper bound of the ids in use
 *
 * Context: process, tree mutex held.
 * Return: the highest id, 0 if there is none.
 */
u32 mw_owner_max_id(void)
{
	unsigned long id, max = 0;
	void *owner;

	mw_tree_assert_held();
	xa_for_each(&owner_ids, id, owner)
		max = id;
	return max;
}

/**
 * mw_owner_exit() - free all orphans at the last unmount
 *
 * Nothing charges or frees any more and the shadow array is gone, so whatever
 * their count says, no page carries them.
 *
 * Context: process, may sleep; hooks detached, stocks drained.
 */
void mw_owner_exit(void)
{
	struct mw_owner *owner, *next;

	cancel_work_sync(&reap_work);
	mw_tree_lock();
	list_for_each_entry_safe(owner, next, &orphans, idle) {
		list_del(&owner->idle);
		mw_owner_destroy(owner);
	}
	nr_orphans = 0;
	reap_at = REAP_SLACK;
	mw_tree_unlock();
}
