// SPDX-License-Identifier: GPL-2.0
/* What runs in place of, or beside, the kernel's functions for reclaim; see charge.c. */
#include <linux/mm.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <compat/reclaim.h>
#include <core/protect/filter.h>
#include <core/protect/limited.h>
#include <core/reclaim/fallible.h>
#include <core/reclaim/lazyfree.h>
#include <core/reclaim/oom_notifier.h>
#include <core/reclaim/refault.h>
#include <hooks/hooks.h>
#include <hooks/wrap.h>

MW_ORIGINAL(referenced, (struct folio *folio, int is_locked,
			 struct mem_cgroup *memcg, unsigned long *vm_flags))
MW_ORIGINAL_OF(unsigned long, limited,
	       (struct mem_cgroup *memcg, unsigned long nr_pages, gfp_t gfp,
		unsigned int options, int *swappiness))
MW_ORIGINAL_OF(unsigned long, limited_options,
	       (struct mem_cgroup *memcg, unsigned long nr_pages, gfp_t gfp,
		unsigned int options))
MW_ORIGINAL_OF(unsigned long, limited_swap,
	       (struct mem_cgroup *memcg, unsigned long nr_pages, gfp_t gfp,
		bool may_swap))
MW_ORIGINAL_OF(unsigned long, fallible,
	       (struct zonelist *zonelist, int order, gfp_t gfp, const nodemask_t *nodes))

/*
 * The kernel's own memcg reclaims for a limit of its own: it must be obeyed.  What is
 * written to memory.reclaim of the root of all is no such limit.
 */
static noinline enum mw_filtered kept(struct folio *folio, bool locked,
				      struct mem_cgroup *memcg)
{
	if (!mw_memcg_has_limit(memcg))
		return mw_filter(folio, locked);
	mw_filter_limit();
	return MW_FILTER_TAKE;
}

/**
 * mw_wrap_referenced() - around folio_referenced(), 5.10's page_referenced()
 * @folio:     that reclaim has isolated
 * @is_locked: by the caller
 * @memcg:     whose reclaim, NULL if memory is short
 * @vm_flags:  of the mappings
 *
 * Context: as the original.
 * Return: what the original returned; or that the folio is to be kept.
 */
int mw_wrap_referenced(struct folio *folio, int is_locked,
		       struct mem_cgroup *memcg, unsigned long *vm_flags)
{
	enum mw_filtered how;

	mw_hit(MW_HIT_REFERENCED);
	how = kept(folio, is_locked, memcg);
	if (unlikely(how)) {
		*vm_flags = 0;
		return mw_referenced_keep(folio, how == MW_FILTER_HIDE);
	}
	return static_call(mw_orig_referenced)(folio, is_locked, memcg, vm_flags);
}

/** mw_see_shrink() - at mm_vmscan_lru_shrink_inactive */
void mw_see_shrink(void *data, int nid, unsigned long nr_scanned,
		   unsigned long nr_reclaimed, struct reclaim_stat *stat,
		   int priority, int file)
{
	mw_hit(MW_HIT_SHRINK);
	mw_filter_note(priority, nr_reclaimed);
}

/**
 * mw_see_oom() - as out_of_memory() is entered
 * @regs: what it is told
 *
 * Context: process, the kernel's oom_lock is held.
 */
void mw_see_oom(struct pt_regs *regs)
{
	mw_hit(MW_HIT_OOM);
	mw_oom_notifier_note((struct oom_control *)mw_arg(regs, 0));
}

/**
 * mw_diverts_limited() - is who reclaims for a memcg to go to mw_wrap_limited()?
 * @regs: which memcg
 *
 * Context: process, preemption off perhaps.
 */
bool mw_diverts_limited(struct pt_regs *regs)
{
	struct mem_cgroup *memcg = (struct mem_cgroup *)mw_arg(regs, 0);

	return mw_memcg_has_limit(memcg) &&
	       !mw_reclaim_is_proactive(mw_arg(regs, 3)) && mw_limited_wants(memcg);
}

/* Return: whether the kernel can begin. */
static bool may_begin(struct mem_cgroup *memcg)
{
	mw_hit(MW_HIT_LIMITED);
	return mw_limited_show(memcg);
}

/* What is returned otherwise, in pages: so that the caller does not use up his tries. */
#define AGAIN	1

/**
 * mw_wrap_limited() - before try_to_free_mem_cgroup_pages()
 * @memcg:      the kernel's own, that reclaims
 * @nr_pages:   and all others as the original has them
 * @gfp:        see there
 * @options:    see there
 * @swappiness: see there
 *
 * For those alone whom mw_diverts_limited() is true of.  No livepatch: as in mw_wrap_write().
 *
 * Context: as the original.
 * Return: what the original returned; or 1, if the caller is to ask again.
 */
unsigned long mw_wrap_limited(struct mem_cgroup *memcg, unsigned long nr_pages,
			      gfp_t gfp, unsigned int options, int *swappiness)
{
	if (!may_begin(memcg))
		return AGAIN;
	return static_call(mw_orig_limited)(memcg, nr_pages, gfp, options, swappiness);
}

/** mw_wrap_limited_options() - as mw_wrap_limited(), before 6.9 */
unsigned long mw_wrap_limited_options(struct mem_cgroup *memcg, unsigned long nr_pages,
				      gfp_t gfp, unsigned int options)
{
	if (!may_begin(memcg))
		return AGAIN;
	return static_call(mw_orig_limited_options)(memcg, nr_pages, gfp, options);
}

/** mw_wrap_limited_swap() - as mw_wrap_limited(), before 6.0 */
unsigned long mw_wrap_limited_swap(struct mem_cgroup *memcg, unsigned long nr_pages,
				   gfp_t gfp, bool may_swap)
{
	if (!may_begin(memcg))
		return AGAIN;
	return static_call(mw_orig_limited_swap)(memcg, nr_pages, gfp, may_swap);
}

/**
 * mw_diverts_fallible() - is who reclaims for an allocation to go to mw_wrap_fallible()?
 * @regs: which
 *
 * Context: process, preemption off perhaps.
 */
bool mw_diverts_fallible(struct pt_regs *regs)
{
	return mw_fallible_wants(mw_arg(regs, 1), mw_arg(regs, 2));
}

/**
 * mw_wrap_fallible() - around try_to_free_pages()
 * @zonelist: as the original has it
 * @order:    see there
 * @gfp:      see there
 * @nodes:    see there
 *
 * For those alone whom mw_diverts_fallible() is true of.  No livepatch: as in mw_wrap_write().
 *
 * Context: as the original.
 * Return: what the original returned, or what it returned when memory.low had given way.
 */
unsigned long mw_wrap_fallible(struct zonelist *zonelist, int order, gfp_t gfp,
			       const nodemask_t *nodes)
{
	struct mw_fallible mine;
	unsigned long nr = 0;

	mw_hit(MW_HIT_FALLIBLE);
	mw_fallible_enter(&mine);
	do
		nr += static_call(mw_orig_fallible)(zonelist, order, gfp, nodes);
	while (mw_fallible_goes_on(&mine, zonelist, order, gfp, nodes, nr));
	mw_fallible_leave();
	return nr;
}

/**
 * mw_see_refault() - as workingset_refault() is entered
 * @regs: a folio, locked and charged: it comes back
 *
 * Context: any.
 */
void mw_see_refault(struct pt_regs *regs)
{
	struct folio *back = (struct folio *)mw_arg(regs, 0);

	mw_hit(MW_HIT_REFAULT);
	preempt_disable();
	mw_refault(folio_pfn(back), folio_nr_pages(back));
	preempt_enable();
}

/**
 * mw_see_lazyfree() - as folio_mark_lazyfree(), or mark_page_lazyfree(), is entered
 * @regs: a folio of anonymous memory, referenced
 *
 * Context: process, with the lock of a page table held.
 */
void mw_see_lazyfree(struct pt_regs *regs)
{
	mw_hit(MW_HIT_LAZYFREE);
	preempt_disable();
	mw_lazyfree(page_folio((struct page *)mw_arg(regs, 0)));
	preempt_enable();
}
