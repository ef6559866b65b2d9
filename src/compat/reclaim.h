/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_RECLAIM_H
#define COMPAT_RECLAIM_H

#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/types.h>

#include <compat/folio.h>

/* mw_wrap_referenced() clears it as one word; its prototype will not tell of more */
#if MW_HAVE_REFERENCED_FLAGS
static_assert(sizeof(vma_flags_t) == sizeof(unsigned long));
#endif

/* MEMCG_RECLAIM_PROACTIVE, which not every kernel has in a header */
#define MW_OPTION_PROACTIVE	(1 << 2)

/*
 * What page_referenced() is to say of a folio that is not to be reclaimed, for long or
 * just now.  What 5.10 finds referenced twice it activates, and does not come to
 * again as long as there is enough else; once, and not marked, it leaves where it is.
 */
static inline int mw_referenced_keep(struct folio *folio, bool for_long)
{
	if (MW_HAVE_FOLIOS)
		return -1;
	if (for_long)
		return 2;
	folio_clear_referenced(folio);
	return 1;
}

/* Is this reclaim for a memcg of the kernel's that may have a limit, which the root has not? */
static inline bool mw_memcg_has_limit(struct mem_cgroup *memcg)
{
	return memcg && memcg->css.parent;
}

/*
 * Is this for what was written to memory.reclaim?  Before there were options, and such a
 * file, their place had something else, which was a bool.
 */
static inline bool mw_reclaim_is_proactive(unsigned long options)
{
	return options & MW_OPTION_PROACTIVE;
}

bool mw_folio_isolate(struct folio *folio);
void mw_folio_list_add(struct folio *folio, struct list_head *list);
bool mw_folio_on_disk(struct folio *folio);
bool mw_folio_can_be_written(struct folio *folio);
unsigned long mw_reclaim_folios(struct list_head *folios);
bool mw_folio_split(struct folio *folio);
void mw_lru_add_drain_all(void);
void mw_wake_flushers(void);
bool mw_swap_needs_fs(void);
int mw_vm_swappiness(void);
unsigned int mw_vm_dirty_ratio(void);
void mw_reclaim_compat_init(void);

#endif
