// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaiming so many pages of a group and of the groups below it.
 *
 * DOC: Groups take turns (turns.c).  One round looks at a part of each group's pages, the same
 * part of all of them, so big groups give more; rounds get stronger (1/4096 of
 * the pages, then 1/2048, …; but never at fewer than are wanted) until enough was reclaimed.  Two halves of a last
 * round look at every page twice, which is what it takes to find a page unused.
 *
 * What reclaim has sent to swap is being written for a while before it can go, as
 * are file pages.  Such pages wait in a queue of their own, which is looked at first;
 * and when as many are being written as are wanted, and some more groups have nothing clean,
 * reclaim waits for them rather than sending more.  A disk may hang, so that none of them
 * ever goes: if such a wait was in vain, nobody waits again for a while, and reclaim takes
 * what else there is.  Who may hold what the writing needs does not wait for it: for files that is
 * who has no __GFP_FS, for swap who has no __GFP_IO, nor, if that is a file on NFS, __GFP_FS.
 *
 * Dirty file pages are left to the kernel's flusher threads: reclaim may run under
 * locks of the very file system that would have to write.  They are woken as soon
 * as more of what was found is dirty than could be reclaimed, as the kernel's own
 * reclaim does.  If they were left asleep until nothing else is to be had, a group
 * that writes a lot would swap its programs out and keep what they have written.
 */
#include <linux/blkdev.h>
#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include <trace/events/memward.h>

#include <compat/reclaim.h>
#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/leaving.h>
#include <core/group/memsw.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <core/pages/lru.h>
#include <core/reclaim/device.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/scan.h>
#include <core/reclaim/split.h>
#include <core/reclaim/turns.h>

/* so many groups are asked for clean pages before anybody waits for those of others */
#define MORE_GROUPS	8
/* and so many rounds are gone that bring something, before it is what is in use that they bring */
#define GENTLE_ROUNDS	3
/* how long to wait for pages that are being written: at first, and, doubled each time, at most */
#define WRITE_WAIT_MIN_US	128
#define WRITE_WAIT_MAX_US	(WRITE_WAIT_MIN_US << 9)
/* so many pages are on their way to swap before they are wanted: such a part of all, and at most */
#define AHEAD_PART	64UL
#define AHEAD_MAX	480UL
/* if that was in vain, how long nobody waits again */
#define STALLED_MS		1000
/* if what is spared had to be taken, how long it is taken at once */
#define DESPERATE_MS		1000
/* so far above its limit a group may come for those who are to be frozen */
#define FREEZE_PAGES		1024
/* how long to wait at least for the flusher threads if everything else was tried; and how often to look */
#define DIRTY_WAIT_MS		20U

/* Nobody sleeps who was killed, also if he goes on. */
static bool must_not_wait(const struct mw_scan_control *sc)
{
	return fatal_signal_pending(current) || mw_scan_must_stop(sc);
}

/* Is anything being written that it may wait for? */
static bool may_wait(const struct mw_scan_control *sc)
{
	return (sc->nr.writing[MW_LRU_ANON] && sc->may_swap) ||
	       (sc->nr.writing[MW_LRU_FILE] && (sc->gfp & __GFP_FS));
}

static bool is_worth_waiting(const struct mw_scan_control *sc)
{
	return mw_scan_is_coming(sc) && !sc->stalled && may_wait(sc);
}

static bool is_enough_for_now(const struct mw_scan_control *sc)
{
	return mw_scan_is_enough(sc) || mw_scan_must_stop(sc);
}

/* Ask one group.  Return: whether it is worth waiting for what is being written. */
static bool take_turn(struct mw_turns *turns, struct mw_scan_control *sc)
{
	unsigned long before = sc->nr.scanned;

	mw_scan_group(turns->group, turns->share, sc);
	if (sc->splits && !sc->priority)
		mw_split_group(turns->group, sc);
	mw_turns_had(turns, sc->nr.scanned - before);
	/* all may be protected: then nobody else does */
	cond_resched();
	return is_worth_waiting(sc);
}

/*
 * One round over all groups.  If as much is being written as is wanted, it is over, but that some more
 * (MORE_GROUPS) are asked for what is clean before somebody waits: they keep their turn, as nothing of
 * theirs is sent to swap now.  Return: whether it was anybody's turn.
 */
static bool scan_tree(struct mw_scan_control *sc)
{
	unsigned int nr_more = MORE_GROUPS;
	struct mw_turns turns;
	bool any, goes_on;

	any = goes_on = mw_turns_begin(&turns, sc, sc->priority);
	while (goes_on) {
		bool more = take_turn(&turns, sc);

		if (more)
			mw_turns_keep(&turns);
		goes_on = !is_enough_for_now(sc) && !(more && !nr_more--) &&
			  mw_turns_next(&turns);
	}
	mw_turns_end(&turns);
	return any;
}

/* The same for what was being written, which goes first. */
static void scan_tree_written(struct mw_scan_control *sc)
{
	struct mw_group *group = NULL;

	memset(sc->nr.writing, 0, sizeof(sc->nr.writing));
	while ((group = mw_group_walk(group, sc->target, MW_WALK_PENDING))) {
		if (!mw_scan_is_enough(sc))
			mw_scan_written(group, sc);
		mw_lru_settle(group);
	}
}

static void set_stalled(struct mw_scan_control *sc, bool stalled)
{
	u64 until = stalled ? get_jiffies_64() + msecs_to_jiffies(STALLED_MS) : 0;

	sc->stalled = stalled;
	if (READ_ONCE(sc->target->stalled_until) != until)
		WRITE_ONCE(sc->target->stalled_until, until);
}

/* Not in jiffies: a fast disk has written all of it in a small part of one. */
static void sleep_us(unsigned int us)
{
	ktime_t timeout = ns_to_ktime((u64)us * NSEC_PER_USEC);

	set_current_state(TASK_KILLABLE);
	schedule_hrtimeout_range(&timeout, us * (NSEC_PER_USEC / 4),
				 HRTIMER_MODE_REL);
}

static void count_wait(struct mw_scan_control *sc, ktime_t since)
{
	sc->waited_us += ktime_us_delta(ktime_get(), since);
}

/*
 * As much is being written as is wanted, or nothing else is left: wait until it
 * has been.  Return: whether that is enough.
 */
static bool wait_for_writing(struct mw_scan_control *sc)
{
	unsigned long before = sc->nr.reclaimed;
	ktime_t begin = ktime_get();
	unsigned int us;

	for (us = WRITE_WAIT_MIN_US; may_wait(sc) && !mw_scan_is_enough(sc) &&
	     us <= WRITE_WAIT_MAX_US && !must_not_wait(sc); us *= 2) {
		sleep_us(us);
		scan_tree_written(sc);
	}
	if (sc->nr.reclaimed != before || us > WRITE_WAIT_MAX_US)
		set_stalled(sc, sc->nr.reclaimed == before);
	count_wait(sc, begin);
	return mw_scan_is_enough(sc);
}

/*
 * A disk has several requests at work, and each is of many pages: who has sent fewer than these waits
 * for it again and again.  It costs nobody memory: they are charged, and mapped again if they are used,
 * until they are wanted.
 */
static unsigned long ahead_of(const struct mw_scan_control *sc)
{
	unsigned long part = mw_counter_read(&sc->target->memory) / AHEAD_PART;

	return sc->sends_ahead ? clamp(part, MW_SCAN_AHEAD, AHEAD_MAX) : MW_SCAN_AHEAD;
}

static unsigned long nr_writing(const struct mw_scan_control *sc)
{
	return sc->nr.writing[MW_LRU_ANON] + sc->nr.writing[MW_LRU_FILE];
}

/*
 * Of all groups below the target: what was looked at so far may be no more than the first one's.  For
 * the root it is not known.
 */
static bool is_ahead(const struct mw_scan_control *sc)
{
	unsigned long nr = sc->target->parent ? mw_leaving_read(sc->target) : nr_writing(sc);

	return nr >= sc->ahead;
}

/*
 * What was wanted had been written.  Before the last of it is gone send more, or
 * the swap device has nothing to do until somebody has to wait for it.  Who has cache
 * instead keeps his turn, and nobody sends more until that has come, when what was sent is gone.
 */
static void write_ahead(struct mw_scan_control *sc)
{
	/* not all of a large tree for this */
	unsigned int nr_groups = 8;
	struct mw_turns turns;
	bool goes_on;

	if (is_ahead(sc) || sc->why == MW_RECLAIM_PROACTIVE)
		return;
	goes_on = mw_turns_begin(&turns, sc, MW_SCAN_PRIORITIES);
	if (!goes_on && sc->found) {
		/* much cannot be had, and does not count from now on */
		mw_turns_end(&turns);
		goes_on = mw_turns_begin(&turns, sc, MW_SCAN_PRIORITIES);
	}
	while (goes_on) {
		unsigned long before = sc->nr.scanned;

		if (!mw_scan_ahead(turns.group, sc)) {
			mw_turns_refuse(&turns);
			break;
		}
		mw_turns_had(&turns, sc->nr.scanned - before);
		goes_on = !is_ahead(sc) && !mw_scan_must_stop(sc) &&
			  --nr_groups && mw_turns_next(&turns);
	}
	mw_turns_end(&turns);
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

/*
 * There may be some: one walk over all memory for all groups, as it takes long on a large machine.
 * Return: whether it was done to the end.
 */
static bool seek_lost(struct mw_group *target)
{
	struct mw_group *group = NULL;
	bool any = false, found;

	while ((group = mw_group_walk(group, target, MW_WALK_PENDING)))
		any |= mw_lru_seek(group);
	if (!any)
		return false;
	/* a CPU without a chunk says so once for a batch of pages, some of which may come after the walk */
	mw_stock_drain_below(target);
	found = mw_lru_rescue();
	while ((group = mw_group_walk(group, target, MW_WALK_PENDING)))
		mw_lru_sought(group, found);
	return found;
}

/* Held by who looks for lost pages.  Others only try: nobody sleeps for it under a file system's locks. */
static DEFINE_MUTEX(rescue_mutex);

/* Pages for which there was no chunk when they were charged. */
static void rescue(struct mw_scan_control *sc)
{
	if (mw_scan_must_stop(sc) || !mutex_trylock(&rescue_mutex))
		return;
	sc->has_walked = seek_lost(sc->target);
	mutex_unlock(&rescue_mutex);
}

/* Is there something else to be had, if not as much as is wanted? */
static bool is_finding(const struct mw_scan_control *sc, unsigned long before)
{
	return sc->nr.reclaimed != before &&
	       sc->priority > MW_SCAN_PRIORITIES - GENTLE_ROUNDS;
}

/* It meets all there is: what was found before would count twice. */
static void begin_last_look(struct mw_scan_control *sc)
{
	sc->nr.dirty = 0;
	sc->nr.held = 0;
	sc->nr.pinned = 0;
}

/* Rounds that get stronger. Return: whether that was enough. */
static bool go_round(struct mw_scan_control *sc)
{
	unsigned long before;
	int priority;
	bool any;

	for (priority = MW_SCAN_PRIORITIES;
	     priority >= 0 && !mw_scan_must_stop(sc); priority--) {
		if (mw_scan_is_enough(sc))
			return true;
		sc->priority = priority;
		before = sc->nr.reclaimed;
		if (!priority)
			begin_last_look(sc);
		any = scan_tree(sc);
		if (sc->nr.dirty > sc->nr.reclaimed)
			wake_flushers(sc);
		/* not before somebody was asked for what is clean */
		if (any && is_worth_waiting(sc) && !is_finding(sc, before) && wait_for_writing(sc))
			return true;
	}
	sc->rechecked = true;
	return mw_scan_is_enough(sc);
}

/*
 * Nothing else could be reclaimed: memory.low does not hold, memory.min does.  But
 * first look at what the CPUs have not sent to the queues yet.
 */
static bool go_round_again(struct mw_scan_control *sc)
{
	mw_stock_drain_below(sc->target);
	if (go_round(sc))
		return true;
	sc->memcg_low_reclaim = true;
	sc->splits_ns = 0;
	/* of those that memory.low protects it was not asked for, nor waited for */
	scan_tree_written(sc);
	return go_round(sc);
}

/* Has another one who reclaims pages of these groups in hands, or looks for lost ones? */
static bool is_out(struct mw_group *target)
{
	struct mw_group *group = NULL;
	bool out = false;

	while ((group = mw_group_walk(group, target, MW_WALK_PENDING)))
		out |= mw_lru_is_out(&group->lru);
	return out;
}

/*
 * Does another one walk all memory for lost pages, while there may be some of these groups?  He finds them,
 * or they are for the next walk.
 */
static bool is_sought(struct mw_group *target)
{
	struct mw_group *group = NULL;
	bool sought = false;

	if (!mutex_is_locked(&rescue_mutex))
		return false;
	while ((group = mw_group_walk(group, target, MW_WALK_PENDING)))
		sought |= mw_lru_has_lost(&group->lru);
	return sought;
}

static bool is_enough(const struct mw_scan_control *sc, unsigned long nr_pages)
{
	return nr_pages >= (sc->few_are_enough ? 1 : sc->nr_to_reclaim);
}

/* Is so much dirty, or being written? */
static bool is_for_disks(const struct mw_scan_control *sc)
{
	return is_enough(sc, sc->nr.dirty + nr_writing(sc));
}

static bool is_worth_patience(const struct mw_scan_control *sc)
{
	return is_enough(sc, sc->nr.dirty + nr_writing(sc) + sc->nr.held +
			     (sc->awaits_pinned ? sc->nr.pinned : 0));
}

static bool is_pending(const struct mw_scan_control *sc)
{
	return sc->nr.dirty || nr_writing(sc) || is_out(sc->target);
}

/* For a few pages nobody waits for ever while the rest of the group grows. */
static unsigned int last_wait_ms(const struct mw_scan_control *sc)
{
	if (is_worth_patience(sc) || is_out(sc->target))
		return max(sc->patience, DIRTY_WAIT_MS);
	return DIRTY_WAIT_MS;
}

/* Have others given back what is wanted, be it by dying? */
static bool is_relieved(const struct mw_scan_control *sc, unsigned long usage)
{
	return mw_counter_read(&sc->target->memory) + sc->nr_to_reclaim <= usage;
}

/**
 * mw_reclaim_is_spared() - need current not wait, as it is to be frozen?
 * @target: whose limit it is
 *
 * The machine may be being suspended, and whoever is here must not hold that up.  But a freezer of
 * cgroup v1 may be slow, so it is not for free: 4 MB above the limit he waits as all others do.
 *
 * Context: process.
 */
bool mw_reclaim_is_spared(struct mw_group *target)
{
	return freezing(current) && !mw_memsw_is_above(target, FREEZE_PAGES);
}

/**
 * mw_reclaim_is_desperate() - is what is spared otherwise to be taken, as somebody is to be killed?
 * @target:   whose limit it is
 * @few_left: there are few tries left
 *
 * If there was nothing else lately there is nothing else now: each batch of pages would have to wait
 * for all of those tries again.
 *
 * Context: any.
 */
bool mw_reclaim_is_desperate(struct mw_group *target, bool few_left)
{
	return few_left || time_before64(get_jiffies_64(), READ_ONCE(target->desperate_until));
}

/*
 * Nobody has given anything.  Before somebody is killed what is spared as a part of a group is protected
 * goes too: what is in use, and large folios of which a part is.  Return: whether that was enough.
 */
static bool take_last_chance(struct mw_scan_control *sc)
{
	if (!sc->desperate || sc->nr.reclaimed || !mw_protection_any() ||
	    mw_scan_must_stop(sc))
		return false;
	sc->priority = 0;
	begin_last_look(sc);
	sc->last_chance = true;
	sc->splits_ns = 0;
	scan_tree(sc);
	/* what it has sent to swap is there in time, if the disk gets on */
	if (!sc->nr.reclaimed && !sc->stalled)
		wait_for_writing(sc);
	sc->last_chance = false;
	if (sc->nr.reclaimed && sc->kills)
		WRITE_ONCE(sc->target->desperate_until,
			   get_jiffies_64() + msecs_to_jiffies(DESPERATE_MS));
	return mw_scan_is_enough(sc);
}

/*
 * It was waited for as long as there was patience: for what, and does that get on?  A device that was met
 * during the wait has not been waited for.
 */
static void judge_wait(struct mw_scan_control *sc, bool were_known)
{
	sc->for_disks = is_for_disks(sc);
	sc->advances = mw_devices_advance(sc->devices);
	sc->busy = sc->advances || mw_devices_are_busy(sc->devices);
	if (were_known && sc->for_disks && !sc->advances)
		set_stalled(sc, true);
}

/*
 * Everything was tried.  What is left waits for the flusher threads, or for a disk, or
 * until another one has reclaimed it or is through with it: that may take some time.  Who serves
 * a disk himself does not wait.
 */
static void wait_for_others(struct mw_scan_control *sc)
{
	unsigned long usage = mw_counter_read(&sc->target->memory);
	unsigned int ms, max = last_wait_ms(sc);
	bool are_known = sc->devices && mw_devices_any(sc->devices);

	if (!(sc->gfp & __GFP_IO))
		return;
	for (ms = 0; ms < max; ms += DIRTY_WAIT_MS) {
		if (!(sc->pending || mw_scan_held(sc)) || must_not_wait(sc) ||
		    mw_reclaim_is_spared(sc->target))
			return;
		/* that is no sign of a disk that hangs */
		sc->relieved = sc->devices && is_relieved(sc, usage);
		if (sc->relieved)
			return;
		schedule_timeout_killable(msecs_to_jiffies(DIRTY_WAIT_MS));
		scan_tree_written(sc);
		if (sc->nr.reclaimed)
			return;
		sc->pending = is_pending(sc);
	}
	sc->sought = !sc->has_walked && is_sought(sc->target);
	if (sc->devices)
		judge_wait(sc, are_known);
}

static void wait_to_the_end(struct mw_scan_control *sc)
{
	ktime_t begin = ktime_get();

	wait_for_others(sc);
	count_wait(sc, begin);
}

static void reclaim(struct mw_scan_control *sc)
{
	sc->stalled = time_before64(get_jiffies_64(),
				    READ_ONCE(sc->target->stalled_until));
	scan_tree_written(sc);
	if (mw_scan_is_enough(sc))
		write_ahead(sc);
	if (go_round(sc))
		return;
	/* memory.low does not give way for what is about to be there */
	if (sc->memcg_low_skipped && sc->nr.writing[MW_LRU_ANON] && !sc->stalled &&
	    (wait_for_writing(sc) || sc->nr.reclaimed))
		return;
	if (sc->memcg_low_skipped && go_round_again(sc))
		return;
	if (!sc->stalled && wait_for_writing(sc))
		return;
	if (take_last_chance(sc))
		return;
	if (sc->nr.dirty)
		wake_flushers(sc);
	if (sc->nr.reclaimed)
		return;
	rescue(sc);
	sc->pending = is_pending(sc);
	wait_to_the_end(sc);
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
	struct blk_plug plug;

	trace_memward_reclaim_begin(sc->target, sc->why, sc->nr_to_reclaim,
				    (__force unsigned int)sc->gfp);
	/* the last round is the one that looks for devices */
	sc->priority = MW_SCAN_PRIORITIES;
	sc->may_swap = (sc->gfp & __GFP_IO) &&
		       ((sc->gfp & __GFP_FS) || !mw_swap_needs_fs());
	sc->ahead = ahead_of(sc);
	/*
	 * What goes to swap is handed to the disk together: pages that follow each other
	 * are one request.  Whoever goes to sleep hands over what he has, so nobody waits
	 * for what is still held back.
	 */
	blk_start_plug(&plug);
	reclaim(sc);
	blk_finish_plug(&plug);
	trace_memward_reclaim_end(sc->target, sc->why, sc->priority, sc->nr.scanned,
				  sc->nr.reclaimed, sc->waited_us, sc->nr.dirty,
				  nr_writing(sc), mw_scan_held(sc));
	return sc->nr.reclaimed;
}
