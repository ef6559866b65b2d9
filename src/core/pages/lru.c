// SPDX-License-Identifier: GPL-2.0
/*
 * The pages of a group, in the order in which they are to be looked at.
 *
 * DOC: A queue is a list of chunks of page frame numbers.  Charging fills a chunk
 * of the CPU's own (see stock.c) and puts it into the group's inbox when it is
 * full; both are one store a page, and no lock.  Reclaim sorts the inbox into
 * queues by node and type, as far as it needs to, and takes chunks from their heads.
 * What it keeps goes behind all others, those in the inbox included: at the tail of
 * a queue it would be looked at again before pages that are older.
 *
 * Nothing is ever unlinked.  The entry of a page carries the number of the chunk
 * that it is queued in, so a slot whose page was freed, charged anew or moved to
 * another chunk is recognised and passed over.  Numbers wrap around after 2^24
 * chunks: then a page may be found in a place older than its own, and be looked
 * at too early; the charge itself is compared as well, so that is all.
 *
 * A large folio has one slot, which knows its size, and its number is in all of its
 * entries: after a split its parts are found through the same slot.
 *
 * A group that charges and frees a lot leaves chunks behind that are mostly
 * stale: compact.c drops those.
 *
 * A page for which there was no chunk, for want of memory, carries number 0, and
 * its group knows that there may be such pages.  mw_lru_rescue() walks the shadow
 * array for those when nothing else is left.
 *
 * Here the chunks of a queue are visited.  place.c has what a slot and an entry say of
 * each other, inbox.c what is not sorted yet, queue.c what is.
 *
 * Lock: lru->lock, innermost, process context.
 */
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
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

/**
 * struct visit - a visit to the pages of a chunk
 * @chunk_id: which pages are its own
 * @fn:       the visitor
 * @data:     its own
 * @leaving:  of whom its slots count as about to go; NULL if they do not
 * @seen:     pages seen
 * @stop:     it wants no more
 */
struct visit {
	u32 chunk_id;
	mw_lru_visit_fn fn;
	void *data;
	struct mw_group *leaving;
	unsigned int seen;
	bool stop;
};

/* It goes where it belongs, unseen. */
static void keep(const struct mw_page *page)
{
	mw_queue_sort_in(page);
	if (page->folio)
		folio_put(page->folio);
}

/* Visit the folios that are still queued here: one, or what it was split into. */
static void visit_range(struct visit *visit, unsigned long pfn,
			unsigned long end)
{
	struct mw_page page = { .pfn = pfn };

	for (; page.pfn < end; page.pfn += page.nr) {
		if (!mw_place_find(visit->chunk_id, &page))
			continue;
		visit->seen += page.nr;
		if (visit->stop || !page.folio)
			keep(&page);
		else if (!visit->fn(&page, visit->data))
			visit->stop = true;
	}
}

static void visit_slot(struct visit *visit, u32 slot)
{
	unsigned int size = slot & -slot;
	unsigned long pfn = (slot - size) >> 1;

	visit_range(visit, pfn, pfn + size);
	/* what was appended there again counts already */
	if (visit->leaving)
		mw_leaving_add(visit->leaving, -(long)size);
}

/* Return: whether anything is left of a chunk but stale slots. */
static bool prune(struct visit *visit, struct mw_chunk *chunk)
{
	unsigned long pages = visit->leaving ? mw_chunk_pages(chunk) : 0;
	bool left = mw_chunk_prune(chunk);

	if (visit->leaving)
		mw_leaving_add(visit->leaving, mw_chunk_pages(chunk) - pages);
	return left;
}

/* From the first slot until the visitor has had enough; they are empty then. */
static void visit_chunk(struct visit *visit, struct mw_chunk *chunk)
{
	unsigned int i;

	if (!prune(visit, chunk))
		return;
	for (i = 0; i < MW_CHUNK_PAGES && !visit->stop; i++) {
		u32 slot = chunk->slot[i];

		if (!slot)
			continue;
		chunk->slot[i] = 0;
		visit_slot(visit, slot);
	}
}

static bool sort_one(const struct mw_page *page, void *data)
{
	mw_queue_sort_in(page);
	folio_put(page->folio);
	return true;
}

/* What is left in a chunk goes to the group that pays now. */
static void send_on(struct mw_chunk *chunk, struct mw_group *leaving)
{
	struct visit visit = {
		.chunk_id = chunk->id, .fn = sort_one, .leaving = leaving,
	};

	visit_chunk(&visit, chunk);
	mw_chunk_free(chunk);
}

/**
 * mw_lru_hold() - somebody is about to take pages of a group in hands
 * @group: whose; referenced
 *
 * A chunk that was taken out is in no queue until it is put back, or its pages are: who finds none
 * meanwhile waits for that (mw_lru_is_out()).
 *
 * Context: process.
 */
void mw_lru_hold(struct mw_group *group)
{
	atomic_inc(&group->lru.nr_out);
	mw_pending_set(group);
}

/**
 * mw_lru_release() - all that was taken is in a queue again, or freed
 * @group: as mw_lru_hold() was told
 *
 * Context: process.
 */
void mw_lru_release(struct mw_group *group)
{
	/* if it was removed meanwhile it is counted where its pages are */
	while (group && atomic_dec_if_positive(&group->lru.nr_out) < 0) {
		/* or on its way there: mw_lru_splice() has the lock until it has come */
		spin_lock(&group->lru.lock);
		spin_unlock(&group->lru.lock);
		group = group->parent;
	}
	WARN_ON_ONCE(!group);
}

/**
 * mw_lru_visit() - take the oldest chunk from a queue and look at its pages
 * @group: whose
 * @nid:   node
 * @type:  which queue, an enum mw_lru_type
 * @fn:    gets each page, with a reference that it must drop; a page that it
 *         does not append to a queue again is not found any more
 * @data:  for @fn
 *
 * What is left when @fn wants no more stays where it was.
 *
 * Context: process, may sleep if @fn does; the group is held, see mw_lru_hold().
 * Return: pages seen, which may be none; -ENOENT if the queue is empty.
 */
int mw_lru_visit(struct mw_group *group, int nid, unsigned int type,
		 mw_lru_visit_fn fn, void *data)
{
	struct mw_queue *queue = &group->lru.queue[nid][type];
	struct mw_chunk *chunk = mw_queue_take(&group->lru, queue);
	struct visit visit = {
		.fn = fn, .data = data,
		.leaving = type == MW_LRU_WRITTEN + MW_LRU_ANON ? group : NULL,
	};

	if (!chunk)
		return -ENOENT;
	visit.chunk_id = chunk->id;
	visit_chunk(&visit, chunk);
	if (!mw_chunk_pack(chunk))
		mw_chunk_free(chunk);
	else if (!mw_queue_put(group, queue, chunk))
		send_on(chunk, visit.leaving);
	else if (type >= MW_LRU_WRITTEN)
		mw_pending_set(group);
	return visit.seen;
}

/* A fast disk has written it by now: it can go the next time it is looked at. */
static bool is_written(struct folio *folio)
{
	return folio_test_swapcache(folio) && !folio_test_dirty(folio);
}

/* If it is not in use, nothing but its lock, its file system, or a reference that somebody else has can have kept it. */
static void note_kept(struct mw_left *left, const struct mw_page *page)
{
	struct folio *folio = page->folio;

	if (folio_mapped(folio) || folio_test_unevictable(folio))
		return;
	/* its file system has refused to let go of it: until a journal is written, or a server answers */
	if (folio_test_locked(folio) || folio_has_private(folio))
		left->held += page->nr;
	else
		left->pinned += page->nr;
}

static bool append_tried(const struct mw_page *page, void *data)
{
	struct mw_left *left = data;

	if (folio_test_writeback(page->folio) || is_written(page->folio)) {
		left->coming += page->nr;
		left->stuck += !folio_test_writeback(page->folio);
		mw_queue_append_written(page);
	} else {
		note_kept(left, page);
		mw_queue_append(page, mw_pc_age(page->entry));
	}
	folio_put(page->folio);
	return true;
}

/**
 * mw_lru_return() - put back what is left of a page that reclaim has tried
 * @page: as it was found
 *
 * It may have been freed, or split and freed in part.
 *
 * Context: process.
 * Return: what that is.
 */
struct mw_left mw_lru_return(const struct mw_page *page)
{
	struct mw_left left = {};
	struct visit visit = {
		.chunk_id = mw_pc_chunk(page->entry),
		.fn = append_tried, .data = &left,
	};

	visit_range(&visit, page->pfn, page->pfn + page->nr);
	left.nr = visit.seen;
	return left;
}

/**
 * mw_lru_sort_again() - sort the oldest chunk of a queue anew
 * @group: whose
 * @nid:   node
 * @type:  which queue, an enum mw_lru_type
 *
 * What is left of it goes to the tail of where it belongs.
 *
 * Context: process.
 */
void mw_lru_sort_again(struct mw_group *group, int nid, unsigned int type)
{
	mw_lru_hold(group);
	mw_lru_visit(group, nid, type, sort_one, NULL);
	mw_lru_release(group);
}

static void sort_all_again(struct mw_group *group, int nid, unsigned int type)
{
	unsigned long chunks = mw_lru_chunks(&group->lru, nid, type);

	while (chunks-- && !fatal_signal_pending(current)) {
		mw_lru_sort_again(group, nid, type);
		cond_resched();
	}
}

static bool sort_unlocked(const struct mw_page *page, void *data)
{
	unsigned long *found = data;

	if (!folio_test_unevictable(page->folio))
		*found += page->nr;
	return sort_one(page, NULL);
}

/**
 * mw_lru_seek_unlocked() - sort the oldest chunk of what is unevictable anew
 * @group: whose
 * @nid:   node
 * @found: has as many added to it as no longer are, in pages
 *
 * Nobody says when a page is unlocked.  What still is locked goes to the tail, so the next time it is
 * another chunk.
 *
 * Context: process.
 * Return: false if there was none.
 */
bool mw_lru_seek_unlocked(struct mw_group *group, int nid, unsigned long *found)
{
	int seen;

	mw_lru_hold(group);
	seen = mw_lru_visit(group, nid, MW_LRU_UNEVICTABLE, sort_unlocked, found);
	mw_lru_release(group);
	return seen >= 0;
}

/**
 * mw_lru_recheck() - sort all anew that were being written
 * @group: whose
 *
 * The first of them may be on a disk that hangs, and those behind it on another one.
 *
 * Context: process, may sleep.
 */
void mw_lru_recheck(struct mw_group *group)
{
	int nid;

	/* also what was on one whose memory has gone offline: it counts as about to go */
	for_each_node(nid) {
		sort_all_again(group, nid, MW_LRU_WRITTEN + MW_LRU_ANON);
		sort_all_again(group, nid, MW_LRU_WRITTEN + MW_LRU_FILE);
	}
}

/* --- the inbox --- */

/**
 * mw_lru_put_unsorted() - put a chunk behind all that are in no queue yet
 * @group: whose it was; its pages go to their payers if that was removed
 * @chunk: in no list
 *
 * Context: process.
 */
void mw_lru_put_unsorted(struct mw_group *group, struct mw_chunk *chunk)
{
	if (!mw_inbox_put(group, chunk))
		send_on(chunk, NULL);
}

/**
 * mw_lru_fetch() - see to it that nobody who needs the lock finds much in the inbox
 * @group: whose; referenced
 *
 * Context: process.
 */
void mw_lru_fetch(struct mw_group *group)
{
	if (llist_empty(&group->lru.inbox))
		return;
	mw_lru_hold(group);
	mw_inbox_fetch(group);
	mw_lru_release(group);
	mw_lru_settle(group);
}

/**
 * mw_lru_unsorted() - how much is in no queue yet
 * @group: whose; referenced
 *
 * What comes there after that is behind it, unless compaction moves it.
 *
 * Context: process.
 * Return: chunks, the last of which others may still add to.
 */
unsigned long mw_lru_unsorted(struct mw_group *group)
{
	mw_lru_fetch(group);
	return READ_ONCE(group->lru.nr_unsorted);
}

/**
 * mw_lru_sort() - put the pages of the oldest chunk in the inbox into queues
 * @group: whose
 *
 * Context: process.
 * Return: false if there was none.
 */
bool mw_lru_sort(struct mw_group *group)
{
	struct mw_chunk *chunk;

	if (mw_inbox_is_empty(&group->lru))
		return false;
	mw_lru_hold(group);
	chunk = mw_inbox_take(group);
	if (chunk)
		send_on(chunk, NULL);
	mw_lru_release(group);
	return chunk;
}

/**
 * mw_lru_queued() - how much is in a queue, on all nodes
 * @lru:   of whom
 * @queue: which: a type, or MW_LRU_UNEVICTABLE
 *
 * Return: slots; each is one folio, or was.
 */
unsigned long mw_lru_queued(const struct mw_lru *lru, unsigned int queue)
{
	unsigned long nr = 0;
	int nid;

	for_each_node_state(nid, N_MEMORY)
		nr += READ_ONCE(lru->queue[nid][queue].nr);
	return nr;
}

/**
 * mw_lru_chunks() - of how many chunks a queue is on a node
 * @lru:   of whom
 * @nid:   node
 * @queue: which, an enum mw_lru_type
 *
 * Return: at the most, as the first and the last may be of few slots; but each of several that look at it at once
 * may leave one more.
 */
unsigned long mw_lru_chunks(const struct mw_lru *lru, int nid, unsigned int queue)
{
	return READ_ONCE(lru->queue[nid][queue].nr) / MW_CHUNK_PAGES + 2;
}

/* --- rescue --- */

/* Is its group one of those whose lost pages are looked for? */
static bool is_sought(mw_entry_t entry)
{
	struct mw_group *group;
	bool sought;

	preempt_disable();
	group = mw_owner_group(mw_pc_owner_id(entry));
	sought = group && READ_ONCE(group->lru.sought);
	preempt_enable();
	return sought;
}

static void rescue_entry(unsigned long pfn, mw_entry_t entry, void *unused)
{
	struct mw_page page = { .pfn = pfn };

	if (mw_pc_chunk(entry) || !is_sought(entry))
		return;
	if (mw_place_find(0, &page) && page.folio)
		sort_one(&page, NULL);
}

/**
 * mw_lru_seek() - look for the pages of a group that are in no chunk, if there may be any
 * @group: which
 *
 * Context: process; one at a time, up to mw_lru_sought().
 * Return: whether mw_lru_rescue() is to be called.
 */
bool mw_lru_seek(struct mw_group *group)
{
	if (!READ_ONCE(group->lru.lost))
		return false;
	WRITE_ONCE(group->lru.sought, true);
	/* before the walk: a page that is lost during it says so again */
	smp_store_mb(group->lru.lost, false);
	return true;
}

/**
 * mw_lru_rescue() - queue the pages in no chunk, of all groups that mw_lru_seek() was told of
 *
 * Walks the whole shadow array, so for when nothing could be reclaimed.  Not while another one
 * walks, which takes long on a large machine: whoever charges a page does not wait for it.  Nor
 * does who was killed go on.
 *
 * Context: process, may sleep.
 * Return: whether it was done to the end.
 */
bool mw_lru_rescue(void)
{
	return mw_pc_try_walk(rescue_entry, NULL);
}

/**
 * mw_lru_sought() - that is over
 * @group: of those below which mw_lru_seek() was told of some
 * @found: mw_lru_rescue() was done
 */
void mw_lru_sought(struct mw_group *group, bool found)
{
	if (!READ_ONCE(group->lru.sought))
		return;
	/* of a dead one the pages were its parent's during the walk, perhaps, which is told when it gets the queues */
	if (!found || READ_ONCE(group->dead))
		mw_queue_lose(group);
	WRITE_ONCE(group->lru.sought, false);
}

/**
 * mw_lru_has_lost() - may pages of a group be in no chunk, or does somebody just look for them?
 * @lru: of the group
 */
bool mw_lru_has_lost(const struct mw_lru *lru)
{
	return READ_ONCE(lru->lost) || READ_ONCE(lru->sought);
}

/**
 * mw_lru_is_out() - has somebody pages of a group in hands, or are some in no chunk?
 * @lru: of the group
 */
bool mw_lru_is_out(const struct mw_lru *lru)
{
	return atomic_read(&lru->nr_out) || mw_lru_has_lost(lru);
}

/* --- what reclaim has to ask after --- */

static bool is_pending(const struct mw_lru *lru)
{
	int nid;

	for_each_node_state(nid, N_MEMORY)
		if (READ_ONCE(lru->queue[nid][MW_LRU_WRITTEN + MW_LRU_ANON].nr) ||
		    READ_ONCE(lru->queue[nid][MW_LRU_WRITTEN + MW_LRU_FILE].nr))
			return true;
	return mw_lru_is_out(lru);
}

/**
 * mw_lru_settle() - there may be nothing left to ask after
 * @group: whose; see pending.c
 *
 * Context: process.
 */
void mw_lru_settle(struct mw_group *group)
{
	if (!is_pending(&group->lru) && mw_pending_clear(group) &&
	    is_pending(&group->lru))
		mw_pending_set(group);
}

/* --- lifetime --- */

/**
 * mw_lru_splice() - a removed group's pages are its parent's from now on
 * @removed: the group, dead
 * @parent:  whom its owners point to
 *
 * Called as the owners move and again a grace period later.  After that @removed is
 * empty and stays so: who adds to it, or sends it a chunk, has found it through an
 * owner, inside an RCU read side that began before the owners moved; and who took a
 * chunk out of it does not put it back into a group that is dead.
 *
 * Context: process; costs O(nodes).
 */
void mw_lru_splice(struct mw_group *removed, struct mw_group *parent)
{
	struct mw_lru *from = &removed->lru, *to = &parent->lru;
	int nid, type;

	spin_lock(&to->lock);
	spin_lock_nested(&from->lock, SINGLE_DEPTH_NESTING);
	mw_inbox_splice(from, to);
	for_each_node(nid)
		for (type = 0; type < MW_NR_QUEUES; type++)
			mw_queue_splice(&from->queue[nid][type],
					&to->queue[nid][type]);
	atomic_long_add(atomic_long_xchg(&from->nr_chunks, 0), &to->nr_chunks);
	atomic_add(atomic_xchg(&from->nr_out, 0), &to->nr_out);
	if (READ_ONCE(from->lost) || READ_ONCE(from->sought))
		WRITE_ONCE(to->lost, true);
	spin_unlock(&from->lock);
	spin_unlock(&to->lock);
	if (is_pending(to))
		mw_pending_set(parent);
}

/** mw_lru_bytes() - memory for the queues of a group, see mw_lru_setup() */
size_t mw_lru_bytes(void)
{
	return nr_node_ids * sizeof(struct mw_queue [MW_NR_QUEUES]);
}

/**
 * mw_lru_setup() - prepare a group's queues
 * @lru:    zeroed
 * @queues: mw_lru_bytes() of zeroes, which live as long as @lru
 *
 * Context: process.
 */
void mw_lru_setup(struct mw_lru *lru, void *queues)
{
	int nid, type;

	lru->queue = queues;
	for (nid = 0; nid < nr_node_ids; nid++)
		for (type = 0; type < MW_NR_QUEUES; type++)
			INIT_LIST_HEAD(&lru->queue[nid][type].chunks);
	INIT_LIST_HEAD(&lru->sorting);
	init_llist_head(&lru->inbox);
	spin_lock_init(&lru->lock);
}

static void free_chunks(struct list_head *chunks)
{
	struct mw_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, chunks, list)
		mw_chunk_free(chunk);
	INIT_LIST_HEAD(chunks);
}

/**
 * mw_lru_empty() - forget all pages
 * @lru: nobody sends chunks to it any more
 */
void mw_lru_empty(struct mw_lru *lru)
{
	int nid, type;

	mw_inbox_fetch_locked(lru);
	free_chunks(&lru->sorting);
	lru->nr_unsorted = 0;
	for (nid = 0; nid < nr_node_ids; nid++)
		for (type = 0; type < MW_NR_QUEUES; type++) {
			free_chunks(&lru->queue[nid][type].chunks);
			lru->queue[nid][type].nr = 0;
			lru->queue[nid][type].nr_pages = 0;
			lru->queue[nid][type].deficit = 0;
		}
	atomic_long_set(&lru->nr_chunks, 0);
}
