// SPDX-License-Identifier: GPL-2.0
/*
 * What looks on where the kernel puts another folio in a charged one's place; see
 * charge.c.
 */
#include <linux/mm.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <core/charge/charge.h>
#include <hooks/hooks.h>

#include <hooks/wrap.h>

static void move(struct pt_regs *regs)
{
	struct folio *old = (struct folio *)mw_arg(regs, 0);
	struct folio *new = (struct folio *)mw_arg(regs, 1);

	/* never charged, and a quarter of a million pages at a time */
	if (PageHuge(&old->page))
		return;
	preempt_disable();
	if (mw_folio_may_stay(old))
		mw_charge_copy(folio_pfn(old), folio_pfn(new), folio_nr_pages(old));
	else
		mw_charge_move(folio_pfn(old), folio_pfn(new), folio_nr_pages(old));
	preempt_enable();
}

/**
 * mw_see_migrate() - as mem_cgroup_migrate() is entered
 * @regs: the old folio and the new one, both locked by the caller
 *
 * Context: any.
 */
void mw_see_migrate(struct pt_regs *regs)
{
	mw_hit(MW_HIT_MIGRATE);
	move(regs);
}

/** mw_see_replace() - as mem_cgroup_replace_folio() is entered, likewise */
void mw_see_replace(struct pt_regs *regs)
{
	mw_hit(MW_HIT_REPLACE);
	move(regs);
}

/*
 * The folio was charged before anyone could tell for what, see mw_folio_kind().
 * It is in its file now, if all went well.  By now it may also be gone, and its
 * page be somebody else's: what it says itself, while it cannot be freed, is right.
 */
static void collapsed(unsigned long pfn)
{
	struct folio *folio = NULL;

	preempt_disable();
	if (mw_charged_entry(pfn))
		folio = mw_folio_tryget(pfn);
	if (folio && mw_folio_is_cache(folio))
		mw_charge_becomes(pfn, folio_nr_pages(folio),
				  mw_folio_cache_kind(folio));
	preempt_enable();
	if (folio)
		folio_put(folio);
}

/**
 * mw_see_collapse() - at mm_khugepaged_collapse_file
 * @data:     unused
 * @mm:       whose mapping khugepaged went by
 * @new:      the huge page, freed already if it came to nothing; NULL for none
 * @index:    its place in @file
 * @addr:     and in @mm
 * @is_shmem: @file is in memory alone
 * @file:     the file
 * @nr:       pages
 * @result:   what came of it
 *
 * Context: process.
 */
void mw_see_collapse(void *data, struct mm_struct *mm, struct folio *new,
		     pgoff_t index, unsigned long addr, bool is_shmem,
		     struct file *file, int nr, int result)
{
	mw_hit(MW_HIT_COLLAPSE);
	if (new)
		collapsed(folio_pfn(new));
}

/** mw_see_collapse_pfn() - likewise, where it is told by page frame, or -1 */
void mw_see_collapse_pfn(void *data, struct mm_struct *mm, unsigned long pfn,
			 pgoff_t index, unsigned long addr, bool is_shmem,
			 struct file *file, int nr, int result)
{
	mw_hit(MW_HIT_COLLAPSE);
	collapsed(pfn);
}
