/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_CHUNK_H
#define MEMWARD_CHUNK_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

/* pages that a chunk has room for */
#define MW_CHUNK_PAGES	128U

/**
 * struct mw_chunk - page frames that are queued together
 * @inbox: in a group's inbox, or
 * @list:  in one of its queues
 * @id:    what the entries of its pages carry; 0 if they carry none
 * @nr:    slots in use, from the first; %MW_CHUNK_PAGES if a CPU has filled it
 * @nr_pages: in a queue: pages that these slots are of, stale ones included
 * @slot:  folios, see mw_slot(); 0 where there is none
 *
 * A slot says that a page is here only as long as the page's entry says the
 * same.  So a page that is freed, or queued elsewhere, needs no unlinking.
 */
struct mw_chunk {
	union {
		struct llist_node inbox;
		struct list_head list;
	};
	u32 id;
	u32 nr;
	u32 nr_pages;
	u32 slot[MW_CHUNK_PAGES];
};

/* page frames from here on, at 8 TiB, have no slots; for a test, none but the first has */
#ifndef MW_TEST_SLOT_PFNS
#define MW_SLOT_PFNS	(1UL << 31)
#else
#define MW_SLOT_PFNS	1UL
#endif

/**
 * mw_slot() - a folio in 32 bits
 * @pfn:   its first page frame, a multiple of its size
 * @order: of its size
 *
 * The lowest bit that is set tells the order.  That of a page frame from MW_SLOT_PFNS on is
 * stale from the beginning, and says a lower frame, which may be frame 0.
 */
static __always_inline u32 mw_slot(unsigned long pfn, unsigned int order)
{
	return (pfn % MW_SLOT_PFNS << 1) + (1U << order);
}

struct mw_chunk *mw_chunk_alloc(void);
void mw_chunk_close(struct mw_chunk *chunk, unsigned int from);
void mw_chunk_free(struct mw_chunk *chunk);
unsigned long mw_chunk_pages(const struct mw_chunk *chunk);
bool mw_chunk_prune(struct mw_chunk *chunk);
bool mw_chunk_pack(struct mw_chunk *chunk);
int mw_chunk_init(void);
void mw_chunk_exit(void);

#endif
