/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_SWAP_H
#define COMPAT_SWAP_H

#include <linux/ptrace.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/version.h>

#include <compat/folio.h>
#include <compat/ftrace.h>

/*
 * Structures of the kernel that no header shows, of which memward has to know the
 * size.  Filled in from the kernel's type data before anything attaches.
 */
struct mw_size {
	const char *name;
	unsigned int *size;
};

extern const struct mw_size mw_sizes[];
extern const unsigned int mw_nr_sizes;

/* The slot of a folio that is in the swap cache, 0 for none. */
static inline swp_entry_t mw_folio_slot(struct folio *folio)
{
	swp_entry_t none = {};

	if (!folio_test_swapcache(folio))
		return none;
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
	return (swp_entry_t){ .val = page_private(&folio->page) };
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return (swp_entry_t){ .val = (unsigned long)folio->private };
#else
	return folio->swap;
#endif
}

/*
 * Before there was a function for it, swap-in called the general one, with the
 * page in the swap cache, or made to look so.
 */
static __always_inline bool mw_folio_is_coming_back(struct folio *folio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
	return folio_test_swapcache(folio);
#else
	return false;
#endif
}

swp_entry_t mw_freed_slot(struct pt_regs *regs, unsigned int *nr_pages);

#endif
