/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_FILTER_H
#define MEMWARD_FILTER_H

#include <linux/types.h>

struct folio;

/**
 * enum mw_filtered - is a folio to be kept by global reclaim?
 * @MW_FILTER_TAKE: no
 * @MW_FILTER_KEEP: yes, but another time it may not be
 * @MW_FILTER_HIDE: yes, as long as its group does not grow: it may be hidden
 */
enum mw_filtered { MW_FILTER_TAKE, MW_FILTER_KEEP, MW_FILTER_HIDE };

void mw_filter_limit(void);
void mw_filter_note(int priority, unsigned long reclaimed);
enum mw_filtered mw_filter(struct folio *folio, bool locked);

#endif
