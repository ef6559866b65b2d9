/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MARK_H
#define MEMWARD_MARK_H

#include <linux/types.h>

struct mw_group;

/**
 * enum mw_walk - which groups a walk is about
 * @MW_WALK_ALL:     all of them
 * @MW_WALK_CHARGED: those that pay for something
 * @MW_WALK_PENDING: those with pages that were on their way out; see pending.c
 *
 * A subtree without any costs nothing.  The group where a walk begins is met in any case.
 */
enum mw_walk {
	MW_WALK_ALL,
	MW_WALK_CHARGED,
	MW_WALK_PENDING,
};

void mw_mark_set(struct mw_group *group, enum mw_walk which);
bool mw_mark_is_missing(struct mw_group *group, enum mw_walk which);
struct mw_group *mw_mark_child(struct mw_group *parent, unsigned long index,
			       enum mw_walk which);

#endif
