// SPDX-License-Identifier: GPL-2.0
/*
 * How many file pages of a group and all below it are dirty or under writeback.
 *
 * DOC: Writers ask often, so there is a counter to read; and pages are dirtied one by
 * one, on all CPUs, so each CPU keeps a few to itself where that makes no difference to
 * whoever has a share.  What it keeps is published when the group is removed.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include <compat/reclaim.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/group/unwritten.h>
#include <pure/nominal.h>

/* pages that a CPU keeps to itself at the most */
#define BATCH	16
/* what all CPUs keep of a share, at the most, is a part of this */
#define EXACTNESS	16

/**
 * mw_unwritten_ratio() - which part of a group's limit may be unwritten
 * @group: the group
 *
 * Context: any.
 * Return: percent; MW_DIRTY_ANY for any part.
 */
unsigned int mw_unwritten_ratio(struct mw_group *group)
{
	unsigned int ratio = READ_ONCE(group->dirty_ratio);

	return ratio == MW_DIRTY_MACHINE ? mw_vm_dirty_ratio() : ratio;
}

/**
 * mw_unwritten_share() - how much may be unwritten for a group's own sake
 * @group: the group
 *
 * Context: any.
 * Return: pages; MW_COUNTER_MAX for any number.
 */
unsigned long mw_unwritten_share(struct mw_group *group)
{
	unsigned long limit = min(READ_ONCE(group->memory.max),
				  READ_ONCE(group->memory.high));
	unsigned int ratio;

	if (limit == MW_COUNTER_MAX)
		return MW_COUNTER_MAX;
	ratio = mw_unwritten_ratio(group);
	if (ratio == MW_DIRTY_ANY)
		return MW_COUNTER_MAX;
	/* of the smallest limits too a writer is to get somewhere */
	return max_t(unsigned long, limit * ratio / 100, MW_NOMINAL_BATCH);
}

/*
 * As much may be kept on each CPU for each group below: is that too much for a share?  That
 * all CPUs keep so much of all groups at once, and none of them keeps what is owed to another,
 * does not happen; what is left of many sums up as a random walk does.
 */
static bool is_much(struct mw_group *group, unsigned long kept)
{
	unsigned long share, all = kept * EXACTNESS * num_online_cpus();

	if (kept >= BATCH)
		return true;
	for (; group; group = group->parent) {
		share = mw_unwritten_share(group);
		/* int_sqrt() is a loop, and this is done for each page: not where nothing is limited */
		if (share != MW_COUNTER_MAX &&
		    all * int_sqrt(READ_ONCE(group->nr_descendants) + 1) > share)
			return true;
	}
	return false;
}

/* It may fall below zero: one CPU's pages are written on another. */
static void publish(struct mw_group *group, long nr_pages)
{
	for (; group; group = group->parent)
		atomic_long_add(nr_pages, &group->unwritten);
}

/**
 * mw_unwritten_add() - pages have become dirty, or have been written
 * @group:    whose; found in this RCU read side
 * @nr_pages: pages; negative if they are no longer to be written
 *
 * Context: any, preemption off.
 */
void mw_unwritten_add(struct mw_group *group, long nr_pages)
{
	long kept = this_cpu_add_return(group->stats->unwritten, nr_pages);

	mw_stats_add(group, nr_pages > 0 ? MW_STAT_DIRTIED : MW_STAT_WRITTEN,
		     abs(nr_pages));
	if (kept && is_much(group, abs(kept)))
		publish(group, this_cpu_xchg(group->stats->unwritten, 0));
}

/* What the CPUs keep of a group. */
static long kept_of(struct mw_group *group)
{
	long nr_pages = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nr_pages += READ_ONCE(per_cpu_ptr(group->stats, cpu)->unwritten);
	return nr_pages;
}

/**
 * mw_unwritten_fold() - publish what the CPUs kept of a removed group
 * @group: the group; nobody adds to it any more
 *
 * Context: process.
 */
void mw_unwritten_fold(struct mw_group *group)
{
	publish(group->parent, kept_of(group));
}

/**
 * mw_unwritten_read() - how many pages are dirty or under writeback, roughly
 * @group: of this group and of all below it
 *
 * Context: any.
 * Return: pages, wrong by what the CPUs keep to themselves.
 */
unsigned long mw_unwritten_read(struct mw_group *group)
{
	return max(atomic_long_read(&group->unwritten), 0L);
}

/**
 * mw_unwritten_exact() - the same, less wrong
 * @group: of this group and of all below it
 *
 * Who is held back must not be so for what is no longer there.
 *
 * Context: any; takes a look at each CPU.
 * Return: pages, wrong by what the CPUs keep of the groups below.
 */
unsigned long mw_unwritten_exact(struct mw_group *group)
{
	return max(atomic_long_read(&group->unwritten) + kept_of(group), 0L);
}

/**
 * mw_unwritten_sum() - the same, exact if nothing is dirtied or written meanwhile
 * @group: of this group and of all below it
 *
 * Context: process, tree mutex held; takes a look at each CPU for each group.
 * Return: pages; below zero if the account is wrong.
 */
long mw_unwritten_sum(struct mw_group *group)
{
	long nr_pages = atomic_long_read(&group->unwritten);
	struct mw_group *pos;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		nr_pages += kept_of(pos);
	return nr_pages;
}
