// SPDX-License-Identifier: GPL-2.0
/* Counts of the things that memory.events reports. */
#include <linux/atomic.h>

#include <core/group/events.h>
#include <core/group/group.h>

/**
 * mw_event() - count an event at a group, and at every ancestor's total
 * @group: where it happened
 * @event: what happened
 *
 * Context: any, with @group referenced or inside an RCU read side.
 */
void mw_event(struct mw_group *group, enum mw_event event)
{
	atomic_long_inc(&group->events_local[event]);
	for (; group; group = group->parent)
		atomic_long_inc(&group->events[event]);
}
