// SPDX-License-Identifier: GPL-2.0
/*
 * What runs in place of, or beside, the kernel's functions for swap; see charge.c.
 */
#include <linux/mm.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <compat/swap.h>
#include <core/limit/swap.h>
#include <hooks/hooks.h>
#include <hooks/wrap.h>

/* --- a slot was taken --- */

MW_ORIGINAL(swapout, (struct folio *folio, swp_entry_t entry))

/**
 * mw_wrap_swapout() - around __mem_cgroup_try_charge_swap(), 5.10's without "__"
 * @folio: going to swap, locked
 * @entry: its first slot, 0 if there was none
 *
 * If this or the original refuses, the kernel frees the slots, and says so.
 *
 * Context: process, in reclaim.
 * Return: what the original returned, or -ENOMEM.
 */
int mw_wrap_swapout(struct folio *folio, swp_entry_t entry)
{
	int ret;

	mw_hit(MW_HIT_SWAPOUT);
	ret = mw_swap_charge(folio_pfn(folio), folio_nr_pages(folio), entry);
	if (!ret)
		ret = static_call(mw_orig_swapout)(folio, entry);
	mw_stay_on_stack();
	return ret;
}

MW_ORIGINAL(swapout_folio, (struct folio *folio))

/** mw_wrap_swapout_folio() - around __mem_cgroup_try_charge_swap() that takes the folio alone */
int mw_wrap_swapout_folio(struct folio *folio)
{
	int ret;

	mw_hit(MW_HIT_SWAPOUT);
	ret = mw_swap_charge(folio_pfn(folio), folio_nr_pages(folio),
			     mw_folio_swap_entry(folio));
	if (!ret)
		ret = static_call(mw_orig_swapout_folio)(folio);
	mw_stay_on_stack();
	return ret;
}

/* --- slots are free again --- */

/** mw_see_swapfree() - as __mem_cgroup_uncharge_swap() is entered, or its like */
void mw_see_swapfree(struct pt_regs *regs)
{
	unsigned int nr_pages;
	swp_entry_t entry = mw_freed_slot(regs, &nr_pages);

	mw_hit(MW_HIT_SWAPFREE);
	mw_swap_uncharge(entry, nr_pages);
}

/** mw_see_swapfree_cluster() - as __swap_cluster_free_entries() is entered */
void mw_see_swapfree_cluster(struct pt_regs *regs)
{
	unsigned int nr_pages;
	swp_entry_t entry = mw_freed_in_cluster(regs, &nr_pages);

	mw_hit(MW_HIT_SWAPFREE);
	mw_swap_uncharge(entry, nr_pages);
}

/* --- a folio leaves the swap cache --- */

/**
 * mw_see_swapalone() - as __delete_from_swap_cache() is entered
 * @regs: a folio and its first slot, both locked
 *
 * Context: process.
 */
void mw_see_swapalone(struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)mw_arg(regs, 0);
	swp_entry_t entry = { .val = mw_arg(regs, 1) };

	mw_hit(MW_HIT_SWAPALONE);
	mw_swap_alone(entry, folio_nr_pages(folio));
}

/** mw_see_swapalone_cluster() - as __swap_cache_del_folio() is entered */
void mw_see_swapalone_cluster(struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)mw_arg(regs, 1);
	swp_entry_t entry = { .val = mw_arg(regs, 2) };

	mw_hit(MW_HIT_SWAPALONE);
	mw_swap_alone(entry, folio_nr_pages(folio));
}

/* --- a folio comes back --- */

/**
 * mw_wrap_swap_in() - charge a folio that is brought back
 * @folio: locked
 * @gfp:   flags of the allocation
 * @entry: its first slot
 *
 * Context: process; sleeps only where @gfp allows it.
 * Return: 0; or -ENOMEM with nothing charged.
 */
int mw_wrap_swap_in(struct folio *folio, gfp_t gfp, swp_entry_t entry)
{
	return mw_swap_in(folio_pfn(folio), folio_nr_pages(folio), entry, gfp);
}

/** mw_wrap_undo_swap_in() - the original refused: the folio is freed again */
void mw_wrap_undo_swap_in(struct folio *folio, swp_entry_t entry)
{
	mw_wrap_undo(folio);
	mw_swap_alone(entry, folio_nr_pages(folio));
}

MW_ORIGINAL(swapin_mm, (struct folio *folio, struct mm_struct *mm, gfp_t gfp,
			swp_entry_t entry))

/**
 * mw_wrap_swapin_mm() - around mem_cgroup_swapin_charge_folio(), 6.1 and 6.12
 * @folio: about to be read
 * @mm:    whose it is
 * @gfp:   flags of the allocation
 * @entry: the slot of the page that is wanted, which need not be the folio's first
 *
 * Context: process; sleeps only where @gfp allows it.
 * Return: what the original returned, or -ENOMEM; then nothing is charged.
 */
int mw_wrap_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
		      swp_entry_t entry)
{
	swp_entry_t first = mw_first_slot(folio, entry);
	int ret;

	mw_hit(MW_HIT_SWAPIN);
	ret = mw_wrap_swap_in(folio, gfp, first);
	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_swapin_mm)(folio, mm, gfp, entry);
	if (unlikely(ret))
		mw_wrap_undo_swap_in(folio, first);
	return ret;
}

MW_ORIGINAL(swapin_id, (struct folio *folio, unsigned short id,
			struct mm_struct *mm, gfp_t gfp))

/** mw_wrap_swapin_id() - around mem_cgroup_swapin_charge_folio() with an id */
int mw_wrap_swapin_id(struct folio *folio, unsigned short id,
		      struct mm_struct *mm, gfp_t gfp)
{
	swp_entry_t entry = mw_folio_swap_entry(folio);
	int ret;

	mw_hit(MW_HIT_SWAPIN);
	ret = mw_wrap_swap_in(folio, gfp, entry);
	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_swapin_id)(folio, id, mm, gfp);
	if (unlikely(ret))
		mw_wrap_undo_swap_in(folio, entry);
	return ret;
}
