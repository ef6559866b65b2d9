// SPDX-License-Identifier: GPL-2.0
/*
 * Processes by their numbers, and of which thread to ask where one is.
 */
#include <linux/compiler.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <compat/cgroup.h>
#include <core/group/task.h>

/**
 * mw_task_find_get() - a process
 * @nr: the number of any of its threads, in the pid namespace of current; 0 is current
 *
 * Context: process.
 * Return: its first thread, referenced; NULL if there is none.
 */
struct task_struct *mw_task_find_get(pid_t nr)
{
	struct task_struct *task;

	rcu_read_lock();
	task = nr ? pid_task(find_vpid(nr), PIDTYPE_PID) : current;
	if (task) {
		task = task->group_leader;
		get_task_struct(task);
	}
	rcu_read_unlock();
	return task;
}

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
 * mw_task_first_thread() - the thread that says where its process is in cgroup v1
 * @task: any of the process's threads, referenced or in the RCU read side in which it was found
 *
 * There each can be in a cgroup of its own, so it must be the same one whoever asks.  It is not
 * asked who the group's leader is: that may have been freed if @task has ended.
 *
 * Context: RCU read side.
 * Return: the one that was begun first of those that do not end; if all do, as mw_task_live_thread().
 */
struct task_struct *mw_task_first_thread(struct task_struct *task)
{
	struct task_struct *thread;

	for_each_thread(task, thread)
		if (!(READ_ONCE(thread->flags) & PF_EXITING))
			return thread;
	return mw_task_live_thread(task);
}

/**
 * mw_task_was_first() - did a thread say where its process is in cgroup v1 until it ended?
 * @task: it has just begun to end, and that is seen by all
 *
 * Of two that end at the same time the later one sees that the other does.
 *
 * Context: process.
 */
bool mw_task_was_first(struct task_struct *task)
{
	struct task_struct *thread;

	rcu_read_lock();
	for_each_thread(task, thread)
		if (thread == task || !(READ_ONCE(thread->flags) & PF_EXITING))
			break;
	rcu_read_unlock();
	return thread == task;
}

/**
 * mw_task_mm_grab() - the memory of a process
 * @task: any of its threads; the first may have given it back long before the others
 *
 * Context: process.
 * Return: its structure, for mmdrop(); NULL for a kernel thread, or if all have given it back.
 */
struct mm_struct *mw_task_mm_grab(struct task_struct *task)
{
	struct mm_struct *mm = NULL;
	struct task_struct *thread;

	if (READ_ONCE(task->flags) & PF_KTHREAD)
		return NULL;
	rcu_read_lock();
	for_each_thread(task, thread) {
		task_lock(thread);
		mm = thread->mm;
		if (mm)
			mmgrab(mm);
		task_unlock(thread);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
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
