// SPDX-License-Identifier: GPL-2.0
/* What looks on where the kernel uncharges; see charge.c. */
#include <linux/mm.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <core/charge/charge.h>
#include <hooks/hooks.h>

#include <hooks/wrap.h>

static noinline void uncharge_charged(struct mw_uncharge *batch,
				      struct folio *folio)
{
	mw_uncharge_pages(batch, folio_pfn(folio), folio_nr_pages(folio));
}

/* Asked of every folio that is freed, so "not charged" is the quick way. */
static __always_inline void uncharge_folio(struct mw_uncharge *batch,
					   struct folio *folio)
{
	mw_entry_t *entry = mw_pc_entry_near(&batch->near, folio_pfn(folio));

	if (likely(!entry || !mw_pc_is_charged(mw_pc_read(entry))))
		return;
	if (likely(!folio_test_large(folio)))
		mw_uncharge_entry(batch, entry);
	else
		uncharge_charged(batch, folio);
}

/**
 * mw_wrap_undo() - the original refused to charge
 * @folio: whoever asked for the charge frees it; the kernel charges a folio once,
 *         so no charge is undone but the wrapper's own
 *
 * The kernel reports every folio that is freed, so this happens sooner or later
 * without this function.  It is for large ones, and for those that were refused
 * when they were above a limit: their group has use for the pages at once.
 *
 * Context: as the original.
 */
noinline void mw_wrap_undo(struct folio *folio)
{
	struct mw_uncharge batch = {};

	preempt_disable();
	uncharge_folio(&batch, folio);
	mw_uncharge_flush(&batch);
	preempt_enable();
}

/**
 * mw_see_uncharge() - as __mem_cgroup_uncharge() is entered, 5.10's without "__"
 * @regs: a folio, about to be freed, or not charged for after all
 *
 * Context: any.
 */
void mw_see_uncharge(struct pt_regs *regs)
{
	struct mw_uncharge batch = {};

	preempt_disable();
	uncharge_folio(&batch, (struct folio *)mw_arg(regs, 0));
	mw_uncharge_flush(&batch);
	preempt_enable();
	mw_hit(MW_HIT_UNCHARGE);
}

/** mw_see_uncharge_list() - as mem_cgroup_uncharge_list() is entered, to 6.1 */
void mw_see_uncharge_list(struct pt_regs *regs)
{
	struct list_head *list = (struct list_head *)mw_arg(regs, 0);
	struct mw_uncharge batch = {};
	struct page *page;

	preempt_disable();
	list_for_each_entry(page, list, lru)
		uncharge_folio(&batch, (struct folio *)page);
	mw_uncharge_flush(&batch);
	preempt_enable();
	mw_hit(MW_HIT_UNCHARGE_BATCH);
}

/** mw_see_uncharge_batch() - as __mem_cgroup_uncharge_folios() is entered */
void mw_see_uncharge_batch(struct pt_regs *regs)
{
	struct folio_batch *these = (struct folio_batch *)mw_arg(regs, 0);
	struct folio **pos = these->folios;
	struct folio **end = pos + these->nr;
	struct mw_uncharge batch = {};

	preempt_disable();
	while (pos < end)
		uncharge_folio(&batch, *pos++);
	mw_uncharge_flush(&batch);
	preempt_enable();
	mw_hit(MW_HIT_UNCHARGE_BATCH);
}
