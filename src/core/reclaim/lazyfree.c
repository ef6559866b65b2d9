// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that a program does not need any more but may write to again (MADV_FREE).
 *
 * DOC: Until it does they can be dropped, without swap and without being written, so
 * the kernel keeps them among the pages of files, and so does memward: as soon as
 * it is told they are put into that queue.  From then on what the page says itself
 * decides (type_of() in queue.c): one that was written to after all is found to be swap-backed
 * again, by reclaim, and goes back.
 */
#include <linux/preempt.h>

#include <compat/folio.h>
#include <core/pages/page_cgroup.h>
#include <core/pages/place.h>
#include <core/pages/queue.h>
#include <core/reclaim/lazyfree.h>

/* The kernel's own conditions; a page that memward has hidden looks unevictable. */
static bool is_candidate(struct folio *folio, mw_entry_t entry)
{
	return folio_test_anon(folio) && folio_test_swapbacked(folio) &&
	       !folio_test_swapcache(folio) &&
	       (!folio_test_unevictable(folio) || mw_pc_is_hidden(entry));
}

/**
 * mw_lazyfree() - a folio need not be kept
 * @folio: referenced by the caller; nothing happens if it is not charged
 *
 * Context: process, preemption off.
 */
void mw_lazyfree(struct folio *folio)
{
	mw_entry_t *entry = mw_charged_entry(folio_pfn(folio));
	struct mw_page page = {
		.folio = folio, .pfn = folio_pfn(folio),
		.nr = folio_nr_pages(folio),
	};

	if (!entry)
		return;
	page.entry = mw_pc_read(entry);
	if (is_candidate(folio, page.entry))
		mw_queue_append_lazyfree(&page);
}
