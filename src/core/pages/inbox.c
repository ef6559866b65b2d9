// SPDX-License-Identifier: GPL-2.0
/*
 * What the CPUs have sent to a group, and reclaim has kept behind it, and is in no
 * queue yet; see lru.c.
 */
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>

#include <core/group/group.h>
#include <core/pages/chunk.h>
#include <core/pages/inbox.h>
#include <core/pages/lru.h>

/**
 * mw_inbox_receive() - take over a chunk that a CPU has filled
 * @group: whose pages they are
 * @chunk: no longer the CPU's
 *
 * Context: any, inside an RCU read side.
 * Return: chunks that the group has now.
 */
long mw_inbox_receive(struct mw_group *group, struct mw_chunk *chunk)
{
	struct mw_lru *lru = &group->lru;
	long nr = atomic_long_inc_return(&lru->nr_chunks);

	/* nothing is added to it */
	chunk->nr = MW_CHUNK_PAGES;
	llist_add(&chunk->inbox, &lru->inbox);
	return nr;
}

/* With the lock held; others look at it without. */
static void count_unsorted(struct mw_lru *lru, long nr)
{
	WRITE_ONCE(lru->nr_unsorted, lru->nr_unsorted + nr);
}

/* In the order in which they were sent.  Return: how many. */
static unsigned long fetch_to(struct mw_lru *lru, struct list_head *chunks)
{
	struct mw_chunk *chunk, *next;
	unsigned long nr = 0;

	/* the newest is the first */
	llist_for_each_entry_safe(chunk, next, llist_del_all(&lru->inbox), inbox) {
		list_add(&chunk->list, chunks);
		nr++;
	}
	return nr;
}

/**
 * mw_inbox_fetch_locked() - put what the CPUs have sent behind what is unsorted, in
 * the order in which they sent it
 * @lru: whose
 *
 * Takes the longer the more is there: mw_inbox_fetch() is to be called before.
 *
 * Context: with the lock held, or nobody else about.
 */
void mw_inbox_fetch_locked(struct mw_lru *lru)
{
	LIST_HEAD(chunks);

	if (llist_empty(&lru->inbox))
		return;
	count_unsorted(lru, fetch_to(lru, &chunks));
	list_splice_tail(&chunks, &lru->sorting);
}

/**
 * mw_inbox_splice() - put all that is unsorted behind another group's
 * @from: empty afterwards
 * @to:   gets it
 *
 * Context: with the locks of both held.
 */
void mw_inbox_splice(struct mw_lru *from, struct mw_lru *to)
{
	mw_inbox_fetch_locked(from);
	list_splice_tail_init(&from->sorting, &to->sorting);
	count_unsorted(to, from->nr_unsorted);
	count_unsorted(from, -(long)from->nr_unsorted);
}

/* Put them behind what is unsorted.  Return: false if the group was removed, and its queues are its parent's. */
static bool put_behind(struct mw_group *group, struct list_head *chunks, unsigned long nr)
{
	struct mw_lru *lru = &group->lru;
	bool alive;

	spin_lock(&lru->lock);
	/* that they are counted moves to the parent by itself */
	alive = !READ_ONCE(group->dead);
	if (alive) {
		list_splice_tail_init(chunks, &lru->sorting);
		count_unsorted(lru, nr);
	}
	spin_unlock(&lru->lock);
	return alive;
}

/**
 * mw_inbox_fetch() - empty the inbox, without keeping others waiting for the lock
 * @group: whose; held, see mw_lru_hold(), as they are in no list meanwhile
 *
 * If two do it at the same time, or the group is just being removed, some that are older may come to be
 * behind the others.
 *
 * Context: process.
 */
void mw_inbox_fetch(struct mw_group *group)
{
	LIST_HEAD(chunks);
	unsigned long nr;

	if (llist_empty(&group->lru.inbox))
		return;
	nr = fetch_to(&group->lru, &chunks);
	while (!put_behind(group, &chunks, nr))
		group = group->parent;
}

/**
 * mw_inbox_is_empty() - is nothing there that is in no queue yet?
 * @lru: whose
 *
 * What is just being fetched is in neither list, or in somebody's hands.
 *
 * Context: process.
 */
bool mw_inbox_is_empty(struct mw_lru *lru)
{
	bool empty;

	spin_lock(&lru->lock);
	empty = list_empty(&lru->sorting) && llist_empty(&lru->inbox);
	spin_unlock(&lru->lock);
	return empty;
}

static struct mw_chunk *take_first(struct mw_lru *lru)
{
	struct mw_chunk *chunk;

	spin_lock(&lru->lock);
	chunk = list_first_entry_or_null(&lru->sorting, struct mw_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		count_unsorted(lru, -1);
		atomic_long_dec(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return chunk;
}

/**
 * mw_inbox_take() - take the oldest chunk that is in no queue yet
 * @group: whose; held, see mw_lru_hold()
 *
 * Context: process.
 * Return: the chunk, NULL if there is none.
 */
struct mw_chunk *mw_inbox_take(struct mw_group *group)
{
	struct mw_chunk *chunk = take_first(&group->lru);

	if (chunk)
		return chunk;
	mw_inbox_fetch(group);
	return take_first(&group->lru);
}

/**
 * mw_inbox_put() - put a chunk behind all that are in no queue yet
 * @group: whose it was
 * @chunk: in no list
 *
 * Context: process.
 * Return: false if the group was removed; then the chunk is still in no list.
 */
bool mw_inbox_put(struct mw_group *group, struct mw_chunk *chunk)
{
	struct mw_lru *lru = &group->lru;
	bool alive;

	spin_lock(&lru->lock);
	alive = !READ_ONCE(group->dead);
	if (alive) {
		list_add_tail(&chunk->list, &lru->sorting);
		count_unsorted(lru, 1);
		atomic_long_inc(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return alive;
}
