// SPDX-License-Identifier: GPL-2.0
/* What runs in place of, or beside, the kernel's functions for reclaim; see wrap.c. */
#include <linux/mm.h>
#include <linux/static_call.h>

#include <compat/folio.h>
#include <compat/reclaim.h>
#include <core/protect/filter.h>
#include <hooks/hooks.h>
#include <hooks/wrap.h>

static int no_referenced(struct folio *folio, int is_locked,
			 struct mem_cgroup *memcg, unsigned long *vm_flags)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_referenced_fn, no_referenced);

/** mw_orig_referenced() - tell mw_wrap_referenced() where its original goes on */
void mw_orig_referenced(unsigned long addr)
{
	static_call_update(mw_orig_referenced_fn, (typeof(&no_referenced))addr);
}

/* The kernel's own memcg reclaims for a limit of its own: it must be obeyed. */
static noinline enum mw_filtered kept(struct folio *folio, bool locked,
				      struct mem_cgroup *memcg)
{
	return memcg ? MW_FILTER_TAKE : mw_filter(folio, locked);
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
	return static_call(mw_orig_referenced_fn)(folio, is_locked, memcg,
						  vm_flags);
}

/** mw_see_shrink() - at mm_vmscan_lru_shrink_inactive */
void mw_see_shrink(void *data, int nid, unsigned long nr_scanned,
		   unsigned long nr_reclaimed, struct reclaim_stat *stat,
		   int priority, int file)
{
	mw_hit(MW_HIT_SHRINK);
	mw_filter_note(priority, nr_reclaimed);
}
