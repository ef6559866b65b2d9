// SPDX-License-Identifier: GPL-2.0
/*
 * Setting memory.high, memory.max and memory.memsw.limit.
 *
 * DOC: A limit takes effect first and room is made afterwards; the other way round
 * whoever writes it could be starved by those who charge.  Not so those of cgroup v1,
 * which are refused if there is no room: whoever charged meanwhile would have somebody
 * killed for a limit that is never set.  They are refused as well if others charge as
 * fast as room is made.
 */
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>

#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/memsw.h>
#include <core/limit/limit.h>
#include <core/limit/oom.h>
#include <core/limit/patience.h>
#include <core/limit/resize.h>
#include <core/reclaim/drain.h>
#include <core/reclaim/reclaim.h>

/* rounds in vain, one after the other, before giving up */
#define MAX_TRIES	16
/* pages that may be reclaimed, beside several times the overage, for a limit that is not in force yet */
#define MOST_EXTRA	4096UL
/* room is made for so many pages at a time */
#define MOST_ROOM	512UL

/**
 * struct goal - a limit that is to be obeyed
 * @group:    whose
 * @limit:    where it is kept
 * @pages:    what was written
 * @is_set:   it is in force already
 * @together: it is one for memory and swap together
 * @patient:  whoever sets it waits for a disk
 * @drained:  processors have given already what they had gathered
 * @bounded:  it is not pursued when several times as much has been reclaimed, nor at the cost of what is
 *	      protected
 * @kills:    somebody is killed if it cannot be reached
 */
struct goal {
	struct mw_group *group;
	unsigned long *limit;
	unsigned long pages;
	bool is_set;
	bool together;
	bool patient;
	bool drained;
	bool bounded;
	bool kills;
};

/*
 * What CPUs have in stock is in the way of a memory.max, and is given back.  Above a memory.high it
 * is not: there whoever charges reclaims for his pages alone (throttle.c), so who went by more than
 * these might never be done.
 */
static unsigned long usage_for(const struct goal *goal)
{
	struct mw_group *group = goal->group;

	if (goal->together)
		return mw_memsw_usage(group);
	return goal->limit == &group->memory.high ? mw_group_usage(group) :
						    mw_counter_read(&group->memory);
}

/* Has nobody written another one meanwhile, or removed the group? */
static bool is_valid(const struct goal *goal)
{
	return !READ_ONCE(goal->group->dead) &&
	       (!goal->is_set || READ_ONCE(*goal->limit) == goal->pages);
}

static bool is_above(const struct goal *goal)
{
	return is_valid(goal) && usage_for(goal) > goal->pages;
}

/* Others may have given it back since it was looked at. */
static unsigned long overage(const struct goal *goal)
{
	unsigned long usage = usage_for(goal);

	return usage > goal->pages ? usage - goal->pages : 0;
}

/* Takes what it reclaims from @left, and notes if that is nothing.  Return: tries left. */
static unsigned int reclaim_some(const struct goal *goal, struct mw_patience *patience,
				 unsigned int tries, unsigned long *left, bool *in_vain)
{
	struct mw_scan_control sc = {
		.target = goal->group, .nr_to_reclaim = clamp(overage(goal), 1UL, 1024UL),
		.gfp = GFP_KERNEL, .signals = true, .thorough = true,
		.desperate = goal->patient && !goal->bounded &&
			     mw_reclaim_is_desperate(goal->group, tries <= MAX_TRIES / 2),
		.kills = goal->kills, .splits = *in_vain,
	};

	if (goal->patient)
		mw_patience_lend(patience, &sc);
	mw_limit_reclaim(&sc, !goal->together);
	*left -= min(*left, sc.nr.reclaimed);
	*in_vain = !sc.nr.reclaimed;
	switch (mw_patience_note(patience, &sc)) {
	case MW_ROUND_PROGRESS:
		return MAX_TRIES;
	case MW_ROUND_WAITED:
		return tries;
	default:
		return tries - 1;
	}
}

/*
 * What is not in force yet does not end by itself while others bring back what is reclaimed: when it
 * has been several times as much as is too much, it cannot be had.
 */
static unsigned long most_to_reclaim(const struct goal *goal)
{
	return goal->is_set && !goal->bounded ? ULONG_MAX : 4 * overage(goal) + MOST_EXTRA;
}

/* Return: whether it came to that without killing. */
static bool reclaim_to(const struct goal *goal)
{
	unsigned long left = most_to_reclaim(goal);
	struct mw_patience patience;
	unsigned int tries = MAX_TRIES;
	bool in_vain = false;

	mw_patience_begin(&patience);
	if (is_above(goal)) {
		mw_stock_drain_below_wait(goal->group);
		if (!goal->drained)
			mw_drain_wait(MW_DRAIN_ASKED_MS);
	}
	while (is_above(goal) && tries && left && !signal_pending(current)) {
		tries = reclaim_some(goal, &patience, tries, &left, &in_vain);
		cond_resched();
	}
	mw_patience_end(&patience);
	return !is_above(goal);
}

/**
 * mw_limit_make_room() - reclaim for what is to be charged, before it is
 * @full:     a group whose limit is in the way
 * @nr_pages: for so many pages, and some more as there may be others to come
 *
 * What processors have gathered for the kernel's lists is the caller's to drain, before the first time.
 *
 * Context: process, may sleep; a signal ends it.
 * Return: whether there was room; it may be gone again.  Nobody is killed for it.
 */
bool mw_limit_make_room(struct mw_group *full, unsigned long nr_pages)
{
	bool together = !mw_memsw_has_room(full, nr_pages);
	unsigned long *limit = together ? &full->memsw_max : &full->memory.max;
	unsigned long pages = READ_ONCE(*limit);
	struct goal goal = {
		.group = full, .limit = limit, .together = together, .patient = true,
		.drained = true,
	};

	if (nr_pages > pages)
		return false;
	goal.pages = pages - max(nr_pages, min(pages / 4, MOST_ROOM));
	return reclaim_to(&goal) || usage_for(&goal) + nr_pages <= READ_ONCE(*limit);
}

/**
 * mw_limit_obey_high() - reclaim what a group and those above it have above memory.high
 * @group: referenced
 *
 * For who has charged something and is not a member, who would wait for it.  Those who charge meanwhile
 * wait for themselves.
 *
 * Context: process, may sleep; a signal ends it.
 */
void mw_limit_obey_high(struct mw_group *group)
{
	for (; group; group = group->parent) {
		struct goal goal = {
			.group = group, .limit = &group->memory.high,
			.pages = READ_ONCE(group->memory.high), .is_set = true,
			.bounded = true, .patient = true,
		};

		reclaim_to(&goal);
	}
}

/**
 * mw_limit_set_high() - set memory.high
 * @group: the group
 * @pages: the limit
 * @shrink: reclaim what is above it
 *
 * Context: process, may sleep; a signal ends it, and the limit stays.
 */
void mw_limit_set_high(struct mw_group *group, unsigned long pages, bool shrink)
{
	struct goal goal = {
		.group = group, .limit = &group->memory.high, .pages = pages,
		.is_set = true,
	};

	WRITE_ONCE(group->memory.high, pages);
	if (shrink)
		reclaim_to(&goal);
}

/**
 * mw_limit_set_max() - set memory.max as cgroup v2 does
 * @group:  the group
 * @pages:  the limit
 * @shrink: reclaim what is above it, and kill until it holds
 *
 * Context: process, may sleep; a signal ends it, and the limit stays.
 */
void mw_limit_set_max(struct mw_group *group, unsigned long pages, bool shrink)
{
	struct goal goal = {
		.group = group, .limit = &group->memory.max, .pages = pages,
		.is_set = true, .patient = true, .kills = true,
	};

	WRITE_ONCE(group->memory.max, pages);
	if (!shrink)
		return;
	while (!reclaim_to(&goal) && !signal_pending(current))
		if (!mw_oom(group))
			break;
}

/* Memory alone has no more than memory and swap together. */
static bool is_allowed(const struct goal *goal)
{
	return goal->together ? goal->pages >= READ_ONCE(goal->group->memory.max) :
				goal->pages <= READ_ONCE(goal->group->memsw_max);
}

/*
 * First set, then looked at: a charge is added before it looks at the limit.  Return: 0; or with the
 * limit as it was, -EINVAL, or -EBUSY if there is no room.
 */
static int set_if_there_is_room(const struct goal *goal)
{
	static DEFINE_MUTEX(resize_mutex);
	unsigned long old;
	int ret = -EINVAL;

	mutex_lock(&resize_mutex);
	/* which another one may have changed while room was made */
	if (is_allowed(goal)) {
		old = xchg(goal->limit, goal->pages);
		ret = usage_for(goal) <= goal->pages || READ_ONCE(goal->group->dead) ? 0 : -EBUSY;
		if (ret)
			cmpxchg(goal->limit, goal->pages, old);
	}
	mutex_unlock(&resize_mutex);
	return ret;
}

/* As cgroup v1 does: a limit that cannot be reached is not set. */
static int resize(const struct goal *goal)
{
	unsigned int tries = MAX_TRIES;
	int ret;

	if (!is_allowed(goal))
		return -EINVAL;
	/* others may have been faster */
	while (tries-- && reclaim_to(goal)) {
		ret = set_if_there_is_room(goal);
		if (ret != -EBUSY)
			return ret;
	}
	return signal_pending(current) ? -EINTR : -EBUSY;
}

/**
 * mw_limit_resize() - set memory.max as cgroup v1 does
 * @group: the group
 * @pages: the limit
 *
 * Context: process, may sleep.
 * Return: 0; or with the limit as it was: -EINVAL if it is above that of memory
 * and swap together, -EBUSY if usage could not be brought below it, -EINTR on a
 * signal.
 */
int mw_limit_resize(struct mw_group *group, unsigned long pages)
{
	struct goal goal = {
		.group = group, .limit = &group->memory.max, .pages = pages,
		.patient = true,
	};

	return resize(&goal);
}

/**
 * mw_limit_resize_memsw() - set the limit of memory and swap together
 * @group: the group
 * @pages: the limit
 *
 * Context: process, may sleep.
 * Return: as mw_limit_resize(); -EINVAL if it is below memory.max.
 */
int mw_limit_resize_memsw(struct mw_group *group, unsigned long pages)
{
	struct goal goal = {
		.group = group, .limit = &group->memsw_max, .pages = pages,
		.together = true, .patient = true,
	};

	return resize(&goal);
}
