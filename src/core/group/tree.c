// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of groups: its shape, walking it, and references.
 *
 * DOC: Locks, outermost first: tree mutex, the lock of a group's members.
 *
 * Who comes and goes is decided in lifecycle.c.  A removed group stays among its
 * parent's children until it was folded, so a walk misses nothing of it.
 *
 * Reclaim walks the tree under locks of file systems, where it must not wait for a mutex
 * whose holder may be allocating memory, and on many processors at a time: under RCU, with
 * a reference on the group where it is.  A group that was unlinked keeps its index among
 * its siblings, so a walk goes on behind it.
 *
 * Whose turn it is below a group is a pointer without a reference.  Who sets it has one on
 * the group, and whoever drops the last takes the pointer back from all ancestors before
 * a grace period begins, after which the memory is freed.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <core/group/group.h>
#include <core/group/mark.h>
#include <core/group/pending.h>
#include <core/group/tree.h>

struct mw_group mw_root;

static DEFINE_MUTEX(tree_mutex);

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

static void free_fn(struct rcu_head *rcu)
{
	struct mw_group *group = container_of(rcu, struct mw_group, rcu);

	WARN_ON_ONCE(group->victim_mm);
	/* empty; but an allocation in the middle of it may have failed */
	xa_destroy(&group->children);
	free_percpu(group->stats);
	kfree(group);
}

static void group_free(struct mw_group *group)
{
	struct mw_group *pos;

	/* see mw_lru_splice() */
	WARN_ON_ONCE(atomic_long_read(&group->lru.nr_chunks));
	for (pos = group->parent; pos; pos = pos->parent)
		cmpxchg(&pos->cursor, group, NULL);
	mw_pending_clear(group);
	call_rcu(&group->rcu, free_fn);
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
 * Context: any.
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
 * Return: 0, or -ENOMEM.
 */
int mw_tree_link(struct mw_group *group)
{
	mw_tree_assert_held();
	return xa_alloc_irq(&group->parent->children, &group->index, group, xa_limit_31b,
			    GFP_KERNEL);
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
	xa_erase_irq(&group->parent->children, group->index);
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

/* Context: tree mutex held, or inside an RCU read side. */
static struct mw_group *next_in_tree(struct mw_group *group,
				     struct mw_group *top, enum mw_walk which)
{
	struct mw_group *next = mw_mark_child(group, 0, which);

	for (; !next && group != top; group = group->parent)
		next = mw_mark_child(group->parent, group->index + 1UL, which);
	return next;
}

/**
 * mw_group_child() - the children of a group
 * @parent: the group
 * @index:  0, or behind the @index of the child before
 *
 * Context: tree mutex held.  Removed groups that are not folded yet appear.
 * Return: the first one from there on, NULL at the end.
 */
struct mw_group *mw_group_child(struct mw_group *parent, unsigned long index)
{
	mw_tree_assert_held();
	return mw_mark_child(parent, index, MW_WALK_ALL);
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
	return next_in_tree(group, top, MW_WALK_ALL);
}

/* From a group on, itself included, the first that is not about to be freed, with a reference. */
static struct mw_group *first_alive(struct mw_group *group,
				    struct mw_group *top, enum mw_walk which)
{
	while (group && !refcount_inc_not_zero(&group->refs))
		group = next_in_tree(group, top, which);
	return group;
}

/**
 * mw_group_walk() - walk a subtree without holding it still
 * @group: where the walk is, referenced: this ends the reference; NULL to begin
 * @top:   the subtree, referenced by the caller
 * @which: which groups to meet
 *
 * Groups that come or go meanwhile may be missed or met; all others are met once.
 *
 * Context: any.
 * Return: the next group, with a reference; NULL at the end.
 */
struct mw_group *mw_group_walk(struct mw_group *group, struct mw_group *top,
			       enum mw_walk which)
{
	struct mw_group *next;

	rcu_read_lock();
	next = group ? next_in_tree(group, top, which) : top;
	next = first_alive(next, top, which);
	rcu_read_unlock();
	if (group)
		mw_group_put(group);
	return next;
}

/**
 * mw_group_in_turn() - whose turn it is in a subtree
 * @top: the subtree, referenced by the caller
 *
 * Context: any.
 * Return: the group behind the one that had its turn last and pays for something, with a
 * reference.
 */
struct mw_group *mw_group_in_turn(struct mw_group *top)
{
	struct mw_group *group = NULL, *last;

	rcu_read_lock();
	last = READ_ONCE(top->cursor);
	if (last)
		group = first_alive(next_in_tree(last, top, MW_WALK_CHARGED),
				    top, MW_WALK_CHARGED);
	rcu_read_unlock();
	return group ?: mw_group_walk(NULL, top, MW_WALK_CHARGED);
}

/**
 * mw_group_last_in_turn() - who had its turn last in a subtree
 * @top: the subtree, referenced by the caller
 *
 * Context: any.
 * Return: the group, with a reference; NULL if there is none, or it is gone.
 */
struct mw_group *mw_group_last_in_turn(struct mw_group *top)
{
	struct mw_group *last;

	rcu_read_lock();
	last = READ_ONCE(top->cursor);
	if (last && !refcount_inc_not_zero(&last->refs))
		last = NULL;
	rcu_read_unlock();
	return last;
}

/**
 * mw_group_had_turn() - the next one is in turn
 * @group: who had it, referenced
 * @top:   in this subtree
 *
 * Context: any.
 */
void mw_group_had_turn(struct mw_group *group, struct mw_group *top)
{
	WRITE_ONCE(top->cursor, group);
}
