// SPDX-License-Identifier: GPL-2.0
/*
 * What was hidden below a memcg of the kernel's own that reclaims.
 *
 * DOC: What is below a limit of the kernel's is not hidden, as its reclaim would not find
 * it (hide.c).  But a limit may be set afterwards (systemctl set-property MemoryMax=): what
 * is below is shown before the kernel's reclaim begins, or it would kill although there was
 * something to be had.  Not for what is written to memory.reclaim: nobody is killed for that,
 * and who writes there every few seconds would have shown what is hidden again each time.
 *
 * hide.c notes of each memcg that something was hidden below it, so who has had it shown
 * pays for a look at two bits when he reclaims again.
 *
 * Who reclaims may hold any lock, so a worker does it, and is waited for two seconds at a time.
 * If that was not enough nothing is reclaimed, but the caller is told that something was, or
 * he would use up his tries: he is back at once, unless he was killed.  But somebody may keep
 * the worker from coming to an end (memory hot-plug, which may want memory): so not for ever.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/divert.h>
#include <compat/memcg.h>
#include <core/protect/hide.h>
#include <core/protect/limited.h>

#define WAIT_MS		2000
/* how long what is not shown yet may keep the kernel from reclaiming: 16 TB, or somebody who hangs */
#define SHOW_FOR	(30 * HZ)

static struct workqueue_struct *limited_wq;
/* those that wait, and those that are worked for */
static DECLARE_BITMAP(wanted, MW_MEMCG_BITS);
static DECLARE_BITMAP(taken, MW_MEMCG_BITS);
static DECLARE_WAIT_QUEUE_HEAD(shown);
/* when the worker has begun with those that are worked for, or was told to begin, in jiffies */
static unsigned long since;
/* through mw_limited_show() */
static MW_PASSAGE(passage);
/* some may be there, or on the way there */
static bool any_diverted;

/* Return: whether anybody waits. */
static bool take(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(taken); i++)
		taken[i] = READ_ONCE(wanted[i]);
	return !bitmap_empty(taken, MW_MEMCG_BITS);
}

static void tell(void)
{
	unsigned int bit;

	for_each_set_bit(bit, taken, MW_MEMCG_BITS)
		clear_bit(bit, wanted);
	wake_up_all(&shown);
}

static void show_fn(struct work_struct *work)
{
	if (!take())
		return;
	WRITE_ONCE(since, jiffies);
	mw_hide_show_below(taken);
	tell();
}

static DECLARE_WORK(show, show_fn);

/**
 * mw_limited_wants() - may something be hidden from a memcg's reclaim?
 * @memcg: not the root
 *
 * Context: any.
 * Return: whether the caller is to go to mw_limited_show().
 */
bool mw_limited_wants(struct mem_cgroup *memcg)
{
	unsigned int bit = mw_memcg_bit(memcg);

	if (likely(!mw_hide_is_below(bit) && !test_bit(bit, wanted)))
		return false;
	WRITE_ONCE(any_diverted, true);
	return true;
}

/* Somebody keeps the worker: then nobody waits, or each who reclaims would, for as long as that is so. */
static bool hangs(void)
{
	return !time_before(jiffies, READ_ONCE(since) + SHOW_FOR);
}

/* Return: whether all that was hidden is shown, or is not to be waited for any more. */
static bool wait_for(unsigned int bit)
{
	if (!work_busy(&show))
		WRITE_ONCE(since, jiffies);
	set_bit(bit, wanted);
	queue_work(limited_wq, &show);
	return hangs() ||
	       wait_event_killable_timeout(shown, !test_bit(bit, wanted),
					   msecs_to_jiffies(WAIT_MS)) ||
	       hangs();
}

/**
 * mw_limited_show() - show what is hidden from a memcg's reclaim, before it begins
 * @memcg: not the root, referenced
 *
 * Context: process, may sleep for two seconds; any lock may be held that an allocation may be
 * asked for with.
 * Return: false if the kernel is to ask again: not all is shown yet.
 */
bool mw_limited_show(struct mem_cgroup *memcg)
{
	bool done = true;

	/* mw_limited_stop() stops the worker when there is nobody here */
	if (mw_passage_enter(&passage))
		done = wait_for(mw_memcg_bit(memcg));
	mw_passage_leave(&passage);
	return done;
}

/**
 * mw_limited_stop() - at the last unmount
 *
 * Context: process, may sleep until what the worker is at is shown; nobody is diverted to
 * mw_limited_show() any more.
 */
void mw_limited_stop(void)
{
	if (!READ_ONCE(any_diverted))
		return;
	mw_passage_close(&passage);
	cancel_work_sync(&show);
	bitmap_zero(wanted, MW_MEMCG_BITS);
	any_diverted = false;
	mw_passage_open(&passage);
}

/**
 * mw_limited_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_limited_init(void)
{
	limited_wq = alloc_workqueue("memward_limited", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	return limited_wq ? 0 : -ENOMEM;
}

/** mw_limited_exit() - undo mw_limited_init() */
void mw_limited_exit(void)
{
	destroy_workqueue(limited_wq);
}
