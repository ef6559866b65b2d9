/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_TURNS_H
#define MEMWARD_TURNS_H

#include <linux/types.h>

struct mw_group;
struct mw_scan_control;

/**
 * struct mw_turns - one round over all groups of a subtree that pay for something
 * @group:    whose turn it is, referenced
 * @share:    so many of its pages may be looked at, if it is not a larger part of them that the round is about
 * @sc:       the request
 * @priority: of the round
 * @counts:   who is asked is chosen by his credit, and pays; all are asked otherwise
 * @keeps:    all that have pages are asked from now on, and keep their turn
 * @passed:   somebody who has pages was not asked
 * @wanted:   pages that the round asks all for
 * @total:    pages that all have
 * @met:      of them, those of whom it has met
 * @paid:     credit that @group has paid in advance
 * @first:    id of the one that was the first
 * @ends:     how often the round came to the end of the tree
 */
struct mw_turns {
	struct mw_group *group;
	unsigned long share;
	struct mw_scan_control *sc;
	unsigned int priority;
	bool counts;
	bool keeps;
	bool passed;
	unsigned long wanted;
	unsigned long total;
	unsigned long met;
	s64 paid;
	u64 first;
	unsigned int ends;
};

bool mw_turns_begin(struct mw_turns *turns, struct mw_scan_control *sc, unsigned int priority);
bool mw_turns_next(struct mw_turns *turns);
void mw_turns_had(struct mw_turns *turns, unsigned long nr_scanned);
void mw_turns_refuse(struct mw_turns *turns);
void mw_turns_keep(struct mw_turns *turns);
void mw_turns_end(struct mw_turns *turns);

#endif
