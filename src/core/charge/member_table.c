// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the processes that were moved into a group, and of their children.
 *
 * DOC: A hash table, found by the signal_struct.  A member enters, leaves and changes its group
 * with the lock of the group held, or of both; only who has the tree mutex takes it from one group
 * to another.  What is known of its cgroup is under the lock of its bucket.
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
 * removal, and one that is used again enters through mw_birth() or
 * mw_member_attach(), which date it too, a reused address never finds a stale
 * answer of the other kind.
 *
 * A fork may not wait for the memory of its child's entry: some are set aside, and a worker puts
 * back what was taken.
 */
#include <linux/mempool.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <core/charge/member_table.h>
#include <core/group/group.h>
#include <core/group/task.h>

/* members set aside for forks that find no memory, and may not wait for it */
#define MEMBER_RESERVE		128

struct mw_member_bucket mw_member_table[1 << MW_MEMBER_HASH_BITS];
static struct kmem_cache *member_cache;
static mempool_t *member_pool;
/* it has a thread of its own: memory is short */
static struct workqueue_struct *refill_wq;

static bool is_full(void)
{
	return READ_ONCE(member_pool->curr_nr) >= MEMBER_RESERVE;
}

/* What forks have taken from the reserve is put back by who may wait. */
static void refill_fn(struct work_struct *work)
{
	struct mw_member *member;

	while (!is_full()) {
		member = kmem_cache_alloc(member_cache, GFP_KERNEL);
		if (!member)
			return;
		mempool_free(member, member_pool);
	}
}
static DECLARE_WORK(refill_work, refill_fn);

/* Context: no lock of memward's but mutexes held, nor in what trace events of cgroups call. */
static void note_in_v1(struct mw_member *member, struct task_struct *task)
{
	unsigned int slot;

	member->came_in_v1 = 0;
	member->noted_in_v1 = 0;
	memset(member->in_v1, 0, sizeof(member->in_v1));
	if (!mw_hierarchies_exist())
		return;
	for (slot = 0; slot < MW_HIERARCHIES; slot++)
		member->in_v1[slot] = mw_hierarchy_id_of(slot, task);
}

static struct mw_member *setup(struct mw_member *member, struct task_struct *task)
{
	if (!member)
		return NULL;
	member->sig = task->signal;
	/* that of a process which ends may be put at any time */
	member->tgid = get_task_pid(task, PIDTYPE_TGID);
	member->cgroup = mw_task_cgroup_id(task);
	member->came = 0;
	member->before = 0;
	member->before_came = 0;
	member->voided = 0;
	note_in_v1(member, task);
	member->killed = 0;
	return member;
}

/**
 * mw_member_new() - make an entry for a process, which is not in the table yet
 * @task: any of its threads
 *
 * What is set aside is for forks.
 *
 * Context: process, may sleep.
 * Return: the entry, or NULL for -ENOMEM.
 */
struct mw_member *mw_member_new(struct task_struct *task)
{
	return setup(kmem_cache_alloc(member_cache, GFP_KERNEL), task);
}

/**
 * mw_member_new_reserved() - the same, for who may not wait for memory
 * @task: the process's only thread
 *
 * Context: process.
 * Return: the entry, or NULL if nothing is left of what was set aside either.
 */
struct mw_member *mw_member_new_reserved(struct task_struct *task)
{
	struct mw_member *member;

	member = setup(mempool_alloc(member_pool, GFP_ATOMIC | __GFP_NOWARN), task);
	if (!is_full())
		queue_work(refill_wq, &refill_work);
	return member;
}

/**
 * mw_member_drop() - free an entry that was not inserted
 * @member: the entry
 *
 * Context: any.
 */
void mw_member_drop(struct mw_member *member)
{
	put_pid(member->tgid);
	mempool_free(member, member_pool);
}

static void member_free_rcu(struct rcu_head *rcu)
{
	mw_member_drop(container_of(rcu, struct mw_member, rcu));
}

/**
 * mw_member_insert() - put an entry into the table
 * @member: the entry
 * @group:  where its process is from now on
 *
 * Context: the group's members locked.
 * Return: false if the process has one already, in whichever group.
 */
bool mw_member_insert(struct mw_member *member, struct mw_group *group)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(member->sig);
	unsigned long flags;
	bool is_new;

	lockdep_assert_held(&group->members_lock);
	member->group = group;
	spin_lock_irqsave(&bucket->lock, flags);
	is_new = !mw_member_entry(member->sig);
	if (is_new)
		hlist_add_head_rcu(&member->node, &bucket->members);
	spin_unlock_irqrestore(&bucket->lock, flags);
	if (is_new) {
		list_add_tail(&member->list, &group->members);
		mw_member_date_change(bucket);
	}
	return is_new;
}

/**
 * mw_member_remove() - take an entry out of the table, and free it
 * @member: the entry
 *
 * Context: the members of its group locked.
 */
void mw_member_remove(struct mw_member *member)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(member->sig);
	unsigned long flags;

	lockdep_assert_held(&member->group->members_lock);
	spin_lock_irqsave(&bucket->lock, flags);
	hlist_del_init_rcu(&member->node);
	spin_unlock_irqrestore(&bucket->lock, flags);
	list_del(&member->list);
	mw_member_date_change(bucket);
	call_rcu(&member->rcu, member_free_rcu);
}

/**
 * mw_member_lock_group() - lock the members of the group that a member is in
 * @member: the member; its group may change until then
 *
 * Context: RCU read side.
 * Return: the group; NULL, with nothing locked, if it is a member no more.
 */
struct mw_group *mw_member_lock_group(struct mw_member *member)
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

/**
 * mw_member_leave() - see to it that a process has no entry
 * @sig: the process
 *
 * Context: process.
 */
void mw_member_leave(struct signal_struct *sig)
{
	struct mw_group *group = NULL;
	struct mw_member *member;

	rcu_read_lock();
	member = mw_member_entry(sig);
	if (member)
		group = mw_member_lock_group(member);
	if (group) {
		mw_member_remove(member);
		spin_unlock(&group->members_lock);
	}
	rcu_read_unlock();
}

/**
 * mw_members_look_again() - forget what processors know of who is in which group
 *
 * Context: any; after whatever has changed that.
 */
void mw_members_look_again(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(mw_member_table); i++)
		mw_member_date_change(&mw_member_table[i]);
}

/** mw_member_reserve() - members that are set aside for forks */
unsigned int mw_member_reserve(void)
{
	return READ_ONCE(member_pool->curr_nr);
}

/**
 * mw_member_table_init() - prepare the table
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_member_table_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(mw_member_table); i++)
		spin_lock_init(&mw_member_table[i].lock);
	refill_wq = alloc_workqueue("memward_member", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	if (!refill_wq)
		return -ENOMEM;
	member_cache = kmem_cache_create("memward_member",
					 sizeof(struct mw_member), 0, 0, NULL);
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

/** mw_member_table_exit() - undo mw_member_table_init(); the table is empty */
void mw_member_table_exit(void)
{
	destroy_workqueue(refill_wq);
	rcu_barrier();
	mempool_destroy(member_pool);
	kmem_cache_destroy(member_cache);
}
