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
static struct mw_group *first_in_turn(struct mw_group *target)
{
	u64 last = READ_ONCE(target->cursor);
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, target)))
		if (group->id == last) {
			group = mw_group_walk(group, target);
			break;
		}
	return group ?: mw_group_walk(NULL, target);
}

static struct mw_group *next_in_turn(struct mw_group *group,
				     struct mw_group *target)
{
	return mw_group_walk(group, target) ?: mw_group_walk(NULL, target);
}

/* One round over all groups. */
static void scan_tree(struct mw_scan_control *sc)
{
	struct mw_group *target = sc->target;
	struct mw_group *group = first_in_turn(target);
	unsigned int nr_groups = READ_ONCE(target->nr_descendants) + 1;

	while (nr_groups--) {
		mw_scan_group(group, sc);
		WRITE_ONCE(target->cursor, group->id);
		if (mw_scan_is_enough(sc) || mw_scan_must_stop(sc))
			break;
		/* all may be protected: then nobody else does */
		cond_resched();
		group = next_in_turn(group, target);
	}
	mw_group_put(group);
}

/* The same for what was being written, which goes first. */
static void scan_tree_written(struct mw_scan_control *sc)
{
	struct mw_group *group = NULL;

	sc->nr.writing = 0;
	while ((group = mw_group_walk(group, sc->target)))
		if (sc->nr.reclaimed < sc->nr_to_reclaim)
			mw_scan_written(group, sc);
}

/*
 * As much is being written as is wanted, or nothing else is left: wait until it
 * has been.  Return: whether that is enough.
 */
static bool wait_for_writing(struct mw_scan_control *sc)
{
	unsigned int ms;

	for (ms = 1; sc->nr.writing && sc->nr.reclaimed < sc->nr_to_reclaim &&
		     ms <= WRITE_WAIT_MAX_MS && !mw_scan_must_stop(sc); ms *= 2) {
		schedule_timeout_killable(msecs_to_jiffies(ms));
		scan_tree_written(sc);
	}
	return sc->nr.reclaimed >= sc->nr_to_reclaim;
}

/*
 * What was wanted had been written.  Before the last of it is gone send more, or
 * the swap device has nothing to do until somebody has to wait for it.
 */
static void write_ahead(struct mw_scan_control *sc)
{
	struct mw_group *target = sc->target;
	/* not all of a large tree for this */
	unsigned int nr_groups = min(READ_ONCE(target->nr_descendants) + 1, 8U);
	struct mw_group *group;

	if (sc->nr.writing >= MW_SCAN_AHEAD || sc->why == MW_RECLAIM_PROACTIVE)
		return;
	group = first_in_turn(target);
	while (nr_groups-- && sc->nr.writing < MW_SCAN_AHEAD &&
	       !mw_scan_must_stop(sc)) {
		mw_scan_ahead(group, sc);
		WRITE_ONCE(target->cursor, group->id);
		group = next_in_turn(group, target);
	}
	mw_group_put(group);
}

/*
 * Not more than once for each request: they write everything that is dirty on the
 * machine, other groups' pages too.
 */
static void wake_flushers(struct mw_scan_control *sc)
{
	if (!sc->flushers_woken)
		mw_wake_flushers();
	sc->flushers_woken = true;
}

/* Pages for which there was no chunk when they were charged. */
static void rescue(struct mw_group *target)
{
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, target)))
		mw_lru_rescue(group);
}

/* Rounds that get stronger. Return: whether that was enough. */
static bool go_round(struct mw_scan_control *sc)
{
	int priority;

	for (priority = MW_SCAN_PRIORITIES;
	     priority >= 0 && !mw_scan_must_stop(sc); priority--) {
		if (sc->nr.reclaimed >= sc->nr_to_reclaim)
			return true;
		sc->priority = priority;
		scan_tree(sc);
		if (sc->nr.dirty > sc->nr.reclaimed)
			wake_flushers(sc);
		if (mw_scan_is_enough(sc) && wait_for_writing(sc))
			return true;
	}
	return false;
}

/*
 * Nothing else could be reclaimed: memory.low does not hold, memory.min does.  But
 * first look at what the CPUs have not sent to the queues yet.
 */
static bool go_round_again(struct mw_scan_control *sc)
{
	mw_stock_drain_online();
	if (go_round(sc))
		return true;
	sc->memcg_low_reclaim = true;
	return go_round(sc);
}

static void reclaim(struct mw_scan_control *sc)
{
	scan_tree_written(sc);
	if (sc->nr.reclaimed >= sc->nr_to_reclaim)
		write_ahead(sc);
	if (go_round(sc) || (sc->memcg_low_skipped && go_round_again(sc)))
		return;
	if (sc->nr.writing && wait_for_writing(sc))
		return;
	if (!sc->nr.scanned)
		rescue(sc->target);
	if (sc->nr.dirty)
		wake_flushers(sc);
	if (sc->nr.dirty && !sc->nr.reclaimed)
		schedule_timeout_killable(msecs_to_jiffies(DIRTY_WAIT_MS));
}

/**
 * mw_reclaim() - reclaim pages of a group and of those below it
 * @sc: the request, with nothing found yet
 *
 * Context: process, may sleep.  Takes no mutex.
 * Return: pages reclaimed.
 */
unsigned long mw_reclaim(struct mw_scan_control *sc)
{
	struct mw_filter_bypass bypass;

	mw_filter_bypass_begin(&bypass);
	reclaim(sc);
	mw_filter_bypass_end(&bypass);
	return sc->nr.reclaimed;
}
