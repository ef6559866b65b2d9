/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_CHARGE_H
#define MEMWARD_CHARGE_H

#include <linux/gfp.h>
#include <linux/mm_types.h>

#include <memward/kind.h>
#include <memward/page_cgroup.h>

bool mw_charge_pages(struct mm_struct *mm, unsigned long pfn,
		     unsigned int nr_pages, enum mw_kind kind, gfp_t gfp);
bool mw_uncharge_pages(unsigned long pfn, unsigned int nr_pages);
void mw_charge_move(unsigned long from, unsigned long to,
		    unsigned int nr_pages);

/**
 * mw_uncharge_freed() - uncharge a block of pages that is being freed
 * @pfn:   first page frame
 * @order: log2 of the number of pages
 *
 * Nearly every page freed on a machine comes through here, so the answer "not
 * ours" must be quick; a single page is looked at in place.
 *
 * Context: any, preemption off.
 * Return: false if it was quickly seen that nothing is charged.
 */
static __always_inline bool mw_uncharge_freed(unsigned long pfn,
					      unsigned int order)
{
	u64 *entry = mw_pc_entry(pfn);

	if (!entry || (!order && !READ_ONCE(*entry)))
		return false;
	return mw_uncharge_pages(pfn, 1U << order);
}

#endif
