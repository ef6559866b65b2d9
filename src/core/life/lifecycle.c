// SPDX-License-Identifier: GPL-2.0
/*
 * A group's life: creation and removal.
 *
 * DOC: Removal is make dead, wait, free.  Under the tree mutex the group is marked
 * dead and its owners are pointed at the parent, whose its statistics are from then
 * on; that is all a caller waits for.  A grace period later no CPU charges or uncharges
 * through it any more, and a worker hands what has come since to the nearest ancestor
 * whose turn has not come, together with that of groups below it whose turn has not come
 * either, unlinks it and drops the reference.  Until then it stays among its parent's
 * children, so that a walk misses nothing.
 */
#include <linux/capability.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include <core/charge/members.h>
#include <core/group/group.h>
#include <core/group/pending.h>
#include <core/group/tree.h>
#include <core/group/unwritten.h>
#include <core/life/lifecycle.h>
#include <core/life/orphan.h>
#include <core/limit/oom.h>
#include <core/pages/compact.h>
#include <core/pages/owner.h>
#include <core/protect/hide.h>
#include <pure/balance.h>
#include <pure/credit.h>

static struct workqueue_struct *release_wq;
static u64 next_id = 1;

static void set_bounds(struct mw_group *group)
{
	group->max_descendants = MW_BOUND_NONE;
	/* a walk from a group to the root takes place in each charge, and not only there */
	group->max_depth = group == &mw_root ? MW_DEFAULT_DEPTH : MW_BOUND_NONE;
}

static void group_setup(struct mw_group *group, struct mw_group *parent)
{
	mw_counter_init(&group->memory, parent ? &parent->memory : NULL);
	mw_counter_init(&group->swap, parent ? &parent->swap : NULL);
	mw_counter_init(&group->swapcached, parent ? &parent->swapcached : NULL);
	mw_stall_setup(&group->stall);
	group->soft = MW_COUNTER_MAX;
	group->memsw_max = MW_COUNTER_MAX;
	group->parent = parent;
	set_bounds(group);
	group->swappiness = parent ? parent->swappiness : -1;
	group->dirty_ratio = parent ? parent->dirty_ratio : MW_DIRTY_MACHINE;
	xa_init_flags(&group->children, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&group->owners);
	INIT_LIST_HEAD(&group->members);
	spin_lock_init(&group->members_lock);
	INIT_LIST_HEAD(&group->bindings);
	INIT_LIST_HEAD(&group->peaks);
	spin_lock_init(&group->peaks_lock);
	refcount_set(&group->refs, 1);
	group->reclaimable = MW_BALANCE_ALL;
	mw_compact_setup(group);
}

/* In memory that the group has room for. */
static void set_ancestors(struct mw_group *group, void *room)
{
	struct mw_group *parent = group->parent;

	group->ancestors = room;
	group->level = parent->level + 1;
	memcpy(room, parent->ancestors, parent->level * sizeof(*parent->ancestors));
	group->ancestors[parent->level] = group;
}

static struct mw_group *group_alloc(struct mw_group *parent)
{
	size_t nr_ancestors = parent->level + 1;
	/* charged to who makes it: a delegated tree may be large */
	struct mw_group *group = kzalloc(sizeof(*group) + mw_lru_bytes() +
					 nr_ancestors * sizeof(*group->ancestors),
					 GFP_KERNEL_ACCOUNT);

	if (!group)
		return NULL;
	group->stats = mw_stats_alloc(group);
	if (!group->stats) {
		kfree(group);
		return NULL;
	}
	mw_lru_setup(&group->lru, group + 1);
	mw_group_get(parent);
	group_setup(group, parent);
	set_ancestors(group, (void *)(group + 1) + mw_lru_bytes());
	return group;
}

/* May there be one group more in this one? As in cgroup v2. */
static bool has_room_below(struct mw_group *group)
{
	unsigned int depth = 1;

	for (; group; group = group->parent, depth++)
		if (group->nr_descendants >= READ_ONCE(group->max_descendants) ||
		    depth > READ_ONCE(group->max_depth))
			return false;
	return true;
}

/* Context: tree mutex held.  Return: 0, or why there cannot be one group more. */
static int check_parent(struct mw_group *parent)
{
	if (parent->dead)
		return -ENOENT;
	return has_room_below(parent) ? 0 : -EAGAIN;
}

/* Before anything is allocated for it: the mirror asks often for what has no room. */
static int may_create(struct mw_group *parent)
{
	int ret;

	mw_tree_lock();
	ret = check_parent(parent);
	mw_tree_unlock();
	return ret;
}

static void count_descendants(struct mw_group *group, int change)
{
	group->parent->nr_children += change;
	while ((group = group->parent))
		WRITE_ONCE(group->nr_descendants,
			   group->nr_descendants + change);
}

static struct mw_group *unfolded_ancestor(struct mw_group *group)
{
	do {
		group = group->parent;
	} while (group->folded);
	return group;
}

/*
 * A group and what is still below it.  That was removed earlier, so the grace
 * period of this one covers it, but its own work may come later, and until then
 * nobody would find it: its parent is about to leave the tree.
 */
static void fold_subtree(struct mw_group *group, struct mw_group *to)
{
	struct mw_group *pos;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		if (!pos->folded) {
			mw_stats_settle(pos);
			mw_hide_hand_over(pos, to);
			mw_unwritten_fold(pos);
			mw_lru_splice(pos, to);
			mw_pending_clear(pos);
			pos->folded = true;
		}
}

/* A grace period after removal: nobody adds to its statistics any more. */
static void release_fn(struct work_struct *work)
{
	struct mw_group *group = container_of(to_rcu_work(work),
					      struct mw_group, release);
	struct mw_group *to;

	mw_tree_lock();
	to = unfolded_ancestor(group);
	fold_subtree(group, to);
	mw_compact_look_at_all(to);
	mw_tree_unlink(group);
	mw_tree_unlock();
	mw_oom_forget(group);
	mw_group_put(group);
}

/* Context: tree mutex held.  Return: 0, and the group is in the tree; or why there cannot be one more. */
static int admit(struct mw_group *group)
{
	struct mw_owner *owner;
	int ret = check_parent(group->parent);

	if (ret)
		return ret;
	owner = mw_owner_create(group);
	if (IS_ERR(owner))
		return PTR_ERR(owner);
	group->owner = owner;
	group->id = next_id++;
	group->credit = mw_credit_first(group->id);
	INIT_RCU_WORK(&group->release, release_fn);
	ret = mw_tree_link(group);
	if (ret)
		mw_owner_destroy(owner);
	else
		count_descendants(group, 1);
	return ret;
}

/**
 * mw_group_create() - a new group without limits
 * @parent: where; the caller holds a reference on it
 *
 * Context: process, may sleep; takes the tree mutex.
 * Return: the group, with one reference that mw_group_remove() ends; or an
 * ERR_PTR: -ENOENT if @parent was removed, -EAGAIN if a bound of it or above is reached,
 * -ENOMEM, -ENOSPC out of owner ids.
 */
struct mw_group *mw_group_create(struct mw_group *parent)
{
	struct mw_group *group;
	int ret = may_create(parent);

	if (ret)
		return ERR_PTR(ret);
	group = group_alloc(parent);
	if (!group)
		return ERR_PTR(-ENOMEM);
	mw_tree_lock();
	ret = admit(group);
	mw_tree_unlock();
	if (ret) {
		mw_group_put(group);
		return ERR_PTR(ret);
	}
	return group;
}

/* Context: tree mutex held.  Return: 0, and nobody comes to the group any more; or why not. */
static int close_group(struct mw_group *group)
{
	/* who could not bind cannot undo it */
	if (!list_empty(&group->bindings) &&
	    !ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN))
		return -EPERM;
	return group->nr_children || !mw_members_close(group) ? -EBUSY : 0;
}

/* Context: tree mutex held. */
static void hand_over(struct mw_group *group)
{
	mw_hide_hand_over(group, group->parent);
	mw_protection_set(group, MW_PROTECTION_MIN, 0);
	mw_protection_set(group, MW_PROTECTION_LOW, 0);
	mw_orphan_add(group->owner);
	mw_owners_move(&group->owners, group->parent);
	mw_stats_hand_over(group);
	mw_lru_splice(group, group->parent);
	count_descendants(group, -1);
}

/**
 * mw_group_remove() - remove a group; its charges stay with the parent
 * @group: not the root
 *
 * Context: process, may sleep; takes the tree mutex.  Costs O(owners), does
 * not wait for a grace period, and ends the reference that creation gave.
 * Return: 0; -EBUSY while it has processes or groups below it; -EPERM while something is bound
 * to it and current may not undo that.
 */
int mw_group_remove(struct mw_group *group)
{
	int ret;

	/* so that its queues go to the parent at once */
	mw_lru_fetch(group);
	mw_tree_lock();
	ret = close_group(group);
	if (!ret)
		hand_over(group);
	mw_tree_unlock();
	if (!ret)
		queue_rcu_work(release_wq, &group->release);
	return ret;
}

/**
 * mw_group_dissolve() - remove a group whose cgroup is gone, whoever may be there still
 * @group: the mirror's; there is none below it
 *
 * Who is leaving the kernel's cgroup is with the parent from now on.
 *
 * Context: as mw_group_remove().
 */
void mw_group_dissolve(struct mw_group *group)
{
	mw_lru_fetch(group);
	mw_tree_lock();
	mw_members_dissolve(group);
	hand_over(group);
	mw_tree_unlock();
	queue_rcu_work(release_wq, &group->release);
}

/**
 * mw_groups_flush() - wait until removed groups are folded and gone
 *
 * Context: process, may sleep; tree mutex not held.
 */
void mw_groups_flush(void)
{
	rcu_barrier();
	flush_workqueue(release_wq);
}

static void reset_root(void)
{
	mw_stats_reset(&mw_root);
	mw_lru_empty(&mw_root.lru);
	mw_counter_init(&mw_root.memory, NULL);
	mw_counter_init(&mw_root.swap, NULL);
	mw_counter_init(&mw_root.swapcached, NULL);
	atomic_long_set(&mw_root.unwritten, 0);
	mw_root.memsw_watermark = 0;
	mw_root.credit = 0;
	mw_root.reclaimable = MW_BALANCE_ALL;
	set_bounds(&mw_root);
}

/**
 * mw_lifecycle_stop() - forget what is still charged, at the last unmount
 *
 * Context: process, may sleep; no hook is attached, no stock is left, and no group
 * but the root that is not about to go.
 */
void mw_lifecycle_stop(void)
{
	mw_groups_flush();
	reset_root();
}

/**
 * mw_lifecycle_init() - make the root
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_lifecycle_init(void)
{
	void *queues;

	release_wq = alloc_workqueue("memward_release", WQ_UNBOUND, 0);
	if (!release_wq)
		return -ENOMEM;
	mw_root.stats = mw_stats_alloc(&mw_root);
	queues = kzalloc(mw_lru_bytes(), GFP_KERNEL);
	if (!mw_root.stats || !queues) {
		kfree(queues);
		free_percpu(mw_root.stats);
		destroy_workqueue(release_wq);
		return -ENOMEM;
	}
	mw_lru_setup(&mw_root.lru, queues);
	group_setup(&mw_root, NULL);
	return 0;
}

/** mw_lifecycle_exit() - undo mw_lifecycle_init(); only the root is left, and empty */
void mw_lifecycle_exit(void)
{
	mw_groups_flush();
	destroy_workqueue(release_wq);
	/* what frees the last of them is in this module */
	rcu_barrier();
	xa_destroy(&mw_root.children);
	kfree(mw_root.lru.queue);
	free_percpu(mw_root.stats);
}
