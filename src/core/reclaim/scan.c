// SPDX-License-Identifier: GPL-2.0
/*
 * Looking at the pages of one group, and reclaiming those that are not in use.
 *
 * DOC: Pages are looked at in the order in which they were charged.  One that was
 * used since the last look is not looked at again before all others (second chance);
 * the others are isolated and handed to the kernel's own reclaim_pages(), 32 at a time.
 * There is no second chance where only a part may be looked at and somebody is to be killed.
 *
 * What "used" means.  A mapped page: an accessed bit in one of its page tables.
 * A page read or written through a file descriptor: the kernel notes the first
 * such use (referenced) and the second (active, workingset); the first alone is
 * how a page comes into being, so a file that is read once from end to end goes
 * out in the order it came in.  And a page that came back soon after it was
 * reclaimed counts as used once.
 *
 * How much of which type: by swappiness, and by what the last looks found.  A
 * type whose pages are mostly in use is looked at less (scanned / rotated), and
 * nothing else than cache as long as that is mostly unused, so that a stream of file
 * pages does not push out memory that is being used, or the other way round.
 */
#include <linux/jiffies.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>

#include <compat/folio.h>
#include <compat/reclaim.h>
#include <compat/rmap.h>
#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/leaving.h>
#include <core/group/memsw.h>
#include <core/group/pending.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <core/pages/inbox.h>
#include <core/pages/page_cgroup.h>
#include <core/protect/hide.h>
#include <core/reclaim/device.h>
#include <core/reclaim/nodes.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/scan.h>
#include <pure/balance.h>

/* when a type's counts of scanned pages are halved */
#define SCAN_MEMORY	(32 * 1024UL)
/* of what is unevictable such a part is looked at in each last round: before reclaim gives up, all of it, twice */
#define UNEVICTABLE_PARTS	8
/* chunks that are sorted at a time where there is nothing in a queue */
#define FILL_CHUNKS	16

/**
 * struct scan - a look at a part of a group's pages
 * @group:    the group
 * @sc:       the request, and what was found before
 * @type:     which pages
 * @nr:       what was found here
 * @nr_to_reclaim: how many are wanted, those of @sc included
 * @nr_to_scan: look on until @nr.scanned is there
 * @unsorted: so many chunks more may be sorted in the last round: what is kept in it comes behind them
 * @ahead:    so many more than are wanted may be on their way to swap
 * @room:     more than that it may not take
 * @takes_used: also what is in use
 * @written:  they were being written: the first that still is ends it
 * @stuck:    with @written: slots of what is written on this node and could not go
 * @folios:   isolated
 * @taken:    the same, as they were found
 * @nr_taken: how many
 * @pages:    pages in them
 *
 * On the stack, under which the kernel's own reclaim and perhaps a file system
 * are still to come.
 */
struct scan {
	struct mw_group *group;
	const struct mw_scan_control *sc;
	enum mw_lru_type type;
	struct mw_scan_count nr;
	unsigned long nr_to_reclaim;
	unsigned long nr_to_scan;
	unsigned long unsorted;
	unsigned long ahead;
	unsigned long room;
	bool takes_used;
	bool written;
	unsigned long stuck;
	struct list_head folios;
	struct mw_page taken[MW_SCAN_BATCH];
	unsigned int nr_taken;
	unsigned int pages;
};

/**
 * mw_scan_is_enough() - has so much been reclaimed as is wanted?
 * @sc: the request
 */
bool mw_scan_is_enough(const struct mw_scan_control *sc)
{
	return sc->nr.reclaimed >= sc->nr_to_reclaim;
}

/*
 * Files that are being written do not count if a wait for them was in vain, or if this one may not
 * wait, and there is not much left to be tried before somebody is killed, or held back.
 */
static bool files_are_coming(const struct mw_scan_control *sc)
{
	return !sc->stalled && ((sc->gfp & __GFP_FS) || !sc->desperate);
}

/* Of what is being written nobody knows when it ends; a disk may hang. */
static unsigned long coming(const struct mw_scan_control *sc)
{
	/* the last round takes what there is, be it on another disk */
	if (sc->stalled && !sc->priority)
		return 0;
	return sc->nr.writing[MW_LRU_ANON] +
	       (files_are_coming(sc) ? sc->nr.writing[MW_LRU_FILE] : 0);
}

static bool is_coming(unsigned long reclaimed, unsigned long writing,
		      unsigned long wanted)
{
	return writing && reclaimed + writing >= wanted;
}

/**
 * mw_scan_is_coming() - will so much be there as is wanted when it has been written?
 * @sc: the request
 *
 * Some more than that, so that the next request finds them and need not wait.  It
 * spares memory from being swapped out; clean pages of files it does not spare.
 */
bool mw_scan_is_coming(const struct mw_scan_control *sc)
{
	return is_coming(sc->nr.reclaimed, coming(sc),
			 sc->nr_to_reclaim + MW_SCAN_AHEAD);
}

/**
 * mw_scan_must_stop() - did whoever wants it get a signal, or is his time over?
 * @sc: the request
 *
 * Context: process.
 */
bool mw_scan_must_stop(const struct mw_scan_control *sc)
{
	return (!sc->heedless && fatal_signal_pending(current)) ||
	       (sc->signals && signal_pending(current)) ||
	       (sc->until && time_after(jiffies, sc->until));
}

/* --- one page --- */

/* Was it used, apart from what brought it here? Forgets it. */
static bool is_used(struct folio *folio, unsigned int age)
{
	bool twice = folio_test_active(folio) || folio_test_workingset(folio);
	bool again = folio_test_referenced(folio);

	if (again)
		folio_clear_referenced(folio);
	if (mw_folio_referenced(folio) || (age == MW_AGE_BACK && twice))
		return true;
	if (folio_test_swapbacked(folio))
		return again && twice;
	return (again && (twice || age)) || (folio_test_active(folio) && !age);
}

/* Is it allowed to reclaim it from here? */
static bool is_allowed(struct folio *folio, const struct scan *scan)
{
	/* among the files is anonymous memory that can be dropped, or could until now */
	if (folio_test_swapbacked(folio))
		return scan->type == MW_LRU_ANON && scan->sc->may_swap;
	/*
	 * To let go of it a file system may want its own locks, or wait for its cache on a disk, which
	 * is said while the folio is locked (PG_private_2).
	 */
	return (scan->sc->gfp & __GFP_FS) ||
	       !(folio_test_locked(folio) || folio_has_private(folio)) ||
	       mw_folio_on_disk(folio);
}

/*
 * What is left of what was tried: if it is being written, it goes soon.  What had been
 * written before and still cannot go does not count again: somebody has a reference, perhaps for ever.
 */
static void give_back(struct scan *scan, const struct mw_page *page)
{
	struct mw_left left = mw_lru_return(page);

	if (scan->written)
		scan->stuck += left.stuck;
	else
		scan->nr.writing[scan->type] += left.coming;
	if (scan->type == MW_LRU_FILE) {
		scan->nr.held += left.held;
		scan->nr.pinned += left.pinned;
	}
}

static unsigned long reclaimed_so_far(const struct scan *scan)
{
	return scan->sc->nr.reclaimed + scan->nr.reclaimed;
}

/* What it has taken of a group: what is on its way to swap is as good as gone. */
static unsigned long taken(const struct scan *scan)
{
	return scan->nr.reclaimed +
	       (scan->type == MW_LRU_ANON ? scan->nr.writing[MW_LRU_ANON] : 0);
}

/* Somebody is to be killed, or to wait for long, and nobody has given anything yet. */
static bool is_last_chance(const struct mw_scan_control *sc)
{
	return sc->last_chance && !sc->nr.reclaimed;
}

/*
 * What hangs on its way to swap, or cannot be waited for, is not to have somebody killed while there
 * are files.  More of what would go there is no help.
 */
static bool leaving_counts(const struct scan *scan)
{
	const struct mw_scan_control *sc = scan->sc;

	return !(scan->type == MW_LRU_FILE && sc->kills && is_last_chance(sc) &&
		 (sc->stalled || !sc->may_swap));
}

/* How much of a group may be taken. */
static unsigned long room_for(const struct scan *scan)
{
	return mw_protection_room(mw_group_payer(scan->group), scan->sc->target,
				  scan->sc->memcg_low_reclaim, leaving_counts(scan));
}

/* Others may take of it at the same time.  What was freed here does not count as there. */
static void renew_room(struct scan *scan)
{
	if (scan->room == ULONG_MAX)
		return;
	mw_stock_give_back();
	scan->room = mw_protection_less_room(scan->room, taken(scan), room_for(scan));
}

static void reclaim_taken(struct scan *scan)
{
	/* others are not to take as much again meanwhile */
	long leaving = mw_protection_any() ? scan->pages : 0;
	unsigned int i;

	if (!scan->nr_taken)
		return;
	mw_leaving_add(scan->group, leaving);
	scan->nr.reclaimed += mw_reclaim_folios(&scan->folios);
	for (i = 0; i < scan->nr_taken; i++)
		give_back(scan, &scan->taken[i]);
	mw_leaving_add(scan->group, -leaving);
	scan->nr_taken = 0;
	scan->pages = 0;
	renew_room(scan);
}

static void take(struct scan *scan, const struct mw_page *page)
{
	if (!mw_folio_isolate(page->folio)) {
		give_back(scan, page);
		return;
	}
	mw_folio_list_add(page->folio, &scan->folios);
	scan->taken[scan->nr_taken++] = *page;
	scan->pages += page->nr;
}

/* A batch is isolated, or as many as are still wanted, or may be taken. */
static bool has_batch(const struct scan *scan)
{
	return scan->pages >= MW_SCAN_BATCH ||
	       reclaimed_so_far(scan) + scan->pages >= scan->nr_to_reclaim ||
	       taken(scan) + scan->pages >= scan->room;
}

static bool is_done(const struct scan *scan)
{
	unsigned long writing = scan->nr.writing[scan->type];

	if (reclaimed_so_far(scan) >= scan->nr_to_reclaim)
		return true;
	if (taken(scan) >= scan->room)
		return true;
	if (scan->written)
		return writing;
	if (scan->nr.scanned >= scan->nr_to_scan)
		return true;
	return scan->type == MW_LRU_ANON &&
	       is_coming(reclaimed_so_far(scan), coming(scan->sc) + writing,
			 scan->nr_to_reclaim + scan->ahead);
}

/* In the last round, the one before somebody waits for them. */
static void note_device(struct scan *scan, struct folio *folio)
{
	if (scan->sc->devices && !scan->sc->priority)
		mw_devices_note(scan->sc->devices, folio);
}

static void see_writing(struct scan *scan, const struct mw_page *page)
{
	scan->nr.writing[scan->type] += page->nr;
	if (scan->type == MW_LRU_FILE)
		note_device(scan, page->folio);
}

static void see_dirty(struct scan *scan, const struct mw_page *page)
{
	scan->nr.dirty += page->nr;
	note_device(scan, page->folio);
}

/* Somebody else may have it go: one who has __GFP_FS. */
static void see_forbidden(struct scan *scan, const struct mw_page *page)
{
	if (scan->type == MW_LRU_ANON ? scan->sc->gfp & __GFP_IO :
					!folio_test_swapbacked(page->folio))
		scan->nr.held += page->nr;
}

/* Memory that can be dropped may be dirty too, which is for the kernel's reclaim to find. */
static bool is_to_be_written(struct folio *folio, const struct scan *scan)
{
	return scan->type == MW_LRU_FILE && folio_test_dirty(folio) &&
	       !folio_test_anon(folio) && mw_folio_can_be_written(folio);
}

/* Is a part of it protected? If all there is is cut, that is not to have somebody killed. */
static bool is_cut(const struct scan *scan, const struct mw_page *page)
{
	return taken(scan) + scan->pages + page->nr > scan->room &&
	       !is_last_chance(scan->sc);
}

/* Return: whether to look at more. */
static bool look(const struct mw_page *page, void *data)
{
	struct scan *scan = data;
	struct folio *folio = page->folio;
	unsigned int age = mw_pc_age(page->entry);

	scan->nr.scanned += page->nr;
	if (mw_pc_is_hidden(page->entry))
		mw_hide_show(folio, page->pfn, page->nr);
	if (folio_test_unevictable(folio)) {
		mw_queue_append(page, age);
	} else if (folio_test_writeback(folio)) {
		see_writing(scan, page);
		mw_queue_append(page, age);
	} else if (is_used(folio, age) && !scan->takes_used) {
		scan->nr.rotated += page->nr;
		mw_queue_append(page, 1);
	} else if (is_to_be_written(folio, scan)) {
		see_dirty(scan, page);
		mw_queue_append(page, age);
	} else if (!is_allowed(folio, scan)) {
		see_forbidden(scan, page);
		mw_queue_append(page, age);
	} else if (is_cut(scan, page)) {
		mw_queue_append(page, age);
	} else {
		take(scan, page);
	}
	folio_put(folio);
	if (has_batch(scan))
		reclaim_taken(scan);
	return !is_done(scan);
}

/* --- one group --- */

static void scan_begin(struct scan *scan, struct mw_group *group,
		       const struct mw_scan_control *sc, enum mw_lru_type type)
{
	scan->group = group;
	scan->sc = sc;
	scan->type = type;
	scan->nr = (struct mw_scan_count){};
	scan->nr_to_reclaim = sc->nr_to_reclaim;
	scan->nr_to_scan = 0;
	scan->unsorted = 0;
	scan->ahead = MW_SCAN_AHEAD;
	scan->room = ULONG_MAX;
	scan->takes_used = false;
	scan->written = false;
	scan->stuck = 0;
	scan->nr_taken = 0;
	scan->pages = 0;
	INIT_LIST_HEAD(&scan->folios);
}

static void count(struct mw_group *group, const struct scan *scan)
{
	struct mw_lru *lru = &group->lru;

	mw_stats_reclaimed(group, scan->sc->why, scan->type, scan->nr.scanned,
			   scan->nr.reclaimed);
	spin_lock(&lru->lock);
	lru->scanned[scan->type] += scan->nr.scanned;
	lru->rotated[scan->type] += scan->nr.rotated;
	if (lru->scanned[scan->type] > SCAN_MEMORY) {
		lru->scanned[scan->type] /= 2;
		lru->rotated[scan->type] /= 2;
	}
	spin_unlock(&lru->lock);
}

static unsigned long nr_queued(struct mw_group *group, int nid,
			       unsigned int queue)
{
	return READ_ONCE(group->lru.queue[nid][queue].nr);
}

/*
 * Enough in the queue to look at? If not, sort some of the inbox; all in the last round: what is
 * wanted may be behind gigabytes of another type, or of other nodes.  Not what comes there meanwhile:
 * others send it, or this round has looked at it and kept it.
 */
static void fill_queue(struct scan *scan, int nid)
{
	unsigned long some = FILL_CHUNKS;
	unsigned long *chunks = scan->sc->priority ? &some : &scan->unsorted;

	for (; nr_queued(scan->group, nid, scan->type) < MW_CHUNK_PAGES && *chunks; --*chunks) {
		if (mw_scan_must_stop(scan->sc) || !mw_lru_sort(scan->group))
			break;
		cond_resched();
	}
}

/*
 * Look at one chunk of a queue.  Nobody else finds its pages meanwhile, which may be
 * long if they have to be written.  Return: false if the queue is empty.
 */
static bool scan_chunk(struct mw_group *group, int nid, unsigned int queue,
		       struct scan *scan)
{
	int seen;

	mw_lru_hold(group);
	/* what is kept goes behind it, page by page and with the lock held */
	mw_inbox_fetch(group);
	seen = mw_lru_visit(group, nid, queue, look, scan);
	reclaim_taken(scan);
	mw_lru_release(group);
	return seen >= 0;
}

/*
 * What is kept comes to be looked at again, and what is asked for is a part of all the pages of a
 * type.  If nearly all are locked in memory, so that they are not met here, the few others would
 * come round thousands of times.  Return: as many chunks as have all the others, twice, and more.
 */
static long max_chunks(struct mw_group *group)
{
	long chunks = atomic_long_read(&group->lru.nr_chunks) -
		      mw_lru_queued(&group->lru, MW_LRU_UNEVICTABLE) / MW_CHUNK_PAGES;

	return 2 * max(chunks, 1L);
}

/* So many pages of one type on a node, or until enough were reclaimed. */
static void scan_node(struct scan *scan, int nid, unsigned long nr_to_scan)
{
	long chunks = max_chunks(scan->group);

	scan->nr_to_scan = scan->nr.scanned + nr_to_scan;
	while (!is_done(scan) && !mw_scan_must_stop(scan->sc) && chunks--) {
		fill_queue(scan, nid);
		if (!scan_chunk(scan->group, nid, scan->type, scan))
			break;
		cond_resched();
	}
}

/** mw_scan_nodes() - where a request may take pages */
const nodemask_t *mw_scan_nodes(const struct mw_scan_control *sc)
{
	return sc->nodes ?: &node_states[N_MEMORY];
}

/* Nothing is known of a node's pages that are in no queue yet. */
static void fill_queues(struct scan *scan)
{
	int nid;

	for_each_node_mask(nid, *mw_scan_nodes(scan->sc))
		fill_queue(scan, nid);
}

/* Of so many pages of all nodes, @all says on each of them. */
static void scan_nodes(struct scan *scan, unsigned long nr_to_scan, bool all)
{
	struct mw_nodes nodes = {
		.lru = &scan->group->lru, .type = scan->type,
		.nodes = mw_scan_nodes(scan->sc),
	};
	unsigned long before, left;

	for (mw_nodes_begin(&nodes); nodes.nr && !mw_scan_must_stop(scan->sc);
	     mw_nodes_next(&nodes, all ? 0 : scan->nr.scanned - before)) {
		before = scan->nr.scanned;
		left = nr_to_scan - min(before, nr_to_scan);
		scan_node(scan, nodes.nid, all ? nr_to_scan : mw_nodes_part(&nodes, left));
	}
}

/*
 * In the last round all pages are looked at: each node's queue ends where what was kept would begin, see
 * fill_queue().  Others may have kept some meanwhile, or moved it behind that: as many more are looked at as
 * are missing, also if those are only in another queue, locked in memory perhaps.
 */
static void scan_all(struct scan *scan, unsigned long nr_to_scan)
{
	scan->unsorted = mw_lru_unsorted(scan->group);
	fill_queues(scan);
	scan_nodes(scan, nr_to_scan, true);
	scan->unsorted = max(atomic_long_read(&scan->group->lru.nr_chunks), 0L);
	scan_nodes(scan, nr_to_scan, false);
}

static void scan_type(struct scan *scan, unsigned long nr_to_scan)
{
	if (!scan->sc->priority) {
		scan_all(scan, nr_to_scan);
		return;
	}
	fill_queues(scan);
	scan_nodes(scan, nr_to_scan, false);
}

/*
 * What was being written when it was looked at last.  It ends in about the order
 * in which it began, so there is no use in looking behind the first that has not.
 * Return: pages, that one and all behind it but what has just been tried in vain.
 */
static unsigned long scan_written_on(struct scan *scan, int nid)
{
	const unsigned int queue = MW_LRU_WRITTEN + scan->type;
	unsigned long chunks = mw_lru_chunks(&scan->group->lru, nid, queue);
	unsigned long behind, queued = nr_queued(scan->group, nid, queue);

	scan->nr.writing[scan->type] = 0;
	scan->stuck = 0;
	/* what is stuck is tried once */
	while (chunks-- && scan->stuck < queued && !is_done(scan) &&
	       scan_chunk(scan->group, nid, queue, scan))
		cond_resched();
	behind = nr_queued(scan->group, nid, queue);
	/* slots, of a page at least; the first has turned out to be of so many */
	return max(behind - min(behind, scan->stuck), scan->nr.writing[scan->type]);
}

static void scan_written(struct scan *scan)
{
	unsigned long writing = 0;
	int nid;

	scan->written = true;
	for_each_node_mask(nid, *mw_scan_nodes(scan->sc))
		writing += scan_written_on(scan, nid);
	/* nobody waits for what may not be taken */
	scan->nr.writing[scan->type] =
		min(writing, scan->room - min(scan->nr.reclaimed, scan->room));
}

/* What came back since was in use when it was reclaimed. */
static void note_refaults(struct mw_lru *lru, const struct mw_stats *stats)
{
	long back;
	int type;

	spin_lock(&lru->lock);
	for (type = 0; type < MW_NR_LRU_TYPES; type++) {
		/* below zero if the group was removed just now */
		back = max_t(long, stats->pages[MW_STAT_REFAULTED + type] -
				     lru->refaulted[type], 0);
		lru->refaulted[type] = stats->pages[MW_STAT_REFAULTED + type];
		lru->scanned[type] += back;
		lru->rotated[type] += back;
	}
	spin_unlock(&lru->lock);
}

static unsigned int swappiness_of(struct mw_group *group,
				  const struct mw_scan_control *sc)
{
	int swappiness = sc->swappiness;

	if (swappiness < 0)
		swappiness = READ_ONCE(group->swappiness);
	return swappiness < 0 ? mw_vm_swappiness() : swappiness;
}

static bool can_swap_from(struct mw_group *group, const struct mw_scan_control *sc)
{
	return mw_memsw_can_swap(group) && (sc->gfp & __GFP_IO);
}

/**
 * mw_scan_spares_anon() - is anonymous memory of a group not looked at in the last round either?
 * @group: the group, referenced
 * @sc:    the request
 *
 * Context: process.
 */
bool mw_scan_spares_anon(struct mw_group *group, const struct mw_scan_control *sc)
{
	return !can_swap_from(group, sc) || !swappiness_of(group, sc);
}

static unsigned long weight(struct mw_lru *lru, enum mw_lru_type type,
			    unsigned int wanted)
{
	return mw_balance_weight(wanted, READ_ONCE(lru->scanned[type]),
				 READ_ONCE(lru->rotated[type]));
}

/*
 * A group's swappiness says which is to go rather than the other, also with 200: where nothing can be
 * swapped it is files, and in the last round it is both.  Who asks for 200 wants nothing but swap.
 */
static void weigh_types(struct mw_group *group, const struct mw_scan_control *sc,
			struct mw_balance *balance)
{
	unsigned int swappiness = swappiness_of(group, sc);
	bool can_swap = can_swap_from(group, sc);
	bool spares_none = sc->swappiness < 0 &&
			   (!sc->priority || !can_swap || !sc->may_swap);

	balance->weight[MW_LRU_FILE] = weight(&group->lru, MW_LRU_FILE,
					      max(200U - swappiness, spares_none ? 1U : 0U));
	/* in the last round also what others alone may swap: it is seen to be there */
	if (can_swap && (sc->may_swap || !sc->priority))
		balance->weight[MW_LRU_ANON] =
			weight(&group->lru, MW_LRU_ANON, swappiness);
	else
		balance->weight[MW_LRU_ANON] = 0;
}

static void weigh(struct mw_group *group, const struct mw_scan_control *sc,
		  struct mw_balance *balance)
{
	struct mw_stats stats;

	mw_stats_estimate(group, &stats);
	note_refaults(&group->lru, &stats);
	/* more is queued than there are files if memory was freed lazily */
	balance->pages[MW_LRU_FILE] =
		max_t(long, mw_stats_held(&stats, MW_KIND_FILE),
		      mw_lru_queued(&mw_group_payer(group)->lru, MW_LRU_FILE));
	balance->pages[MW_LRU_ANON] =
		max(mw_stats_swapbacked(&stats), 0L);
	weigh_types(group, sc, balance);
}

static bool is_cache_first(struct mw_lru *lru, const struct mw_balance *balance)
{
	return mw_balance_trims_cache(balance,
				      READ_ONCE(lru->scanned[MW_LRU_FILE]),
				      READ_ONCE(lru->rotated[MW_LRU_FILE]));
}

/* The cache goes first, as long as what is looked at can be had. */
static bool trims_cache(struct mw_lru *lru, const struct mw_balance *balance,
			unsigned long scanned, unsigned long reclaimed)
{
	return is_cache_first(lru, balance) && scanned && 2 * reclaimed >= scanned;
}

/*
 * Is there more cache than so much that may be taken, and does it go first, or has nobody looked at it yet but would
 * if he were to?  Some of it may be locked in memory.
 */
static bool has_cache(const struct scan *scan, const struct mw_balance *balance,
		      unsigned long nr_pages)
{
	struct mw_lru *lru = &scan->group->lru;

	if (min(balance->pages[MW_LRU_FILE], scan->room) <=
	    nr_pages + mw_lru_queued(lru, MW_LRU_UNEVICTABLE) ||
	    !mw_balance_part(balance, MW_LRU_FILE, MW_SCAN_PRIORITIES, MW_SCAN_SHARE))
		return false;
	return !READ_ONCE(lru->scanned[MW_LRU_FILE]) || is_cache_first(lru, balance);
}

/* Because there is something better, or because enough is being swapped out already. */
static bool spares_swap(struct mw_lru *lru, const struct mw_balance *balance,
			const struct mw_scan_control *sc,
			const struct mw_scan_count *before)
{
	if (mw_scan_is_coming(sc))
		return true;
	return sc->priority &&
	       trims_cache(lru, balance, sc->nr.scanned - before->scanned,
			   sc->nr.reclaimed - before->reclaimed);
}

/* What was found in a group counts as found. */
static void scan_end(struct scan *scan, struct mw_scan_control *sc)
{
	count(scan->group, scan);
	sc->nr.scanned += scan->nr.scanned;
	sc->nr.reclaimed += scan->nr.reclaimed;
	sc->nr.writing[scan->type] += scan->nr.writing[scan->type];
	sc->nr.dirty += scan->nr.dirty;
	sc->nr.held += scan->nr.held;
	sc->nr.pinned += scan->nr.pinned;
}

/* Of so many pages of a group, how many may be looked at. */
static unsigned long scan_target(struct mw_group *group, unsigned long pages,
				 struct mw_scan_control *sc)
{
	return mw_protection_scan_target(group, sc->target, pages,
					 sc->memcg_low_reclaim,
					 &sc->memcg_low_skipped);
}

/* A part of what is unevictable on a node, until as many as are wanted no longer are. */
static void seek_unlocked(struct mw_group *group, int nid, const struct mw_scan_control *sc)
{
	unsigned long chunks = nr_queued(group, nid, MW_LRU_UNEVICTABLE) /
			       (MW_CHUNK_PAGES * UNEVICTABLE_PARTS) + 1;
	unsigned long found = 0;

	if (!sc->thorough)
		chunks = 1;
	while (chunks-- && found < sc->nr_to_reclaim && !mw_scan_must_stop(sc) &&
	       mw_lru_seek_unlocked(group, nid, &found))
		cond_resched();
}

/* In the last round: what could not be reclaimed until now. */
static void recheck(struct mw_group *group, const struct mw_scan_control *sc)
{
	int nid;

	for_each_node_mask(nid, *mw_scan_nodes(sc))
		seek_unlocked(group, nid, sc);
	if (!sc->rechecked)
		mw_lru_recheck(group);
}

/*
 * In the last round all pages are looked at until one is found that is not in use.  Where most are
 * protected it is as many as are not: if all of these are in use, and are spared, the next ones are
 * found to be, and so on, until there are no tries left.  So at the last chance they are taken as they
 * are, as many as there is room for.
 */
static bool takes_used(const struct mw_scan_control *sc, unsigned long target,
		       unsigned long pages)
{
	return target < pages && is_last_chance(sc);
}

/* There is no room now.  Is that for memory.low, which may give way? */
static void note_skipped(struct mw_group *group, struct mw_scan_control *sc)
{
	WRITE_ONCE(group->reclaimable,
		   min_t(unsigned int, READ_ONCE(group->reclaimable), MW_BALANCE_LITTLE));
	if (!sc->memcg_low_reclaim && !sc->memcg_low_skipped)
		sc->memcg_low_skipped = mw_protection_room(mw_group_payer(group), sc->target,
							   true, true);
}

/* Look at so many pages of a type, or at those of them that are not protected. */
static noinline void scan_group_type(struct mw_group *group, enum mw_lru_type type,
				     unsigned long pages, struct mw_scan_control *sc)
{
	unsigned long target = scan_target(group, pages, sc);
	struct scan scan;

	scan_begin(&scan, mw_group_payer(group), sc, type);
	scan.room = room_for(&scan);
	if (!scan.room)
		note_skipped(group, sc);
	scan.takes_used = takes_used(sc, target, pages);
	/* also if the part was none this time, or was spent on another node */
	if (scan.takes_used)
		target = pages;
	if (!target || !scan.room || mw_scan_is_enough(sc))
		return;
	scan_type(&scan, target);
	scan_end(&scan, sc);
	if (target < pages)
		mw_protection_scanned(group, target, scan.nr.scanned);
}

/* How much of it can be had, by a request that may swap as each group likes. */
static void note_reclaimable(struct mw_group *group, struct mw_group *queues,
			     const struct mw_scan_control *sc, const struct mw_balance *balance)
{
	if (sc->may_swap && sc->swappiness < 0)
		WRITE_ONCE(group->reclaimable,
			   mw_balance_reclaimable(balance, mw_lru_queued(&queues->lru,
									 MW_LRU_UNEVICTABLE)));
}

/**
 * mw_scan_group() - look at a part of a group's pages and reclaim what can be
 * @group: the group, referenced
 * @share: so many, or a larger part of them by @sc's priority
 * @sc:    the request; at its last priority it is all pages, whatever the types weigh
 *
 * Context: process, may sleep.
 */
void mw_scan_group(struct mw_group *group, unsigned long share, struct mw_scan_control *sc)
{
	const struct mw_scan_count before = sc->nr;
	struct mw_group *queues = mw_group_payer(group);
	struct mw_balance balance;
	int type;

	if (!sc->priority && queues == group)
		recheck(queues, sc);
	weigh(group, sc, &balance);
	note_reclaimable(group, queues, sc, &balance);
	/* file pages first: they are the cheaper ones to get back */
	for (type = MW_NR_LRU_TYPES - 1; type >= 0; type--) {
		if (type == MW_LRU_ANON &&
		    spares_swap(&queues->lru, &balance, sc, &before))
			break;
		scan_group_type(group, type,
				mw_balance_part(&balance, type, sc->priority, share), sc);
	}
}

/**
 * mw_scan_written() - reclaim what was being written and is done
 * @group: the group, referenced
 * @sc:    the request
 *
 * Context: process, may sleep.
 */
noinline void mw_scan_written(struct mw_group *group, struct mw_scan_control *sc)
{
	struct scan scan;
	int type;

	for (type = 0; type < MW_NR_LRU_TYPES; type++) {
		scan_begin(&scan, group, sc, type);
		/* files were written for somebody else */
		if (type == MW_LRU_FILE)
			scan.room = room_for(&scan);
		if (!scan.room)
			continue;
		scan_written(&scan);
		scan_end(&scan, sc);
	}
}

/**
 * mw_scan_ahead() - send a few pages to swap that nobody wants yet
 * @group: the group, referenced
 * @sc:    the request
 *
 * Not while there is cache, which goes before memory: what was sent is looked at first each time, so
 * if more of it were sent each time the cache never would be.
 *
 * Context: process, may sleep.
 * Return: false if there is cache.
 */
bool mw_scan_ahead(struct mw_group *group, struct mw_scan_control *sc)
{
	struct mw_balance balance;
	unsigned long pages, target;
	struct scan scan;

	weigh(group, sc, &balance);
	scan_begin(&scan, mw_group_payer(group), sc, MW_LRU_ANON);
	scan.room = room_for(&scan);
	if (has_cache(&scan, &balance, sc->ahead))
		return false;
	pages = mw_balance_part(&balance, MW_LRU_ANON, MW_SCAN_PRIORITIES, MW_SCAN_SHARE);
	target = scan_target(group, pages, sc);
	if (!target)
		return true;
	/* how much that may come to is the caller's business */
	scan.ahead = LONG_MAX;
	scan.nr_to_reclaim = sc->nr.reclaimed + MW_SCAN_BATCH;
	scan_type(&scan, MW_SCAN_SHARE);
	scan_end(&scan, sc);
	if (target < pages)
		mw_protection_scanned(group, target, scan.nr.scanned);
	return true;
}
