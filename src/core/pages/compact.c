// SPDX-License-Identifier: GPL-2.0
/*
 * Dropping what is stale in a group's queues; see lru.c.
 *
 * DOC: A group that charges and frees a lot leaves chunks behind that are mostly
 * stale.  When there are more than twice as many slots as pages, a worker drops
 * the stale ones.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/pages/compact.h>
#include <core/pages/inbox.h>
#include <core/pages/lru.h>

/* slots that may be stale before anyone minds, beside as many as there are pages */
#define COMPACT_SLACK	(32UL * MW_CHUNK_PAGES)
/* chunks more, at least and at most, until the worker looks whether most of them are stale */
#define MIN_CHUNKS	32
#define MAX_CHUNKS	2048

static struct workqueue_struct *compact_wq;

/* More than twice as many slots as pages? */
static bool is_sparse(struct mw_group *group)
{
	long slots = atomic_long_read(&group->lru.nr_chunks) * MW_CHUNK_PAGES;
	struct mw_stats stats;

	mw_stats_estimate(group, &stats);
	return slots > COMPACT_SLACK +
		       2 * (long)(mw_stats_charged(&stats) -
				  mw_stats_uncharged(&stats));
}

static void compact_queue(struct mw_group *group, int nid, unsigned int type)
{
	unsigned long chunks;

	/* once through what is there now; survivors go to the tail in order */
	for (chunks = mw_lru_chunks(&group->lru, nid, type); chunks; chunks--) {
		mw_lru_sort_again(group, nid, type);
		cond_resched();
	}
}

/* Return: the id of the chunk; 0 if nothing of it was left. */
static u32 prune(struct mw_group *group, struct mw_chunk *chunk)
{
	u32 id = chunk->id;

	if (mw_chunk_prune(chunk)) {
		mw_lru_put_unsorted(group, chunk);
		return id;
	}
	mw_chunk_free(chunk);
	return 0;
}

/*
 * Pages that were charged together are often freed together: drop the chunks of
 * which nothing is left before anything is moved.
 *
 * Once around, one at a time: reclaim, which may be at work meanwhile, must not
 * find nothing.
 */
static void prune_unsorted(struct mw_group *group)
{
	long left = atomic_long_read(&group->lru.nr_chunks);
	struct mw_chunk *chunk;
	u32 id, first = 0;

	mw_lru_hold(group);
	while (left-- > 0 && (chunk = mw_inbox_take(group))) {
		id = prune(group, chunk);
		if (id && id == first)
			break;
		first = first ?: id;
		cond_resched();
	}
	mw_lru_release(group);
}

static void compact(struct mw_group *group)
{
	int nid, type;
	long left;

	/* also if that is all: who has to do it in between holds the lock meanwhile */
	mw_lru_fetch(group);
	if (!is_sparse(group))
		return;
	prune_unsorted(group);
	if (!is_sparse(group))
		return;
	/* not what reclaim adds behind them meanwhile */
	for (left = atomic_long_read(&group->lru.nr_chunks);
	     left > 0 && mw_lru_sort(group); left--)
		cond_resched();
	if (!is_sparse(group))
		return;
	for_each_node_state(nid, N_MEMORY)
		for (type = 0; type < MW_NR_QUEUES; type++)
			compact_queue(group, nid, type);
}

static void compact_fn(struct work_struct *work)
{
	struct mw_group *group = container_of(work, struct mw_group,
					      lru.compact);

	compact(group);
	mw_group_put(group);
}

/* Context: any; the group is alive under RCU, or referenced. */
static void compact_soon(struct mw_group *group)
{
	mw_group_get(group);
	if (!queue_work(compact_wq, &group->lru.compact))
		mw_group_put(group);	/* never the last one */
}

/* An eighth more or so. */
static unsigned long look_every(unsigned long nr_chunks)
{
	return clamp(rounddown_pow_of_two(nr_chunks) / 8, (unsigned long)MIN_CHUNKS,
		     (unsigned long)MAX_CHUNKS);
}

/**
 * mw_compact_look() - a chunk more has come to a group
 * @group:     which one
 * @nr_chunks: that it has now
 *
 * Now and then it wakes the worker.  Who is here has interrupts off, and does not ask all
 * processors himself.
 *
 * Context: any, inside an RCU read side.
 */
void mw_compact_look(struct mw_group *group, long nr_chunks)
{
	if (nr_chunks > 0 && !(nr_chunks % look_every(nr_chunks)))
		compact_soon(group);
}

/**
 * mw_compact_look_at_all() - the chunks of a removed group have come to its parent
 * @group: the parent, which has the removed one's statistics too
 *
 * Context: process; the group is referenced.
 */
void mw_compact_look_at_all(struct mw_group *group)
{
	if (atomic_long_read(&group->lru.nr_chunks) > MIN_CHUNKS)
		compact_soon(group);
}

/** mw_compact_setup() - prepare a group for compaction */
void mw_compact_setup(struct mw_group *group)
{
	INIT_WORK(&group->lru.compact, compact_fn);
}

/** mw_compact_stop() - wait for compaction; no chunk is filled any more */
void mw_compact_stop(void)
{
	flush_workqueue(compact_wq);
}

/**
 * mw_compact_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_compact_init(void)
{
	compact_wq = alloc_workqueue("memward_lru", WQ_UNBOUND, 0);
	return compact_wq ? 0 : -ENOMEM;
}

/** mw_compact_exit() - undo mw_compact_init() */
void mw_compact_exit(void)
{
	destroy_workqueue(compact_wq);
}
