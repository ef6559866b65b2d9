// SPDX-License-Identifier: GPL-2.0
/*
 * Which process is in which group.
 *
 * DOC: A process that is in no group (in the root) has no entry in the table (member_table.c),
 * so a machine that does not use memward does not pay for it.  Who was moved into a group has
 * one, and so have its children (birth.c).
 *
 * Nor has a process an entry whose cgroup is bound to a group (binding.c): it is looked up
 * by its cgroup.  An entry comes before that, as long as it is not void (migration.c).
 *
 * Locks, outermost first: tree mutex, the lock of a group's members, the lock of a bucket
 * of the table; the second in process context with preemption off at most, the last with
 * interrupts off.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include <compat/cgroup.h>
#include <core/charge/member.h>
#include <core/charge/member_table.h>
#include <core/charge/migration.h>
#include <core/group/binding.h>
#include <core/group/group.h>
#include <core/group/task.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>

/*
 * The group that a process's memory is charged to.
 *
 * Context: RCU read side, or preemption off, and kept while the group is used: a removed
 * group keeps its reference for a grace period more.
 */
static struct mw_group *group_of(struct task_struct *task)
{
	struct mw_group *group = NULL;
	struct mw_member *member;

	rcu_read_lock();
	member = mw_member_find(READ_ONCE(task->signal));
	if (member)
		group = READ_ONCE(member->group);
	else if (mw_bindings_exist() && !mw_cgroup_is_to_come(task))
		group = mw_binding_of_task(mw_task_live_thread(task));
	rcu_read_unlock();
	return group ?: &mw_root;
}

/**
 * mw_member_owner() - look up who pays for an address space, and remember it
 * @mm: the address space
 *
 * Context: preemption off, and kept off while the owner is used.
 * Return: the owner to charge, NULL if its process is in no group.
 */
struct mw_owner *mw_member_owner(struct mm_struct *mm)
{
	struct task_struct *process = rcu_dereference_sched(mm->owner);
	struct signal_struct *sig = process ? READ_ONCE(process->signal) : NULL;
	struct mw_cpu *cpu = this_cpu_ptr(&mw_cpu);

	cpu->date = &mw_member_bucket_of(sig)->date;
	cpu->seen = atomic_long_read(cpu->date);
	smp_rmb();	/* pairs with mw_member_date_change() */
	cpu->found = process ? group_of(process)->owner : NULL;
	cpu->sig = sig;
	return cpu->found;
}

/**
 * mw_member_group_get() - the group that a process is in
 * @task: any of its threads
 *
 * Context: process, tree mutex held, so that the group is not removed.
 * Return: the group, the root for a process in none; with a reference.
 */
struct mw_group *mw_member_group_get(struct task_struct *task)
{
	struct mw_group *group;

	mw_tree_assert_held();
	rcu_read_lock();
	group = group_of(task);
	mw_group_get(group);
	rcu_read_unlock();
	return group;
}

/* Context: preemption off, and kept off while the group is used. */
static struct mw_group *current_group(void)
{
	struct task_struct *process = NULL;

	if (current->mm)
		process = rcu_dereference_sched(current->mm->owner);
	return process ? group_of(process) : &mw_root;
}

/**
 * mw_member_current_group_get() - the group that pays for current's memory
 *
 * Context: process.
 * Return: the group, the root for none; with a reference.
 */
struct mw_group *mw_member_current_group_get(void)
{
	struct mw_group *group;

	preempt_disable();
	group = current_group();
	mw_group_get(group);
	preempt_enable();
	return group;
}

/**
 * mw_member_current_is_below() - does a group, or one below it, pay for current's memory?
 * @group: the group
 *
 * Context: process.
 */
bool mw_member_current_is_below(const struct mw_group *group)
{
	bool below;

	preempt_disable();
	below = mw_group_is_below(current_group(), group);
	preempt_enable();
	return below;
}

/**
 * mw_member_current_is_init() - does current run in the memory of process 1?
 *
 * It may be a child that process 1 made by vfork(), and is waiting for.
 *
 * Context: process.
 * Return: true if so.
 */
bool mw_member_current_is_init(void)
{
	struct task_struct *owner = NULL;
	bool is_init;

	rcu_read_lock();
	if (current->mm)
		owner = rcu_dereference(current->mm->owner);
	is_init = owner && is_global_init(owner);
	rcu_read_unlock();
	return is_init;
}

/* processes that are moved by hand; who writes holds the tree mutex */
static seqcount_t moves = SEQCNT_ZERO(moves);

/**
 * mw_member_moves() - before a look at the processes of several groups without the tree mutex
 *
 * Context: process.
 * Return: for mw_member_moved_since().
 */
unsigned int mw_member_moves(void)
{
	return read_seqcount_begin(&moves);
}

/**
 * mw_member_moved_since() - may the look have missed a process, as it was moved meanwhile?
 * @seq: mw_member_moves()
 *
 * Context: process.
 * Return: true if any was.
 */
bool mw_member_moved_since(unsigned int seq)
{
	return read_seqcount_retry(&moves, seq);
}

static void lock_two(struct mw_group *a, struct mw_group *b)
{
	if (a > b)
		swap(a, b);
	spin_lock(&a->members_lock);
	if (a != b)
		spin_lock_nested(&b->members_lock, SINGLE_DEPTH_NESTING);
}

static void unlock_two(struct mw_group *a, struct mw_group *b)
{
	spin_unlock(&a->members_lock);
	if (a != b)
		spin_unlock(&b->members_lock);
}

/* Whoever is moved by hand stays, be it that it was bound before. */
static void unvoid(struct mw_member *member)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(member->sig);
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	WRITE_ONCE(member->voided, 0);
	member->noted_in_v1 = 0;
	spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * Context: tree mutex held, so it is in the same group until it ends.  Return: false if it
 * has.
 */
static bool change_group(struct mw_member *member, struct mw_group *to)
{
	struct mw_group *from = member->group;
	bool ret;

	lock_two(from, to);
	ret = !hlist_unhashed_lockless(&member->node);
	if (ret) {
		list_move_tail(&member->list, &to->members);
		WRITE_ONCE(member->group, to);
		unvoid(member);
		mw_member_date_change(mw_member_bucket_of(member->sig));
	}
	unlock_two(from, to);
	return ret;
}

/* Context: tree mutex held.  Return: whether @fresh was used. */
static bool enter(struct signal_struct *sig, struct mw_member *fresh,
		  struct mw_group *group)
{
	struct mw_member *member;
	bool is_new = false, is_there;

	preempt_disable();
	write_seqcount_begin(&moves);
	/* meanwhile it may end, or be born in its parent's group */
	do {
		rcu_read_lock();
		member = mw_member_entry(sig);
		is_there = member && change_group(member, group);
		if (!member) {
			spin_lock(&group->members_lock);
			is_new = mw_member_insert(fresh, group);
			spin_unlock(&group->members_lock);
		}
		rcu_read_unlock();
	} while (!is_there && !is_new);
	write_seqcount_end(&moves);
	preempt_enable();
	return is_new;
}

/* Is it enough for a process to have no entry to be in this group? */
static bool belongs_without(struct task_struct *task, const struct mw_group *group)
{
	struct mw_group *bound;

	/* a child may yet come to any cgroup, and be its parent's heir */
	if (group != &mw_root || mw_task_is_new(task))
		return false;
	rcu_read_lock();
	bound = mw_binding_of_task(mw_task_live_thread(task));
	rcu_read_unlock();
	return !bound || bound == &mw_root;
}

/*
 * Has the last thread gone meanwhile?  mw_member_exit() looks into the table
 * without the lock, and may have done so before the process was inserted.  If so,
 * live is seen to be 0 here: the barrier pairs with that of live's decrement.
 */
static bool has_ended(struct signal_struct *sig)
{
	smp_mb();
	return !atomic_read(&sig->live);
}

/**
 * mw_member_attach() - move a process into a group
 * @task:  its first thread, referenced
 * @group: the destination, the root included
 *
 * What it charged so far stays where it was charged.  The move holds, whatever the process's
 * cgroup is bound to, until it comes to another cgroup that is bound.
 *
 * Context: process, may sleep, tree mutex held.
 * Return: 0; -ENOMEM; -ENODEV if the group was removed; -ESRCH if the process
 * is dead; -EINVAL for a kernel thread.
 */
int mw_member_attach(struct task_struct *task, struct mw_group *group)
{
	struct mw_member *fresh;

	mw_tree_assert_held();
	/* it may be about to exit */
	if (READ_ONCE(task->flags) & PF_KTHREAD)
		return -EINVAL;
	if (group->dead)
		return -ENODEV;
	if (!atomic_read(&task->signal->live))
		return -ESRCH;
	if (belongs_without(task, group)) {
		mw_member_leave(task->signal);
		return 0;
	}
	fresh = mw_member_new(task);
	if (!fresh)
		return -ENOMEM;
	if (!enter(task->signal, fresh, group))
		mw_member_drop(fresh);
	if (mw_task_cgroup_id(task)) {
		mw_migration_catch_up(task);
		/* whoever has moved it meanwhile may as well have done so before */
		mw_migration_note_in_v1(task);
	}
	if (!has_ended(task->signal))
		return 0;
	mw_member_leave(task->signal);
	return -ESRCH;
}

/**
 * mw_member_exit() - a thread ends; with the last one its process leaves
 * @task: the thread
 *
 * Context: process.
 */
void mw_member_exit(struct task_struct *task)
{
	if (atomic_read(&task->signal->live)) {
		/* in cgroup v1 another one says where the process is from now on */
		if (mw_hierarchies_exist() && mw_task_was_first(task))
			mw_migration_note_in_v1(task);
		return;
	}
	mw_member_leave(task->signal);
	if (mw_bindings_exist())
		mw_member_date_change(mw_member_bucket_of(task->signal));
}

/**
 * mw_member_drop_void() - remove the entries of a group that do not count any more
 * @group: the group
 *
 * Context: process.
 */
void mw_member_drop_void(struct mw_group *group)
{
	struct mw_member *member, *next;

	spin_lock(&group->members_lock);
	list_for_each_entry_safe(member, next, &group->members, list)
		if (READ_ONCE(member->voided))
			mw_member_remove(member);
	spin_unlock(&group->members_lock);
}

/**
 * mw_member_visit() - visit the processes of a group that have an entry
 * @group: the group
 * @visit: called for each, must not sleep
 * @data:  handed on
 *
 * Context: process.
 * Return: false if @visit has seen enough.
 */
bool mw_member_visit(struct mw_group *group, mw_member_visit_fn visit, void *data)
{
	struct mw_member *member;
	bool go_on = true;

	spin_lock(&group->members_lock);
	list_for_each_entry(member, &group->members, list) {
		go_on = READ_ONCE(member->voided) || visit(member->tgid, group, data);
		if (!go_on)
			break;
	}
	spin_unlock(&group->members_lock);
	return go_on;
}

/**
 * mw_member_kill() - the same, to kill them
 * @group: the group
 * @kill:  called for each, must not sleep
 *
 * The time is taken afterwards: a child that is begun later has a parent which the signal has
 * reached, and that is not let through to its end if it dies of it.
 *
 * Context: process.
 */
void mw_member_kill(struct mw_group *group, mw_member_visit_fn kill)
{
	struct mw_member *member;

	spin_lock(&group->members_lock);
	list_for_each_entry(member, &group->members, list) {
		if (!READ_ONCE(member->voided))
			kill(member->tgid, group, NULL);
		member->killed = ktime_get_ns();
	}
	spin_unlock(&group->members_lock);
}

/**
 * mw_member_unlisted() - the group of a process that has no entry
 * @process: its first thread
 *
 * A kernel thread has no memory to be charged.  A process that ends counts as long as one with
 * an entry does: with MW_HAVE_EARLY_EXIT until then, before it is until its memory was given back.
 *
 * Context: RCU read side, and kept while the group is used.
 * Return: NULL if it has an entry, or has ended, or the kernel does not have it in a cgroup yet.
 */
struct mw_group *mw_member_unlisted(struct task_struct *process)
{
	struct task_struct *thread = mw_task_live_thread(process);
	bool is_over = !atomic_read(&process->signal->live);
	struct mw_group *group = NULL;

	if (is_over && (MW_HAVE_EARLY_EXIT || !READ_ONCE(thread->mm)))
		return NULL;
	if (mw_member_find(process->signal) || mw_cgroup_is_to_come(process))
		return NULL;
	if (!(READ_ONCE(process->flags) & PF_KTHREAD))
		group = mw_binding_of_task(thread);
	return group ?: &mw_root;
}

/* Until it looks somebody up a processor knows that who is nobody is in no group. */
static void prepare_caches(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(mw_cpu, cpu).date = &mw_member_bucket_of(NULL)->date;
}

/**
 * mw_member_init() - prepare the table, and what processors remember of it
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_member_init(void)
{
	int ret = mw_member_table_init();

	if (!ret)
		prepare_caches();
	return ret;
}

/** mw_members_stop() - forget who was moved to the root, at the last unmount */
void mw_members_stop(void)
{
	struct mw_member *member, *next;

	spin_lock(&mw_root.members_lock);
	list_for_each_entry_safe(member, next, &mw_root.members, list)
		mw_member_remove(member);
	spin_unlock(&mw_root.members_lock);
}

/** mw_member_exit_all() - undo mw_member_init(); no process is in a group */
void mw_member_exit_all(void)
{
	mw_member_table_exit();
}
