// SPDX-License-Identifier: GPL-2.0
/*
 * Making folios unevictable that nobody has locked in memory.
 *
 * DOC: The kernel sorts a folio with PG_mlocked out of whatever list it finds it in,
 * and it may be left set when the folio is freed: "in rare cases munlock finds it no
 * more" (free_pages_prepare()).  5.10 clears it when the last mapping goes and takes a
 * page that is freed with it for broken: there, only what is mapped is hidden.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_counter.h>
#include <linux/swap.h>
#include <linux/version.h>
#include <linux/vmstat.h>
#if __has_include(<linux/folio_batch.h>)
#include <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif

#include <compat/folio.h>
#include <compat/hide.h>

#ifdef CONFIG_MEMCG
static struct mem_cgroup *memcg_of(struct folio *folio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
	return READ_ONCE(folio->page.mem_cgroup);
#else
	return folio_memcg(folio);
#endif
}

/**
 * mw_folio_is_limited() - is there a limit of the kernel's own memcg above a folio?
 * @folio: locked, or isolated
 *
 * Context: any.
 */
bool mw_folio_is_limited(struct folio *folio)
{
	const struct page_counter *counter = NULL;
	struct mem_cgroup *memcg;
	bool limited = false;

	rcu_read_lock();
	memcg = memcg_of(folio);
	if (memcg)
		counter = &memcg->memory;
	for (; counter && !limited; counter = counter->parent)
		limited = READ_ONCE(counter->max) != PAGE_COUNTER_MAX ||
			  READ_ONCE(counter->high) != PAGE_COUNTER_MAX;
	rcu_read_unlock();
	return limited;
}
#else
bool mw_folio_is_limited(struct folio *folio)
{
	return false;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)

static bool unlock(struct page *page)
{
	if (!TestClearPageMlocked(page))
		return false;
	mod_zone_page_state(page_zone(page), NR_MLOCK, -1);
	return true;
}

/**
 * mw_folio_hide() - let reclaim sort a folio out as unevictable
 * @folio: isolated
 *
 * Context: any.
 * Return: whether it was not so before, and is now.
 */
bool mw_folio_hide(struct folio *folio)
{
	struct page *page = &folio->page;

	if (PageCompound(page) || TestSetPageMlocked(page))
		return false;
	mod_zone_page_state(page_zone(page), NR_MLOCK, 1);
	/* who takes the last mapping away looks after that: page_remove_rmap() */
	smp_mb__after_atomic();
	return page_mapped(page) || !unlock(page);
}

/**
 * mw_folio_show() - undo mw_folio_hide()
 * @folio: referenced by the caller
 *
 * Context: process.
 */
void mw_folio_show(struct folio *folio)
{
	struct pagevec pvec;

	if (!unlock(&folio->page))
		return;
	pagevec_init(&pvec);
	pagevec_add(&pvec, &folio->page);
	check_move_unevictable_pages(&pvec);
}

#else

bool mw_folio_hide(struct folio *folio)
{
	if (folio_test_set_mlocked(folio))
		return false;
	mod_zone_page_state(folio_zone(folio), NR_MLOCK, folio_nr_pages(folio));
	return true;
}

void mw_folio_show(struct folio *folio)
{
	struct folio_batch batch;

	if (!folio_test_clear_mlocked(folio))
		return;
	mod_zone_page_state(folio_zone(folio), NR_MLOCK,
			    -(long)folio_nr_pages(folio));
	folio_batch_init(&batch);
	folio_batch_add(&batch, folio);
	check_move_unevictable_folios(&batch);
}

#endif
