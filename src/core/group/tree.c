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
 * a reference on the group where it is.  A group that was unlinked keeps its place among
 * its siblings by its id, as they are in the order in which they were made.
 *
 * Whose turn it is below a group is a pointer without a reference.  Who sets it has one on
 * the group, and whoever drops the last takes the pointer back from all ancestors before
 * a grace period begins, after which the memory is freed.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include <core/group/group.h>
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
 */
void mw_tree_link(struct mw_group *group)
{
	mw_tree_assert_held();
	list_add_tail_rcu(&group->sibling, &group->parent->children);
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
	/* first: who does not see it yet is in a grace period that what follows waits for */
	WRITE_ONCE(group->unlinked, true);
	list_del_rcu(&group->sibling);
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

/* The first one in a list behind a place, NULL if that was the last. */
static struct mw_group *entry_behind(struct list_head *place,
				     struct list_head *list)
{
	struct list_head *next = READ_ONCE(place->next);

	return next == list ? NULL : list_entry(next, struct mw_group, sibling);
}

/*
 * What was unlinked may point to what has been freed since, so its place is looked for
 * again: that of the first one that was made later.
 */
static noinline struct mw_group *first_younger(struct mw_group *group)
{
	struct list_head *list = &group->parent->children;
	struct mw_group *pos;

	for (pos = entry_behind(list, list); pos && pos->id <= group->id;
	     pos = entry_behind(&pos->sibling, list))
		;
	return pos;
}

static struct mw_group *sibling_behind(struct mw_group *group)
{
	if (unlikely(READ_ONCE(group->unlinked)))
		return first_younger(group);
	return entry_behind(&group->sibling, &group->parent->children);
}

/* Is there any of what a walk is about, here or below? */
static __always_inline bool has(struct mw_group *group, enum mw_walk which)
{
	switch (which) {
	case MW_WALK_CHARGED:
		return mw_counter_read(&group->memory);
	case MW_WALK_PENDING:
		return atomic_read(&group->nr_pending);
	default:
		return true;
	}
}

/*
 * From a group on, the first among its siblings that has any.  What it counts for those below it a
 * parent counts for all of them.
 */
static __always_inline struct mw_group *first_with(struct mw_group *group,
						   enum mw_walk which)
{
	struct list_head *list, *next;

	if (!group || !has(group->parent, which))
		return NULL;
	list = &group->parent->children;
	/* nothing is asked twice here: of thousands of siblings most have none */
	while (!has(group, which)) {
		if (unlikely(READ_ONCE(group->unlinked))) {
			group = first_younger(group);
			if (!group)
				return NULL;
			continue;
		}
		next = READ_ONCE(group->sibling.next);
		if (next == list)
			return NULL;
		group = list_entry(next, struct mw_group, sibling);
	}
	return group;
}

static __always_inline struct mw_group *
next_with(struct mw_group *group, struct mw_group *top, enum mw_walk which)
{
	struct list_head *list = &group->children;
	struct mw_group *next = first_with(entry_behind(list, list), which);

	for (; !next && group != top; group = group->parent)
		next = first_with(sibling_behind(group), which);
	return next;
}

/*
 * Among thousands of siblings it takes as long as a look at each of them: so each kind of
 * walk has a loop of its own.
 *
 * Context: tree mutex held, or inside an RCU read side.
 */
static struct mw_group *next_in_tree(struct mw_group *group,
				     struct mw_group *top, enum mw_walk which)
{
	switch (which) {
	case MW_WALK_CHARGED:
		return next_with(group, top, MW_WALK_CHARGED);
	case MW_WALK_PENDING:
		return next_with(group, top, MW_WALK_PENDING);
	default:
		return next_with(group, top, MW_WALK_ALL);
	}
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
