// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaiming so many pages of a group and of the groups below it.
 *
 * DOC: Groups take turns.  One round looks at a part of each group's pages, the same
 * part of all of them, so big groups give more; rounds get stronger (1/4096 of
 * the pages, then 1/2048, …) until enough was reclaimed.  Two halves of a last
 * round look at every page twice, which is what it takes to find a page unused.
 *
 * What reclaim has sent to swap is being written for a while before it can go, as
 * are file pages.  Such pages wait in a queue of their own, which is looked at first;
 * and when as many are being written as are wanted, reclaim waits for them rather
 * than sending more.
 *
 * Dirty file pages are left to the kernel's flusher threads: reclaim may run under
 * locks of the very file system that would have to write.  They are woken as soon
 * as more of what was found is dirty than could be reclaimed, as the kernel's own
 * reclaim does.  If they were left asleep until nothing else is to be had, a group
 * that writes a lot would swap its programs out and keep what they have written.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <compat/reclaim.h>
#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/pages/lru.h>
#include <core/protect/filter.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/scan.h>

/* how long to wait at most for pages that are being written, doubled each time */
#define WRITE_WAIT_MAX_MS	64
/* how long to wait for the flusher threads if everything else was tried */
#define DIRTY_WAIT_MS		20

/* The group whose turn it is: the one behind the last, or the first. */
static struct mw_group *first_in_turn(struct mw_group *top)
{
	u64 last = READ_ONCE(top->cursor);
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, top)))
		if (group->id == last) {
			group = mw_group_walk(group, top);
			break;
		}
	return group ?: mw_group_walk(NULL, top);
}

/* One round over all groups. */
static void scan_tree(struct mw_group *top, const struct mw_reclaim *how,
		      unsigned int priority, unsigned long nr_pages,
		      struct mw_tally *sum)
{
	struct mw_group *group = first_in_turn(top);
	unsigned int nr_groups = READ_ONCE(top->nr_descendants) + 1;

	while (nr_groups--) {
		mw_scan_group(group, top, how, priority, nr_pages, sum);
		WRITE_ONCE(top->cursor, group->id);
		if (mw_tally_is_enough(sum, nr_pages) || mw_scan_must_stop(how))
			break;
		/* all may be protected: then nobody else does */
		cond_resched();
		group = mw_group_walk(group, top) ?: mw_group_walk(NULL, top);
	}
	mw_group_put(group);
}

/* The same for what was being written, which goes first. */
static void scan_tree_written(struct mw_group *top, const struct mw_reclaim *how,
			      unsigned long nr_pages, struct mw_tally *sum)
{
	struct mw_group *group = NULL;

	sum->writing = 0;
	while ((group = mw_group_walk(group, top)))
		if (sum->reclaimed < nr_pages)
			mw_scan_written(group, how, nr_pages, sum);
}

/*
 * As much is being written as is wanted, or nothing else is left: wait until it
 * has been.  Return: whether that is enough.
 */
static bool wait_for_writing(struct mw_group *top, const struct mw_reclaim *how,
			     unsigned long nr_pages, struct mw_tally *sum)
{
	unsigned int ms;

	for (ms = 1; sum->writing && sum->reclaimed < nr_pages &&
		     ms <= WRITE_WAIT_MAX_MS && !mw_scan_must_stop(how); ms *= 2) {
		schedule_timeout_killable(msecs_to_jiffies(ms));
		scan_tree_written(top, how, nr_pages, sum);
	}
	return sum->reclaimed >= nr_pages;
}

/*
 * What was wanted had been written.  Before the last of it is gone send more, or
 * the swap device has nothing to do until somebody has to wait for it.
 */
static void write_ahead(struct mw_group *top, const struct mw_reclaim *how,
			struct mw_tally *sum)
{
	/* not all of a large tree for this */
	unsigned int nr_groups = min(READ_ONCE(top->nr_descendants) + 1, 8U);
	struct mw_group *group;

	if (sum->writing >= MW_SCAN_AHEAD || how->why == MW_RECLAIM_PROACTIVE)
		return;
	group = first_in_turn(top);
	while (nr_groups-- && sum->writing < MW_SCAN_AHEAD && !mw_scan_must_stop(how)) {
		mw_scan_ahead(group, top, how, sum);
		WRITE_ONCE(top->cursor, group->id);
		group = mw_group_walk(group, top) ?: mw_group_walk(NULL, top);
	}
	mw_group_put(group);
}

/*
 * Not more than once for each request: they write everything that is dirty on the
 * machine, other groups' pages too.
 */
static void wake_flushers(struct mw_tally *sum)
{
	if (!sum->woken)
		mw_wake_flushers();
	sum->woken = true;
}

/* Pages for which there was no chunk when they were charged. */
static void rescue(struct mw_group *top)
{
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, top)))
		mw_lru_rescue(group);
}

/* Rounds that get stronger. Return: whether that was enough. */
static bool go_round(struct mw_group *top, const struct mw_reclaim *how,
		     unsigned long nr_pages, struct mw_tally *sum)
{
	int priority;

	for (priority = MW_SCAN_PRIORITIES; priority >= 0 && !mw_scan_must_stop(how); priority--) {
		if (sum->reclaimed >= nr_pages)
			return true;
		scan_tree(top, how, priority, nr_pages, sum);
		if (sum->dirty > sum->reclaimed)
			wake_flushers(sum);
		if (mw_tally_is_enough(sum, nr_pages) &&
		    wait_for_writing(top, how, nr_pages, sum))
			return true;
	}
	return false;
}

/*
 * Nothing else could be reclaimed: memory.low does not hold, memory.min does.  But
 * first look at what the CPUs have not sent to the queues yet.
 */
static bool go_round_again(struct mw_group *top, const struct mw_reclaim *how,
			   unsigned long nr_pages, struct mw_tally *sum)
{
	struct mw_reclaim again = *how;

	mw_stock_drain_online();
	if (go_round(top, how, nr_pages, sum))
		return true;
	again.memcg_low_reclaim = true;
	return go_round(top, &again, nr_pages, sum);
}

static unsigned long reclaim(struct mw_group *top, unsigned long nr_pages,
			     const struct mw_reclaim *how)
{
	struct mw_tally sum = {};

	scan_tree_written(top, how, nr_pages, &sum);
	if (sum.reclaimed >= nr_pages)
		write_ahead(top, how, &sum);
	if (go_round(top, how, nr_pages, &sum) ||
	    (sum.memcg_low_skipped && go_round_again(top, how, nr_pages, &sum)))
		return sum.reclaimed;
	if (sum.writing && wait_for_writing(top, how, nr_pages, &sum))
		return sum.reclaimed;
	if (!sum.scanned)
		rescue(top);
	if (sum.dirty)
		wake_flushers(&sum);
	if (sum.dirty && !sum.reclaimed)
		schedule_timeout_killable(msecs_to_jiffies(DIRTY_WAIT_MS));
	return sum.reclaimed;
}

/**
 * mw_reclaim() - reclaim pages of a group and of those below it
 * @top:      the group, referenced
 * @nr_pages: how many; the rest of a batch of 32, or of a folio, may come on top
 * @how:      how
 *
 * Context: process, may sleep.  Takes no mutex.
 * Return: pages reclaimed.
 */
unsigned long mw_reclaim(struct mw_group *top, unsigned long nr_pages,
			 const struct mw_reclaim *how)
{
	struct mw_filter_bypass bypass;
	unsigned long nr;

	mw_filter_bypass_begin(&bypass);
	nr = reclaim(top, nr_pages, how);
	mw_filter_bypass_end(&bypass);
	return nr;
}
