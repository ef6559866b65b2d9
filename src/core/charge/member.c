// SPDX-License-Identifier: GPL-2.0
/*
 * Which process is in which group.
 *
 * DOC: A process that is in no group (in the root) has no entry here, so a
 * machine that does not use memward does not pay for it.  The others have a
 * struct mw_member in a hash table, found by their signal_struct.
 *
 * Readers (the charge path) look up under RCU and keep the answer in their
 * CPU's cache, dated with mw_member_seq.  Every change is made first and dated
 * afterwards; readers take the date first and look up afterwards; so an answer
 * that misses a change carries an old date and is not used again.  One charge
 * that is under way during a move may still go to the old group.
 *
 * Because a signal_struct is freed only after mw_member_exit() has dated its
 * removal, and one that is used again enters through mw_member_fork() or
 * mw_member_attach(), which date it too, a reused address never finds a stale
 * answer of the other kind.
 *
 * Lock: member_lock, inside the tree mutex; taken in process context with
 * preemption off at most.
 */
#include <linux/hash.h>
#include <linux/mempool.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include <core/charge/member.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>

#define MEMBER_HASH_BITS	12
/* members set aside for forks that find no memory */
#define MEMBER_RESERVE		128

/**
 * struct member - one process in a group
 * @node:   in the hash table
 * @list:   in the group's members, under member_lock
 * @sig:    the process, not referenced
 * @tgid:   its pid, referenced
 * @group:  where it is; written under member_lock
 * @killed: when cgroup.kill came to it, by ktime_get_ns(); 0 for never
 * @rcu:    frees it
 */
struct member {
	struct hlist_node node;
	struct list_head list;
	struct signal_struct *sig;
	struct pid *tgid;
	struct mw_group *group;
	u64 killed;
	struct rcu_head rcu;
};

unsigned long mw_member_seq;

static struct hlist_head member_hash[1 << MEMBER_HASH_BITS];
static DEFINE_SPINLOCK(member_lock);
static struct kmem_cache *member_cache;
static mempool_t *member_pool;
static atomic_long_t escapes;

static struct hlist_head *bucket(struct signal_struct *sig)
{
	return &member_hash[hash_ptr(sig, MEMBER_HASH_BITS)];
}

/* Context: RCU read side, or member_lock */
static struct member *find(struct signal_struct *sig)
{
	struct member *member;

	hlist_for_each_entry_rcu(member, bucket(sig), node,
				 lockdep_is_held(&member_lock))
		if (member->sig == sig)
			return member;
	return NULL;
}

/* Pairs with the smp_rmb() in mw_member_owner(): change first, date after. */
static void date_change(void)
{
	lockdep_assert_held(&member_lock);
	smp_wmb();
	WRITE_ONCE(mw_member_seq, mw_member_seq + 1);
}

static void member_drop(struct member *member)
{
	put_pid(member->tgid);
	mempool_free(member, member_pool);
}

static void member_free_rcu(struct rcu_head *rcu)
{
	member_drop(container_of(rcu, struct member, rcu));
}

static struct member *member_alloc(struct task_struct *task, gfp_t gfp)
{
	struct member *member = mempool_alloc(member_pool, gfp);

	if (!member)
		return NULL;
	member->sig = task->signal;
	/* that of a process which ends may be put at any time */
	member->tgid = get_task_pid(task, PIDTYPE_TGID);
	member->killed = 0;
	return member;
}

static void insert(struct member *member, struct mw_group *group)
{
	member->group = group;
	hlist_add_head_rcu(&member->node, bucket(member->sig));
	list_add_tail(&member->list, &group->members);
	date_change();
}

static void remove(struct member *member)
{
	hlist_del_rcu(&member->node);
	list_del(&member->list);
	date_change();
	call_rcu(&member->rcu, member_free_rcu);
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
	struct signal_struct *sig = mw_member_process(mm);
	struct mw_cpu *cpu = this_cpu_ptr(&mw_cpu);
	struct member *member;

	cpu->seq = READ_ONCE(mw_member_seq);
	smp_rmb();	/* pairs with date_change() */
	member = sig ? find(sig) : NULL;
	cpu->found = member ? READ_ONCE(member->group)->owner : NULL;
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
	struct mw_group *group = &mw_root;
	struct member *member;

	mw_tree_assert_held();
	spin_lock(&member_lock);
	member = find(task->signal);
	if (member)
		group = member->group;
	mw_group_get(group);
	spin_unlock(&member_lock);
	return group;
}

/**
 * mw_member_current_group_get() - the group that pays for current's memory
 *
 * Context: process.
 * Return: the group, the root for none; with a reference.
 */
struct mw_group *mw_member_current_group_get(void)
{
	struct mw_group *group = &mw_root;
	struct member *member = NULL;

	/* a removed group keeps its reference for a grace period more */
	preempt_disable();
	if (current->mm)
		member = find(mw_member_process(current->mm));
	if (member)
		group = READ_ONCE(member->group);
	mw_group_get(group);
	preempt_enable();
	return group;
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

/* Returns whether @fresh was used. */
static bool move_locked(struct signal_struct *sig, struct member *fresh,
			struct mw_group *group)
{
	struct member *member = find(sig);

	if (group == &mw_root) {
		if (member)
			remove(member);
		return false;
	}
	if (!member) {
		insert(fresh, group);
		return true;
	}
	if (member->group != group) {
		list_move_tail(&member->list, &group->members);
		WRITE_ONCE(member->group, group);
		date_change();
	}
	return false;
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
 * @task:  any of its threads, referenced
 * @group: the destination, the root included
 *
 * What it charged so far stays where it was charged.
 *
 * Context: process, may sleep, tree mutex held.
 * Return: 0; -ENOMEM; -ENODEV if the group was removed; -ESRCH if the process
 * is dead; -EINVAL for a kernel thread.
 */
int mw_member_attach(struct task_struct *task, struct mw_group *group)
{
	struct member *fresh;
	int ret = 0;

	mw_tree_assert_held();
	/* it may be about to exit */
	if (READ_ONCE(task->flags) & PF_KTHREAD)
		return -EINVAL;
	fresh = member_alloc(task, GFP_KERNEL);
	if (!fresh)
		return -ENOMEM;
	spin_lock(&member_lock);
	if (!atomic_read(&task->signal->live))
		ret = -ESRCH;
	else if (group->dead)
		ret = -ENODEV;
	else if (move_locked(task->signal, fresh, group))
		fresh = NULL;
	if (!ret && has_ended(task->signal)) {
		move_locked(task->signal, NULL, &mw_root);
		ret = -ESRCH;
	}
	spin_unlock(&member_lock);
	if (fresh)
		member_drop(fresh);
	return ret;
}

/*
 * Returns whether the child must die: cgroup.kill came while it was made.  Its
 * parent need not have died of that: nothing ends process 1.
 */
static bool inherit(struct task_struct *parent, struct task_struct *child,
		    struct member *fresh)
{
	struct member *from = find(parent->signal);

	if (!from || find(fresh->sig)) {
		/* moved to the root, or the child was moved already */
		member_drop(fresh);
		return false;
	}
	insert(fresh, from->group);
	return child->start_time <= from->killed;
}

/**
 * mw_member_exists() - is a process in a group other than the root?
 * @task: any of its threads
 *
 * Context: any.
 * Return: true if so.
 */
bool mw_member_exists(struct task_struct *task)
{
	bool found;

	rcu_read_lock();
	found = find(task->signal);
	rcu_read_unlock();
	return found;
}

/**
 * mw_member_fork() - a child is born in its parent's group
 * @parent: the forking thread
 * @child:  the new thread, not running yet
 *
 * Context: process, preemption off.
 */
void mw_member_fork(struct task_struct *parent, struct task_struct *child)
{
	struct member *fresh;
	bool die;

	if (child->signal == parent->signal || !mw_member_exists(parent))
		return;
	fresh = member_alloc(child, GFP_ATOMIC | __GFP_NOWARN);
	if (!fresh) {
		atomic_long_inc(&escapes);
		return;
	}
	spin_lock(&member_lock);
	die = inherit(parent, child, fresh);
	spin_unlock(&member_lock);
	if (die)
		send_sig(SIGKILL, child, 1);
}

/**
 * mw_member_exit() - a thread ends; with the last one its process leaves
 * @task: the thread
 *
 * Context: process, preemption off.
 */
void mw_member_exit(struct task_struct *task)
{
	struct member *member;

	if (atomic_read(&task->signal->live) || !mw_member_exists(task))
		return;
	spin_lock(&member_lock);
	member = find(task->signal);
	if (member)
		remove(member);
	spin_unlock(&member_lock);
}

/**
 * mw_members_close() - let nobody enter a group that has no process
 * @group: about to be removed
 *
 * Context: process, tree mutex held.
 * Return: true if it is closed now, false if it has processes.
 */
bool mw_members_close(struct mw_group *group)
{
	mw_tree_assert_held();
	spin_lock(&member_lock);
	if (list_empty(&group->members))
		WRITE_ONCE(group->dead, true);
	spin_unlock(&member_lock);
	return group->dead;
}

/**
 * mw_members_populated() - does a subtree have processes?
 * @group: its top
 *
 * Context: process, tree mutex held.
 * Return: true if so.
 */
bool mw_members_populated(struct mw_group *group)
{
	struct mw_group *pos;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		if (!list_empty(&pos->members))
			return true;
	return false;
}

/**
 * mw_members_walk() - visit the processes of one group
 * @group: not the root, which has no list
 * @visit: called for each, must not sleep
 * @data:  handed on
 *
 * Context: process.
 */
void mw_members_walk(struct mw_group *group, mw_member_visit_fn visit,
		     void *data)
{
	struct member *member;

	spin_lock(&member_lock);
	list_for_each_entry(member, &group->members, list)
		visit(member->tgid, data);
	spin_unlock(&member_lock);
}

/*
 * As cgroup v2 does: a signal for each thread, from current, which process 1
 * ignores, and the init of a pid namespace if it comes from inside.  The time is
 * taken afterwards: a child that is begun later has a parent which the signal has
 * reached, and that is not let through to its end if it dies of it.
 */
static void kill_member(struct member *member)
{
	struct task_struct *process, *thread;

	rcu_read_lock();
	process = pid_task(member->tgid, PIDTYPE_TGID);
	if (process)
		for_each_thread(process, thread)
			if (!__fatal_signal_pending(thread))
				send_sig(SIGKILL, thread, 0);
	rcu_read_unlock();
	member->killed = ktime_get_ns();
}

static void kill_group(struct mw_group *group)
{
	struct member *member;

	spin_lock(&member_lock);
	list_for_each_entry(member, &group->members, list)
		kill_member(member);
	spin_unlock(&member_lock);
}

/**
 * mw_members_kill() - kill every process of a subtree
 * @group: its top
 *
 * A child that is being forked meanwhile is caught by mw_member_fork(): either
 * it is in the list already, or it is older than the time in its parent's entry.
 *
 * Context: process, tree mutex held.
 */
void mw_members_kill(struct mw_group *group)
{
	struct mw_group *pos;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		kill_group(pos);
}

/**
 * mw_member_escapes() - children that started in the root for want of memory
 *
 * Return: their number since the module was loaded.
 */
unsigned long mw_member_escapes(void)
{
	return atomic_long_read(&escapes);
}

/**
 * mw_member_init() - prepare the table
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_member_init(void)
{
	member_cache = kmem_cache_create("memward_member",
					 sizeof(struct member), 0, 0, NULL);
	if (!member_cache)
		return -ENOMEM;
	member_pool = mempool_create_slab_pool(MEMBER_RESERVE, member_cache);
	if (!member_pool) {
		kmem_cache_destroy(member_cache);
		return -ENOMEM;
	}
	return 0;
}

/** mw_member_exit_all() - undo mw_member_init(); no process is in a group */
void mw_member_exit_all(void)
{
	rcu_barrier();
	mempool_destroy(member_pool);
	kmem_cache_destroy(member_cache);
}
