/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_SWAP_H
#define COMPAT_SWAP_H

#include <linux/ptrace.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include <compat/folio.h>
#include <compat/ftrace.h>

/* The swap slot of a folio that is in the swap cache, 0 for none. */
static inline swp_entry_t mw_folio_swap_entry(struct folio *folio)
{
	swp_entry_t none = {};

	if (!folio_test_swapcache(folio))
		return none;
#if MW_HAVE_FOLIO_SWAP
	return folio->swap;
#else
	return (swp_entry_t){ .val = (unsigned long)folio->private };
#endif
}

/* The slot of a folio's first page, as that of any of its pages tells it. */
static inline swp_entry_t mw_first_slot(struct folio *folio, swp_entry_t entry)
{
	return (swp_entry_t){ .val = round_down(entry.val, folio_nr_pages(folio)) };
}

/*
 * Before there was a function for it, swap-in called the general one, with the
 * page in the swap cache, or made to look so.
 */
static __always_inline bool mw_folio_is_coming_back(struct folio *folio)
{
	return !MW_HAVE_SWAPIN_CHARGE && folio_test_swapcache(folio);
}

swp_entry_t mw_freed_slot(struct pt_regs *regs, unsigned int *nr_pages);
swp_entry_t mw_freed_in_cluster(struct pt_regs *regs, unsigned int *nr_pages);

#endif
