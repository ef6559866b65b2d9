// SPDX-License-Identifier: GPL-2.0
/*
 * A group's queues: which of them a page belongs to, and a place in it; see lru.c.
 */
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/spinlock.h>

#include <compat/folio.h>
#include <core/group/group.h>
#include <core/group/leaving.h>
#include <core/group/pending.h>
#include <core/pages/chunk.h>
#include <core/pages/inbox.h>
#include <core/pages/lru.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>
#include <core/pages/place.h>
#include <core/pages/queue.h>

/* Not anonymous memory that can be dropped: to reclaim it is as with a file. */
static enum mw_lru_type type_of(const struct mw_page *page)
{
	struct folio *folio = page->folio;

	if (folio && folio_test_anon(folio) && !folio_test_swapbacked(folio))
		return MW_LRU_FILE;
	return mw_lru_type(mw_pc_kind(page->entry));
}

/* Where a page belongs, as it is just now. */
static unsigned int queue_for(const struct mw_page *page)
{
	enum mw_lru_type type = type_of(page);

	if (page->folio && folio_test_unevictable(page->folio) &&
	    !mw_pc_is_hidden(page->entry))
		return MW_LRU_UNEVICTABLE;
	if (page->folio && folio_test_writeback(page->folio))
		return MW_LRU_WRITTEN + type;
	return type;
}

/* The chunk at the tail that has room, of a queue or of what is unsorted, with the lock held; NULL for no memory. */
static struct mw_chunk *tail_chunk(struct mw_lru *lru, struct list_head *chunks)
{
	struct mw_chunk *chunk = NULL;

	if (!list_empty(chunks))
		chunk = list_last_entry(chunks, struct mw_chunk, list);
	if (chunk && chunk->nr < MW_CHUNK_PAGES)
		return chunk;
	chunk = mw_chunk_alloc();
	if (!chunk)
		return NULL;
	mw_chunk_close(chunk, 0);
	atomic_long_inc(&lru->nr_chunks);
	if (chunks == &lru->sorting)
		WRITE_ONCE(lru->nr_unsorted, lru->nr_unsorted + 1);
	list_add_tail(&chunk->list, chunks);
	return chunk;
}

/**
 * mw_queue_lose() - a page of a group may be in no chunk
 * @group: which
 *
 * Context: any; the group is referenced or inside an RCU read side.
 */
void mw_queue_lose(struct mw_group *group)
{
	WRITE_ONCE(group->lru.lost, true);
	mw_pending_set(group);
}

/* Add a page there, with the lock held. Return: whether it has a slot there now. */
static bool add_to(struct mw_group *group, struct list_head *chunks,
		   const struct mw_page *page, unsigned int age)
{
	struct mw_chunk *chunk = tail_chunk(&group->lru, chunks);
	u32 chunk_id = chunk ? chunk->id : 0;

	if (!mw_place_set(page, chunk_id, age))
		return false;
	if (!chunk) {
		mw_queue_lose(group);
		return false;
	}
	chunk->slot[chunk->nr++] = mw_slot(page->pfn, ilog2(page->nr));
	chunk->nr_pages += page->nr;
	return true;
}

/* With the lock held; others look at it without. */
static void count_slots(struct mw_queue *queue, long nr, long nr_pages)
{
	WRITE_ONCE(queue->nr, queue->nr + nr);
	WRITE_ONCE(queue->nr_pages, queue->nr_pages + nr_pages);
}

static void append_to(struct mw_group *group, unsigned int queue_nr,
		      const struct mw_page *page, unsigned int age)
{
	struct mw_lru *lru = &group->lru;
	struct mw_queue *queue;

	/* of a page without a reference the memory may have gone: its flags are there as long as its entry */
	if (!mw_pc_entry(page->pfn))
		return;
	/* others of the flags may change at any time */
	queue = &lru->queue[data_race(pfn_to_nid(page->pfn))][queue_nr];
	spin_lock(&lru->lock);
	if (add_to(group, &queue->chunks, page, age)) {
		count_slots(queue, 1, page->nr);
		if (queue_nr == MW_LRU_WRITTEN + MW_LRU_ANON)
			mw_leaving_add(group, page->nr);
		if (queue_nr >= MW_LRU_WRITTEN)
			mw_pending_set(group);
	}
	spin_unlock(&lru->lock);
}

static void append(struct mw_group *group, const struct mw_page *page,
		   unsigned int age)
{
	append_to(group, queue_for(page), page, age);
}

static void append_written(struct mw_group *group, const struct mw_page *page,
			   unsigned int age)
{
	append_to(group, MW_LRU_WRITTEN + mw_lru_type(mw_pc_kind(page->entry)),
		  page, age);
}

/* It does not say itself yet that it can be dropped. */
static void append_lazyfree(struct mw_group *group, const struct mw_page *page,
			    unsigned int age)
{
	append_to(group, MW_LRU_FILE, page, age);
}

/* Behind what the CPUs have sent so far. */
static void append_last(struct mw_group *group, const struct mw_page *page,
			unsigned int age)
{
	struct mw_lru *lru = &group->lru;

	spin_lock(&lru->lock);
	mw_inbox_fetch_locked(lru);
	add_to(group, &lru->sorting, page, age);
	spin_unlock(&lru->lock);
}

static void append_to_owners(const struct mw_page *page, unsigned int age,
			     void (*append_fn)(struct mw_group *group,
					       const struct mw_page *page,
					       unsigned int age))
{
	struct mw_group *group;

	preempt_disable();
	group = mw_owner_group(mw_pc_owner_id(page->entry));
	if (group)
		append_fn(group, page, age);
	preempt_enable();
}

/**
 * mw_queue_sort_in() - put a page at the tail of its queue
 * @page: as it was found
 *
 * The queue is one of the group that pays now, which after a removal is not the one
 * it was found in.
 *
 * Context: process.
 */
void mw_queue_sort_in(const struct mw_page *page)
{
	append_to_owners(page, mw_pc_age(page->entry), append);
}

/**
 * mw_queue_append_written() - put a page at the tail of what is being written
 * @page: as it was found
 *
 * Context: process.
 */
void mw_queue_append_written(const struct mw_page *page)
{
	append_to_owners(page, mw_pc_age(page->entry), append_written);
}

/**
 * mw_queue_append_lazyfree() - put anonymous memory that can be dropped among the files
 * @page: as it was found
 *
 * Context: process.
 */
void mw_queue_append_lazyfree(const struct mw_page *page)
{
	append_to_owners(page, 0, append_lazyfree);
}

/**
 * mw_queue_append() - look at a page again when all others were looked at
 * @page: as it was found
 * @age:  what its entry is to say
 *
 * What cannot be reclaimed, or is being written, has a queue of its own.
 *
 * The place is one in the group that pays now, which after a removal is not
 * the one it was found in.  Nothing happens if the page was freed or queued anew
 * meanwhile.
 *
 * Context: process.
 */
void mw_queue_append(const struct mw_page *page, unsigned int age)
{
	append_to_owners(page, age, queue_for(page) < MW_NR_LRU_TYPES ?
				    append_last : append);
}

/**
 * mw_queue_take() - take the oldest chunk
 * @lru:   whose queue it is
 * @queue: from this
 *
 * Context: process.
 * Return: the chunk, NULL if there is none.
 */
struct mw_chunk *mw_queue_take(struct mw_lru *lru, struct mw_queue *queue)
{
	struct mw_chunk *chunk;

	spin_lock(&lru->lock);
	chunk = list_first_entry_or_null(&queue->chunks, struct mw_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		count_slots(queue, -(long)chunk->nr, -(long)chunk->nr_pages);
		atomic_long_dec(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return chunk;
}

/**
 * mw_queue_put() - put a chunk back before all others
 * @group: whose queue it is
 * @queue: where it was
 * @chunk: in no list
 *
 * Context: process.
 * Return: false if the group was removed: its queues went to its parent, or are just
 * about to.  Then the chunk is still in no list.
 */
bool mw_queue_put(struct mw_group *group, struct mw_queue *queue,
		  struct mw_chunk *chunk)
{
	struct mw_lru *lru = &group->lru;
	bool alive;

	spin_lock(&lru->lock);
	alive = !READ_ONCE(group->dead);
	if (alive) {
		list_add(&chunk->list, &queue->chunks);
		count_slots(queue, chunk->nr, chunk->nr_pages);
		atomic_long_inc(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return alive;
}

/**
 * mw_queue_splice() - put all of a queue behind another
 * @from: empty afterwards
 * @to:   gets it
 *
 * Context: with the locks of both held.
 */
void mw_queue_splice(struct mw_queue *from, struct mw_queue *to)
{
	list_splice_tail_init(&from->chunks, &to->chunks);
	count_slots(to, from->nr, from->nr_pages);
	count_slots(from, -(long)from->nr, -(long)from->nr_pages);
}
