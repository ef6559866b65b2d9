/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MEMBER_H
#define MEMWARD_MEMBER_H

#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <memward/stock.h>

struct mw_group;

/* Grows with each change of who is in which group: dates the CPUs' caches. */
extern unsigned long mw_member_seq;

/**
 * mw_member_process() - the process that pays for an address space
 * @mm: the address space
 *
 * A process is named by its signal_struct: it is the same for all threads and
 * across exec, and is not freed before the last thread's exit was seen.
 *
 * Context: preemption off (an RCU read side, for mm->owner).
 * Return: a name, not to be dereferenced; NULL if the mm has no owner any more.
 */
static __always_inline struct signal_struct *
mw_member_process(struct mm_struct *mm)
{
	struct task_struct *owner = rcu_dereference_sched(mm->owner);

	return likely(owner) ? READ_ONCE(owner->signal) : NULL;
}

/**
 * mw_member_cached() - does this CPU's cache know the process?
 * @cpu: this CPU's
 * @sig: the process
 *
 * Context: preemption off.
 * Return: true if @cpu->found is the process's owner, NULL for "in no group".
 */
static __always_inline bool mw_member_cached(struct mw_cpu *cpu,
					     struct signal_struct *sig)
{
	return cpu->sig == sig && cpu->seq == READ_ONCE(mw_member_seq);
}

/**
 * mw_member_absent() - is the address space's process known to be in no group?
 * @mm: the address space
 *
 * The quick way out for most processes of most machines.
 *
 * Context: any.
 * Return: true if it is; false if it is not, or not known here.
 */
static __always_inline bool mw_member_absent(struct mm_struct *mm)
{
	struct mw_cpu *cpu;
	bool absent;

	preempt_disable();
	cpu = this_cpu_ptr(&mw_cpu);
	absent = mw_member_cached(cpu, mw_member_process(mm)) && !cpu->found;
	preempt_enable();
	return absent;
}

struct mw_owner *mw_member_owner(struct mw_cpu *cpu, struct mm_struct *mm);
struct mw_group *mw_member_group_get(struct task_struct *task);
struct mw_group *mw_member_current_group_get(void);
int mw_member_attach(struct task_struct *task, struct mw_group *group);
void mw_member_fork(struct task_struct *parent, struct task_struct *child);
void mw_member_exit(struct task_struct *task);
bool mw_member_exists(struct task_struct *task);

bool mw_members_close(struct mw_group *group);
bool mw_members_populated(struct mw_group *group);
void mw_members_kill(struct mw_group *group);

typedef void (*mw_member_visit_fn)(struct pid *tgid, void *data);
void mw_members_walk(struct mw_group *group, mw_member_visit_fn visit,
		     void *data);
unsigned long mw_member_escapes(void);
int mw_member_init(void);
void mw_member_exit_all(void);

#endif
