/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_TURNS_H
#define MEMWARD_TURNS_H

#include <linux/types.h>

struct mw_group;

/**
 * struct mw_turns - one round over all groups of a subtree that pay for something
 * @group:  whose turn it is, referenced
 * @target: the subtree
 * @first:  id of the one that was the first
 * @ends:   how often the round came to the end of the tree
 */
struct mw_turns {
	struct mw_group *group;
	struct mw_group *target;
	u64 first;
	unsigned int ends;
};

void mw_turns_begin(struct mw_turns *turns, struct mw_group *target);
bool mw_turns_next(struct mw_turns *turns);
void mw_turns_had(struct mw_turns *turns);
void mw_turns_end(struct mw_turns *turns);

#endif
