// SPDX-License-Identifier: GPL-2.0
/*
 * Splitting huge pages of which a part is mapped no more.
 *
 * DOC: A program, or its malloc(), may have given back most of a huge page, and all of it stays charged until
 * it is split.  The kernel's reclaim splits what it is about to swap out, and so does memward's.  Where nothing
 * can be swapped it has a shrinker, which knows only its own groups; here these are looked for among a group's
 * anonymous memory, if nothing else could be had.
 *
 * It may be a walk over all of a large group that brings nothing, under whatever locks a charge holds.  So it is a
 * short one for each request: what was looked at goes behind all others, and the next one goes on there.  And once
 * it was all of it it is not made again for as long that it is a small part of the time; but by who may take now
 * what was protected, or if somebody is about to be killed.  Who comes meanwhile finds that somebody has pages in
 * hands, and waits.
 * Nobody waits until all was looked at: of a large group it may not be before somebody is killed.  How large that is
 * has not been measured; by what a page costs to look at it would be some 16 GB.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/nodemask.h>
#include <linux/sched.h>

#include <compat/folio.h>
#include <compat/reclaim.h>
#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <core/pages/inbox.h>
#include <core/pages/lru.h>
#include <core/pages/page_cgroup.h>
#include <core/protect/hide.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/scan.h>
#include <core/reclaim/split.h>

/* so long one request searches, and again where less is spared than before */
#define SPLIT_NS	(50 * (u64)NSEC_PER_MSEC)
/* if there are none nobody does for so many times as long as it took */
#define UNSPLIT_TIMES	10

/**
 * struct search - a look at a part of a group's anonymous memory
 * @group: whose queues they are
 * @sc:    the request
 * @pages: so many may be looked at
 * @chunks: so many at the most are sorted: not what others send meanwhile, nor what was kept
 * @room:  more than that it may not take
 * @end:   when it is over, in jiffies
 * @seen:  pages looked at
 * @freed: pages of huge ones that are free now
 * @cut:   one was larger than there is room for
 */
struct search {
	struct mw_group *group;
	const struct mw_scan_control *sc;
	unsigned long pages;
	long chunks;
	unsigned long room;
	unsigned long end;
	unsigned long seen;
	unsigned long freed;
	bool cut;
};

static unsigned long room_for(const struct search *search)
{
	return mw_protection_room(search->group, search->sc->target,
				  search->sc->memcg_low_reclaim, true);
}

/* Others may take of it at the same time.  What was freed here does not count as there. */
static void renew_room(struct search *search)
{
	if (search->room == ULONG_MAX)
		return;
	mw_stock_give_back();
	search->room = mw_protection_less_room(search->room, search->freed,
					       room_for(search));
}

static bool is_out_of_time(const struct search *search)
{
	return time_after(jiffies, search->end) || mw_scan_must_stop(search->sc);
}

static bool is_enough(const struct search *search)
{
	return search->sc->nr.reclaimed + search->freed >= search->sc->nr_to_reclaim ||
	       search->freed >= search->room;
}

/* What was looked at may be sorted into the queue again by others meanwhile. */
static bool is_over(const struct search *search)
{
	return is_enough(search) || search->seen >= search->pages ||
	       is_out_of_time(search);
}

/* Somebody is to be killed, and nobody has given anything yet. */
static bool is_last_chance(const struct mw_scan_control *sc)
{
	return sc->last_chance && !sc->nr.reclaimed;
}

/* Is a part of it protected? If all there is is cut, that is not to have somebody killed. */
static bool is_cut(const struct search *search, const struct mw_page *page)
{
	return search->freed + page->nr > search->room &&
	       !is_last_chance(search->sc);
}

static bool is_to_be_split(struct search *search, const struct mw_page *page)
{
	if (!mw_folio_partially_mapped(page->folio))
		return false;
	if (!is_cut(search, page))
		return true;
	search->cut = true;
	return false;
}

/* Return: pages of it that are free now; it is put back. */
static unsigned int split(const struct mw_page *page)
{
	if (mw_pc_is_hidden(page->entry))
		mw_hide_show(page->folio, page->pfn, page->nr);
	mw_folio_split(page->folio);
	/* the first may have been one of them */
	folio_put(page->folio);
	return page->nr - mw_lru_return(page).nr;
}

static bool look(const struct mw_page *page, void *data)
{
	struct search *search = data;

	search->seen += page->nr;
	if (is_to_be_split(search, page)) {
		search->freed += split(page);
		renew_room(search);
	} else {
		mw_queue_append(page, mw_pc_age(page->entry));
		folio_put(page->folio);
	}
	return !is_over(search);
}

/* Return: false if the queue is empty. */
static bool look_at_chunk(struct search *search, int nid)
{
	/* what is kept goes there page by page and with the lock held */
	mw_inbox_fetch(search->group);
	return mw_lru_visit(search->group, nid, MW_LRU_ANON, look, search) >= 0;
}

static void look_at_node(struct search *search, int nid)
{
	while (!is_over(search) && look_at_chunk(search, nid))
		cond_resched();
}

/* Another node is the first each time, as all of the time may be spent on one. */
static void look_at_nodes(struct search *search)
{
	const nodemask_t *nodes = mw_scan_nodes(search->sc);
	struct mw_unsplit *unsplit = &search->group->unsplit;
	int nr_nodes = nodes_weight(*nodes);
	int nid = next_node_in(unsplit->node, *nodes);

	unsplit->node = nid;
	while (nr_nodes--) {
		look_at_node(search, nid);
		nid = next_node_in(nid, *nodes);
	}
}

/* What is in the queues first, then what is not sorted yet; what was kept is behind that. */
static void look_at_all(struct search *search)
{
	do {
		look_at_nodes(search);
		cond_resched();
	} while (!is_over(search) && search->chunks-- > 0 &&
		 mw_lru_sort(search->group));
}

static void begin_anew(struct mw_unsplit *unsplit, u64 in_ns)
{
	unsplit->seen = 0;
	unsplit->took = 0;
	unsplit->until = ktime_get_ns() + in_ns;
}

/* @pages: of the group; all of them were seen, in this search and those before, or there are no more */
static void note(const struct search *search, unsigned long pages, u64 took)
{
	struct mw_unsplit *unsplit = &search->group->unsplit;

	unsplit->took += took;
	unsplit->seen += search->seen;
	if (search->freed)
		begin_anew(unsplit, 0);
	else if (!is_over(search) || unsplit->seen >= pages)
		begin_anew(unsplit, UNSPLIT_TIMES * unsplit->took);
}

/* Who looks for nothing else has scanned only what he took. */
static void count(const struct search *search, struct mw_scan_control *sc)
{
	mw_stats_reclaimed(search->group, sc->why, MW_LRU_ANON, search->freed,
			   search->freed);
	sc->nr.scanned += search->freed;
	sc->nr.reclaimed += search->freed;
}

/*
 * At the most: what is locked is in another queue.  Those that are nobody's program's are in the same ones, and are
 * mapped as a whole or not at all.  Not on the stack of what follows.
 */
static noinline unsigned long pages_of(struct mw_group *group)
{
	struct mw_stats stats;

	mw_stats_estimate(group, &stats);
	if (mw_stats_held(&stats, MW_KIND_ANON) <= 0)
		return 0;
	return mw_stats_held(&stats, MW_KIND_ANON) +
	       max(mw_stats_held(&stats, MW_KIND_SHMEM), 0L);
}

/* At the most: there may be few pages in a chunk. */
static long unsorted_chunks(struct mw_group *group)
{
	unsigned long sorted = 0;
	int queue;

	for (queue = 0; queue < MW_NR_QUEUES; queue++)
		sorted += mw_lru_queued(&group->lru, queue) / MW_CHUNK_PAGES;
	return atomic_long_read(&group->lru.nr_chunks) - sorted;
}

/* As many as memory.min and memory.low leave to be looked at; all if nobody has given anything and somebody is to be killed. */
static unsigned long target_of(struct mw_group *group, unsigned long pages,
			       struct mw_scan_control *sc)
{
	unsigned long target = mw_protection_rare_target(group, sc->target, pages,
							 sc->memcg_low_reclaim,
							 &sc->memcg_low_skipped);

	return is_last_chance(sc) ? pages : target;
}

/* What was cut was larger than there is room for: is that for memory.low, which may give way? */
static void note_cut(const struct search *search, struct mw_scan_control *sc)
{
	if (search->cut && !sc->memcg_low_reclaim && !sc->memcg_low_skipped)
		sc->memcg_low_skipped = mw_protection_room(search->group, sc->target,
							   true, true) > room_for(search);
}

/* One of several groups has half of what is left, or those after it would never be looked at. */
static u64 time_for(const struct mw_scan_control *sc)
{
	u64 left = SPLIT_NS - sc->splits_ns;

	/* if there is one below the target it has all the memory */
	return READ_ONCE(sc->target->nr_descendants) > 1 ? left / 2 : left;
}

static noinline void look_for_a_while(struct mw_group *group, struct mw_scan_control *sc)
{
	unsigned long pages = pages_of(group);
	struct search search = {
		.group = group, .sc = sc,
		.pages = target_of(group, pages, sc),
		.chunks = unsorted_chunks(group),
		.end = jiffies + nsecs_to_jiffies(time_for(sc)),
	};
	u64 begin = ktime_get_ns(), took;

	search.room = room_for(&search);
	if (is_over(&search))
		return;
	mw_lru_hold(group);
	look_at_all(&search);
	mw_lru_release(group);
	took = ktime_get_ns() - begin;
	sc->splits_ns += took;
	note(&search, pages, took);
	note_cut(&search, sc);
	count(&search, sc);
}

static bool is_due(const struct mw_unsplit *unsplit, const struct mw_scan_control *sc)
{
	return sc->last_chance || sc->memcg_low_reclaim ||
	       (sc->kills && sc->desperate) || ktime_get_ns() >= unsplit->until;
}

/**
 * mw_split_group() - free what is mapped no more of a group's huge pages, if nothing of it can be swapped
 * @group: the group, referenced
 * @sc:    the request, with @splits
 *
 * Context: process, may sleep.
 */
void mw_split_group(struct mw_group *group, struct mw_scan_control *sc)
{
	struct mw_group *payer = mw_group_payer(group);
	struct mw_unsplit *unsplit = &payer->unsplit;

	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ||
	    sc->splits_ns >= SPLIT_NS ||
	    mw_scan_is_enough(sc) || !mw_scan_spares_anon(payer, sc) ||
	    xchg(&unsplit->busy, true))
		return;
	if (is_due(unsplit, sc))
		look_for_a_while(payer, sc);
	smp_store_release(&unsplit->busy, false);
}
