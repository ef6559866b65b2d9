// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks of page frame numbers, of which a group's queues are made; see lru.c.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include <core/pages/chunk.h>
#include <core/pages/page_cgroup.h>

static struct kmem_cache *chunk_cache;
static atomic_t last_id;

/**
 * mw_chunk_alloc() - an empty chunk with a number of its own
 *
 * Its slots are not zeroed: whoever fills it begins at the first, and calls
 * mw_chunk_close() if he does not come to the last.
 *
 * Context: any.
 * Return: the chunk, NULL if there is no memory without waiting.
 */
struct mw_chunk *mw_chunk_alloc(void)
{
	struct mw_chunk *chunk;
	u32 id;

	chunk = kmem_cache_alloc(chunk_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!chunk)
		return NULL;
	do {
		id = atomic_inc_return(&last_id) &
		     GENMASK(MW_PC_CHUNK_BITS - 1, 0);
	} while (!id);
	chunk->id = id;
	chunk->nr = 0;
	chunk->nr_pages = 0;
	return chunk;
}

/**
 * mw_chunk_close() - there is nothing in the rest of a chunk
 * @chunk: the chunk
 * @from:  the first slot that was not filled
 *
 * Context: any.
 */
void mw_chunk_close(struct mw_chunk *chunk, unsigned int from)
{
	memset(chunk->slot + from, 0,
	       (MW_CHUNK_PAGES - from) * sizeof(*chunk->slot));
}

/** mw_chunk_free() - free a chunk that is in no list */
void mw_chunk_free(struct mw_chunk *chunk)
{
	kmem_cache_free(chunk_cache, chunk);
}

/**
 * mw_chunk_pages() - how many pages the slots are of, stale ones included
 * @chunk: nobody adds to it
 *
 * Context: any.
 */
unsigned long mw_chunk_pages(const struct mw_chunk *chunk)
{
	unsigned long pages = 0;
	unsigned int i;

	/* the lowest bit of a slot, see mw_slot() */
	for (i = 0; i < chunk->nr; i++)
		pages += chunk->slot[i] & -chunk->slot[i];
	return pages;
}

/**
 * mw_chunk_prune() - empty the slots of small pages that are gone
 * @chunk: in no list
 *
 * In a group that charges and frees a lot those are most: each page charged there
 * costs it one of these looks.
 *
 * Context: any.
 * Return: whether anything is left.
 */
bool mw_chunk_prune(struct mw_chunk *chunk)
{
	struct mw_pc_near near = MW_PC_NEAR_NONE;
	unsigned int i;
	u32 left = 0;

	preempt_disable();
	for (i = 0; i < MW_CHUNK_PAGES; i++) {
		u32 slot = chunk->slot[i];
		mw_entry_t *entry;

		/* of order 0, see mw_slot() */
		if (slot & 1) {
			entry = mw_pc_entry_near(&near, slot >> 1);
			if (!entry ||
			    mw_pc_chunk(mw_pc_read(entry)) != chunk->id) {
				chunk->slot[i] = 0;
				continue;
			}
		}
		left |= slot;
	}
	preempt_enable();
	return left;
}

/**
 * mw_chunk_pack() - move what is left in a chunk to its first slots
 * @chunk: in no list
 *
 * Its number of slots in use, and of their pages, is what a queue counts.
 *
 * Context: any.
 * Return: whether anything is left.
 */
bool mw_chunk_pack(struct mw_chunk *chunk)
{
	unsigned int from, to = 0;

	for (from = 0; from < MW_CHUNK_PAGES; from++)
		if (chunk->slot[from])
			chunk->slot[to++] = chunk->slot[from];
	chunk->nr = to;
	chunk->nr_pages = mw_chunk_pages(chunk);
	mw_chunk_close(chunk, to);
	return to;
}

/**
 * mw_chunk_init() - prepare for chunks
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_chunk_init(void)
{
	chunk_cache = kmem_cache_create("memward_chunk",
					sizeof(struct mw_chunk), 0, 0, NULL);
	return chunk_cache ? 0 : -ENOMEM;
}

/** mw_chunk_exit() - undo mw_chunk_init() */
void mw_chunk_exit(void)
{
	kmem_cache_destroy(chunk_cache);
}
