// SPDX-License-Identifier: GPL-2.0
/*
 * memory.low gives way before anybody is killed for want of memory.
 *
 * DOC: The kernel's reclaim may give up without having been through its priorities:
 * it does when all that it could still reclaim would not be enough, and what
 * memory.low keeps does not count.  So when the OOM killer is about to look for a victim,
 * memward is told (as balloon drivers are), shows what it has hidden and takes from the
 * groups that memory.low has kept (shortage.c); if that brings anything, nobody is killed and the
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
 */
#include <linux/cpuset.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <core/group/protection.h>
#include <core/group/task.h>
#include <core/reclaim/oom_notifier.h>
#include <core/reclaim/shortage.h>

/* how often nobody is killed until memory.low holds again */
#define MAX_CALLS	2

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

/* how often somebody was to be killed since memory.low held last, by node, and which time of its giving way that is */
static u8 calls[MAX_NUMNODES];
static unsigned int times[MAX_NUMNODES];

/* It holds, and so it gives way anew, or has done so since, be it for one who does not kill. */
static void forget_calls(const nodemask_t *nodes)
{
	int nid;

	for_each_node_mask(nid, *nodes)
		if (mw_protection_low_holds(nid) || times[nid] != mw_shortage_times(nid))
			calls[nid] = 0;
}

static void begin(const nodemask_t *nodes)
{
	int nid;

	mw_shortage_begin(nodes);
	for_each_node_mask(nid, *nodes)
		times[nid] = mw_shortage_times(nid);
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
		calls[nid] = min(calls[nid] + !mw_shortage_is_showing(), MAX_CALLS);
	return least < MAX_CALLS ? least + 1 : 0;
}

static int before_oom(struct notifier_block *nb, unsigned long unused, void *data)
{
	const struct noted mine = told();
	const nodemask_t nodes = allowed_nodes(&mine);
	const struct mw_shortage_mark before = mw_shortage_look();
	unsigned long *freed = data;
	unsigned int calls;

	if (!is_to_be_helped(&mine) || nodes_empty(nodes))
		return NOTIFY_OK;
	forget_calls(&nodes);
	if (!is_about_to_kill(&mine)) {
		begin(&nodes);
		return NOTIFY_OK;
	}
	calls = count_call(&nodes);
	if (calls) {
		begin(&nodes);
		*freed += mw_shortage_await(calls == 1, &before);
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

/** mw_oom_notifier_stop() - at the last unmount */
void mw_oom_notifier_stop(void)
{
	unregister_oom_notifier(&oom_notifier);
}
