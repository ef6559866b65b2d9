/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_TASK_H
#define MEMWARD_TASK_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

/**
 * mw_current_is() - has the current task one of these flags?
 * @flags: PF_…
 *
 * Marked, as another one of them changes when it is preempted (PF_BLOCK_TS).
 */
static inline bool mw_current_is(unsigned int flags)
{
	return READ_ONCE(current->flags) & flags;
}

struct task_struct *mw_task_live_thread(struct task_struct *task);
struct task_struct *mw_task_first_thread(struct task_struct *task);
bool mw_task_was_first(struct task_struct *task);
struct task_struct *mw_task_find_get(pid_t nr);
struct mm_struct *mw_task_mm_grab(struct task_struct *task);
u64 mw_task_cgroup_id(struct task_struct *task);

#endif
