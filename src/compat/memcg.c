// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of the kernel's own memcgs.
 *
 * DOC: A bit is found by the css's id, which is small, the memcg's as long as there is one, and
 * another's afterwards; so a set may hold more than was put into it, and never less.  The root
 * of all, which has no limit, is in none.
 */
#include <linux/bitops.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include <compat/folio.h>
#include <compat/memcg.h>
#include <compat/reclaim.h>

/**
 * mw_memcg_bit() - the bit of a memcg
 * @memcg: it
 *
 * Context: any.
 */
unsigned int mw_memcg_bit(struct mem_cgroup *memcg)
{
	return (unsigned int)READ_ONCE(memcg->css.id) % MW_MEMCG_BITS;
}

/**
 * mw_folio_mark_memcgs() - put a folio's memcg and those above it into a set
 * @folio: referenced by the caller, or isolated
 * @set:   that others may write to meanwhile
 *
 * Context: any.
 */
void mw_folio_mark_memcgs(struct folio *folio, unsigned long *set)
{
	struct mem_cgroup *memcg;

	rcu_read_lock();
	for (memcg = folio_memcg(folio); mw_memcg_has_limit(memcg);
	     memcg = parent_mem_cgroup(memcg))
		if (!test_bit(mw_memcg_bit(memcg), set))
			set_bit(mw_memcg_bit(memcg), set);
	rcu_read_unlock();
}

/**
 * mw_folio_is_below() - is a folio's memcg in a set, or any above it?
 * @folio: referenced by the caller
 * @set:   that others may write to meanwhile
 *
 * Context: any.
 */
bool mw_folio_is_below(struct folio *folio, const unsigned long *set)
{
	struct mem_cgroup *memcg;
	bool below = false;

	rcu_read_lock();
	for (memcg = folio_memcg(folio); mw_memcg_has_limit(memcg) && !below;
	     memcg = parent_mem_cgroup(memcg))
		below = test_bit(mw_memcg_bit(memcg), set);
	rcu_read_unlock();
	return below;
}
