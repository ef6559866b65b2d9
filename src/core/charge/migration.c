// SPDX-License-Identifier: GPL-2.0
/*
 * What entries know of where the kernel has their processes.
 *
 * DOC: A move by hand holds until its process comes to another cgroup that is bound
 * (binding.c).  That is told of where the lock of a group's members may not be taken, so the
 * entry is void from then on, and stays until the process ends or is moved by hand, or the group
 * is removed: a child that was begun before is its parent's heir (birth.c).
 */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include <compat/cgroup.h>
#include <core/charge/member_table.h>
#include <core/charge/migration.h>
#include <core/group/binding.h>
#include <core/group/task.h>

/* Context: the bucket locked, RCU read side. */
static void come(struct mw_member *member, struct cgroup *cgrp)
{
	u64 now = ktime_get_ns();

	if (member->cgroup == cgroup_id(cgrp))
		return;
	member->before = member->cgroup;
	member->before_came = member->came;
	member->came = now;
	member->cgroup = cgroup_id(cgrp);
	/* a child comes to its first one */
	if (member->before && !member->voided && mw_binding_of_cgroup(cgrp))
		WRITE_ONCE(member->voided, now);
}

/**
 * mw_migration_catch_up() - an entry learns where its process is now
 * @task: any of the process's threads
 *
 * Whoever was moved among cgroups before its entry could be found: the move counts.  The kernel
 * has it in its cgroup, and who tells of a later one comes later.
 *
 * Context: any but interrupts and NMIs; takes no lock but that of a bucket.
 */
void mw_migration_catch_up(struct task_struct *task)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(task->signal);
	struct mw_member *member;
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&bucket->lock, flags);
	member = mw_member_entry(task->signal);
	if (member)
		come(member, mw_cgroup_of(mw_task_live_thread(task)));
	spin_unlock_irqrestore(&bucket->lock, flags);
	mw_member_date_change(bucket);
	rcu_read_unlock();
}

/**
 * mw_migration_seen() - a process has come to a cgroup, be it that it was there before
 * @task: any of its threads
 * @cgrp: the cgroup
 *
 * If that is bound its entry does not count any more.
 *
 * Context: any but interrupts and NMIs; takes no lock but that of a bucket.
 */
void mw_migration_seen(struct task_struct *task, struct cgroup *cgrp)
{
	/* the kernel has moved it, so that is where it is, unless it was moved on since */
	if (mw_cgroup_is_v2(cgrp))
		mw_migration_catch_up(task);
}

/* Context: the bucket locked, RCU read side. */
static void note_cgroup(struct mw_member *member)
{
	struct task_struct *process = pid_task(member->tgid, PIDTYPE_TGID);

	if (process)
		member->cgroup = mw_task_cgroup_id(process);
}

/**
 * mw_migration_note_all() - something is about to be bound, and nothing is yet
 *
 * As long as nothing is bound nobody tells of who is moved among cgroups.
 *
 * Context: process; mw_migration_seen() is told from now on.
 */
void mw_migration_note_all(void)
{
	struct mw_member *member;
	int i;

	for (i = 0; i < ARRAY_SIZE(mw_member_table); i++) {
		rcu_read_lock();
		spin_lock_irq(&mw_member_table[i].lock);
		hlist_for_each_entry_rcu(member, &mw_member_table[i].members, node)
			note_cgroup(member);
		spin_unlock_irq(&mw_member_table[i].lock);
		rcu_read_unlock();
	}
}
