/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_RECLAIM_H
#define COMPAT_RECLAIM_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/version.h>

struct folio;

/* what page_referenced() returns of a page that is not to be reclaimed */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
#define MW_REFERENCED_KEEP	2
#else
#define MW_REFERENCED_KEEP	(-1)
#endif

bool mw_folio_isolate(struct folio *folio);
void mw_folio_list_add(struct folio *folio, struct list_head *list);
bool mw_folio_on_disk(struct folio *folio);
int mw_folio_referenced(struct folio *folio);
unsigned long mw_reclaim_folios(struct list_head *folios);
void mw_lru_add_drain_all(void);
void mw_wake_flushers(void);
int mw_vm_swappiness(void);
void mw_reclaim_compat_init(void);

#endif
