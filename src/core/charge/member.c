// SPDX-License-Identifier: GPL-2.0
/*
 * Which process is in which group.
 *
 * DOC: A process that is in no group (in the root) has no entry here, so a
 * machine that does not use memward does not pay for it.  The others have a
 * struct mw_member in a hash table, found by their signal_struct.
 *
 * Readers (the charge path) look up under RCU and keep the answer in their
 * CPU's cache, with the date of the bucket that the process belongs to.  Every
 * change is made first and dated afterwards; readers take the date first and
 * look up afterwards; so an answer that misses a change carries an old date and
 * is not used again.  One charge that is under way during a move may still go to
 * the old group.
 *
 * There is a date for each bucket, not one for all, because a group that forks all
 * the time must not have every other processor look up again at its next charge.
 *
 * Because a signal_struct is freed only after mw_member_exit() has dated its
 * removal, and one that is used again enters through mw_member_fork() or
 * mw_member_attach(), which date it too, a reused address never finds a stale
 * answer of the other kind.
 *
 * Locks, outermost first: tree mutex, the lock of a group's members, the lock of a bucket
 * of the table; the latter two in process context with preemption off at most.  A member
 * enters, leaves and changes its group with the lock of the group held, or of both; only
 * who has the tree mutex takes it from one group to another.
 */
#include <linux/hash.h>
#include <linux/mempool.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include <core/charge/member.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>

#define MEMBER_HASH_BITS	12
/* members set aside for forks that find no memory, and may not wait for it */
#define MEMBER_RESERVE		128

/**
 * struct member - one process in a group
 * @node:   in the hash table, for as long as it is a member; under the group's lock
 * @list:   in the group's members, likewise
 * @sig:    the process, not referenced
 * @tgid:   its pid, referenced
 * @group:  where it is, or was at last
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

/**
 * struct bucket - a part of the hash table
 * @lock:    who enters or leaves holds it
 * @members: read under RCU
 * @date:    grows with each change of who of them is in which group
 */
struct bucket {
	spinlock_t lock;
	struct hlist_head members;
	atomic_long_t date;
};

static struct bucket member_hash[1 << MEMBER_HASH_BITS];
static struct kmem_cache *member_cache;
static mempool_t *member_pool;
/* it has a thread of its own: memory is short */
static struct workqueue_struct *refill_wq;
static atomic_long_t fork_kills;

static struct bucket *bucket_of(struct signal_struct *sig)
{
	return &member_hash[hash_ptr(sig, MEMBER_HASH_BITS)];
}

/* Context: RCU read side, or preemption off */
static struct member *find(struct signal_struct *sig)
{
	struct member *member;

	hlist_for_each_entry_rcu(member, &bucket_of(sig)->members, node)
		if (member->sig == sig)
			return member;
	return NULL;
}

/* Pairs with the smp_rmb() in mw_member_owner(): change first, date after. */
static void date_change(struct bucket *bucket)
{
	smp_mb__before_atomic();
	atomic_long_inc(&bucket->date);
}

static bool is_full(void)
{
	return READ_ONCE(member_pool->curr_nr) >= MEMBER_RESERVE;
}

/* What forks have taken from the reserve is put back by who may wait. */
static void refill_fn(struct work_struct *work)
{
	struct member *member;

	while (!is_full()) {
		member = kmem_cache_alloc(member_cache, GFP_KERNEL);
		if (!member)
			return;
		mempool_free(member, member_pool);
	}
}
static DECLARE_WORK(refill_work, refill_fn);

static void member_drop(struct member *member)
{
	put_pid(member->tgid);
	mempool_free(member, member_pool);
}

static void member_free_rcu(struct rcu_head *rcu)
{
	member_drop(container_of(rcu, struct member, rcu));
}

static struct member *member_setup(struct member *member, struct task_struct *task)
{
	if (!member)
		return NULL;
	member->sig = task->signal;
	/* that of a process which ends may be put at any time */
	member->tgid = get_task_pid(task, PIDTYPE_TGID);
	member->killed = 0;
	return member;
}

/*
 * Context: the group's members locked.  Return: false if the process is a member already,
 * of whichever group.
 */
static bool insert(struct member *member, struct mw_group *group)
{
	struct bucket *bucket = bucket_of(member->sig);
	bool is_new;

	lockdep_assert_held(&group->members_lock);
	member->group = group;
	spin_lock(&bucket->lock);
	is_new = !find(member->sig);
	if (is_new)
		hlist_add_head_rcu(&member->node, &bucket->members);
	spin_unlock(&bucket->lock);
	if (is_new) {
		list_add_tail(&member->list, &group->members);
		date_change(bucket);
	}
	return is_new;
}

/* Context: the members of its group locked. */
static void remove(struct member *member)
{
	struct bucket *bucket = bucket_of(member->sig);

	lockdep_assert_held(&member->group->members_lock);
	spin_lock(&bucket->lock);
	hlist_del_init_rcu(&member->node);
	spin_unlock(&bucket->lock);
	list_del(&member->list);
	date_change(bucket);
	call_rcu(&member->rcu, member_free_rcu);
}

/*
 * Lock the members of the group that a member is in, which may change until then.
 *
 * Context: RCU read side.
 * Return: the group; NULL, with nothing locked, if it is a member no more.
 */
static struct mw_group *lock_group_of(struct member *member)
{
	struct mw_group *group;

	for (;;) {
		group = READ_ONCE(member->group);
		spin_lock(&group->members_lock);
		if (hlist_unhashed_lockless(&member->node))
			break;
		if (likely(group == READ_ONCE(member->group)))
			return group;
		spin_unlock(&group->members_lock);
	}
	spin_unlock(&group->members_lock);
	return NULL;
}

/* The process is in no group, whatever it was in. */
static void leave(struct signal_struct *sig)
{
	struct mw_group *group = NULL;
	struct member *member;

	rcu_read_lock();
	member = find(sig);
	if (member)
		group = lock_group_of(member);
	if (group) {
		remove(member);
		spin_unlock(&group->members_lock);
	}
	rcu_read_unlock();
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

	cpu->date = &bucket_of(sig)->date;
	cpu->seen = atomic_long_read(cpu->date);
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
	rcu_read_lock();
	member = find(task->signal);
	if (member)
		group = READ_ONCE(member->group);
	mw_group_get(group);
	rcu_read_unlock();
	return group;
}

/* Context: not preemptible: a removed group keeps its reference for a grace period more. */
static struct mw_group *current_group(void)
{
	struct member *member = NULL;

	if (current->mm)
		member = find(mw_member_process(current->mm));
	return member ? READ_ONCE(member->group) : &mw_root;
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

static void lock_two(struct mw_group *a, struct mw_group *b)
{
	if (a > b)
		swap(a, b);
	spin_lock(&a->members_lock);
	spin_lock_nested(&b->members_lock, SINGLE_DEPTH_NESTING);
}

/*
 * Context: tree mutex held, so it is in the same group until it ends.  Return: false if it
 * has.
 */
static bool change_group(struct member *member, struct mw_group *to)
{
	struct mw_group *from = member->group;
	bool ret;

	if (from == to)
		return true;
	lock_two(from, to);
	ret = !hlist_unhashed_lockless(&member->node);
	if (ret) {
		list_move_tail(&member->list, &to->members);
		WRITE_ONCE(member->group, to);
		date_change(bucket_of(member->sig));
	}
	spin_unlock(&from->members_lock);
	spin_unlock(&to->members_lock);
	return ret;
}

/* Context: tree mutex held.  Return: whether @fresh was used. */
static bool enter(struct signal_struct *sig, struct member *fresh,
		  struct mw_group *group)
{
	struct member *member;
	bool is_new = false, is_there;

	/* meanwhile it may end, or be born in its parent's group */
	do {
		rcu_read_lock();
		member = find(sig);
		is_there = member && change_group(member, group);
		if (!member) {
			spin_lock(&group->members_lock);
			is_new = insert(fresh, group);
			spin_unlock(&group->members_lock);
		}
		rcu_read_unlock();
	} while (!is_there && !is_new);
	return is_new;
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

	mw_tree_assert_held();
	/* it may be about to exit */
	if (READ_ONCE(task->flags) & PF_KTHREAD)
		return -EINVAL;
	if (group->dead)
		return -ENODEV;
	if (!atomic_read(&task->signal->live))
		return -ESRCH;
	if (group == &mw_root) {
		leave(task->signal);
		return 0;
	}
	/* what is set aside is for forks */
	fresh = member_setup(kmem_cache_alloc(member_cache, GFP_KERNEL), task);
	if (!fresh)
		return -ENOMEM;
	if (!enter(task->signal, fresh, group))
		member_drop(fresh);
	if (!has_ended(task->signal))
		return 0;
	leave(task->signal);
	return -ESRCH;
}

/*
 * Returns whether the child must die: cgroup.kill came while it was made.  Its
 * parent need not have died of that: nothing ends process 1.
 */
static bool inherit(struct task_struct *parent, struct task_struct *child,
		    struct member *fresh)
{
	struct member *from = find(parent->signal);
	struct mw_group *group = from ? lock_group_of(from) : NULL;
	bool is_used = false, die = false;

	if (group) {
		/* unless it was moved already */
		is_used = insert(fresh, group);
		die = is_used && child->start_time <= from->killed;
		spin_unlock(&group->members_lock);
	}
	if (!is_used)
		member_drop(fresh);
	return die;
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

/* Unless it was moved already, or its parent was. */
static bool has_no_place(struct task_struct *parent, struct task_struct *child)
{
	if (mw_member_exists(child) || !mw_member_exists(parent))
		return false;
	atomic_long_inc(&fork_kills);
	pr_warn_ratelimited("memward: a child of %s (pid %d) was killed: no memory to put it in its group\n",
			    parent->comm, task_tgid_nr(parent));
	return true;
}

/**
 * mw_member_fork() - a child is born in its parent's group
 * @parent: the forking thread
 * @child:  the new thread, not running yet
 *
 * Or not at all: it dies if there is no memory for that and nothing is left of what was set
 * aside.  Outside of the group it would be free of its limits for good, and it is too late
 * for fork() to fail.
 *
 * Context: process, preemption off.
 */
void mw_member_fork(struct task_struct *parent, struct task_struct *child)
{
	struct member *fresh;
	bool die;

	if (child->signal == parent->signal || !mw_member_exists(parent))
		return;
	fresh = member_setup(mempool_alloc(member_pool, GFP_ATOMIC | __GFP_NOWARN),
			     child);
	if (!is_full())
		queue_work(refill_wq, &refill_work);
	if (fresh) {
		rcu_read_lock();
		die = inherit(parent, child, fresh);
		rcu_read_unlock();
	} else {
		die = has_no_place(parent, child);
	}
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
	if (!atomic_read(&task->signal->live))
		leave(task->signal);
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
	spin_lock(&group->members_lock);
	if (list_empty(&group->members))
		WRITE_ONCE(group->dead, true);
	spin_unlock(&group->members_lock);
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

	spin_lock(&group->members_lock);
	list_for_each_entry(member, &group->members, list)
		visit(member->tgid, data);
	spin_unlock(&group->members_lock);
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

	spin_lock(&group->members_lock);
	list_for_each_entry(member, &group->members, list)
		kill_member(member);
	spin_unlock(&group->members_lock);
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
 * mw_member_fork_kills() - children that died at birth for want of memory
 *
 * Return: their number since the module was loaded.
 */
unsigned long mw_member_fork_kills(void)
{
	return atomic_long_read(&fork_kills);
}

/** mw_member_reserve() - members that are set aside for forks */
unsigned int mw_member_reserve(void)
{
	return READ_ONCE(member_pool->curr_nr);
}

/* Until it looks somebody up a processor knows that who is nobody is in no group. */
static void prepare_caches(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(mw_cpu, cpu).date = &bucket_of(NULL)->date;
}

/**
 * mw_member_init() - prepare the table
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_member_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(member_hash); i++)
		spin_lock_init(&member_hash[i].lock);
	prepare_caches();
	refill_wq = alloc_workqueue("memward_member", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	if (!refill_wq)
		return -ENOMEM;
	member_cache = kmem_cache_create("memward_member",
					 sizeof(struct member), 0, 0, NULL);
	if (!member_cache)
		goto no_cache;
	member_pool = mempool_create_slab_pool(MEMBER_RESERVE, member_cache);
	if (!member_pool)
		goto no_pool;
	return 0;

no_pool:
	kmem_cache_destroy(member_cache);
no_cache:
	destroy_workqueue(refill_wq);
	return -ENOMEM;
}

/** mw_member_exit_all() - undo mw_member_init(); no process is in a group */
void mw_member_exit_all(void)
{
	destroy_workqueue(refill_wq);
	rcu_barrier();
	mempool_destroy(member_pool);
	kmem_cache_destroy(member_cache);
}
