/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PLACE_H
#define MEMWARD_PLACE_H

#include <linux/types.h>

#include <core/pages/page_cgroup.h>

struct folio;

/**
 * struct mw_page - a page that was found in a queue
 * @folio: referenced by the visitor
 * @pfn:   its first page frame
 * @nr:    pages in it
 * @entry: the entry of @pfn when it was found
 */
struct mw_page {
	struct folio *folio;
	unsigned long pfn;
	unsigned int nr;
	mw_entry_t entry;
};

bool mw_place_find(u32 chunk_id, struct mw_page *page);
bool mw_place_set(const struct mw_page *page, u32 chunk_id, unsigned int age);

#endif
