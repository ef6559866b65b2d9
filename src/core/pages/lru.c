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
 * Lock: lru->lock, innermost, process context.
 */
#include <linux/log2.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include <compat/folio.h>
#include <core/group/group.h>
#include <core/pages/lru.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

/* --- entries and slots --- */

static mw_entry_t entry_of(unsigned long pfn)
{
	mw_entry_t *entry = mw_pc_entry(pfn);

	return entry ? mw_pc_read(entry) : MW_NO_ENTRY;
}

/*
 * The page of a slot, with a reference.  With preemption off the memory cannot
 * go offline between the look at its entry and the reference.
 *
 * Return: whether the slot was its place.  Then page->folio is NULL if the page
 * could not be had just now.
 */
static bool find_page(u32 chunk_id, struct mw_page *page)
{
	bool mine;

	page->folio = NULL;
	page->nr = 1;
	preempt_disable();
	page->entry = entry_of(page->pfn);
	mine = mw_pc_is_charged(page->entry) &&
	       mw_pc_chunk(page->entry) == chunk_id;
	if (mine) {
		page->folio = mw_folio_tryget(page->pfn);
		/* it may have been freed and used anew meanwhile */
		mine = mw_pc_same(entry_of(page->pfn), page->entry);
	}
	preempt_enable();
	if (!mine && page->folio) {
		folio_put(page->folio);
		page->folio = NULL;
	}
	if (page->folio)
		page->nr = folio_nr_pages(page->folio);
	return mine;
}

/* Change the place that an entry names, unless it is another one by now. */
static bool set_place(unsigned long pfn, mw_entry_t old, u32 chunk_id,
		      unsigned int age)
{
	bool done = false;
	mw_entry_t *entry, now;

	preempt_disable();
	entry = mw_pc_entry(pfn);
	while (entry && !done) {
		now = mw_pc_read(entry);
		/* it may be hidden, or shown, at any time */
		if (!mw_pc_same(now, old))
			break;
		done = mw_pc_replace(entry, now, mw_pc_place(now, chunk_id, age));
	}
	preempt_enable();
	return done;
}

static void set_tails(const struct mw_page *page, u32 chunk_id, unsigned int age)
{
	unsigned long pfn = page->pfn + 1;
	unsigned long end = page->pfn + page->nr;

	for (; pfn < end; pfn++) {
		mw_entry_t old;

		preempt_disable();
		old = entry_of(pfn);
		preempt_enable();
		if (mw_pc_same_charge(old, page->entry))
			set_place(pfn, old, chunk_id, age);
	}
}

/* --- queues --- */

/* Where a page belongs, as it is just now. */
static unsigned int queue_for(const struct mw_page *page)
{
	enum mw_lru_type type = mw_lru_type(mw_pc_kind(page->entry));

	if (page->folio && folio_test_unevictable(page->folio) &&
	    !mw_pc_is_hidden(page->entry))
		return MW_LRU_UNEVICTABLE;
	if (page->folio && folio_test_writeback(page->folio))
		return MW_LRU_WRITTEN + type;
	return type;
}

/* With the lock held: what the CPUs have sent, in the order they sent it. */
static void fetch_inbox(struct mw_lru *lru)
{
	struct mw_chunk *chunk, *next;
	struct llist_node *node;

	if (llist_empty(&lru->inbox))
		return;
	node = llist_reverse_order(llist_del_all(&lru->inbox));
	llist_for_each_entry_safe(chunk, next, node, inbox)
		list_add_tail(&chunk->list, &lru->sorting);
}

/* The chunk at the tail that has room, with the lock held; NULL for no memory. */
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
	list_add_tail(&chunk->list, chunks);
	return chunk;
}

/* Add a page there, with the lock held. Return: whether it has a slot there now. */
static bool add_to(struct mw_lru *lru, struct list_head *chunks,
		   const struct mw_page *page, unsigned int age)
{
	struct mw_chunk *chunk = tail_chunk(lru, chunks);
	u32 chunk_id = chunk ? chunk->id : 0;

	if (!set_place(page->pfn, page->entry, chunk_id, age))
		return false;
	set_tails(page, chunk_id, age);
	if (!chunk) {
		WRITE_ONCE(lru->lost, true);
		return false;
	}
	chunk->slot[chunk->nr++] = mw_slot(page->pfn, ilog2(page->nr));
	return true;
}

/* With the lock held; others look at it without. */
static void count_slots(struct mw_queue *queue, long nr)
{
	WRITE_ONCE(queue->nr, queue->nr + nr);
}

static void append_to(struct mw_lru *lru, unsigned int queue_nr,
		      const struct mw_page *page, unsigned int age)
{
	/* in the flags of the page, others of which may change at any time */
	int nid = data_race(pfn_to_nid(page->pfn));
	struct mw_queue *queue = &lru->queue[nid][queue_nr];

	spin_lock(&lru->lock);
	if (add_to(lru, &queue->chunks, page, age))
		count_slots(queue, 1);
	spin_unlock(&lru->lock);
}

static void append(struct mw_lru *lru, const struct mw_page *page,
		   unsigned int age)
{
	append_to(lru, queue_for(page), page, age);
}

static void append_written(struct mw_lru *lru, const struct mw_page *page,
			   unsigned int age)
{
	append_to(lru, MW_LRU_WRITTEN + mw_lru_type(mw_pc_kind(page->entry)),
		  page, age);
}

/* Behind what the CPUs have sent so far. */
static void append_last(struct mw_lru *lru, const struct mw_page *page,
			unsigned int age)
{
	spin_lock(&lru->lock);
	fetch_inbox(lru);
	add_to(lru, &lru->sorting, page, age);
	spin_unlock(&lru->lock);
}

static void append_to_owners(const struct mw_page *page, unsigned int age,
			     void (*append_fn)(struct mw_lru *lru,
					       const struct mw_page *page,
					       unsigned int age))
{
	struct mw_owner *owner;

	preempt_disable();
	owner = mw_owner_find(mw_pc_owner_id(page->entry));
	if (owner)
		append_fn(&rcu_dereference_sched(owner->group)->lru, page, age);
	preempt_enable();
}

/* Put a page at the tail of its queue. */
static void sort_in(const struct mw_page *page)
{
	append_to_owners(page, mw_pc_age(page->entry), append);
}

/**
 * mw_lru_append() - look at a page again when all others were looked at
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
void mw_lru_append(const struct mw_page *page, unsigned int age)
{
	append_to_owners(page, age, queue_for(page) < MW_NR_LRU_TYPES ?
				    append_last : append);
}

static struct mw_chunk *take_oldest(struct mw_lru *lru, struct mw_queue *queue)
{
	struct mw_chunk *chunk;

	spin_lock(&lru->lock);
	chunk = list_first_entry_or_null(&queue->chunks, struct mw_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		count_slots(queue, -(long)chunk->nr);
		atomic_long_dec(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return chunk;
}

/**
 * struct visit - a visit to the pages of a chunk
 * @chunk_id: which pages are its own
 * @fn:       the visitor
 * @data:     its own
 * @seen:     pages seen
 * @stop:     it wants no more
 */
struct visit {
	u32 chunk_id;
	mw_lru_visit_fn fn;
	void *data;
	unsigned int seen;
	bool stop;
};

/* Visit the folios that are still queued here: one, or what it was split into. */
static void visit_range(struct visit *visit, unsigned long pfn,
			unsigned long end)
{
	struct mw_page page = { .pfn = pfn };

	for (; page.pfn < end; page.pfn += page.nr) {
		if (!find_page(visit->chunk_id, &page))
			continue;
		visit->seen += page.nr;
		if (!page.folio)
			sort_in(&page);
		else if (!visit->fn(&page, visit->data))
			visit->stop = true;
	}
}

static void visit_slot(struct visit *visit, u32 slot)
{
	unsigned int size = slot & -slot;
	unsigned long pfn = (slot - size) >> 1;

	visit_range(visit, pfn, pfn + size);
}

/* From the first slot until the visitor has had enough; they are empty then. */
static void visit_chunk(struct visit *visit, struct mw_chunk *chunk)
{
	unsigned int i;

	if (!mw_chunk_prune(chunk))
		return;
	for (i = 0; i < MW_CHUNK_PAGES && !visit->stop; i++) {
		u32 slot = chunk->slot[i];

		if (!slot)
			continue;
		chunk->slot[i] = 0;
		visit_slot(visit, slot);
	}
}

/*
 * Return: false if the group was removed: its queues went to its parent, or are just
 * about to.
 */
static bool put_oldest(struct mw_group *group, struct mw_queue *queue,
		       struct mw_chunk *chunk)
{
	struct mw_lru *lru = &group->lru;
	bool alive;

	spin_lock(&lru->lock);
	alive = !READ_ONCE(group->dead);
	if (alive) {
		list_add(&chunk->list, &queue->chunks);
		count_slots(queue, chunk->nr);
		atomic_long_inc(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return alive;
}

static bool sort_one(const struct mw_page *page, void *data)
{
	sort_in(page);
	folio_put(page->folio);
	return true;
}

/* What is left in a chunk goes to the group that pays now. */
static void send_on(struct mw_chunk *chunk)
{
	struct visit visit = { .chunk_id = chunk->id, .fn = sort_one };

	visit_chunk(&visit, chunk);
	mw_chunk_free(chunk);
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
 * Context: process, may sleep if @fn does.
 * Return: pages seen, which may be none; -ENOENT if the queue is empty.
 */
int mw_lru_visit(struct mw_group *group, int nid, unsigned int type,
		 mw_lru_visit_fn fn, void *data)
{
	struct mw_queue *queue = &group->lru.queue[nid][type];
	struct mw_chunk *chunk = take_oldest(&group->lru, queue);
	struct visit visit = { .fn = fn, .data = data };

	if (!chunk)
		return -ENOENT;
	visit.chunk_id = chunk->id;
	visit_chunk(&visit, chunk);
	if (mw_chunk_is_empty(chunk))
		mw_chunk_free(chunk);
	else if (!put_oldest(group, queue, chunk))
		send_on(chunk);
	return visit.seen;
}

/* A fast disk has written it by now: it can go the next time it is looked at. */
static bool is_written(struct folio *folio)
{
	return folio_test_swapcache(folio) && !folio_test_dirty(folio);
}

static bool append_tried(const struct mw_page *page, void *data)
{
	unsigned int age = mw_pc_age(page->entry);
	unsigned int *coming = data;

	if (folio_test_writeback(page->folio) || is_written(page->folio)) {
		*coming += page->nr;
		append_to_owners(page, age, append_written);
	} else {
		mw_lru_append(page, age);
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
 * Return: how many of its pages are being written, or have been and only wait to be
 * looked at again.
 */
unsigned int mw_lru_return(const struct mw_page *page)
{
	unsigned int coming = 0;
	struct visit visit = {
		.chunk_id = mw_pc_chunk(page->entry),
		.fn = append_tried, .data = &coming,
	};

	visit_range(&visit, page->pfn, page->pfn + page->nr);
	return coming;
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
	mw_lru_visit(group, nid, type, sort_one, NULL);
}

/**
 * mw_lru_recheck() - look whether unevictable pages can be reclaimed again
 * @group: whose
 *
 * A chunk of each node: nobody says when a page is unlocked.
 *
 * Context: process.
 */
void mw_lru_recheck(struct mw_group *group)
{
	int nid;

	for_each_node_state(nid, N_MEMORY)
		mw_lru_sort_again(group, nid, MW_LRU_UNEVICTABLE);
}

/* --- the inbox --- */

/**
 * mw_lru_receive() - take over a chunk that a CPU has filled
 * @group: whose pages they are
 * @chunk: no longer the CPU's
 *
 * Context: any, inside an RCU read side.
 * Return: chunks that the group has now.
 */
long mw_lru_receive(struct mw_group *group, struct mw_chunk *chunk)
{
	struct mw_lru *lru = &group->lru;
	long nr = atomic_long_inc_return(&lru->nr_chunks);

	/* nothing is added to it */
	chunk->nr = MW_CHUNK_PAGES;
	llist_add(&chunk->inbox, &lru->inbox);
	return nr;
}

/**
 * mw_lru_fetch_inbox() - empty the inbox, which takes the longer the more is in it
 * @lru: whose
 *
 * Context: process.
 */
void mw_lru_fetch_inbox(struct mw_lru *lru)
{
	spin_lock(&lru->lock);
	fetch_inbox(lru);
	spin_unlock(&lru->lock);
}

/**
 * mw_lru_take_unsorted() - take the oldest chunk that is in no queue yet
 * @lru: from this
 *
 * Context: process.
 * Return: the chunk, NULL if there is none.
 */
struct mw_chunk *mw_lru_take_unsorted(struct mw_lru *lru)
{
	struct mw_chunk *chunk;

	spin_lock(&lru->lock);
	if (list_empty(&lru->sorting))
		fetch_inbox(lru);
	chunk = list_first_entry_or_null(&lru->sorting, struct mw_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		atomic_long_dec(&lru->nr_chunks);
	}
	spin_unlock(&lru->lock);
	return chunk;
}

/**
 * mw_lru_put_unsorted() - put a chunk behind all that are in no queue yet
 * @group: whose it was; its pages go to their payers if that was removed
 * @chunk: in no list
 *
 * Context: process.
 */
void mw_lru_put_unsorted(struct mw_group *group, struct mw_chunk *chunk)
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
	if (!alive)
		send_on(chunk);
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
	struct mw_chunk *chunk = mw_lru_take_unsorted(&group->lru);

	if (!chunk)
		return false;
	send_on(chunk);
	return true;
}

/* --- rescue --- */

/* Does a group pay for this entry? */
static bool is_paid_by(mw_entry_t entry, struct mw_group *group)
{
	struct mw_owner *owner;
	bool mine;

	preempt_disable();
	owner = mw_owner_find(mw_pc_owner_id(entry));
	mine = owner && rcu_dereference_sched(owner->group) == group;
	preempt_enable();
	return mine;
}

static void rescue_entry(unsigned long pfn, mw_entry_t entry, void *group)
{
	struct mw_page page = { .pfn = pfn };

	if (mw_pc_chunk(entry) || !is_paid_by(entry, group))
		return;
	if (find_page(0, &page) && page.folio)
		sort_one(&page, NULL);
}

/**
 * mw_lru_rescue() - queue the pages that are in no chunk
 * @group: whose
 *
 * Walks the whole shadow array if there may be any: for when a group has pages
 * and nothing in its queues.
 *
 * Context: process, may sleep.
 */
void mw_lru_rescue(struct mw_group *group)
{
	if (!READ_ONCE(group->lru.lost))
		return;
	/* before the walk: a page that is lost during it says so again */
	smp_store_mb(group->lru.lost, false);
	mw_pc_walk(rescue_entry, group);
}

/* --- lifetime --- */

static void splice_queue(struct mw_queue *from, struct mw_queue *to)
{
	list_splice_tail_init(&from->chunks, &to->chunks);
	count_slots(to, from->nr);
	count_slots(from, -(long)from->nr);
}

/**
 * mw_lru_splice() - a removed group's pages are its parent's from now on
 * @from: the removed group's
 * @to:   its parent's
 *
 * Called as the owners move and again a grace period later.  After that @from is
 * empty and stays so: who adds to it, or sends it a chunk, has found it through an
 * owner, inside an RCU read side that began before the owners moved; and who took a
 * chunk out of it does not put it back into a group that is dead.
 *
 * Context: process; costs O(nodes).
 */
void mw_lru_splice(struct mw_lru *from, struct mw_lru *to)
{
	int nid, type;

	spin_lock(&to->lock);
	spin_lock_nested(&from->lock, SINGLE_DEPTH_NESTING);
	fetch_inbox(from);
	list_splice_tail_init(&from->sorting, &to->sorting);
	for_each_node(nid)
		for (type = 0; type < MW_NR_QUEUES; type++)
			splice_queue(&from->queue[nid][type],
				     &to->queue[nid][type]);
	atomic_long_add(atomic_long_xchg(&from->nr_chunks, 0), &to->nr_chunks);
	if (READ_ONCE(from->lost))
		WRITE_ONCE(to->lost, true);
	spin_unlock(&from->lock);
	spin_unlock(&to->lock);
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

	fetch_inbox(lru);
	free_chunks(&lru->sorting);
	for (nid = 0; nid < nr_node_ids; nid++)
		for (type = 0; type < MW_NR_QUEUES; type++) {
			free_chunks(&lru->queue[nid][type].chunks);
			lru->queue[nid][type].nr = 0;
		}
	atomic_long_set(&lru->nr_chunks, 0);
}
