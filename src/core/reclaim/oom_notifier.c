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
 * That is for where the allocation may go: of a process that is bound to a node, by a memory
 * policy or a cpuset, nobody else is to suffer.  The notifier is not told; so the function
 * that calls it is watched, which is (mw_oom_notifier_note()).
 *
 * Nobody is killed only if enough was reclaimed, and at most twice until memory.low holds
 * again, or a machine that has too little memory would go on for ever with a few pages at
 * a time.
 *
 * Who is about to kill may hold locks of a file system or of a driver, so workers
 * do it.  All of it may take long, as there may be much memory and the swap disk be
 * slow, so it is only waited for until there is something to be had.
 */
#include <linux/cpuset.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <compat/buddy.h>
#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/group/task.h>
#include <core/protect/hide.h>
#include <core/reclaim/oom_notifier.h>
#include <core/reclaim/reclaim.h>

/* pages wanted each time */
#define WANTED_PAGES	1024UL
/* at once, as a slow disk takes some time for each; and for which nobody is killed */
#define BATCH_PAGES	64UL
/* batches without a page, and without one that is being written, before giving up */
#define MAX_TRIES	4
/* how long the killer waits for as many, at most, and how often it looks */
#define WAIT_MS		2000
#define LOOK_MS		20
/* how often nobody is killed until memory.low holds again */
#define MAX_CALLS	2
/* how long what is still being shown may keep the killer off: 16 TB, or somebody who hangs */
#define SHOW_FOR	(30 * HZ)

/**
 * struct shortage - what the workers are to mend
 * @nodes:        where there is too little memory
 * @serial:       which one it is
 * @until:        when nobody waits for it any more, in jiffies
 * @nr_reclaimed: for it, in pages
 */
struct shortage {
	nodemask_t nodes;
	unsigned int serial;
	unsigned long until;
	unsigned long nr_reclaimed;
};

/* one each: where no worker can be made, what a disk that hangs keeps from ending is not to keep the other from beginning */
static struct workqueue_struct *room_wq, *show_wq;
static DEFINE_SPINLOCK(shortage_lock);
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

static unsigned long reclaim_batch(const struct shortage *mine, bool *pending)
{
	struct mw_scan_control sc = {
		.target = &mw_root, .nr_to_reclaim = BATCH_PAGES,
		.why = MW_RECLAIM_BACKGROUND, .gfp = GFP_KERNEL,
		.swappiness = -1, .nodes = &mine->nodes, .memcg_low_reclaim = true,
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
	unsigned int tries = MAX_TRIES;
	bool pending;

	do {
		nr = reclaim_batch(&mine, &pending);
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

/* --- the killer; with the kernel's oom_lock held, so there is one at a time --- */

/**
 * struct noted - what out_of_memory() was told last
 * @task:  who has called it, never dereferenced; NULL: nothing is known
 * @sysrq: somebody at the keyboard did
 * @gfp:   of the allocation
 * @nodes: where it may go by its memory policy
 */
struct noted {
	struct task_struct *task;
	bool sysrq;
	gfp_t gfp;
	nodemask_t nodes;
};

static struct noted noted;

/**
 * mw_oom_notifier_note() - the kernel's out_of_memory() is entered
 * @oc: what it was told
 *
 * Context: any; the kernel's oom_lock is held.
 */
void mw_oom_notifier_note(struct oom_control *oc)
{
	/* a limit of the kernel's own memcg: no notifier is asked */
	if (oc->memcg)
		return;
	noted.task = current;
	noted.sysrq = oc->order == -1;
	noted.gfp = oc->gfp_mask;
	noted.nodes = oc->nodemask ? *oc->nodemask : node_states[N_MEMORY];
}

/* If it is not known what the current call was told, it is taken for one that may go anywhere. */
static struct noted told(void)
{
	struct noted mine = noted;

	if (mine.task != current)
		mine = (struct noted){ .gfp = GFP_KERNEL, .nodes = node_states[N_MEMORY] };
	noted.task = NULL;
	return mine;
}

/*
 * Where the allocation may go, as constrained_alloc() finds out.  What need not be within
 * the cpuset's own nodes (no __GFP_HARDWALL) may in most cases go anywhere.
 */
static nodemask_t allowed_nodes(const struct noted *told)
{
	/* there may be nodes whose memory is to be movable, and nothing else */
	bool movable = gfp_zone(told->gfp) >= ZONE_MOVABLE;
	nodemask_t nodes = node_states[movable ? N_MEMORY : N_NORMAL_MEMORY];

	nodes_and(nodes, nodes, told->nodes);
	if (told->gfp & __GFP_HARDWALL)
		nodes_and(nodes, nodes, cpuset_current_mems_allowed);
	return nodes;
}

/* Is somebody killed, if nothing is reclaimed? Not without __GFP_FS (of 5.10's page faults nothing is known). */
static bool is_about_to_kill(const struct noted *told)
{
	return !told->gfp || (told->gfp & __GFP_FS);
}

/*
 * Who is dying gets memory.  kswapd calls the killer if the youngest pages are too young
 * (MGLRU's min_ttl_ms), which memory.low is to have no part in.
 */
static bool is_to_be_helped(const struct noted *told)
{
	return mw_protection_any() && !told->sysrq && !fatal_signal_pending(current) &&
	       !mw_current_is(PF_EXITING | PF_KSWAPD);
}

/*
 * Who shows waits for memory hot-plug, which may wait for memory itself: not for ever, or nobody would
 * be killed for that.
 */
static bool is_showing(void)
{
	return work_busy(&show) && time_before(jiffies, show_since + SHOW_FOR);
}

/* A swap device may keep who makes room from coming to any end: he is waited for once. */
static bool room_hangs(void)
{
	return work_busy(&make_room) &&
	       !time_before(jiffies, READ_ONCE(room_since) + msecs_to_jiffies(WAIT_MS));
}

/* how often somebody was to be killed since memory.low held last, by node */
static u8 calls[MAX_NUMNODES];

/* Before memory.low gives way again, be it for one who does not kill. */
static void forget_calls(const nodemask_t *nodes)
{
	int nid;

	for_each_node_mask(nid, *nodes)
		if (mw_protection_low_holds(nid))
			calls[nid] = 0;
}

/*
 * As long as something is still being shown the kernel has not been given what it can reclaim: it does
 * not count.
 *
 * Return: how often it was like this since memory.low held last on one of these nodes, this time
 * included; 0: nobody is spared any more.
 */
static unsigned int count_call(const nodemask_t *nodes)
{
	unsigned int least = MAX_CALLS;
	int nid;

	for_each_node_mask(nid, *nodes)
		least = min_t(unsigned int, least, calls[nid]);
	for_each_node_mask(nid, *nodes)
		calls[nid] = min(calls[nid] + !is_showing(), MAX_CALLS);
	return least < MAX_CALLS ? least + 1 : 0;
}

static bool low_holds_on(const nodemask_t *nodes)
{
	int nid;

	for_each_node_mask(nid, *nodes)
		if (mw_protection_low_holds(nid))
			return true;
	return false;
}

/* What is hidden is shown once until memory.low holds again: meanwhile nothing is hidden for it. */
static void order(const nodemask_t *nodes)
{
	bool held = low_holds_on(nodes);

	mw_protection_suspend_low(nodes);
	spin_lock(&shortage_lock);
	if (held)
		nodes_or(hidden_nodes, hidden_nodes, *nodes);
	shortage.nodes = *nodes;
	shortage.serial++;
	shortage.until = jiffies + msecs_to_jiffies(WAIT_MS);
	shortage.nr_reclaimed = 0;
	spin_unlock(&shortage_lock);
	if (!work_busy(&make_room))
		WRITE_ONCE(room_since, jiffies);
	queue_work(room_wq, &make_room);
	if (!held)
		return;
	if (!work_busy(&show))
		show_since = jiffies;
	queue_work(show_wq, &show);
}

/*
 * What need not be reclaimed before somebody is spared: the first time the kernel is to look at
 * what was shown itself, as memory.low was in its way until now; after that it does not count.
 */
static unsigned long brought(unsigned int calls, unsigned long shown_before)
{
	unsigned long shown = READ_ONCE(nr_shown) - shown_before;

	return read_shortage().nr_reclaimed + (calls == 1 ? shown : 0);
}

/*
 * Return: what the kernel can have and could not have before; 0 if that is not enough, and nothing is
 * being shown any more.
 */
static unsigned long await(unsigned int calls, unsigned long shown_before)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS);
	bool showing, reclaiming;
	unsigned long nr;

	do {
		schedule_timeout_killable(msecs_to_jiffies(LOOK_MS));
		/* in this order: what is done has brought all that it will */
		showing = is_showing();
		reclaiming = work_busy(&make_room) && !room_hangs();
		nr = brought(calls, shown_before);
		/* what was reclaimed is gone at once if the rest is still hidden */
	} while ((showing || (reclaiming && nr < BATCH_PAGES)) &&
		 time_before(jiffies, end) && !fatal_signal_pending(current));
	/* the kernel has not looked yet at what memory.low has kept */
	if (showing || (calls == 1 && work_busy(&make_room)))
		return max(nr, 1UL);
	return nr < BATCH_PAGES ? 0 : nr;
}

static int before_oom(struct notifier_block *nb, unsigned long unused, void *data)
{
	const struct noted mine = told();
	const nodemask_t nodes = allowed_nodes(&mine);
	unsigned long *freed = data, before = READ_ONCE(nr_shown);
	unsigned int calls;

	if (!is_to_be_helped(&mine) || nodes_empty(nodes))
		return NOTIFY_OK;
	forget_calls(&nodes);
	if (!is_about_to_kill(&mine)) {
		order(&nodes);
		return NOTIFY_OK;
	}
	calls = count_call(&nodes);
	if (calls) {
		order(&nodes);
		*freed += await(calls, before);
	}
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

/** mw_oom_notifier_stop() - at the last unmount; waits for the workers */
void mw_oom_notifier_stop(void)
{
	unregister_oom_notifier(&oom_notifier);
	cancel_work_sync(&make_room);
	cancel_work_sync(&show);
}

/** mw_oom_notifier_exit() - undo mw_oom_notifier_init() */
void mw_oom_notifier_exit(void)
{
	if (room_wq)
		destroy_workqueue(room_wq);
	if (show_wq)
		destroy_workqueue(show_wq);
	room_wq = show_wq = NULL;
}

/**
 * mw_oom_notifier_init() - prepare the workers
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_oom_notifier_init(void)
{
	room_wq = alloc_workqueue("memward_room", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	show_wq = alloc_workqueue("memward_show", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	if (room_wq && show_wq)
		return 0;
	mw_oom_notifier_exit();
	return -ENOMEM;
}
