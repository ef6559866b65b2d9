// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU statistics of a group, and their sum over a subtree.
 *
 * DOC: Charge and uncharge add to the CPU's own share of the group that their
 * owner points to, one instruction each, safe against interrupts.  A removed
 * group's shares are added to an ancestor after a grace period: by then no CPU
 * can still be about to add to them.
 */
#include <linux/percpu.h>

#include <memward/group.h>
#include <memward/stat.h>

/**
 * mw_stats_add_local() - add what a group itself counts
 * @sum:   added to
 * @group: whose statistics
 *
 * Context: any.
 */
void mw_stats_add_local(struct mw_stats *sum, struct mw_group *group)
{
	int cpu, item;

	if (group->folded)
		return;
	for_each_possible_cpu(cpu) {
		struct mw_stats *share = per_cpu_ptr(group->stats, cpu);

		for (item = 0; item < MW_NR_STATS; item++)
			sum->nr[item] += READ_ONCE(share->nr[item]);
	}
}

/**
 * mw_stats_read() - statistics of a group and everything below it
 * @group: top of the subtree
 * @sum:   the result, in pages
 *
 * Context: process, tree mutex held.
 */
void mw_stats_read(struct mw_group *group, struct mw_stats *sum)
{
	struct mw_group *pos;

	*sum = (struct mw_stats){};
	for (pos = group; pos; pos = mw_group_next(pos, group))
		mw_stats_add_local(sum, pos);
}

/**
 * mw_stats_fold() - give a removed group's statistics to an ancestor
 * @from: the removed group, a grace period after its owners moved
 * @to:   an ancestor whose own are not folded
 *
 * Context: process, tree mutex held, so no reader sees them twice or not at
 * all.
 */
void mw_stats_fold(struct mw_group *from, struct mw_group *to)
{
	struct mw_stats sum = {};
	int item;

	mw_tree_assert_held();
	mw_stats_add_local(&sum, from);
	for (item = 0; item < MW_NR_STATS; item++)
		this_cpu_add(to->stats->nr[item], sum.nr[item]);
	from->folded = true;
}
