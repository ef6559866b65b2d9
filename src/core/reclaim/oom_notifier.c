// SPDX-License-Identifier: GPL-2.0
/*
 * memory.low gives way before anybody is killed for want of memory.
 *
 * DOC: The kernel's reclaim may give up without having been through its priorities:
 * it does when all that it could still reclaim would not be enough, and what
 * memory.low keeps does not count.  So when the OOM killer is about to look for a victim,
 * memward is told (as balloon drivers are), shows what it has hidden and takes from the
 * groups that memory.low has kept; if that brings anything, nobody is killed and the
 * allocation is tried again.  For a while memory.low does not hold then, so the kernel's
 * reclaim can go on by itself.
 *
 * Who is about to kill may hold locks of a file system or of a driver, so a worker
 * does it.  All of it may take long, as there may be much memory and the swap disk be
 * slow, so it is only waited for until there is something to be had.
 */
#include <linux/jiffies.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/protect/hide.h>
#include <core/reclaim/oom_notifier.h>
#include <core/reclaim/reclaim.h>

/* pages wanted each time */
#define YIELD_PAGES	1024UL
/* at once: a slow disk takes some time for each */
#define YIELD_BATCH	64UL
/* batches without a page before giving up */
#define YIELD_TRIES	4
/* how long the killer waits for as many, at most, and how often it looks */
#define YIELD_MS	5000
#define LOOK_MS		20

static struct workqueue_struct *yield_wq;
/* reclaimed by the worker */
static atomic_long_t nr_yielded;

static void yield_fn(struct work_struct *work)
{
	struct mw_reclaim how = {
		.why = MW_RECLAIM_BACKGROUND, .gfp = GFP_KERNEL,
		.swappiness = -1, .despite_low = true,
	};
	unsigned int tries = YIELD_TRIES;
	unsigned long nr, sum = 0;

	mw_shield_relent();
	mw_hide_recheck();
	/* what it has sent to swap the first time is there the next */
	while (sum < YIELD_PAGES && tries) {
		nr = mw_reclaim(&mw_root, YIELD_BATCH, &how);
		tries -= !nr;
		sum += nr;
		/* somebody may be waiting for it */
		atomic_long_add(nr, &nr_yielded);
		/* it may take longer than that lasts */
		mw_shield_relent();
	}
}

static DECLARE_WORK(yield_work, yield_fn);

/*
 * Pages that reclaim can have, or has, and could not have before: whoever has shown
 * them, for the worker may be waiting for another who does.
 */
static unsigned long brought(void)
{
	return mw_hide_shown() + atomic_long_read(&nr_yielded);
}

/* Return: what there is more than before. */
static unsigned long await_some(unsigned long before)
{
	unsigned long end = jiffies + msecs_to_jiffies(YIELD_MS);
	unsigned long nr;
	bool busy;

	do {
		schedule_timeout_killable(msecs_to_jiffies(LOOK_MS));
		/* in this order: what is done has brought all that it will */
		busy = work_busy(&yield_work);
		nr = brought() - before;
	} while (busy && nr < YIELD_PAGES && time_before(jiffies, end) &&
		 !fatal_signal_pending(current));
	return nr;
}

/* With the kernel's oom_lock held: there is one caller at a time. */
static int before_oom(struct notifier_block *nb, unsigned long unused, void *data)
{
	unsigned long *freed = data;
	unsigned long before;

	if (!mw_shield_any())
		return NOTIFY_OK;
	before = brought();
	queue_work(yield_wq, &yield_work);
	*freed += await_some(before);
	return NOTIFY_OK;
}

static struct notifier_block oom_notifier = { .notifier_call = before_oom };

/**
 * mw_yield_start() - at the first mount
 *
 * Context: process, may sleep.
 * Return: 0 or an error of register_oom_notifier().
 */
int mw_yield_start(void)
{
	return register_oom_notifier(&oom_notifier);
}

/** mw_yield_stop() - at the last unmount; waits for the worker */
void mw_yield_stop(void)
{
	unregister_oom_notifier(&oom_notifier);
	cancel_work_sync(&yield_work);
}

/**
 * mw_yield_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_yield_init(void)
{
	yield_wq = alloc_workqueue("memward_yield", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	return yield_wq ? 0 : -ENOMEM;
}

/** mw_yield_exit() - undo mw_yield_init() */
void mw_yield_exit(void)
{
	destroy_workqueue(yield_wq);
}
