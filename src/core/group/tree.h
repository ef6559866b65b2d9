/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_TREE_H
#define MEMWARD_TREE_H

#include <core/group/group.h>
#include <core/group/mark.h>

/**
 * mw_group_ancestor() - who is above a group at some level, as cgroup_ancestor()
 * @group: the group
 * @level: from 1 to the group's own, at which it is the group itself
 */
static inline struct mw_group *mw_group_ancestor(const struct mw_group *group,
						 unsigned int level)
{
	return group->ancestors[level - 1];
}

/** mw_group_payer() - who has the pages, the queues and the statistics of a group: if that was removed, its parent */
static inline struct mw_group *mw_group_payer(struct mw_group *group)
{
	while (READ_ONCE(group->dead))
		group = group->parent;
	return group;
}

void mw_tree_lock(void);
void mw_tree_unlock(void);
void mw_tree_assert_held(void);
int mw_tree_link(struct mw_group *group);
void mw_tree_unlink(struct mw_group *group);

void mw_group_get(struct mw_group *group);
void mw_group_put(struct mw_group *group);
bool mw_group_is_below(const struct mw_group *group,
		       const struct mw_group *ancestor);
struct mw_group *mw_group_common_ancestor(struct mw_group *a,
					  struct mw_group *b);
struct mw_group *mw_group_child(struct mw_group *parent, unsigned long index);
struct mw_group *mw_group_next(struct mw_group *group, struct mw_group *top);
struct mw_group *mw_group_walk(struct mw_group *group, struct mw_group *top,
			       enum mw_walk which);
struct mw_group *mw_group_in_turn(struct mw_group *top);
struct mw_group *mw_group_last_in_turn(struct mw_group *top);
void mw_group_had_turn(struct mw_group *group, struct mw_group *top);

#endif
