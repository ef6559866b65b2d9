/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_OWNER_H
#define MEMWARD_OWNER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct mw_group;

/**
 * struct mw_owner - the token that charged pages point to
 * @group:  the group that pays; removal of a group points it at the parent
 * @id:     what a shadow entry stores; reused only when no page has it any more
 * @orphan: its own group was removed; set once, under the tree mutex
 * @refs:   pages charged to this owner, pages of it unspent in CPU stocks, and
 *          one for each CPU stock that holds it
 * @node:   in @group's list of owners, under the tree mutex
 * @idle:   in the list of owners that lost their group, under the tree mutex
 * @rcu:    frees it
 *
 * A group has one live owner.  After removal the owner lives on, paid for by
 * the parent, for as long as pages carry its id.
 */
struct mw_owner {
	struct mw_group __rcu *group;
	u32 id;
	bool orphan;
	atomic_long_t refs;
	struct list_head node;
	struct list_head idle;
	struct rcu_head rcu;
};

struct mw_owner *mw_owner_create(struct mw_group *group);
void mw_owner_destroy(struct mw_owner *owner);
struct mw_owner *mw_owner_find(u32 id);
struct mw_group *mw_owner_group(u32 id);
void mw_owners_move(struct list_head *owners, struct mw_group *to);
u32 mw_owner_max_id(void);

static inline void mw_owner_get(struct mw_owner *owner, unsigned long nr)
{
	atomic_long_add(nr, &owner->refs);
}

/* Whoever drops the last reference touches the owner no more: reaping is
 * somebody else's work, so that the free path neither locks nor frees.
 */
static inline void mw_owner_put(struct mw_owner *owner, unsigned long nr)
{
	atomic_long_sub(nr, &owner->refs);
}

#endif
