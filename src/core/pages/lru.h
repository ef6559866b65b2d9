/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_LRU_H
#define MEMWARD_LRU_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <core/pages/chunk.h>
#include <core/pages/place.h>
#include <core/pages/queue.h>
#include <pure/kind.h>

struct mw_group;

/**
 * struct mw_lru - the pages of a group, in the order in which reclaim looks at
 * them
 * @inbox:     full chunks from the CPUs, not sorted yet, newest first
 * @lock:      protects the rest but @nr_chunks; process context only
 * @sorting:   chunks taken from the inbox, and what reclaim has kept behind them,
 *             oldest first
 * @queue:     by node and type, unevictable or written; allocated with the group
 * @nr_unsorted: chunks in @sorting
 * @nr_chunks: all that are in the inbox, in @sorting or in a queue
 * @nr_out:    how many have pages of it in hands
 * @lost:      a page may be in no chunk
 * @sought:    somebody walks all memory for such pages
 * @scanned:   pages looked at lately, by type
 * @rotated:   of these, pages found in use
 * @refaulted: pages that came back, as far as they are in @rotated, by type
 * @compact:   compact.c's; holds a reference on the group
 */
struct mw_lru {
	struct llist_head inbox;
	spinlock_t lock;
	struct list_head sorting;
	unsigned long nr_unsorted;
	struct mw_queue (*queue)[MW_NR_QUEUES];
	atomic_long_t nr_chunks;
	atomic_t nr_out;
	bool lost;
	bool sought;
	unsigned long scanned[MW_NR_LRU_TYPES];
	unsigned long rotated[MW_NR_LRU_TYPES];
	unsigned long refaulted[MW_NR_LRU_TYPES];
	struct work_struct compact;
};

/**
 * struct mw_left - what is left of a page that reclaim has tried, in pages
 * @nr:     in all
 * @coming: is being written, or has been and only waits to be looked at again
 * @stuck:  slots of what has been, of @coming
 * @held:   is neither that nor mapped: somebody has it locked, or its file system keeps it
 * @pinned: nor that: somebody has a reference
 */
struct mw_left {
	unsigned int nr;
	unsigned int coming;
	unsigned int stuck;
	unsigned int held;
	unsigned int pinned;
};

/**
 * typedef mw_lru_visit_fn - looks at a page
 * @page: the page
 * @data: the visitor's own
 *
 * Return: whether to go on with the next slot.
 */
typedef bool (*mw_lru_visit_fn)(const struct mw_page *page, void *data);

void mw_lru_hold(struct mw_group *group);
void mw_lru_release(struct mw_group *group);
int mw_lru_visit(struct mw_group *group, int nid, unsigned int type,
		 mw_lru_visit_fn visit, void *data);
void mw_lru_fetch(struct mw_group *group);
unsigned long mw_lru_unsorted(struct mw_group *group);
bool mw_lru_sort(struct mw_group *group);
void mw_lru_put_unsorted(struct mw_group *group, struct mw_chunk *chunk);
void mw_lru_sort_again(struct mw_group *group, int nid, unsigned int type);
struct mw_left mw_lru_return(const struct mw_page *page);
bool mw_lru_seek_unlocked(struct mw_group *group, int nid, unsigned long *found);
void mw_lru_recheck(struct mw_group *group);
unsigned long mw_lru_queued(const struct mw_lru *lru, unsigned int queue);
unsigned long mw_lru_chunks(const struct mw_lru *lru, int nid, unsigned int queue);
bool mw_lru_seek(struct mw_group *group);
bool mw_lru_rescue(void);
void mw_lru_sought(struct mw_group *group, bool found);
bool mw_lru_has_lost(const struct mw_lru *lru);
bool mw_lru_is_out(const struct mw_lru *lru);
void mw_lru_settle(struct mw_group *group);

size_t mw_lru_bytes(void);
void mw_lru_setup(struct mw_lru *lru, void *queues);
void mw_lru_splice(struct mw_group *removed, struct mw_group *parent);
void mw_lru_empty(struct mw_lru *lru);

#endif
