/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FOLIO_H
#define COMPAT_FOLIO_H

#include <linux/mm.h>
#include <linux/pagemap.h>

#include <compat/features.h>
#include <pure/kind.h>

#if MW_HAVE_FOLIO_BATCH_H
#include <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif

#if !MW_HAVE_FOLIOS
#include <compat/folio_pages.h>
#endif

/**
 * mw_folio_tryget() - a reference on the folio that begins at a page frame
 * @pfn: the page frame
 *
 * Context: any; the memory is kept online by the caller.
 * Return: the folio, NULL if it is free or frozen, or does not begin there.
 */
static inline struct folio *mw_folio_tryget(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);
	struct folio *folio = (struct folio *)page;

	if (PageTail(page) || !get_page_unless_zero(page))
		return NULL;
	if (page_folio(page) == folio)
		return folio;
	folio_put(page_folio(page));
	return NULL;
}

/**
 * mw_folio_may_stay() - is it not certain yet that a folio that migrates is replaced?
 * @folio: the old one, locked
 *
 * migrate_misplaced_transhuge_page() of kernels before 5.14 tells of it while the page is mapped
 * still, and may find out later that somebody has got a reference.
 *
 * Context: any.
 */
static inline bool mw_folio_may_stay(struct folio *folio)
{
	return !MW_HAVE_FOLIOS && folio_test_large(folio) && folio_test_anon(folio) &&
	       folio_mapped(folio);
}

/*
 * What a page is doing, asked without a reference: the folio may be freed, split
 * or used anew meanwhile, so the answer is one of an instant.
 */
static inline bool mw_pfn_mapped(unsigned long pfn)
{
	return folio_mapped(page_folio(pfn_to_page(pfn)));
}

static inline bool mw_pfn_dirty(unsigned long pfn)
{
	return folio_test_dirty(page_folio(pfn_to_page(pfn)));
}

static inline bool mw_pfn_writeback(unsigned long pfn)
{
	return folio_test_writeback(page_folio(pfn_to_page(pfn)));
}

static inline bool mw_pfn_mlocked(unsigned long pfn)
{
	return folio_test_mlocked(page_folio(pfn_to_page(pfn)));
}

/**
 * mw_folio_partially_mapped() - is a part of an anonymous folio mapped no more?
 * @folio: referenced by the caller
 *
 * It is for nobody's use, and stays until the folio is split.
 *
 * Context: any.
 */
static inline bool mw_folio_partially_mapped(struct folio *folio)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	if (!folio_test_large(folio) || !folio_test_anon(folio) ||
	    PageHuge(&folio->page))
		return false;
#if MW_HAVE_PARTIALLY_MAPPED
	return folio_test_partially_mapped(folio);
#else
	return !data_race(list_empty(page_deferred_list(&folio->page)));
#endif
#else
	return false;
#endif
}

/**
 * mw_folio_is_cache() - does a folio belong to a file, or to shared memory?
 * @folio: referenced by the caller
 *
 * Return: false if it is anonymous, or of no mapping, or not any more.
 */
static inline bool mw_folio_is_cache(struct folio *folio)
{
	return !folio_test_anon(folio) && folio_mapping(folio);
}

/** mw_folio_cache_kind() - to which of the two */
static inline enum mw_kind mw_folio_cache_kind(struct folio *folio)
{
	return folio_test_swapbacked(folio) ? MW_KIND_SHMEM : MW_KIND_FILE;
}

/**
 * mw_folio_kind() - what a folio that is being charged will hold
 * @folio: not visible to anybody else yet
 * @mm:    as the kernel passes it to the charge function
 *
 * Shared memory marks its folios swap-backed before it charges them.  From
 * 6.1 the page cache charges for no particular mm; before, it sets the mapping
 * first, and swap-in marks the page as being in the swap cache.
 *
 * Told wrongly as anonymous: what khugepaged collapses in files, which
 * mw_see_collapse() puts right, and shared memory that is swapped in or filled
 * through userfaultfd (7.2).
 *
 * Return: the kind.
 */
static inline enum mw_kind mw_folio_kind(struct folio *folio,
					 struct mm_struct *mm)
{
	if (!MW_HAVE_CHARGE_BEFORE_MAPPING)
		return folio_test_swapcache(folio) || !folio->mapping ?
		       MW_KIND_ANON : mw_folio_cache_kind(folio);
	if (folio_test_swapbacked(folio))
		return MW_KIND_SHMEM;
	return mm ? MW_KIND_ANON : MW_KIND_FILE;
}

#endif
