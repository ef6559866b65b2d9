// SPDX-License-Identifier: GPL-2.0
/*
 * memory.low gives way before anybody is killed for want of memory.
 *
 * DOC: The kernel's reclaim may give up without having been through its priorities:
 * it does when all that it could still reclaim would not be enough, and what
 * memory.low keeps does not count.  So when the OOM killer is about to look for a victim,
 * memward is told (as balloon drivers are) and takes from the groups that memory.low
 * has kept; if that brings anything, nobody is killed and the allocation is tried again.
 * For a second memory.low does not hold then, so the kernel's reclaim can go on by itself.
 *
 * Who is about to kill may hold locks of a file system or of a driver, so a worker
 * does it, and is waited for with a limit.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/workqueue.h>

#include <memward/group.h>
#include <memward/hide.h>
#include <memward/reclaim.h>
#include <memward/shield.h>
#include <memward/yield.h>

/* pages wanted each time */
#define YIELD_PAGES	1024UL
/* rounds without a page before giving up */
#define YIELD_TRIES	4
/* how long the killer waits for that, at most */
#define YIELD_MS	5000

static struct workqueue_struct *yield_wq;
static DECLARE_COMPLETION(yielded);
static atomic_long_t nr_yielded;

static void yield_fn(struct work_struct *work)
{
	struct mw_reclaim how = {
		.why = MW_RECLAIM_BACKGROUND, .gfp = GFP_KERNEL,
		.swappiness = -1, .despite_low = true,
	};
	unsigned int tries = YIELD_TRIES;
	unsigned long nr;

	mw_shield_relent();
	mw_hide_recheck();
	/* what it has sent to swap the first time is there the next */
	do {
		nr = mw_reclaim(&mw_root, YIELD_PAGES, &how);
	} while (!nr && --tries);
	atomic_long_add(nr, &nr_yielded);
	complete(&yielded);
}

static DECLARE_WORK(yield_work, yield_fn);

/* With the kernel's oom_lock held: there is one caller at a time. */
static int before_oom(struct notifier_block *nb, unsigned long unused, void *data)
{
	unsigned long *freed = data;

	if (!mw_shield_any())
		return NOTIFY_OK;
	reinit_completion(&yielded);
	queue_work(yield_wq, &yield_work);
	wait_for_completion_killable_timeout(&yielded,
					     msecs_to_jiffies(YIELD_MS));
	*freed += atomic_long_xchg(&nr_yielded, 0);
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
	atomic_long_set(&nr_yielded, 0);
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
