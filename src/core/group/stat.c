// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of a group, and of a group with all below it.
 *
 * DOC: Charge and uncharge add to the CPU's own share of the group that their owner
 * points to, one instruction each, safe against interrupts.  Sums are made when somebody
 * asks, from those shares alone that have changed since: each CPU has a list of them, as
 * in the kernel's rstat.  What has changed is added to the sums of the group and of all
 * above it, so that to read is to copy, however many groups there are.
 *
 * A share gets into the list when it is marked.  Who adds something now and then does so
 * each time, by mw_stats_add().  The hot paths do not: they add to the group that their
 * CPU has its stock of, so that group's share is marked when the stock is taken, and again
 * whenever it was taken off the list while that CPU still has the stock.
 *
 * Shares are 32 bits wide.  A worker adds them up once a minute, so that 2^31 pages, which
 * are 8 TB, cannot be charged unseen.
 *
 * Lock order: tree mutex, mutex of the sums.  Nothing is allocated under it.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include <core/group/group.h>
#include <core/group/stat.h>
#include <core/group/tree.h>

/* the sums of all groups, and what the shares have in them */
static DEFINE_MUTEX(sum_mutex);

/* shares that have changed */
static DEFINE_PER_CPU(struct llist_head, changed);
/* where an owner says to whose share its CPU adds without marking it each time */
static DEFINE_PER_CPU(struct mw_group __rcu **, in_use);

static unsigned long sum_kinds(const unsigned long *pages)
{
	unsigned long sum = 0;
	int kind;

	for (kind = 0; kind < MW_NR_KINDS; kind++)
		sum += pages[kind];
	return sum;
}

/** mw_stats_charged() - pages ever charged, of any kind */
unsigned long mw_stats_charged(const struct mw_stats *stats)
{
	return sum_kinds(stats->pages + MW_STAT_CHARGED);
}

/** mw_stats_uncharged() - pages ever uncharged, of any kind */
unsigned long mw_stats_uncharged(const struct mw_stats *stats)
{
	return sum_kinds(stats->pages + MW_STAT_UNCHARGED);
}

/**
 * mw_stats_alloc() - shares for a new group
 * @group: the group
 *
 * Context: process, may sleep.
 * Return: all zero, for free_percpu(); NULL without memory.
 */
struct mw_cpu_stats __percpu *mw_stats_alloc(struct mw_group *group)
{
	struct mw_cpu_stats __percpu *stats =
		alloc_percpu_gfp(struct mw_cpu_stats, GFP_KERNEL_ACCOUNT);
	int cpu;

	if (stats)
		for_each_possible_cpu(cpu)
			per_cpu_ptr(stats, cpu)->group = group;
	return stats;
}

/* --- marking ------------------------------------------------------------------------ */

/*
 * Whoever goes on to free the group does so a grace period after its last reference.
 *
 * Context: @group is referenced, or found in this RCU read side.
 */
static void mark(struct mw_group *group, int cpu)
{
	struct mw_cpu_stats *share = per_cpu_ptr(group->stats, cpu);

	if (READ_ONCE(share->marked) || xchg(&share->marked, 1))
		return;
	/* nobody will ask any more */
	if (!refcount_inc_not_zero(&group->refs))
		return;
	llist_add(&share->node, per_cpu_ptr(&changed, cpu));
}

/**
 * mw_stats_add() - count something
 * @group:    for which group; referenced, or found in this RCU read side
 * @stat:     an enum mw_stat, plus a kind or an LRU type where it has them
 * @nr_pages: pages; may be negative
 *
 * Context: any.
 */
void mw_stats_add(struct mw_group *group, unsigned int stat, int nr_pages)
{
	preempt_disable();
	this_cpu_add(group->stats->now[stat], nr_pages);
	/* pairs with that in take_off(): either it sees the pages or this sees no mark */
	smp_mb();
	mark(group, smp_processor_id());
	preempt_enable();
}

/**
 * mw_stats_use() - a CPU is about to add to a group's share without marking it
 * @cpu:   this one, or one that is offline
 * @group: where its owner keeps it, readable for a grace period after it was replaced here;
 *         NULL, before the owner is let go of: the CPU will add to none
 *
 * Context: interrupts off.
 */
void mw_stats_use(int cpu, struct mw_group __rcu **group)
{
	/* after all that was added */
	if (!group) {
		smp_store_release(per_cpu_ptr(&in_use, cpu), NULL);
		return;
	}
	/* either take_off() sees that it is in use, or this sees no mark */
	smp_store_mb(*per_cpu_ptr(&in_use, cpu), group);
	mark(rcu_dereference_sched(*group), cpu);
}

/**
 * mw_stats_reclaimed() - count what reclaim has done
 * @group:   to this group
 * @why:     what for
 * @type:    in the queues of this type
 * @scanned: pages that it has looked at
 * @stolen:  of them, reclaimed
 *
 * Seldom enough to be added to all groups above at once.
 *
 * Context: any; the group is referenced.
 */
void mw_stats_reclaimed(struct mw_group *group, enum mw_reclaim_why why,
			enum mw_lru_type type, unsigned long scanned,
			unsigned long stolen)
{
	for (; group; group = group->parent) {
		atomic_long_add(scanned, &group->scanned[why][type]);
		atomic_long_add(stolen, &group->stolen[why][type]);
	}
}

/* --- adding up ---------------------------------------------------------------------- */

static void add_up(struct mw_group *group, unsigned int stat, long nr_pages)
{
	struct mw_group *payer = mw_group_payer(group);

	WRITE_ONCE(payer->own.pages[stat], payer->own.pages[stat] + nr_pages);
	for (; group; group = group->parent)
		group->below.pages[stat] += nr_pages;
}

static void add_share(struct mw_cpu_stats *share)
{
	unsigned int i;

	for (i = 0; i < MW_NR_STATS; i++) {
		u32 now = READ_ONCE(share->now[i]);
		s32 change = now - share->added[i];

		if (!change)
			continue;
		add_up(share->group, i, change);
		WRITE_ONCE(share->added[i], now);
	}
}

/* That is, whom the owner that its stock is of says to be its group at this moment. */
static bool is_in_use(struct mw_group *group, int cpu)
{
	struct mw_group __rcu **used;
	bool ret;

	rcu_read_lock();
	used = READ_ONCE(*per_cpu_ptr(&in_use, cpu));
	ret = used && rcu_dereference(*used) == group;
	rcu_read_unlock();
	return ret;
}

/*
 * Off the list and into the sums.  To look who is in use comes first: who is so no more
 * has added all before it ceased to be.
 */
static void take_off(struct mw_cpu_stats *share, int cpu)
{
	struct mw_group *group = share->group;

	smp_store_mb(share->marked, 0);
	if (is_in_use(group, cpu))
		mark(group, cpu);
	smp_rmb();
	add_share(share);
	mw_group_put(group);
}

static void add_changed(void)
{
	struct mw_cpu_stats *share, *next;
	struct llist_node *list;
	int cpu;

	for_each_possible_cpu(cpu) {
		list = llist_del_all(per_cpu_ptr(&changed, cpu));
		llist_for_each_entry_safe(share, next, list, node) {
			take_off(share, cpu);
			cond_resched();
		}
	}
}

static void add_all_shares(struct mw_group *group)
{
	int cpu;

	for_each_possible_cpu(cpu)
		add_share(per_cpu_ptr(group->stats, cpu));
}

/**
 * mw_stats_read() - statistics of a group
 * @group: referenced
 * @own:   without groups below it, but with those that were removed; in pages
 * @below: with all groups below it; in pages
 *
 * Context: process, may sleep.  Costs as much as there are CPUs, and shares that have
 * changed since it was last called.
 */
void mw_stats_read(struct mw_group *group, struct mw_stats *own,
		   struct mw_stats *below)
{
	mutex_lock(&sum_mutex);
	add_changed();
	*own = group->own;
	*below = group->below;
	mutex_unlock(&sum_mutex);
}

/**
 * mw_stats_estimate() - statistics of a group without those below it, for a decision
 * @group: referenced
 * @own:   the first MW_NR_ESTIMATED of them, in pages; the others are not touched
 *
 * Without a lock: what is being added up meanwhile may be missing, or in it twice.
 *
 * Context: any; takes two cache lines of each possible CPU.
 */
void mw_stats_estimate(struct mw_group *group, struct mw_stats *own)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < MW_NR_ESTIMATED; i++)
		own->pages[i] = READ_ONCE(group->own.pages[i]);
	for_each_possible_cpu(cpu) {
		struct mw_cpu_stats *share = per_cpu_ptr(group->stats, cpu);

		for (i = 0; i < MW_NR_ESTIMATED; i++)
			own->pages[i] += (s32)(READ_ONCE(share->now[i]) -
					       READ_ONCE(share->added[i]));
	}
}

/* --- removed groups ----------------------------------------------------------------- */

/**
 * mw_stats_hand_over() - a removed group's own statistics are its parent's from now on
 * @group: dead; its owners have moved
 *
 * Context: process, tree mutex held.
 */
void mw_stats_hand_over(struct mw_group *group)
{
	struct mw_group *parent = group->parent;
	unsigned int i;
	int cpu;

	mutex_lock(&sum_mutex);
	add_all_shares(group);
	for (i = 0; i < MW_NR_STATS; i++) {
		WRITE_ONCE(parent->own.pages[i],
			   parent->own.pages[i] + group->own.pages[i]);
		WRITE_ONCE(group->own.pages[i], 0);
	}
	/* CPUs with stock of its owners add to the parent's shares now: see mw_stats_use() */
	smp_mb();
	for_each_possible_cpu(cpu)
		mark(parent, cpu);
	mutex_unlock(&sum_mutex);
}

/**
 * mw_stats_settle() - the last of a removed group's statistics, its marks are gone
 * @group: a grace period after mw_stats_hand_over()
 *
 * Context: process, may sleep.
 */
void mw_stats_settle(struct mw_group *group)
{
	mutex_lock(&sum_mutex);
	add_changed();
	/* of who knew it already when its owners moved, nobody has marked it since */
	add_all_shares(group);
	mutex_unlock(&sum_mutex);
}

/**
 * mw_stats_reset() - forget all
 * @group: the root, with nobody left who counts anything
 *
 * Context: process, may sleep.
 */
void mw_stats_reset(struct mw_group *group)
{
	int cpu;

	mutex_lock(&sum_mutex);
	add_changed();
	for_each_possible_cpu(cpu) {
		struct mw_cpu_stats *share = per_cpu_ptr(group->stats, cpu);

		*share = (struct mw_cpu_stats){ .group = group };
	}
	group->own = (struct mw_stats){};
	group->below = (struct mw_stats){};
	memset(group->scanned, 0, sizeof(group->scanned));
	memset(group->stolen, 0, sizeof(group->stolen));
	mutex_unlock(&sum_mutex);
}

/* --- once a minute ------------------------------------------------------------------ */

#define ADD_UP_EVERY	(60 * HZ)

static struct workqueue_struct *stat_wq;

static void add_up_fn(struct work_struct *work)
{
	mutex_lock(&sum_mutex);
	add_changed();
	mutex_unlock(&sum_mutex);
	queue_delayed_work(stat_wq, to_delayed_work(work), ADD_UP_EVERY);
}
static DECLARE_DELAYED_WORK(add_up_work, add_up_fn);

/**
 * mw_stats_start() - begin to add up what nobody asks for
 *
 * Context: process.
 * Return: 0.
 */
int mw_stats_start(void)
{
	queue_delayed_work(stat_wq, &add_up_work, ADD_UP_EVERY);
	return 0;
}

/** mw_stats_stop() - undo mw_stats_start(); no CPU has a stock any more */
void mw_stats_stop(void)
{
	cancel_delayed_work_sync(&add_up_work);
}

/**
 * mw_stats_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_stats_init(void)
{
	stat_wq = alloc_workqueue("memward_stat", WQ_UNBOUND, 1);
	return stat_wq ? 0 : -ENOMEM;
}

/** mw_stats_exit() - undo mw_stats_init() */
void mw_stats_exit(void)
{
	destroy_workqueue(stat_wq);
}
