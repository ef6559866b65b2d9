// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: the tokens between charged pages and groups.
 *
 * DOC: A page stores an owner's id, an owner points to its group.  Removing a
 * group repoints its owners, however many pages carry their ids.
 *
 * A live owner is held by its group, an orphan (its group is gone) by @refs alone,
 * see orphan.c.
 */
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>

static DEFINE_XARRAY_ALLOC1(owner_ids);

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
	owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);
	if (!owner)
		return ERR_PTR(-ENOMEM);
	RCU_INIT_POINTER(owner->group, group);
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
 * mw_owner_group() - the group that pays for what an entry's id stands for
 * @id: from a shadow entry
 *
 * Context: any, inside an RCU read side of either kind; the group lives as long as
 * that.
 * Return: the group; NULL if there is no such owner, see mw_owner_find().
 */
struct mw_group *mw_owner_group(u32 id)
{
	struct mw_owner *owner = mw_owner_find(id);

	return owner ? rcu_dereference_check(owner->group,
					     rcu_read_lock_sched_held()) : NULL;
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
