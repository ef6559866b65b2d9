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
#define WANTED_PAGES	1024UL
/* at once: a slow disk takes some time for each */
#define BATCH_PAGES	64UL
/* batches without a page before giving up */
#define MAX_TRIES	4
/* how long the killer waits for as many, at most, and how often it looks */
#define WAIT_MS	5000
#define LOOK_MS		20

static struct workqueue_struct *oom_wq;
/* reclaimed by the worker */
static atomic_long_t nr_reclaimed;

static unsigned long reclaim_batch(void)
{
	struct mw_scan_control sc = {
		.target = &mw_root, .nr_to_reclaim = BATCH_PAGES,
		.why = MW_RECLAIM_BACKGROUND, .gfp = GFP_KERNEL,
		.swappiness = -1, .memcg_low_reclaim = true,
	};

	return mw_reclaim(&sc);
}

static void make_room_fn(struct work_struct *work)
{
	unsigned int tries = MAX_TRIES;
	unsigned long nr, sum = 0;

	mw_protection_suspend_low();
	mw_hide_recheck();
	/* what it has sent to swap the first time is there the next */
	while (sum < WANTED_PAGES && tries) {
		nr = reclaim_batch();
		tries -= !nr;
		sum += nr;
		/* somebody may be waiting for it */
		atomic_long_add(nr, &nr_reclaimed);
		/* it may take longer than that lasts */
		mw_protection_suspend_low();
	}
}

static DECLARE_WORK(make_room, make_room_fn);

/*
 * Pages that reclaim can have, or has, and could not have before: whoever has shown
 * them, for the worker may be waiting for another who does.
 */
static unsigned long brought(void)
{
	return mw_hide_shown() + atomic_long_read(&nr_reclaimed);
}

/* Return: what there is more than before. */
static unsigned long await_some(unsigned long before)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS);
	unsigned long nr;
	bool busy;

	do {
		schedule_timeout_killable(msecs_to_jiffies(LOOK_MS));
		/* in this order: what is done has brought all that it will */
		busy = work_busy(&make_room);
		nr = brought() - before;
	} while (busy && nr < WANTED_PAGES && time_before(jiffies, end) &&
		 !fatal_signal_pending(current));
	return nr;
}

/* With the kernel's oom_lock held: there is one caller at a time. */
static int before_oom(struct notifier_block *nb, unsigned long unused, void *data)
{
	unsigned long *freed = data;
	unsigned long before;

	if (!mw_protection_any())
		return NOTIFY_OK;
	before = brought();
	queue_work(oom_wq, &make_room);
	*freed += await_some(before);
	return NOTIFY_OK;
}

static struct notifier_block oom_notifier = { .notifier_call = before_oom };

/**
 * mw_oom_notifier_start() - at the first mount
 *
 * Context: process, may sleep.
 * Return: 0 or an error of register_oom_notifier().
 */
int mw_oom_notifier_start(void)
{
	return register_oom_notifier(&oom_notifier);
}

/** mw_oom_notifier_stop() - at the last unmount; waits for the worker */
void mw_oom_notifier_stop(void)
{
	unregister_oom_notifier(&oom_notifier);
	cancel_work_sync(&make_room);
}

/**
 * mw_oom_notifier_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_oom_notifier_init(void)
{
	oom_wq = alloc_workqueue("memward_oom", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	return oom_wq ? 0 : -ENOMEM;
}

/** mw_oom_notifier_exit() - undo mw_oom_notifier_init() */
void mw_oom_notifier_exit(void)
{
	destroy_workqueue(oom_wq);
}
