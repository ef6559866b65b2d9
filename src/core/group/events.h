/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_EVENTS_H
#define MEMWARD_EVENTS_H

struct mw_group;

/**
 * enum mw_event - what is counted, in the order in which memory.events and
 * memory.swap.events print it
 * @MW_EVENT_LOW:            reclaimed although below memory.low
 * @MW_EVENT_HIGH:           throttled for being above memory.high
 * @MW_EVENT_MAX:            about to exceed memory.max
 * @MW_EVENT_OOM:            allocation about to fail at the limit
 * @MW_EVENT_OOM_KILL:       processes killed by an OOM killer
 * @MW_EVENT_OOM_GROUP_KILL: whole groups killed
 * @MW_EVENT_HIGH_STALL:     held back for longer than memory.high.stall_max
 * @MW_EVENT_SWAP_HIGH:      throttled for being above memory.swap.high
 * @MW_EVENT_SWAP_MAX:       about to exceed memory.swap.max
 * @MW_EVENT_SWAP_FAIL:      a slot could not be had, for whatever reason
 */
enum mw_event {
	MW_EVENT_LOW,
	MW_EVENT_HIGH,
	MW_EVENT_MAX,
	MW_EVENT_OOM,
	MW_EVENT_OOM_KILL,
	MW_EVENT_OOM_GROUP_KILL,
	MW_EVENT_HIGH_STALL,
	MW_EVENT_SWAP_HIGH,
	MW_NR_MEMORY_EVENTS = MW_EVENT_SWAP_HIGH,
	MW_EVENT_SWAP_MAX,
	MW_EVENT_SWAP_FAIL,
	MW_NR_EVENTS,
};

void mw_event(struct mw_group *group, enum mw_event event);

#endif
