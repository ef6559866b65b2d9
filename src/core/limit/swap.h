/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SWAP_H
#define MEMWARD_SWAP_H

#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/swap.h>

/**
 * typedef mw_swap_visit_fn - called for each slot that is charged
 * @owner_id: who pays for it
 * @data:     the walker's own
 */
typedef void (*mw_swap_visit_fn)(u32 owner_id, void *data);

void mw_swap_adopt(unsigned long pfn, unsigned int nr_pages, swp_entry_t entry);
int mw_swap_charge(unsigned long pfn, unsigned int nr_pages, swp_entry_t entry);
void mw_swap_uncharge(swp_entry_t entry, unsigned int nr_pages);
void mw_swap_alone(swp_entry_t entry, unsigned int nr_pages);
int mw_swap_in(unsigned long pfn, unsigned int nr_pages, swp_entry_t entry,
	       gfp_t gfp);
void mw_swap_walk(mw_swap_visit_fn visit, void *data);
void mw_swap_stop(void);

#endif
