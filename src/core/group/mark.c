// SPDX-License-Identifier: GPL-2.0
/*
 * Which groups have what a walk is about.
 *
 * DOC: Of thousands of siblings few have what a walk of reclaim is about, and those are
 * marked among their parent's children, as are all groups above them.  Whoever brings
 * something marks after that; a walk that meets a marked group which has nothing takes the
 * mark away, and looks again after that: of two that do this at once one sees what the
 * other has done.
 */
#include <linux/bitops.h>
#include <linux/xarray.h>

#include <core/group/group.h>
#include <core/group/mark.h>

/* What a walk meets among a group's children; the first mark is the XArray's own. */
static __always_inline xa_mark_t mark_of(enum mw_walk which)
{
	switch (which) {
	case MW_WALK_CHARGED:
		return XA_MARK_1;
	case MW_WALK_PENDING:
		return XA_MARK_2;
	default:
		return XA_PRESENT;
	}
}

/* Is there any of what a walk is about, here or below? */
static bool has(struct mw_group *group, enum mw_walk which)
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

/* If not, its index may be another's.  Context: the lock of its siblings held. */
static bool is_linked(struct mw_group *group)
{
	return xa_load(&group->parent->children, group->index) == group;
}

/* Context: likewise. */
static void change_mark(struct mw_group *group, enum mw_walk which, bool set)
{
	struct xarray *siblings = &group->parent->children;

	if (set) {
		__xa_set_mark(siblings, group->index, mark_of(which));
		set_bit(which, &group->marks);
	} else {
		__xa_clear_mark(siblings, group->index, mark_of(which));
		clear_bit(which, &group->marks);
	}
}

static void set_mark(struct mw_group *group, enum mw_walk which)
{
	struct xarray *siblings = &group->parent->children;
	unsigned long flags;

	xa_lock_irqsave(siblings, flags);
	if (is_linked(group))
		change_mark(group, which, true);
	xa_unlock_irqrestore(siblings, flags);
}

static void clear_mark(struct mw_group *group, enum mw_walk which)
{
	struct xarray *siblings = &group->parent->children;
	unsigned long flags;

	xa_lock_irqsave(siblings, flags);
	if (is_linked(group)) {
		change_mark(group, which, false);
		/* against mw_mark_set(): the mark, then what there is */
		smp_mb__after_atomic();
		if (has(group, which))
			change_mark(group, which, true);
	}
	xa_unlock_irqrestore(siblings, flags);
}

/**
 * mw_mark_set() - have walks meet a group
 * @group: which; what there is to meet it for was counted, with a full barrier
 * @which: these walks
 *
 * Context: any; the group is referenced or inside an RCU read side.
 */
void mw_mark_set(struct mw_group *group, enum mw_walk which)
{
	for (; group->parent; group = group->parent)
		if (unlikely(!test_bit(which, &group->marks)))
			set_mark(group, which);
}

/**
 * mw_mark_is_missing() - has it any of what a walk is about, and would the walk not meet it?
 * @group: not unlinked; the caller has a reference or holds the tree mutex
 * @which: the walk
 *
 * Context: any.
 * Return: true for an instant while something comes or goes, and never for long.
 */
bool mw_mark_is_missing(struct mw_group *group, enum mw_walk which)
{
	return group->parent && has(group, which) &&
	       !xa_get_mark(&group->parent->children, group->index, mark_of(which));
}

/**
 * mw_mark_child() - what a walk meets first among a group's children
 * @parent: the group
 * @index:  from this index on
 * @which:  the walk
 *
 * Context: tree mutex held, or inside an RCU read side.
 * Return: the child, which may be about to be freed without the mutex; NULL for none.
 */
struct mw_group *mw_mark_child(struct mw_group *parent, unsigned long index,
			       enum mw_walk which)
{
	struct mw_group *child;

	/* most have none */
	if (xa_empty(&parent->children))
		return NULL;
	child = xa_find(&parent->children, &index, ULONG_MAX, mark_of(which));
	while (child && !has(child, which)) {
		clear_mark(child, which);
		child = xa_find_after(&parent->children, &index, ULONG_MAX, mark_of(which));
	}
	return child;
}
