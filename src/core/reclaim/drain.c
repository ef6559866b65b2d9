// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that a CPU has gathered and not yet put on the kernel's LRU lists.
 *
 * DOC: They cannot be reclaimed, and in a small group they may be all that could be.
 * Each CPU has to put its own there, and one that prints a report, or whose real-time
 * task does not let go of it, does not come to it for seconds, or ever.  So who needs
 * it asks for it, and does not wait for long.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/reclaim.h>
#include <core/reclaim/drain.h>

static struct workqueue_struct *drain_wq;
static DECLARE_WAIT_QUEUE_HEAD(drained);
static unsigned int nr_begun, nr_ended;

static void drain_all(struct work_struct *work)
{
	WRITE_ONCE(nr_begun, nr_begun + 1);
	mw_lru_add_drain_all();
	smp_store_release(&nr_ended, nr_begun);
	wake_up_all(&drained);
	/* mw_drain_exit() waits until this has returned */
	module_put(THIS_MODULE);
}
static DECLARE_WORK(drain_work, drain_all);

/**
 * mw_drain_wait() - have the CPUs put what they have gathered on the LRU lists
 * @ms: how long to wait for them, in milliseconds
 *
 * Context: process, may sleep so long; killable.
 */
void mw_drain_wait(unsigned int ms)
{
	/* one that has begun may have been to some CPUs already: the next one counts */
	unsigned int next = READ_ONCE(nr_begun) + 1;

	/* a CPU that is never let go of is to keep rmmod from beginning, not from ending */
	if (!try_module_get(THIS_MODULE))
		return;
	if (!queue_work(drain_wq, &drain_work))
		module_put(THIS_MODULE);
	wait_event_killable_timeout(drained,
				    (int)(smp_load_acquire(&nr_ended) - next) >= 0,
				    msecs_to_jiffies(ms));
}

/**
 * mw_drain_init() - prepare for draining
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_drain_init(void)
{
	drain_wq = alloc_workqueue("memward_drain", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	return drain_wq ? 0 : -ENOMEM;
}

/** mw_drain_exit() - undo mw_drain_init() */
void mw_drain_exit(void)
{
	destroy_workqueue(drain_wq);
}
