// SPDX-License-Identifier: GPL-2.0
/*
 * Of which thread to ask where a process is.
 */
#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include <compat/cgroup.h>
#include <core/group/task.h>

/**
 * mw_task_live_thread() - a thread that says where its process is
 * @task: any of the process's threads
 *
 * The first thread may end long before the others, and the kernel moves it no more from then
 * on.
 *
 * Context: RCU read side.
 * Return: one that does not end; if all do, the last to have memory.
 */
struct task_struct *mw_task_live_thread(struct task_struct *task)
{
	struct task_struct *thread, *last = task;

	if (likely(!(READ_ONCE(task->flags) & PF_EXITING)))
		return task;
	for_each_thread(task, thread) {
		if (!(READ_ONCE(thread->flags) & PF_EXITING))
			return thread;
		if (READ_ONCE(thread->mm))
			last = thread;
	}
	return last;
}

/**
 * mw_task_cgroup_id() - the kernel's cgroup that a process is in
 * @task: any of its threads
 *
 * Context: any.
 * Return: its id; 0 for a child that is in none yet.
 */
u64 mw_task_cgroup_id(struct task_struct *task)
{
	u64 id;

	rcu_read_lock();
	id = mw_cgroup_is_to_come(task) ? 0 : mw_cgroup_id_of(mw_task_live_thread(task));
	rcu_read_unlock();
	return id;
}
