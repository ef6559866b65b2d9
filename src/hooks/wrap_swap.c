// SPDX-License-Identifier: GPL-2.0
/*
 * What runs in place of, or beside, the kernel's functions for swap; see wrap.c.
 */
#include <linux/mm.h>
#include <linux/static_call.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <compat/swap.h>
#include <memward/hooks.h>
#include <memward/swap.h>

#include "wrap.h"

/* --- a slot was taken --- */

static int no_swapout(struct folio *folio, swp_entry_t entry)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_swapout_fn, no_swapout);

/** mw_orig_swapout() - tell mw_wrap_swapout() where its original goes on */
void mw_orig_swapout(unsigned long addr)
{
	static_call_update(mw_orig_swapout_fn, (typeof(&no_swapout))addr);
}

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
		ret = static_call(mw_orig_swapout_fn)(folio, entry);
	mw_stay_on_stack();
	return ret;
}

static int no_swapout_folio(struct folio *folio)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_swapout_folio_fn, no_swapout_folio);

/** mw_orig_swapout_folio() - tell mw_wrap_swapout_folio() where its original goes on */
void mw_orig_swapout_folio(unsigned long addr)
{
	static_call_update(mw_orig_swapout_folio_fn,
			   (typeof(&no_swapout_folio))addr);
}

/** mw_wrap_swapout_folio() - around __mem_cgroup_try_charge_swap(), 7.2 */
int mw_wrap_swapout_folio(struct folio *folio)
{
	int ret;

	mw_hit(MW_HIT_SWAPOUT);
	ret = mw_swap_charge(folio_pfn(folio), folio_nr_pages(folio),
			     mw_folio_slot(folio));
	if (!ret)
		ret = static_call(mw_orig_swapout_folio_fn)(folio);
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

/** mw_see_swapalone_cluster() - as __swap_cache_del_folio() is entered, 7.2 */
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

static int no_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
			swp_entry_t entry)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_swapin_mm_fn, no_swapin_mm);

/** mw_orig_swapin_mm() - tell mw_wrap_swapin_mm() where its original goes on */
void mw_orig_swapin_mm(unsigned long addr)
{
	static_call_update(mw_orig_swapin_mm_fn, (typeof(&no_swapin_mm))addr);
}

/** mw_wrap_swapin_mm() - around mem_cgroup_swapin_charge_folio(), 6.1 and 6.12 */
int mw_wrap_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
		      swp_entry_t entry)
{
	int ret;

	mw_hit(MW_HIT_SWAPIN);
	ret = mw_wrap_swap_in(folio, gfp, entry);
	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_swapin_mm_fn)(folio, mm, gfp, entry);
	if (unlikely(ret))
		mw_wrap_undo_swap_in(folio, entry);
	return ret;
}

static int no_swapin_id(struct folio *folio, unsigned short id,
			struct mm_struct *mm, gfp_t gfp)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_swapin_id_fn, no_swapin_id);

/** mw_orig_swapin_id() - tell mw_wrap_swapin_id() where its original goes on */
void mw_orig_swapin_id(unsigned long addr)
{
	static_call_update(mw_orig_swapin_id_fn, (typeof(&no_swapin_id))addr);
}

/** mw_wrap_swapin_id() - around mem_cgroup_swapin_charge_folio(), 7.2 */
int mw_wrap_swapin_id(struct folio *folio, unsigned short id,
		      struct mm_struct *mm, gfp_t gfp)
{
	swp_entry_t entry = mw_folio_slot(folio);
	int ret;

	mw_hit(MW_HIT_SWAPIN);
	ret = mw_wrap_swap_in(folio, gfp, entry);
	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_swapin_id_fn)(folio, id, mm, gfp);
	if (unlikely(ret))
		mw_wrap_undo_swap_in(folio, entry);
	return ret;
}
