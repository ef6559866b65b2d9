// SPDX-License-Identifier: GPL-2.0
/*
 * Which process is in which group.
 *
 * DOC: A process that is in no group (in the root) has no entry here, so a
 * machine that does not use memward does not pay for it.  Who was moved into a group has a
 * struct member in a hash table, found by the signal_struct, and so have its children.
 *
 * Nor has a process an entry whose cgroup is bound to a group (binding.c): it is looked up
 * by its cgroup.  An entry comes before that, until its process comes to another cgroup
 * that is bound.  That is told of where the lock of a group's members may not be taken, so the
 * entry is void from then on, and stays until the process ends or is moved by hand, or the group
 * is removed: a child that was begun before is its parent's heir.
 *
 * A child is among the processes before the kernel has it in its cgroup, and then for a
 * moment before its entry is made: whoever looks through all processes (members.c) just
 * then misses it, or takes it for one whose cgroup counts.
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
 * What follows from bindings is dated likewise: by who is moved among cgroups, is forked or
 * ends, and for all buckets when something is bound or is no longer.
 *
 * Because a signal_struct is freed only after mw_member_exit() has dated its
 * removal, and one that is used again enters through mw_member_fork() or
 * mw_member_attach(), which date it too, a reused address never finds a stale
 * answer of the other kind.
 *
 * Locks, outermost first: tree mutex, the lock of a group's members, the lock of a bucket
 * of the table; the second in process context with preemption off at most, the last with
 * interrupts off.  A member enters, leaves and changes its group with the lock of the group
 * held, or of both; only who has the tree mutex takes it from one group to another.  What is
 * known of its cgroup is under the lock of its bucket.
 */
#include <linux/hash.h>
#include <linux/mempool.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include <compat/cgroup.h>
#include <core/charge/member.h>
#include <core/group/binding.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>

#define MEMBER_HASH_BITS	12
/* members set aside for forks that find no memory, and may not wait for it */
#define MEMBER_RESERVE		128

/**
 * struct member - one process that was moved into a group, or is the child of one
 * @node:   in the hash table, for as long as it is a member; under the group's lock
 * @list:   in the group's members, likewise
 * @sig:    the process, not referenced
 * @tgid:   its pid, referenced
 * @group:  where it is, or was at last
 * @cgroup: id of the kernel's cgroup that the process is in, as far as that was told; 0 for a
 *          child that is in none yet.  This and the next three under the lock of the bucket
 * @before: the one that it came from
 * @came:   when it came, by ktime_get_ns(); 0 for never
 * @voided: when it came to one that is bound, likewise: since then it is where that is; 0 for
 *          not
 * @killed: when cgroup.kill came to it, by ktime_get_ns(); 0 for never
 * @rcu:    frees it
 */
struct member {
	struct hlist_node node;
	struct list_head list;
	struct signal_struct *sig;
	struct pid *tgid;
	struct mw_group *group;
	u64 cgroup;
	u64 before;
	u64 came;
	u64 voided;
	u64 killed;
	struct rcu_head rcu;
};

/**
 * struct bucket - a part of the hash table
 * @lock:    who enters or leaves holds it, with interrupts off
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
static struct member *find_any(struct signal_struct *sig)
{
	struct member *member;

	hlist_for_each_entry_rcu(member, &bucket_of(sig)->members, node)
		if (member->sig == sig)
			return member;
	return NULL;
}

/* Context: as find_any().  Return: an entry that says where the process is. */
static struct member *find(struct signal_struct *sig)
{
	struct member *member = find_any(sig);

	return member && !READ_ONCE(member->voided) ? member : NULL;
}

/*
 * The first thread may end long before the others, and the kernel moves it no more from then
 * on.  Context: RCU read side.  Return: one that does not end; if all do, the last to have
 * memory.
 */
static struct task_struct *live_thread(struct task_struct *task)
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

/*
 * The group that a process's memory is charged to.
 *
 * Context: RCU read side, or preemption off, and kept while the group is used: a removed
 * group keeps its reference for a grace period more.
 */
static struct mw_group *group_of(struct task_struct *task)
{
	struct mw_group *group = NULL;
	struct member *member;

	rcu_read_lock();
	member = find(READ_ONCE(task->signal));
	if (member)
		group = READ_ONCE(member->group);
	else if (mw_bindings_exist() && !mw_cgroup_is_to_come(task))
		group = mw_binding_of_task(live_thread(task));
	rcu_read_unlock();
	return group ?: &mw_root;
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

static u64 cgroup_id_of(struct task_struct *task)
{
	u64 id;

	rcu_read_lock();
	id = mw_cgroup_is_to_come(task) ? 0 : mw_cgroup_id_of(live_thread(task));
	rcu_read_unlock();
	return id;
}

static struct member *member_setup(struct member *member, struct task_struct *task)
{
	if (!member)
		return NULL;
	member->sig = task->signal;
	/* that of a process which ends may be put at any time */
	member->tgid = get_task_pid(task, PIDTYPE_TGID);
	member->cgroup = cgroup_id_of(task);
	member->came = 0;
	member->voided = 0;
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
	unsigned long flags;
	bool is_new;

	lockdep_assert_held(&group->members_lock);
	member->group = group;
	spin_lock_irqsave(&bucket->lock, flags);
	is_new = !find_any(member->sig);
	if (is_new)
		hlist_add_head_rcu(&member->node, &bucket->members);
	spin_unlock_irqrestore(&bucket->lock, flags);
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
	unsigned long flags;

	lockdep_assert_held(&member->group->members_lock);
	spin_lock_irqsave(&bucket->lock, flags);
	hlist_del_init_rcu(&member->node);
	spin_unlock_irqrestore(&bucket->lock, flags);
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

/* The process has no entry, whatever it had. */
static void leave(struct signal_struct *sig)
{
	struct mw_group *group = NULL;
	struct member *member;

	rcu_read_lock();
	member = find_any(sig);
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
	struct task_struct *process = rcu_dereference_sched(mm->owner);
	struct signal_struct *sig = process ? READ_ONCE(process->signal) : NULL;
	struct mw_cpu *cpu = this_cpu_ptr(&mw_cpu);

	cpu->date = &bucket_of(sig)->date;
	cpu->seen = atomic_long_read(cpu->date);
	smp_rmb();	/* pairs with date_change() */
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
static void unvoid(struct member *member)
{
	struct bucket *bucket = bucket_of(member->sig);
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	WRITE_ONCE(member->voided, 0);
	spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * Context: tree mutex held, so it is in the same group until it ends.  Return: false if it
 * has.
 */
static bool change_group(struct member *member, struct mw_group *to)
{
	struct mw_group *from = member->group;
	bool ret;

	lock_two(from, to);
	ret = !hlist_unhashed_lockless(&member->node);
	if (ret) {
		list_move_tail(&member->list, &to->members);
		WRITE_ONCE(member->group, to);
		unvoid(member);
		date_change(bucket_of(member->sig));
	}
	unlock_two(from, to);
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
		member = find_any(sig);
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

/* Context: the bucket locked, RCU read side. */
static void come(struct member *member, struct cgroup *cgrp)
{
	u64 now = ktime_get_ns();

	if (member->cgroup == cgroup_id(cgrp))
		return;
	member->before = member->cgroup;
	member->came = now;
	member->cgroup = cgroup_id(cgrp);
	/* a child comes to its first one */
	if (member->before && !member->voided && mw_binding_of_cgroup(cgrp))
		WRITE_ONCE(member->voided, now);
}

/*
 * Whoever was moved among cgroups before its entry could be found: the move counts.  The kernel
 * has it in its cgroup, and who tells of a later one comes later.
 */
static void catch_up(struct task_struct *task)
{
	struct bucket *bucket = bucket_of(task->signal);
	struct member *member;
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&bucket->lock, flags);
	member = find_any(task->signal);
	if (member)
		come(member, mw_cgroup_of(live_thread(task)));
	spin_unlock_irqrestore(&bucket->lock, flags);
	date_change(bucket);
	rcu_read_unlock();
}

/* Is it enough for a process to have no entry to be in this group? */
static bool belongs_without(struct task_struct *task, const struct mw_group *group)
{
	struct mw_group *bound;

	if (group != &mw_root)
		return false;
	rcu_read_lock();
	bound = mw_binding_of_task(live_thread(task));
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
 * @task:  any of its threads, referenced
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
	struct member *fresh;

	mw_tree_assert_held();
	/* it may be about to exit */
	if (READ_ONCE(task->flags) & PF_KTHREAD)
		return -EINVAL;
	if (group->dead)
		return -ENODEV;
	if (!atomic_read(&task->signal->live))
		return -ESRCH;
	if (belongs_without(task, group)) {
		leave(task->signal);
		return 0;
	}
	/* what is set aside is for forks */
	fresh = member_setup(kmem_cache_alloc(member_cache, GFP_KERNEL), task);
	if (!fresh)
		return -ENOMEM;
	if (!enter(task->signal, fresh, group))
		member_drop(fresh);
	if (!mw_cgroup_is_to_come(task))
		catch_up(task);
	if (!has_ended(task->signal))
		return 0;
	leave(task->signal);
	return -ESRCH;
}

/*
 * The parent's entry, if that counted when the child was begun: the parent may have been moved
 * since, the child has not.  Context: RCU read side.
 */
static struct member *entry_at_birth(struct task_struct *parent, struct task_struct *child)
{
	struct member *from = find_any(parent->signal);
	u64 voided = from ? READ_ONCE(from->voided) : 0;

	return voided && voided < child->start_time ? NULL : from;
}

/*
 * Was it begun in another cgroup than its parent's (CLONE_INTO_CGROUP), and one that is bound?
 *
 * Context: RCU read side.
 */
static bool is_begun_elsewhere(const struct member *from, struct task_struct *child)
{
	struct bucket *bucket = bucket_of(from->sig);
	unsigned long flags;
	u64 id;

	if (!mw_bindings_exist())
		return false;
	spin_lock_irqsave(&bucket->lock, flags);
	id = from->came >= child->start_time ? from->before : from->cgroup;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return mw_cgroup_id_of(child) != id && mw_binding_of_task(child);
}

/*
 * Returns whether the child must die: cgroup.kill came while it was made.  Its
 * parent need not have died of that: nothing ends process 1.
 */
static bool inherit(struct task_struct *parent, struct task_struct *child,
		    struct member *fresh)
{
	struct member *from = entry_at_birth(parent, child);
	struct mw_group *group = from ? lock_group_of(from) : NULL;
	bool is_used = false, die = false;

	if (group) {
		if (is_begun_elsewhere(from, child))
			fresh->voided = child->start_time;
		/* unless it was moved already */
		is_used = insert(fresh, group);
		die = is_used && child->start_time <= from->killed;
		spin_unlock(&group->members_lock);
	}
	if (!is_used)
		member_drop(fresh);
	return die;
}

/* A child that is where its cgroup is bound: must it die?  See mw_members_kill(). */
static bool is_born_bound(struct task_struct *child)
{
	struct mw_group *group;
	bool die = false;

	smp_mb();	/* the kernel has it in its cgroup; pairs with that in kill_others() */
	rcu_read_lock();
	group = find(child->signal) ? NULL : mw_binding_of_task(child);
	if (group)
		die = child->start_time <= READ_ONCE(group->killed);
	rcu_read_unlock();
	return die;
}

static bool has_entry(struct task_struct *task)
{
	bool found;

	rcu_read_lock();
	found = find_any(task->signal);
	rcu_read_unlock();
	return found;
}

static bool is_to_inherit(struct task_struct *parent, struct task_struct *child)
{
	struct member *from;
	bool ret;

	rcu_read_lock();
	from = entry_at_birth(parent, child);
	ret = from && !is_begun_elsewhere(from, child);
	rcu_read_unlock();
	return ret;
}

/* Unless it was moved already, or its parent was. */
static bool has_no_place(struct task_struct *parent, struct task_struct *child)
{
	if (has_entry(child) || !is_to_inherit(parent, child))
		return false;
	atomic_long_inc(&fork_kills);
	pr_warn_ratelimited("memward: a child of %s (pid %d) was killed: no memory to put it in its group\n",
			    parent->comm, task_tgid_nr(parent));
	return true;
}

/* Return: must the child die? */
static bool place(struct task_struct *parent, struct task_struct *child)
{
	struct member *fresh;
	bool die;

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
	return die;
}

/**
 * mw_member_fork() - a child is born in its parent's group, or where its cgroup is bound
 * @parent: the forking thread
 * @child:  the new thread, not running yet; the kernel has put it in its cgroup
 *
 * Or not at all: it dies if there is no memory for its entry and nothing is left of what was
 * set aside.  Outside of the group it would be free of its limits for good, and it is too late
 * for fork() to fail.
 *
 * Context: process.
 */
void mw_member_fork(struct task_struct *parent, struct task_struct *child)
{
	bool die = false;

	if (child->signal == parent->signal)
		return;
	if (is_to_inherit(parent, child))
		die = place(parent, child);
	if (mw_bindings_exist()) {
		/* also who was moved by hand before the kernel had it in its cgroup */
		catch_up(child);
		die |= is_born_bound(child);
	}
	if (die)
		send_sig(SIGKILL, child, 1);
}

/**
 * mw_member_migrated() - a process has come to a cgroup, be it that it was there before
 * @task: any of its threads
 * @cgrp: the cgroup
 *
 * If that is bound its entry does not count any more.
 *
 * Context: any but interrupts and NMIs; takes no lock but that of a bucket.
 */
void mw_member_migrated(struct task_struct *task, struct cgroup *cgrp)
{
	/* the kernel has moved it, so that is where it is, unless it was moved on since */
	if (mw_cgroup_is_v2(cgrp))
		catch_up(task);
}

/* Context: the bucket locked, RCU read side. */
static void note_cgroup(struct member *member)
{
	struct task_struct *process = pid_task(member->tgid, PIDTYPE_TGID);

	if (process)
		member->cgroup = mw_cgroup_id_of(live_thread(process));
}

/**
 * mw_members_note_cgroups() - something is about to be bound, and nothing is yet
 *
 * As long as nothing is bound nobody tells of who is moved among cgroups.
 *
 * Context: process; mw_member_migrated() is told from now on.
 */
void mw_members_note_cgroups(void)
{
	struct member *member;
	int i;

	for (i = 0; i < ARRAY_SIZE(member_hash); i++) {
		rcu_read_lock();
		spin_lock_irq(&member_hash[i].lock);
		hlist_for_each_entry_rcu(member, &member_hash[i].members, node)
			note_cgroup(member);
		spin_unlock_irq(&member_hash[i].lock);
		rcu_read_unlock();
	}
}

/**
 * mw_members_look_again() - forget what processors know of who is in which group
 *
 * Context: any; after whatever has changed that.
 */
void mw_members_look_again(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(member_hash); i++)
		date_change(&member_hash[i]);
}

/**
 * mw_member_exit() - a thread ends; with the last one its process leaves
 * @task: the thread
 *
 * Context: process.
 */
void mw_member_exit(struct task_struct *task)
{
	if (atomic_read(&task->signal->live))
		return;
	leave(task->signal);
	if (mw_bindings_exist())
		date_change(bucket_of(task->signal));
}

/**
 * mw_member_drop_void() - remove the entries of a group that do not count any more
 * @group: the group
 *
 * Context: process.
 */
void mw_member_drop_void(struct mw_group *group)
{
	struct member *member, *next;

	spin_lock(&group->members_lock);
	list_for_each_entry_safe(member, next, &group->members, list)
		if (READ_ONCE(member->voided))
			remove(member);
	spin_unlock(&group->members_lock);
}

/**
 * mw_member_visit() - visit the processes of a group that have an entry
 * @group: the group
 * @visit: called for each, must not sleep
 * @data:  handed on
 *
 * Context: process.
 */
void mw_member_visit(struct mw_group *group, mw_member_visit_fn visit, void *data)
{
	struct member *member;

	spin_lock(&group->members_lock);
	list_for_each_entry(member, &group->members, list)
		if (!READ_ONCE(member->voided))
			visit(member->tgid, group, data);
	spin_unlock(&group->members_lock);
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
	struct member *member;

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
	struct task_struct *thread = live_thread(process);
	bool is_over = !atomic_read(&process->signal->live);
	struct mw_group *group = NULL;

	if (is_over && (MW_HAVE_EARLY_EXIT || !READ_ONCE(thread->mm)))
		return NULL;
	if (find(process->signal) || mw_cgroup_is_to_come(process))
		return NULL;
	if (!(READ_ONCE(process->flags) & PF_KTHREAD))
		group = mw_binding_of_task(thread);
	return group ?: &mw_root;
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

/** mw_members_stop() - forget who was moved to the root, at the last unmount */
void mw_members_stop(void)
{
	struct member *member, *next;

	spin_lock(&mw_root.members_lock);
	list_for_each_entry_safe(member, next, &mw_root.members, list)
		remove(member);
	spin_unlock(&mw_root.members_lock);
}

/** mw_member_exit_all() - undo mw_member_init(); no process is in a group */
void mw_member_exit_all(void)
{
	destroy_workqueue(refill_wq);
	rcu_barrier();
	mempool_destroy(member_pool);
	kmem_cache_destroy(member_cache);
}
