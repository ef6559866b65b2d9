// SPDX-License-Identifier: GPL-2.0
/*
 * Making folios unevictable that nobody has locked in memory.
 *
 * DOC: The kernel sorts a folio with PG_mlocked out of whatever list it finds it in,
 * and it may be left set when the folio is freed: "in rare cases munlock finds it no
 * more" (free_pages_prepare()).  5.10 clears it when the last mapping goes and takes a
 * page that is freed with it for broken: there, only what is mapped is hidden.
 *
 * 5.10 and huge pages: where a part has a mapping of its own, the end of that clears
 * the flag of the whole, counts one page, and tries to isolate the part, which warns.
 * So what is hidden is anonymous and mapped as a whole only.  It stays so until the
 * flag is set, as the caller has it locked: who splits a mapping locks it too, and
 * clears the flag (__split_huge_pmd()).
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_counter.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include <compat/features.h>
#include <compat/folio.h>
#include <compat/hide.h>

#ifdef CONFIG_MEMCG
/* Is there a limit of the kernel's own memcg above it?  That may have to reclaim it. */
static bool is_limited(struct folio *folio)
{
	const struct page_counter *counter = NULL;
	struct mem_cgroup *memcg;
	bool limited = false;

	rcu_read_lock();
	memcg = folio_memcg(folio);
	if (memcg)
		counter = &memcg->memory;
	for (; counter && !limited; counter = counter->parent)
		limited = READ_ONCE(counter->max) != PAGE_COUNTER_MAX ||
			  READ_ONCE(counter->high) != PAGE_COUNTER_MAX;
	rcu_read_unlock();
	return limited;
}
#else
static bool is_limited(struct folio *folio)
{
	return false;
}
#endif

/* The zone is in the page's flags, others of which may change at any time. */
static void count_locked(struct page *page, long nr_pages)
{
	mod_zone_page_state(data_race(page_zone(page)), NR_MLOCK, nr_pages);
}

#if !MW_HAVE_FOLIOS

/* The caller's reference, or lock, keeps the size as it is. */
static bool unlock(struct page *page)
{
	int nr_pages = compound_nr(page);

	if (!TestClearPageMlocked(page))
		return false;
	count_locked(page, -nr_pages);
	return true;
}

static bool is_mapped(struct page *page)
{
	return PageCompound(page) ? compound_mapcount(page) > 0 : page_mapped(page);
}

static bool is_whole(struct page *page)
{
	return PageTransHuge(page) && PageAnon(page) && is_mapped(page) &&
	       !PageDoubleMap(page);
}

/**
 * mw_folio_can_hide() - may mw_folio_hide() be asked?
 * @folio:  isolated
 * @locked: by the caller
 *
 * Context: any.
 */
bool mw_folio_can_hide(struct folio *folio, bool locked)
{
	struct page *page = &folio->page;

	return (!PageCompound(page) || (locked && is_whole(page))) &&
	       !is_limited(folio);
}

/**
 * mw_folio_hide() - let reclaim sort a folio out as unevictable
 * @folio: isolated, one that mw_folio_can_hide()
 *
 * Context: any.
 * Return: whether it was not so before, and is now.
 */
bool mw_folio_hide(struct folio *folio)
{
	struct page *page = &folio->page;

	if (TestSetPageMlocked(page))
		return false;
	count_locked(page, compound_nr(page));
	/* who takes the last mapping away looks after that: page_remove_rmap() */
	smp_mb__after_atomic();
	return is_mapped(page) || !unlock(page);
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

bool mw_folio_can_hide(struct folio *folio, bool locked)
{
	return !is_limited(folio);
}

bool mw_folio_hide(struct folio *folio)
{
	if (folio_test_set_mlocked(folio))
		return false;
	count_locked(&folio->page, folio_nr_pages(folio));
	return true;
}

void mw_folio_show(struct folio *folio)
{
	struct folio_batch batch;

	if (!folio_test_clear_mlocked(folio))
		return;
	count_locked(&folio->page, -(long)folio_nr_pages(folio));
	folio_batch_init(&batch);
	folio_batch_add(&batch, folio);
	check_move_unevictable_folios(&batch);
}

#endif
