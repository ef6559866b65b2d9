// SPDX-License-Identifier: GPL-2.0
/*
 * How far a task has got with its reclaim, by what it says after each list.
 *
 * DOC: The priority falls from 12 to 0 as long as what was reclaimed is not enough;
 * when it rises, reclaim begins anew.  If nothing at all came of it before, it has
 * failed.  Not sooner: where all pages were just used, as when memory becomes short
 * for the first time, the first look at them brings nothing, down to a low priority.
 *
 * Reclaim of one node (node_reclaim) begins at priority 4, to which other reclaim falls step
 * by step, and is not the last resort: there are other nodes.  So it neither fails nor
 * takes back that the reclaim before it has failed.
 */
#include <linux/types.h>

#include <pure/progress.h>

/* at this priority reclaim has looked at half of all pages or more */
#define LAST_RESORT	1
/* NODE_RECLAIM_PRIORITY of the kernel */
#define ONE_NODE	4

/**
 * mw_progress_begins() - does a task begin anew that has this to say?
 * @was:      what it has said before
 * @priority: the priority that it says now
 */
bool mw_progress_begins(const struct mw_progress *was, int priority)
{
	return priority > was->priority ||
	       (priority == ONE_NODE && was->priority != INT_MAX &&
		was->priority > ONE_NODE + 1);
}

static bool has_failed(const struct mw_progress *was)
{
	if (was->from <= ONE_NODE)
		return was->failed;
	return was->priority <= LAST_RESORT && !was->reclaimed;
}

/**
 * mw_progress_note() - a task has shrunk a list
 * @was:       what it has said before
 * @priority:  how hard it tries
 * @reclaimed: pages that this has brought
 *
 * Return: how far it has got now.
 */
struct mw_progress mw_progress_note(const struct mw_progress *was, int priority,
				    unsigned long reclaimed)
{
	struct mw_progress now = *was;

	if (mw_progress_begins(was, priority)) {
		now.failed = has_failed(was);
		now.reclaimed = 0;
		now.from = priority;
	}
	/* the first that it says */
	if (now.from == INT_MAX)
		now.from = priority;
	now.priority = priority;
	now.reclaimed += reclaimed;
	return now;
}
