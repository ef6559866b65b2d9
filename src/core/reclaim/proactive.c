// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaim because somebody asked for it.
 *
 * DOC: It asks for a quarter of what is left at a time.  The whole at once
 * reclaims a tenth too much, as every group gives its share before anybody adds
 * up; 32 pages at a time takes more than twice as long.  (Figures of the
 * mainline discussion of memory.reclaim.)
 */
#include <linux/sched/signal.h>

#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/reclaim/drain.h>
#include <core/reclaim/proactive.h>
#include <core/reclaim/reclaim.h>

/* rounds without progress before giving up */
#define MAX_TRIES	16
/* a request is not cut up smaller than this, in pages */
#define MIN_REQUEST	32UL

/* Nobody finds pages that CPUs are still gathering. */
static void drain(struct mw_group *group)
{
	mw_stock_drain_below_wait(group);
	mw_drain_wait(MW_DRAIN_ASKED_MS);
}

static unsigned long reclaim_some(struct mw_group *group, unsigned long pages,
				  int swappiness, bool splits)
{
	struct mw_scan_control sc = {
		.target = group, .nr_to_reclaim = pages,
		.why = MW_RECLAIM_PROACTIVE, .gfp = GFP_KERNEL,
		.swappiness = swappiness, .signals = true, .thorough = true,
		.splits = splits,
	};

	return mw_reclaim(&sc);
}

/**
 * mw_proactive() - reclaim so many pages of a group and those below it
 * @group:      the group, referenced
 * @pages:      how many
 * @swappiness: 0 to 200; -1 for each group's own
 * @reclaimed:  set to how many were reclaimed
 *
 * Context: process, may sleep; holds no lock.
 * Return: 0; -EAGAIN if it was less than asked for; -EINTR on a signal.
 */
int mw_proactive(struct mw_group *group, unsigned long pages, int swappiness,
		 unsigned long *reclaimed)
{
	unsigned int tries = MAX_TRIES;

	*reclaimed = 0;
	/* anybody may ask for nothing, and in a loop */
	if (!pages)
		return 0;
	drain(group);
	while (*reclaimed < pages) {
		unsigned long left = pages - *reclaimed, nr;

		if (signal_pending(current))
			return -EINTR;
		/* what it had is its parent's now */
		if (READ_ONCE(group->dead))
			return -EAGAIN;
		nr = reclaim_some(group, max(left / 4, min(left, MIN_REQUEST)),
				  swappiness, tries < MAX_TRIES);
		*reclaimed += nr;
		if (nr)
			continue;
		if (!--tries)
			return -EAGAIN;
		if (tries == 1)
			drain(group);
		/* nothing is charged here or below: nothing will ever come */
		if (!mw_group_usage(group))
			return -EAGAIN;
	}
	return 0;
}
