/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_MEMCG_H
#define COMPAT_MEMCG_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;

/* bits of a set of the kernel's own memcgs; of more, some share one */
#define MW_MEMCG_BITS	65536

unsigned int mw_memcg_bit(struct mem_cgroup *memcg);
void mw_folio_mark_memcgs(struct folio *folio, unsigned long *set);
bool mw_folio_is_below(struct folio *folio, const unsigned long *set);

#endif
