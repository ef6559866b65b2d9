/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DIRTY_H
#define MEMWARD_DIRTY_H

#include <linux/types.h>

struct address_space;
struct mw_group;

bool mw_dirty_counts(struct address_space *mapping);
struct mw_group *mw_dirty_begin(unsigned long pfn, unsigned int nr_pages);
void mw_dirty_end(unsigned long pfn, unsigned int nr_pages);

#endif
