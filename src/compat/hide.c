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
 * Return: whether it was hidden: what was locked and unlocked meanwhile is not.
 */
bool mw_folio_show(struct folio *folio)
{
	struct pagevec pvec;

	if (!unlock(&folio->page))
		return false;
	pagevec_init(&pvec);
	pagevec_add(&pvec, &folio->page);
	check_move_unevictable_pages(&pvec);
	return true;
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

/* Of the list that it is in, or is about to go to.  Context: RCU read side. */
static spinlock_t *list_lock(struct folio *folio)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	return memcg ? &memcg->nodeinfo[folio_nid(folio)]->lruvec.lru_lock : NULL;
}

/* Context: RCU read side.  Return: what to unlock, if anything. */
static spinlock_t *lock_list(struct folio *folio)
{
	spinlock_t *lock, *now = list_lock(folio);

	do {
		lock = now;
		if (!lock)
			break;
		spin_lock_irq(lock);
		now = list_lock(folio);
		if (now != lock)
			spin_unlock_irq(lock);
	} while (now != lock);
	return lock;
}

/*
 * Who puts a folio on a list looks with the list locked whether it can be reclaimed, and
 * only then sorts it in and says that it is there (lru_add()).  If the flag were cleared
 * between, it would stay among the unevictable: nobody would look at it there again.  (Who
 * moves one that is there already may take it away from us for that moment; that can
 * strand it as the kernel's own munlock() can: UNEVICTABLE_PGSTRANDED.)
 *
 * What has the flag, and a reference, is no slab, whose memcg_data is something else.
 */
static bool unlock(struct folio *folio)
{
	spinlock_t *lock;
	bool was_locked;

	if (!folio_test_mlocked(folio))
		return false;
	rcu_read_lock();
	lock = lock_list(folio);
	was_locked = folio_test_clear_mlocked(folio);
	if (lock)
		spin_unlock_irq(lock);
	rcu_read_unlock();
	if (was_locked)
		count_locked(&folio->page, -(long)folio_nr_pages(folio));
	return was_locked;
}

bool mw_folio_show(struct folio *folio)
{
	struct folio_batch batch;

	if (!unlock(folio))
		return false;
	folio_batch_init(&batch);
	folio_batch_add(&batch, folio);
	check_move_unevictable_folios(&batch);
	return true;
}

#endif
