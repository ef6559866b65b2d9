/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MEMBER_H
#define MEMWARD_MEMBER_H

#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <core/charge/stock.h>

struct mw_group;

/* "look it up": the CPU's cache does not know */
#define MW_OWNER_UNKNOWN	((struct mw_owner *)-1L)

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
 * mw_member_cached() - who pays for an address space, if this CPU remembers
 * @mm: the address space
 *
 * Context: preemption off, and kept off while the owner is used.
 * Return: the owner to charge; NULL if the process is in no group;
 * MW_OWNER_UNKNOWN to be resolved with mw_member_owner().
 */
static __always_inline struct mw_owner *mw_member_cached(struct mm_struct *mm)
{
	struct mw_cpu *cpu = this_cpu_ptr(&mw_cpu);

	if (likely(cpu->sig == mw_member_process(mm) &&
		   cpu->seen == atomic_long_read(cpu->date)))
		return cpu->found;
	return MW_OWNER_UNKNOWN;
}

struct mw_owner *mw_member_owner(struct mm_struct *mm);
struct mw_group *mw_member_group_get(struct task_struct *task);
struct mw_group *mw_member_current_group_get(void);
bool mw_member_current_is_below(const struct mw_group *group);
bool mw_member_current_is_init(void);
unsigned int mw_member_moves(void);
bool mw_member_moved_since(unsigned int seq);
int mw_member_attach(struct task_struct *task, struct mw_group *group);
void mw_member_exit(struct task_struct *task);

/* Return: whether to go on */
typedef bool (*mw_member_visit_fn)(struct pid *tgid, struct mw_group *group,
				   void *data);
void mw_member_drop_void(struct mw_group *group);
bool mw_member_visit(struct mw_group *group, mw_member_visit_fn visit, void *data);
void mw_member_kill(struct mw_group *group, mw_member_visit_fn kill);
struct mw_group *mw_member_unlisted(struct task_struct *process);
int mw_member_init(void);
void mw_members_stop(void);
void mw_member_exit_all(void);

#endif
