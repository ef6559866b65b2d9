// SPDX-License-Identifier: GPL-2.0
/*
 * memory.low gives way where memory is short.
 *
 * DOC: For a while it does not hold there, so that the kernel's reclaim can take what it
 * has kept; what is hidden for it is shown; and memward reclaims some itself.
 *
 * Who is short of memory may hold locks of a file system or of a driver, so workers
 * do it.  All of it may take long, as there may be much memory and the swap disk be
 * slow, so it is only waited for until there is something to be had.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <compat/buddy.h>
#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/protect/hide.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/shortage.h>

/* pages wanted each time */
#define WANTED_PAGES	1024UL
/* at once, as a slow disk takes some time for each */
#define BATCH_PAGES	MW_SHORTAGE_ENOUGH
/* batches without a page, and without one that is being written, before giving up */
#define MAX_TRIES	4
/* how long those who are short wait for as many, at most, and how often they look */
#define WAIT_MS		2000
#define LOOK_MS		20
/* how long what is still being shown is waited for: 16 TB, or somebody who hangs */
#define SHOW_FOR	(30 * HZ)

/**
 * struct shortage - what the workers are to mend
 * @nodes:        where there is too little memory
 * @last:         those of who came last; half of it is taken there, or those of who came before might give all
 * @serial:       which one it is
 * @until:        when nobody waits for it any more, in jiffies
 * @nr_reclaimed: for it and for those before, in pages
 */
struct shortage {
	nodemask_t nodes;
	nodemask_t last;
	unsigned int serial;
	unsigned long until;
	unsigned long nr_reclaimed;
};

/* one each: where no worker can be made, what a disk that hangs keeps from ending is not to keep the other from beginning */
static struct workqueue_struct *room_wq, *show_wq;
static DEFINE_SPINLOCK(shortage_lock);
/* one at a time has memory.low give way; nobody sleeps with it for memory */
static DEFINE_MUTEX(begin_mutex);
/* how often it has given way that held before, by node; under the mutex */
static unsigned int times[MAX_NUMNODES];
/* the last one; whoever has an earlier one in hands leaves it */
static struct shortage shortage;
/* where memory.low has given way, and nothing was shown yet; under the lock */
static nodemask_t hidden_nodes;
/* pages that were shown so far, for this one and for all before */
static unsigned long nr_shown;
/* when what is being shown was ordered, in jiffies */
static unsigned long show_since;
/* when who makes room has got on last: has begun a batch, or was told to begin; in jiffies */
static unsigned long room_since;

/* --- the workers --- */

static struct shortage read_shortage(void)
{
	struct shortage now;

	spin_lock(&shortage_lock);
	now = shortage;
	spin_unlock(&shortage_lock);
	return now;
}

/* Return: whether more is wanted of what it was for. */
static bool deliver(const struct shortage *mine, unsigned long nr)
{
	bool wanted;

	spin_lock(&shortage_lock);
	wanted = mine->serial == shortage.serial;
	if (wanted || nodes_subset(mine->nodes, shortage.nodes))
		shortage.nr_reclaimed += nr;
	spin_unlock(&shortage_lock);
	return wanted;
}

static unsigned long reclaim_batch(const struct shortage *mine, const nodemask_t *nodes,
				   bool *pending)
{
	struct mw_scan_control sc = {
		.target = &mw_root, .nr_to_reclaim = BATCH_PAGES,
		.why = MW_RECLAIM_BACKGROUND, .gfp = GFP_KERNEL,
		.swappiness = -1, .nodes = nodes, .memcg_low_reclaim = true,
		.until = mine->until, .thorough = true, .desperate = true,
	};
	unsigned long nr;

	WRITE_ONCE(room_since, jiffies);
	nr = mw_reclaim(&sc);
	*pending = sc.pending;
	return nr;
}

/* What it has sent to swap is there later. Return: whether to try again. */
static bool is_worth_a_try(const struct shortage *mine, unsigned int *tries,
			   unsigned long nr, bool pending)
{
	if (!time_before(jiffies, mine->until) || mine->serial != read_shortage().serial)
		return false;
	if (nr)
		return true;
	if (!pending)
		return --*tries;
	msleep(LOOK_MS);
	return true;
}

static void make_room_fn(struct work_struct *work)
{
	const struct shortage mine = read_shortage();
	unsigned long nr, sum = 0, undelivered = 0;
	/* where who came last is short there may be nothing: that costs the others no try */
	unsigned int tries = MAX_TRIES + !nodes_equal(mine.last, mine.nodes);
	bool pending, for_last = false, last_gives = true;

	do {
		for_last = last_gives && !for_last;
		nr = reclaim_batch(&mine, for_last ? &mine.last : &mine.nodes, &pending);
		if (for_last)
			last_gives = nr || pending;
		sum += nr;
		undelivered += nr;
		if (undelivered >= BATCH_PAGES) {
			/* they may be in this CPU's lists, where who needs them does not look */
			mw_drain_free_pages();
			if (!deliver(&mine, undelivered))
				return;
			undelivered = 0;
		}
	} while (sum < WANTED_PAGES && is_worth_a_try(&mine, &tries, nr, pending));
}

/* Where all memory is hidden, that takes a second or two for each terabyte. */
static void show_fn(struct work_struct *work)
{
	nodemask_t nodes;

	spin_lock(&shortage_lock);
	nodes = hidden_nodes;
	nodes_clear(hidden_nodes);
	spin_unlock(&shortage_lock);
	mw_hide_show_on(&nodes, &nr_shown);
}

static DECLARE_WORK(make_room, make_room_fn);
static DECLARE_WORK(show, show_fn);

/* --- those who are short --- */

/**
 * mw_shortage_is_showing() - is what was hidden still being shown?
 *
 * Who shows waits for memory hot-plug, which may wait for memory itself: not for ever, or nobody would
 * be killed for that.
 *
 * Context: any.
 */
bool mw_shortage_is_showing(void)
{
	return work_busy(&show) && time_before(jiffies, READ_ONCE(show_since) + SHOW_FOR);
}

/* A swap device may keep who makes room from coming to any end: he is waited for once. */
static bool room_hangs(void)
{
	return work_busy(&make_room) &&
	       !time_before(jiffies, READ_ONCE(room_since) + msecs_to_jiffies(WAIT_MS));
}

/* Does memory.low hold on any of these nodes? */
static bool holds(const nodemask_t *nodes)
{
	int nid;

	for_each_node_mask(nid, *nodes)
		if (mw_protection_low_holds(nid))
			return true;
	return false;
}

/**
 * mw_shortage_look() - how far it is now
 *
 * Context: any but an interrupt.
 */
struct mw_shortage_mark mw_shortage_look(void)
{
	struct mw_shortage_mark mark = { .shown = READ_ONCE(nr_shown) };

	spin_lock(&shortage_lock);
	mark.serial = shortage.serial;
	mark.reclaimed = shortage.nr_reclaimed;
	spin_unlock(&shortage_lock);
	return mark;
}

/**
 * mw_shortage_times() - how often has memory.low given way where it held before?
 * @nid: there
 *
 * Context: any.
 */
unsigned int mw_shortage_times(int nid)
{
	return READ_ONCE(times[nid]);
}

static void count_times(const nodemask_t *nodes)
{
	int nid;

	for_each_node_mask(nid, *nodes)
		if (mw_protection_low_holds(nid))
			WRITE_ONCE(times[nid], times[nid] + 1);
}

/* What is hidden is shown once until memory.low holds again: meanwhile nothing is hidden for it. */
static void begin(const nodemask_t *nodes, bool held)
{
	count_times(nodes);
	mw_protection_suspend_low(nodes);
	spin_lock(&shortage_lock);
	if (held)
		nodes_or(hidden_nodes, hidden_nodes, *nodes);
	/* somebody may still wait for what he is short of elsewhere */
	if (time_before(jiffies, shortage.until))
		nodes_or(shortage.nodes, shortage.nodes, *nodes);
	else
		shortage.nodes = *nodes;
	shortage.last = *nodes;
	shortage.serial++;
	shortage.until = jiffies + msecs_to_jiffies(WAIT_MS);
	spin_unlock(&shortage_lock);
	if (!work_busy(&make_room))
		WRITE_ONCE(room_since, jiffies);
	queue_work(room_wq, &make_room);
	if (!held)
		return;
	if (!work_busy(&show))
		WRITE_ONCE(show_since, jiffies);
	queue_work(show_wq, &show);
}

/**
 * mw_shortage_begin() - have memory.low give way, or give way for longer
 * @nodes: there
 *
 * Context: process, may sleep for a moment; any lock may be held that an allocation may be asked for
 * with.
 */
void mw_shortage_begin(const nodemask_t *nodes)
{
	mutex_lock(&begin_mutex);
	begin(nodes, holds(nodes));
	mutex_unlock(&begin_mutex);
}

/**
 * mw_shortage_begin_first() - have memory.low give way where it holds
 * @nodes: there
 *
 * Context: as mw_shortage_begin().
 * Return: whether it has held on any of them.
 */
bool mw_shortage_begin_first(const nodemask_t *nodes)
{
	bool held;

	mutex_lock(&begin_mutex);
	held = holds(nodes);
	if (held)
		begin(nodes, true);
	mutex_unlock(&begin_mutex);
	return held;
}

/*
 * What need not be reclaimed: the first time the kernel is to look at what was shown itself, as
 * memory.low was in its way until now; after that it does not count.
 */
static unsigned long brought(bool first, const struct mw_shortage_mark *before)
{
	struct mw_shortage_mark now = mw_shortage_look();

	return now.reclaimed - before->reclaimed +
	       (first ? now.shown - before->shown : 0);
}

/**
 * mw_shortage_await() - wait for what mw_shortage_begin() brings
 * @first:  what was shown brings something: memory.low has held there until then
 * @before: of mw_shortage_look()
 *
 * Context: process, may sleep for two seconds; any lock may be held that an allocation may be
 * asked for with.
 * Return: what the kernel can have and could not have before, in pages; 0 if that is not enough, and
 * nothing is being shown any more.
 */
unsigned long mw_shortage_await(bool first, const struct mw_shortage_mark *before)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS);
	bool showing, reclaiming;
	unsigned long nr;

	do {
		schedule_timeout_killable(msecs_to_jiffies(LOOK_MS));
		/* in this order: what is done has brought all that it will */
		showing = mw_shortage_is_showing();
		reclaiming = work_busy(&make_room) && !room_hangs();
		nr = brought(first, before);
		/* what was reclaimed is gone at once if the rest is still hidden */
	} while ((showing || (reclaiming && nr < BATCH_PAGES)) &&
		 time_before(jiffies, end) && !fatal_signal_pending(current));
	/* the kernel has not looked yet at what memory.low has kept */
	if (showing || (first && work_busy(&make_room)))
		return max(nr, 1UL);
	return nr < BATCH_PAGES ? 0 : nr;
}

/** mw_shortage_stop() - at the last unmount, when nobody begins one any more; waits for the workers */
void mw_shortage_stop(void)
{
	cancel_work_sync(&make_room);
	cancel_work_sync(&show);
}

/** mw_shortage_exit() - undo mw_shortage_init() */
void mw_shortage_exit(void)
{
	if (room_wq)
		destroy_workqueue(room_wq);
	if (show_wq)
		destroy_workqueue(show_wq);
	room_wq = show_wq = NULL;
}

/**
 * mw_shortage_init() - prepare the workers
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_shortage_init(void)
{
	room_wq = alloc_workqueue("memward_room", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	show_wq = alloc_workqueue("memward_show", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	if (room_wq && show_wq)
		return 0;
	mw_shortage_exit();
	return -ENOMEM;
}
