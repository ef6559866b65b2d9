// SPDX-License-Identifier: GPL-2.0
/* Whose turn it is to give pages, of all groups of a subtree. */
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/reclaim/turns.h>

/**
 * mw_turns_begin() - a round begins
 * @turns:  the round
 * @target: the subtree, referenced by the caller
 *
 * Context: any.
 */
void mw_turns_begin(struct mw_turns *turns, struct mw_group *target)
{
	turns->target = target;
	turns->group = mw_group_in_turn(target);
	turns->first = turns->group->id;
	turns->ends = 0;
}

/**
 * mw_turns_next() - the next one
 * @turns: the round
 *
 * The first one may be gone, or pay for nothing any more: then the round is over at the second end.
 *
 * Context: any.
 * Return: false if the round is over.
 */
bool mw_turns_next(struct mw_turns *turns)
{
	turns->group = mw_group_walk(turns->group, turns->target, MW_WALK_CHARGED);
	if (!turns->group) {
		turns->group = mw_group_walk(NULL, turns->target, MW_WALK_CHARGED);
		turns->ends++;
	}
	return turns->group->id != turns->first && turns->ends < 2;
}

/**
 * mw_turns_had() - it has had its turn
 * @turns: the round
 *
 * Context: any.
 */
void mw_turns_had(struct mw_turns *turns)
{
	mw_group_had_turn(turns->group, turns->target);
}

/**
 * mw_turns_end() - undo mw_turns_begin()
 * @turns: the round
 *
 * Context: any.
 */
void mw_turns_end(struct mw_turns *turns)
{
	mw_group_put(turns->group);
}
