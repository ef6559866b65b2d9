// SPDX-License-Identifier: GPL-2.0
/*
 * What entries know of where the kernel has their processes.
 *
 * DOC: A move by hand holds until its process comes to another cgroup that is bound
 * (binding.c).  That is told of where the lock of a group's members may not be taken, so the
 * entry is void from then on, and stays until the process ends or is moved by hand, or the group
 * is removed: a child that was begun before is its parent's heir (birth.c).
 *
 * In cgroup v1 a process is in one cgroup of each hierarchy, and that in which something is bound
 * counts likewise.  Who is told of as moved there is not looked up, as that may take a lock which
 * may not be taken then: the kernel says where to.  That another thread says where the process is
 * from now on, as the one that did has ended, is no move: it is noted and nothing follows.
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

/* Context: the bucket locked.  Return: was it in another one before? */
static bool set_in_v1(struct mw_member *member, unsigned int slot, u64 id)
{
	if (member->in_v1[slot] == id)
		return false;
	member->in_v1[slot] = id;
	member->came_in_v1 = ktime_get_ns();
	return true;
}

/*
 * The same in a hierarchy of v1; @cgrp is NULL if there is none.  Who was noted there may have been
 * moved before that, and is told of only now.
 *
 * Context: as come().
 */
static void come_in_v1(struct mw_member *member, unsigned int slot, struct cgroup *cgrp)
{
	u64 id = cgrp ? cgroup_id(cgrp) : 0, before = member->in_v1[slot];
	bool is_other = set_in_v1(member, slot, id) || member->noted_in_v1 & BIT(slot);

	member->noted_in_v1 &= ~BIT(slot);
	if (is_other && id && before && !member->voided && mw_binding_of_cgroup(cgrp))
		WRITE_ONCE(member->voided, ktime_get_ns());
}

/* Context: as come(). */
static void be_in_v1(struct mw_member *member, unsigned int slot, struct cgroup *cgrp)
{
	if (set_in_v1(member, slot, cgrp ? cgroup_id(cgrp) : 0))
		member->noted_in_v1 |= BIT(slot);
}

/*
 * Where it is cannot be found with the bucket locked.  So if somebody has been told of as moved
 * meanwhile, it is found again.
 *
 * Context: RCU read side.
 */
static void look_in_v1(struct task_struct *task, unsigned int slot, bool is_moved)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(task->signal);
	struct mw_member *member;
	struct cgroup *cgrp;
	unsigned int told;
	unsigned long flags;
	bool is_sure;

	do {
		told = smp_load_acquire(&bucket->told);
		cgrp = mw_hierarchy_cgroup_of(slot, task);
		spin_lock_irqsave(&bucket->lock, flags);
		is_sure = bucket->told == told;
		member = is_sure ? mw_member_entry(task->signal) : NULL;
		if (member && is_moved)
			come_in_v1(member, slot, cgrp);
		else if (member)
			be_in_v1(member, slot, cgrp);
		spin_unlock_irqrestore(&bucket->lock, flags);
	} while (!is_sure);
}

/*
 * With the bucket locked: whoever makes an entry at the same time looks afterwards himself.
 *
 * Context: RCU read side.
 */
static bool has_entry(struct task_struct *task)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(task->signal);
	unsigned long flags;
	bool ret;

	spin_lock_irqsave(&bucket->lock, flags);
	ret = mw_member_entry(task->signal);
	spin_unlock_irqrestore(&bucket->lock, flags);
	return ret;
}

static void look_at_all_in_v1(struct task_struct *task, bool is_moved)
{
	unsigned int slot;

	if (!mw_hierarchies_exist())
		return;
	rcu_read_lock();
	if (has_entry(task))
		for (slot = 0; slot < MW_HIERARCHIES; slot++)
			if (mw_hierarchy_is_used(slot))
				look_in_v1(task, slot, is_moved);
	rcu_read_unlock();
	mw_member_date_change(mw_member_bucket_of(task->signal));
}

/**
 * mw_migration_catch_up_in_v1() - mw_migration_catch_up() in hierarchies of cgroup v1
 * @task: any of the process's threads
 *
 * Context: as mw_v1_cgroup_of(); takes no lock of memward's but that of a bucket.
 */
void mw_migration_catch_up_in_v1(struct task_struct *task)
{
	look_at_all_in_v1(task, true);
}

/**
 * mw_migration_note_in_v1() - an entry learns where its process is, and that it is there is no move
 * @task: any of the process's threads
 *
 * Context: as mw_migration_catch_up_in_v1().
 */
void mw_migration_note_in_v1(struct task_struct *task)
{
	look_at_all_in_v1(task, false);
}

/*
 * The kernel tells of it before it moves anybody else.  A thread that does not say where its
 * process is leaves a note all the same: the child that it is about to have is where it was.
 */
static void seen_in_v1(struct task_struct *task, struct cgroup *cgrp, bool threadgroup)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(task->signal);
	int slot = mw_hierarchy_of(cgrp);
	struct mw_member *member;
	unsigned long flags;

	if (slot < 0)
		return;
	rcu_read_lock();
	threadgroup |= mw_task_first_thread(task) == task;
	spin_lock_irqsave(&bucket->lock, flags);
	smp_store_release(&bucket->told, bucket->told + 1);
	member = mw_member_entry(task->signal);
	if (member && threadgroup)
		come_in_v1(member, slot, cgrp);
	else if (member)
		member->came_in_v1 = ktime_get_ns();
	spin_unlock_irqrestore(&bucket->lock, flags);
	rcu_read_unlock();
	mw_member_date_change(bucket);
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
 * @threadgroup: all of them have; in cgroup v1 one alone may
 *
 * If that is bound its entry does not count any more.
 *
 * Context: any but interrupts and NMIs; takes no lock but that of a bucket.
 */
void mw_migration_seen(struct task_struct *task, struct cgroup *cgrp, bool threadgroup)
{
	/* the kernel has moved it, so that is where it is, unless it was moved on since */
	if (mw_cgroup_is_v2(cgrp))
		mw_migration_catch_up(task);
	else
		seen_in_v1(task, cgrp, threadgroup);
}

/*
 * What it did before was not told, there and back included: so it is not known where a child was
 * begun that is being born.  Context: the bucket locked, RCU read side.
 */
static void note_cgroup(struct mw_member *member)
{
	struct task_struct *process = pid_task(member->tgid, PIDTYPE_TGID);

	if (process)
		member->cgroup = mw_task_cgroup_id(process);
	member->came = member->before_came = ktime_get_ns();
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

/* Context: RCU read side, mw_v1_lock() held, so nobody is told of as moved. */
static void note_in_v1(struct mw_member *member, unsigned int slot)
{
	struct task_struct *process = pid_task(member->tgid, PIDTYPE_TGID);
	struct mw_member_bucket *bucket = mw_member_bucket_of(member->sig);
	u64 id = process ? mw_hierarchy_id_of(slot, process) : 0;
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	/* as in note_cgroup(), but for there and back: this is done for each binding in v1 */
	if (member->in_v1[slot] != id) {
		member->in_v1[slot] = id;
		member->came_in_v1 = ktime_get_ns();
		member->noted_in_v1 &= ~BIT(slot);
	}
	spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * mw_migration_note_all_in_v1() - another hierarchy of cgroup v1 is in some slot
 *
 * So what entries know of that slot is of the one before.
 *
 * Context: process, mw_v1_lock() held since that was set.
 */
void mw_migration_note_all_in_v1(void)
{
	struct mw_member *member;
	unsigned int slot;
	int i;

	for (i = 0; i < ARRAY_SIZE(mw_member_table); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(member, &mw_member_table[i].members, node)
			for (slot = 0; slot < MW_HIERARCHIES; slot++)
				if (mw_hierarchy_is_used(slot))
					note_in_v1(member, slot);
		rcu_read_unlock();
	}
}
