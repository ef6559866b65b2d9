/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_STALL_H
#define MEMWARD_STALL_H

#include <linux/atomic.h>
#include <linux/types.h>

struct mw_group;

/* no bound, in microseconds */
#define MW_STALL_NO_MAX		(~0UL)

/**
 * enum mw_stall_action - what becomes of a group that was held back for too long
 * @MW_STALL_WAIT: it is held back further
 * @MW_STALL_LIFT: it is let go, until it was at rest for a while
 * @MW_STALL_KILL: its processes are killed
 */
enum mw_stall_action {
	MW_STALL_WAIT,
	MW_STALL_LIFT,
	MW_STALL_KILL,
	MW_NR_STALL_ACTIONS,
};

/**
 * struct mw_stall - how long a group's processes were held back at its memory.high
 * @max:    the bound of @total, in microseconds
 * @action: what to do when it is reached
 * @total:  microseconds, of all processes together, since the group was last at
 *          rest
 * @seen:   jiffies of the last time that it was above its memory.high
 * @over:   the bound was reached
 */
struct mw_stall {
	unsigned long max;
	enum mw_stall_action action;
	atomic64_t total;
	unsigned long seen;
	bool over;
};

void mw_stall_setup(struct mw_stall *stall);
void mw_stall_set_max(struct mw_group *group, unsigned long us);
void mw_stall_see(struct mw_group *group);
bool mw_stall_is_lifted(struct mw_group *group);
void mw_stall_add(struct mw_group *group, u64 us);
u64 mw_stall_total(struct mw_group *group);

#endif
