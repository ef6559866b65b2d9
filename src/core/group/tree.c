// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of groups: its shape, walking it, and references.
 *
 * DOC: Locks, outermost first: tree mutex, the lock of a group's members; shape lock.
 *
 * Who comes and goes is decided in lifecycle.c.  A removed group stays among its
 * parent's children until its statistics were folded, so a sum over the tree misses
 * nothing.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include <core/group/group.h>
#include <core/group/tree.h>

struct mw_group mw_root;

static DEFINE_MUTEX(tree_mutex);
/*
 * Reclaim walks the tree under locks of file systems, where it must not wait for
 * a mutex whose holder may be allocating memory.
 */
static DEFINE_SPINLOCK(shape_lock);

/** mw_tree_lock() - hold the shape of the tree and the list of owners still */
void mw_tree_lock(void)
{
	mutex_lock(&tree_mutex);
}

/** mw_tree_unlock() - undo mw_tree_lock() */
void mw_tree_unlock(void)
{
	mutex_unlock(&tree_mutex);
}

/** mw_tree_assert_held() - complain under lockdep if the mutex is not held */
void mw_tree_assert_held(void)
{
	lockdep_assert_held(&tree_mutex);
}

static void group_free(struct mw_group *group)
{
	/* see mw_lru_splice() */
	WARN_ON_ONCE(atomic_long_read(&group->lru.nr_chunks));
	free_percpu(group->stats);
	kfree(group);
}

/**
 * mw_group_get() - keep a group's memory
 * @group: the group; the caller has a reference or holds the tree mutex
 */
void mw_group_get(struct mw_group *group)
{
	refcount_inc(&group->refs);
}

/**
 * mw_group_put() - undo mw_group_get()
 * @group: may be freed by this, and its ancestors too
 *
 * Context: any that may free memory.
 */
void mw_group_put(struct mw_group *group)
{
	while (group && refcount_dec_and_test(&group->refs)) {
		struct mw_group *parent = group->parent;

		group_free(group);
		group = parent;
	}
}

/**
 * mw_tree_link() - put a group below its parent
 * @group: new; its parent is set, and referenced
 *
 * Context: process, tree mutex held.
 */
void mw_tree_link(struct mw_group *group)
{
	mw_tree_assert_held();
	spin_lock(&shape_lock);
	list_add_tail(&group->sibling, &group->parent->children);
	spin_unlock(&shape_lock);
}

/**
 * mw_tree_unlink() - take a group out of the tree
 * @group: removed and folded
 *
 * Context: process, tree mutex held.
 */
void mw_tree_unlink(struct mw_group *group)
{
	mw_tree_assert_held();
	spin_lock(&shape_lock);
	list_del(&group->sibling);
	group->unlinked = true;
	spin_unlock(&shape_lock);
}

/**
 * mw_group_is_below() - is a group inside the subtree of another?
 * @group:    the group; NULL is inside of none
 * @ancestor: top of the subtree; counts as inside itself
 *
 * Context: any; both are referenced or inside an RCU read side.
 * Return: true if so.
 */
bool mw_group_is_below(const struct mw_group *group,
		       const struct mw_group *ancestor)
{
	if (!group || group->level < ancestor->level)
		return false;
	return !ancestor->level ||
	       mw_group_ancestor(group, ancestor->level) == ancestor;
}

/**
 * mw_group_common_ancestor() - the lowest group that both are below
 * @a: a group
 * @b: a group
 *
 * Return: the group; the root at the last.
 */
struct mw_group *mw_group_common_ancestor(struct mw_group *a,
					  struct mw_group *b)
{
	while (!mw_group_is_below(a, b))
		b = b->parent;
	return b;
}

/* Context: tree mutex or shape lock held. */
static struct mw_group *next_in_tree(struct mw_group *group,
				     struct mw_group *top)
{
	if (!list_empty(&group->children))
		return list_first_entry(&group->children, struct mw_group,
					sibling);
	while (group != top) {
		if (!list_is_last(&group->sibling, &group->parent->children))
			return list_next_entry(group, sibling);
		group = group->parent;
	}
	return NULL;
}

/**
 * mw_group_next() - walk a subtree, parents first
 * @group: where the walk is
 * @top:   where it began
 *
 * Context: tree mutex held.  Removed groups that are not folded yet appear.
 * Return: the next group, NULL at the end.
 */
struct mw_group *mw_group_next(struct mw_group *group, struct mw_group *top)
{
	mw_tree_assert_held();
	return next_in_tree(group, top);
}

static bool is_linked(struct mw_group *group, struct mw_group *top)
{
	for (; group != top; group = group->parent)
		if (group->unlinked)
			return false;
	return true;
}

/**
 * mw_group_walk() - walk a subtree without holding it still
 * @group: where the walk is, referenced: this ends the reference; NULL to begin
 * @top:   the subtree, referenced by the caller
 *
 * Groups that come or go meanwhile may be missed or met.  If the group where the
 * walk is was removed, the walk ends early.
 *
 * Context: any that may free memory.
 * Return: the next group, with a reference; NULL at the end.
 */
struct mw_group *mw_group_walk(struct mw_group *group, struct mw_group *top)
{
	struct mw_group *next = top;

	spin_lock(&shape_lock);
	if (group)
		next = is_linked(group, top) ? next_in_tree(group, top) : NULL;
	if (next)
		mw_group_get(next);
	spin_unlock(&shape_lock);
	if (group)
		mw_group_put(group);
	return next;
}
