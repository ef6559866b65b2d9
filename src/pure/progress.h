/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PROGRESS_H
#define MEMWARD_PROGRESS_H

#include <linux/limits.h>
#include <linux/types.h>

/**
 * struct mw_progress - how far a task has got with its reclaim
 * @priority:  it has looked at so large a part of the pages: all at 0, 1/4096 at 12
 * @from:      the priority at which it began
 * @reclaimed: pages, since it began
 * @failed:    the reclaim before this one came to nothing
 */
struct mw_progress {
	int priority;
	int from;
	unsigned long reclaimed;
	bool failed;
};

/* of a task that has said nothing yet */
#define MW_PROGRESS_NONE	((struct mw_progress){ .priority = INT_MAX, .from = INT_MAX })

bool mw_progress_begins(const struct mw_progress *was, int priority);
struct mw_progress mw_progress_note(const struct mw_progress *was, int priority,
				    unsigned long reclaimed);

#endif
