// SPDX-License-Identifier: GPL-2.0
/*
 * memory.low gives way to an allocation that fails rather than have somebody killed.
 *
 * DOC: The kernel's own reclaim goes through what memory.low protects before it says that
 * there is nothing left.  With memward's that is hidden, and shown when the OOM killer is
 * about to look for a victim (oom_notifier.c).  But some allocations never come there: who
 * has said that it may fail after all has been tried (__GFP_RETRY_MAYFAIL, as the pools of
 * hugetlb), or has asked for so large a block, or one on a single node, that no victim would be
 * of use.  So for them the function that reclaims is entered by way of memward: if it brings
 * nothing, or not enough is left for it to be asked again, memory.low gives way there and then.
 * Who has come to that while it gave way for somebody else tries again, too.
 *
 * Not for those who have something else to fall back on: who has asked for no more than a try
 * (__GFP_NORETRY), or for a large block or a node without a warning if there is none, as huge
 * pages are.  They are many, and each would have it give way for all.  Nor where the OOM killer
 * would not help either, as it is one of the small zones that is short.
 */
#include <linux/cpuset.h>
#include <linux/mmzone.h>
#include <linux/sched/signal.h>

#include <compat/buddy.h>
#include <compat/divert.h>
#include <core/group/protection.h>
#include <core/group/task.h>
#include <core/reclaim/fallible.h>
#include <core/reclaim/shortage.h>

/* from mw_fallible_enter() to mw_fallible_leave() */
static MW_PASSAGE(passage);
/* some may be there, or on the way there */
static bool any_diverted;

/* Would nobody be killed for it, and is it worth something to who asks? */
static bool may_fail(int order, gfp_t gfp)
{
	if ((gfp & (__GFP_NORETRY | __GFP_NOFAIL)) || gfp_zone(gfp) < ZONE_NORMAL)
		return false;
	if (gfp & __GFP_RETRY_MAYFAIL)
		return true;
	if (gfp & __GFP_NOWARN)
		return false;
	return (gfp & __GFP_THISNODE) ||
	       (order > PAGE_ALLOC_COSTLY_ORDER && mw_order_is_asked_for());
}

/**
 * mw_fallible_wants() - is who reclaims for an allocation to be looked at?
 * @order: of it
 * @gfp:   of it
 *
 * Context: any.
 * Return: whether the caller is to go between mw_fallible_enter() and mw_fallible_leave().
 */
bool mw_fallible_wants(int order, gfp_t gfp)
{
	if (!mw_protection_any_low() || !may_fail(order, gfp))
		return false;
	if (!READ_ONCE(any_diverted))
		WRITE_ONCE(any_diverted, true);
	return true;
}

/**
 * mw_fallible_enter() - the kernel is about to reclaim for such an allocation
 * @mine: to be initialised
 *
 * Context: process.
 */
void mw_fallible_enter(struct mw_fallible *mine)
{
	mw_passage_enter(&passage);
	*mine = (struct mw_fallible){ .serial = mw_shortage_look().serial };
}

/**
 * mw_fallible_leave() - undo mw_fallible_enter()
 *
 * Context: process.
 */
void mw_fallible_leave(void)
{
	mw_passage_leave(&passage);
}

/*
 * The kernel's reclaim is always within the cpuset of who asks, be it that the allocator is not: where
 * it does not look nobody is to give anything.
 */
static nodemask_t nodes_of(struct zonelist *zonelist, gfp_t gfp, const nodemask_t *allowed)
{
	nodemask_t nodes = mw_zonelist_nodes(zonelist, gfp);

	if (allowed)
		nodes_and(nodes, nodes, *allowed);
	nodes_and(nodes, nodes, cpuset_current_mems_allowed);
	return nodes;
}

/*
 * Return: whether memory.low has given way, or what it had hidden is still being shown.  Who may hold
 * locks of a file system does not wait for that.
 */
static bool gives_way(struct mw_fallible *mine, const nodemask_t *nodes, gfp_t gfp)
{
	const struct mw_shortage_mark before = mw_shortage_look();
	bool has = mw_shortage_begin_first(nodes);

	/* or for somebody else, while this one was reclaiming */
	has |= !mine->helped && before.serial != mine->serial;
	mine->helped = true;
	if (!(gfp & __GFP_FS))
		return has;
	if (!has && !mw_shortage_is_showing())
		return false;
	mw_shortage_await(true, &before);
	return true;
}

/**
 * mw_fallible_goes_on() - the kernel has reclaimed for such an allocation: is it to try once more?
 * @mine:         of mw_fallible_enter()
 * @zonelist:     where it may be served from
 * @order:        of it
 * @gfp:          of it
 * @allowed:      nodes that it may have; NULL: all
 * @nr_reclaimed: what came of it so far, in pages
 *
 * If that was not enough, memory.low gives way, and what that brings is waited for: two seconds each
 * time, until all is shown.
 *
 * Context: process, between mw_fallible_enter() and mw_fallible_leave(), may sleep;
 * any lock may be held that an allocation may be asked for with.
 */
bool mw_fallible_goes_on(struct mw_fallible *mine, struct zonelist *zonelist, int order,
			 gfp_t gfp, const nodemask_t *allowed, unsigned long nr_reclaimed)
{
	const nodemask_t nodes = nodes_of(zonelist, gfp, allowed);

	if (mw_passage_is_closed(&passage) || nodes_empty(nodes) || mw_current_is(PF_EXITING))
		return false;
	if (nr_reclaimed && mw_zonelist_has_room(zonelist, order, gfp, &nodes))
		return false;
	return !fatal_signal_pending(current) && gives_way(mine, &nodes, gfp) &&
	       !fatal_signal_pending(current);
}

/**
 * mw_fallible_stop() - at the last unmount
 *
 * Who reclaims is waited for.
 *
 * Context: process, may sleep; nobody is diverted to mw_fallible_enter() any more.
 */
void mw_fallible_stop(void)
{
	if (!READ_ONCE(any_diverted))
		return;
	mw_passage_close(&passage);
	any_diverted = false;
	mw_passage_open(&passage);
}
