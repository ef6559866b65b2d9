/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FOLIO_PAGES_H
#define COMPAT_FOLIO_PAGES_H

#include <linux/mm.h>
#include <linux/page_idle.h>
#include <linux/pagemap.h>

/*
 * What memward uses of folios, for kernels that have none: a head page stands for
 * all of its pages.
 */

/* A head page, whose members have the names that those of a folio have. */
struct folio {
	union {
		struct {
			unsigned long flags;
			struct list_head lru;
			struct address_space *mapping;
			pgoff_t index;
			void *private;
		};
		struct page page;
	};
};
static_assert(offsetof(struct folio, lru) == offsetof(struct page, lru));
static_assert(offsetof(struct folio, mapping) == offsetof(struct page, mapping));
static_assert(offsetof(struct folio, index) == offsetof(struct page, index));
static_assert(offsetof(struct folio, private) == offsetof(struct page, private));

/* nobody hands one to memward there */
struct folio_batch {
	unsigned char nr;
	struct folio *folios[];
};

static inline unsigned long folio_pfn(struct folio *folio)
{
	return page_to_pfn(&folio->page);
}

static inline int folio_nid(struct folio *folio)
{
	return page_to_nid(&folio->page);
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
MW_FOLIO_TEST(locked, Locked)
#undef MW_FOLIO_TEST

static inline bool folio_has_private(struct folio *folio)
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

static inline bool folio_test_clear_young(struct folio *folio)
{
	return test_and_clear_page_young(&folio->page);
}

static inline void folio_clear_idle(struct folio *folio)
{
	clear_page_idle(&folio->page);
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

/* of headers that not everybody who includes this one needs */
#define folio_memcg(folio)	READ_ONCE((folio)->page.mem_cgroup)
#define folio_add_lru(folio)	lru_cache_add(&(folio)->page)

static inline struct folio *page_folio(struct page *page)
{
	return (struct folio *)compound_head(page);
}

#endif
