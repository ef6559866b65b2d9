/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FOLIO_H
#define COMPAT_FOLIO_H

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/version.h>

/* struct folio_batch had to share a header with struct pagevec up to 7.0 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#include <linux/pagevec.h>
#else
#include <linux/folio_batch.h>
#endif

#include <pure/kind.h>

/* folios came with 5.16; before, a head page stands for all of its pages */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
struct folio {
	struct page page;
};

/* nobody hands one to memward there */
struct folio_batch {
	unsigned char nr;
	struct folio *folios[];
};

static inline unsigned long folio_pfn(struct folio *folio)
{
	return page_to_pfn(&folio->page);
}

static inline long folio_nr_pages(struct folio *folio)
{
	return compound_nr(&folio->page);
}

static inline bool folio_test_large(struct folio *folio)
{
	return PageHead(&folio->page);
}

#define MW_FOLIO_TEST(name, Name)					\
static inline bool folio_test_##name(struct folio *folio)		\
{									\
	return Page##Name(&folio->page);				\
}
MW_FOLIO_TEST(anon, Anon)
MW_FOLIO_TEST(swapbacked, SwapBacked)
MW_FOLIO_TEST(lru, LRU)
MW_FOLIO_TEST(unevictable, Unevictable)
MW_FOLIO_TEST(mlocked, Mlocked)
MW_FOLIO_TEST(active, Active)
MW_FOLIO_TEST(referenced, Referenced)
MW_FOLIO_TEST(workingset, Workingset)
MW_FOLIO_TEST(dirty, Dirty)
MW_FOLIO_TEST(writeback, Writeback)
MW_FOLIO_TEST(swapcache, SwapCache)
#undef MW_FOLIO_TEST

static inline bool folio_test_private(struct folio *folio)
{
	return page_has_private(&folio->page);
}

static inline bool folio_mapped(struct folio *folio)
{
	return page_mapped(&folio->page);
}

static inline void folio_clear_referenced(struct folio *folio)
{
	ClearPageReferenced(&folio->page);
}

static inline struct address_space *folio_mapping(struct folio *folio)
{
	return page_mapping(&folio->page);
}

static inline bool folio_trylock(struct folio *folio)
{
	return trylock_page(&folio->page);
}

static inline void folio_unlock(struct folio *folio)
{
	unlock_page(&folio->page);
}

static inline void folio_put(struct folio *folio)
{
	put_page(&folio->page);
}

static inline struct folio *page_folio(struct page *page)
{
	return (struct folio *)compound_head(page);
}
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

/*
 * What a page is doing, asked without a reference: the folio may be freed, split
 * or used anew meanwhile, so the answer is one of an instant.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
static inline bool mw_pfn_mapped(unsigned long pfn)
{
	return page_mapped(pfn_to_page(pfn));
}

static inline bool mw_pfn_dirty(unsigned long pfn)
{
	return PageDirty(pfn_to_page(pfn));
}

static inline bool mw_pfn_writeback(unsigned long pfn)
{
	return PageWriteback(pfn_to_page(pfn));
}
#else
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
#endif

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
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
	if (PageSwapCache(&folio->page) || !folio->page.mapping)
		return MW_KIND_ANON;
	return mw_folio_cache_kind(folio);
#else
	if (folio_test_swapbacked(folio))
		return MW_KIND_SHMEM;
	return mm ? MW_KIND_ANON : MW_KIND_FILE;
#endif
}

#endif
