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

/**
 * mw_inbox_fetch_locked() - put what the CPUs have sent behind what is unsorted, in
 * the order in which they sent it
 * @lru: whose
 *
 * Context: with the lock held, or nobody else about.
 */
void mw_inbox_fetch_locked(struct mw_lru *lru)
{
	struct mw_chunk *chunk, *next;
	struct llist_node *node;

	if (llist_empty(&lru->inbox))
		return;
	node = llist_reverse_order(llist_del_all(&lru->inbox));
	llist_for_each_entry_safe(chunk, next, node, inbox)
		list_add_tail(&chunk->list, &lru->sorting);
}

/**
 * mw_inbox_fetch() - empty the inbox, which takes the longer the more is in it
 * @lru: whose
 *
 * Context: process.
 */
void mw_inbox_fetch(struct mw_lru *lru)
{
	spin_lock(&lru->lock);
	mw_inbox_fetch_locked(lru);
	spin_unlock(&lru->lock);
}

/**
 * mw_inbox_is_empty() - is nothing there that is in no queue yet?
 * @lru: whose
 *
 * With the lock: what is just being fetched is in neither list.
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

/**
 * mw_inbox_take() - take the oldest chunk that is in no queue yet
 * @lru: from this
 *
 * Context: process.
 * Return: the chunk, NULL if there is none.
 */
struct mw_chunk *mw_inbox_take(struct mw_lru *lru)
{
	struct mw_chunk *chunk;

	spin_lock(&lru->lock);
	if (list_empty(&lru->sorting))
		mw_inbox_fetch_locked(lru);
	chunk = list_first_entry_or_null(&lru->sorting, struct mw_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		atomic_long_dec(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return chunk;
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
		atomic_long_inc(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return alive;
}
