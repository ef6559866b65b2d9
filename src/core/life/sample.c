// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics that are sampled: a walk over the shadow array looks at each page.
 *
 * DOC: To count mappings and dirtying as they happen would take hooks on some of
 * the kernel's hottest functions.  So they are counted when somebody asks, for
 * all groups in one walk, and the answer is used again for twenty times as long
 * as the walk took: however many groups are read however often, no more than a
 * twentieth of one CPU goes into it.  A walk takes a millisecond or two a
 * gigabyte.
 *
 * Under the tree mutex.
 */
#include <linux/ktime.h>

#include <compat/folio.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/life/sample.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

/* a walk may take this share of one CPU's time */
#define WALK_SHARE	20

static ktime_t valid_until;

/* Shared memory is always "dirty", and as in the kernel's memcg not counted. */
static void look_file(struct mw_sample *sample, unsigned long pfn,
		      enum mw_kind kind)
{
	if (kind != MW_KIND_FILE)
		return;
	sample->dirty += mw_pfn_dirty(pfn);
	sample->writeback += mw_pfn_writeback(pfn);
}

/* The page may be freed meanwhile: then the count is off by one. */
static void look(unsigned long pfn, mw_entry_t entry, void *unused)
{
	struct mw_group *group;

	if (mw_pc_kind(entry) == MW_KIND_ANON)
		return;
	rcu_read_lock();
	group = mw_owner_group(mw_pc_owner_id(entry));
	if (group) {
		group->sample.mapped += mw_pfn_mapped(pfn);
		look_file(&group->sample, pfn, mw_pc_kind(entry));
	}
	rcu_read_unlock();
}

static void sample_all(void)
{
	ktime_t start = ktime_get();
	struct mw_group *pos;

	for (pos = &mw_root; pos; pos = mw_group_next(pos, &mw_root))
		pos->sample = (struct mw_sample){};
	mw_pc_walk(look, NULL);
	valid_until = ktime_add_ns(ktime_get(), WALK_SHARE *
				   ktime_to_ns(ktime_sub(ktime_get(), start)));
}

/**
 * mw_sample_read() - sampled statistics of a group and everything below it
 * @group: top of the subtree
 * @sum:   the result, in pages
 *
 * Context: process, may sleep, tree mutex held.
 */
void mw_sample_read(struct mw_group *group, struct mw_sample *sum)
{
	struct mw_group *pos;

	mw_tree_assert_held();
	if (ktime_after(ktime_get(), valid_until))
		sample_all();
	*sum = (struct mw_sample){};
	for (pos = group; pos; pos = mw_group_next(pos, group)) {
		sum->mapped += pos->sample.mapped;
		sum->dirty += pos->sample.dirty;
		sum->writeback += pos->sample.writeback;
	}
}
