/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PENALTY_H
#define MEMWARD_PENALTY_H

#include <linux/types.h>

/* overage ratios are fixed-point numbers with this many fraction bits */
#define MW_OVERAGE_SHIFT	20

u64 mw_overage(unsigned long usage, unsigned long high);
u64 mw_dirty_penalty_us(u64 overage, unsigned int nr_pages);
u64 mw_penalty_us(u64 memory, u64 swap, unsigned int nr_pages);

#endif
