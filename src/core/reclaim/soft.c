// SPDX-License-Identifier: GPL-2.0
/*
 * Soft limits: when the machine is short of memory, who is farthest above his own
 * gives first.
 *
 * DOC: Each round of global reclaim asks for a share (see shrinker.c), which a
 * worker takes, a step at a time, from the group that is farthest above its soft
 * limit just then.  So usage of 4, 3 and 6 GB against limits of 3, 1 and 5.5 GB
 * is brought down in the order of the excess: the second until it is 1 GB above, then
 * it and the first in turn, and the third when all are half a GB above.  Who has nothing to
 * give is passed over for a second.
 *
 * Global reclaim itself is neither asked nor delayed.  The share is small where
 * reclaim finds enough at once, and grows with every round that it needs.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include <compat/shrinker.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/soft.h>

/* pages asked for by each round of global reclaim */
#define SHARE		256UL
/* the most that may have been asked for and not been looked after */
#define MAX_WANTED	(16 * SHARE)
/* pages taken from a group before looking again who is farthest above */
#define STEP		128UL
/* how long who had nothing to give is not asked again: others may have */
#define REST		HZ
/* so many are found to have nothing at a time, as that takes long */
#define MAX_VAIN	16

static struct workqueue_struct *soft_wq;
static atomic_long_t wanted;
/* there has been a soft limit since the mount */
static bool any_limit;

static bool rests(struct mw_group *group)
{
	u64 until = READ_ONCE(group->soft_rests_until);

	return until && time_before64(get_jiffies_64(), until);
}

static unsigned long excess(struct mw_group *group)
{
	unsigned long usage = mw_counter_read(&group->memory);
	unsigned long limit = READ_ONCE(group->soft);

	return usage > limit ? usage - limit : 0;
}

/*
 * Return: who is farthest above, referenced, and by how many pages; NULL if nobody
 * is.
 */
static struct mw_group *worst(unsigned long *excess_pages)
{
	struct mw_group *group = NULL, *found = NULL;
	unsigned long most = 0;

	while ((group = mw_group_walk(group, &mw_root, MW_WALK_CHARGED))) {
		unsigned long over = excess(group);

		if (over <= most || rests(group))
			continue;
		if (found)
			mw_group_put(found);
		mw_group_get(group);
		found = group;
		most = over;
	}
	*excess_pages = most;
	return found;
}

/* Return: pages reclaimed; -ESRCH if there is nobody to take from. */
static long take(unsigned long nr_pages)
{
	struct mw_scan_control sc = {
		.why = MW_RECLAIM_BACKGROUND, .gfp = GFP_KERNEL,
		.swappiness = -1,
	};
	unsigned long most, nr;
	struct mw_group *group = worst(&most);

	if (!group)
		return -ESRCH;
	sc.target = group;
	sc.nr_to_reclaim = min3(nr_pages, STEP, most);
	nr = mw_reclaim(&sc);
	if (!nr)
		WRITE_ONCE(group->soft_rests_until, get_jiffies_64() + REST);
	mw_group_put(group);
	return nr;
}

static void soft_work_fn(struct work_struct *work)
{
	unsigned int vain = MAX_VAIN;
	long left, nr_pages;

	while ((left = atomic_long_read(&wanted)) > 0) {
		nr_pages = take(left);
		if (nr_pages < 0 || (!nr_pages && !--vain)) {
			atomic_long_set(&wanted, 0);
			break;
		}
		atomic_long_sub(nr_pages, &wanted);
		cond_resched();
	}
}
static DECLARE_WORK(soft_work, soft_work_fn);

/* Context: in the middle of reclaim. */
static void under_pressure(void)
{
	if (!READ_ONCE(any_limit))
		return;
	if (atomic_long_read(&wanted) < (long)MAX_WANTED)
		atomic_long_add(SHARE, &wanted);
	queue_work(soft_wq, &soft_work);
}

/**
 * mw_soft_set() - set memory.soft_limit_in_bytes
 * @group: the group
 * @pages: the limit
 *
 * Context: any.
 */
void mw_soft_set(struct mw_group *group, unsigned long pages)
{
	WRITE_ONCE(group->soft, pages);
	if (pages != MW_COUNTER_MAX)
		WRITE_ONCE(any_limit, true);
}

/**
 * mw_soft_start() - at the first mount
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mw_soft_start(void)
{
	return mw_pressure_watch(under_pressure);
}

/** mw_soft_stop() - at the last unmount; waits for the worker */
void mw_soft_stop(void)
{
	mw_pressure_unwatch();
	cancel_work_sync(&soft_work);
	atomic_long_set(&wanted, 0);
	any_limit = false;
}

/**
 * mw_soft_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_soft_init(void)
{
	soft_wq = alloc_workqueue("memward_soft", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	return soft_wq ? 0 : -ENOMEM;
}

/** mw_soft_exit() - undo mw_soft_init() */
void mw_soft_exit(void)
{
	destroy_workqueue(soft_wq);
}
