// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that come back soon after they were reclaimed.
 *
 * DOC: Where a page was, the kernel leaves a note when it reclaims it, and says so
 * when a page comes to a place that has one.  If it was away for a short time,
 * as the kernel sees it, to reclaim it was a mistake: it is spared the first look
 * (is_used() in scan.c).  And whatever comes back weighs against its type as a
 * page does that was found in use.
 */
#include <linux/percpu.h>

#include <core/group/group.h>
#include <core/pages/lru.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>
#include <core/reclaim/refault.h>

static void count(mw_entry_t value, unsigned int nr_pages)
{
	enum mw_lru_type type = mw_lru_type(mw_pc_kind(value));
	struct mw_group *group = mw_owner_group(mw_pc_owner_id(value));

	if (group)
		mw_stats_add(group, MW_STAT_REFAULTED + type, nr_pages);
}

/* Its place in a queue may be changing meanwhile: then it is no longer new. */
static void note_return(mw_entry_t *entry, mw_entry_t value)
{
	if (!mw_pc_age(value))
		mw_pc_replace(entry, value, mw_pc_place(value, mw_pc_chunk(value),
							MW_AGE_BACK));
}

/**
 * mw_refault() - pages have come back that were reclaimed before
 * @pfn:      first page frame; charged, and locked by the caller
 * @nr_pages: pages
 *
 * Context: any, preemption off.
 */
void mw_refault(unsigned long pfn, unsigned int nr_pages)
{
	mw_entry_t *entry = mw_charged_entry(pfn);
	mw_entry_t value;

	if (!entry)
		return;
	value = mw_pc_read(entry);
	count(value, nr_pages);
	note_return(entry, value);
}
