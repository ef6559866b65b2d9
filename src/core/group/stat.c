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

#include <core/group/group.h>
#include <core/group/stat.h>
#include <core/group/tree.h>
#include <core/group/unwritten.h>

static unsigned long sum_kinds(const unsigned long *pages)
{
	unsigned long sum = 0;
	int kind;

	for (kind = 0; kind < MW_NR_KINDS; kind++)
		sum += pages[kind];
	return sum;
}

/** mw_stats_charged() - pages ever charged, of any kind */
unsigned long mw_stats_charged(const struct mw_stats *stats)
{
	return sum_kinds(stats->charged);
}

/** mw_stats_uncharged() - pages ever uncharged, of any kind */
unsigned long mw_stats_uncharged(const struct mw_stats *stats)
{
	return sum_kinds(stats->uncharged);
}

/* All of it is made of such words, and each is added up alone. */
#define NR_WORDS	(sizeof(struct mw_stats) / sizeof(unsigned long))

static void add_share(struct mw_stats *sum, const struct mw_stats *share)
{
	const unsigned long *from = (const unsigned long *)share;
	unsigned long *to = (unsigned long *)sum;
	unsigned int i;

	for (i = 0; i < NR_WORDS; i++)
		to[i] += READ_ONCE(from[i]);
}

static void add_own(struct mw_stats *sum, struct mw_group *group)
{
	int cpu;

	if (group->folded)
		return;
	for_each_possible_cpu(cpu)
		add_share(sum, per_cpu_ptr(group->stats, cpu));
}

/**
 * mw_stats_own() - statistics of a group without anybody else's
 * @group: the group
 * @sum:   the result, in pages; nothing once it is removed and folded
 *
 * Context: any.
 */
void mw_stats_own(struct mw_group *group, struct mw_stats *sum)
{
	*sum = (struct mw_stats){};
	add_own(sum, group);
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
		add_own(sum, pos);
}

/**
 * mw_stats_read_local() - statistics of a group without those below it
 * @group: a group that is not removed
 * @sum:   the result, in pages
 *
 * Groups below it that were removed a moment ago and are not folded yet are
 * included: their charges are the group's own by now.
 *
 * Context: process, tree mutex held.
 */
void mw_stats_read_local(struct mw_group *group, struct mw_stats *sum)
{
	struct mw_group *child, *pos;

	*sum = (struct mw_stats){};
	add_own(sum, group);
	list_for_each_entry(child, &group->children, sibling)
		for (pos = child; child->dead && pos;
		     pos = mw_group_next(pos, child))
			add_own(sum, pos);
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
	unsigned long __percpu *words = (unsigned long __percpu *)to->stats;
	unsigned int i;

	mw_tree_assert_held();
	add_own(&sum, from);
	mw_unwritten_fold(to, sum.unwritten);
	sum.unwritten = 0;
	for (i = 0; i < NR_WORDS; i++)
		this_cpu_add(words[i], ((unsigned long *)&sum)[i]);
	from->folded = true;
}
