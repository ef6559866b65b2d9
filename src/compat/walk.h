/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_WALK_H
#define COMPAT_WALK_H

#include <linux/types.h>

struct mm_struct;

/* Return: whether to go on */
typedef bool (*mw_mapped_fn)(unsigned long pfn, void *data);

bool mw_walk_mapped(struct mm_struct *mm, unsigned long *addr, mw_mapped_fn fn, void *data);

#endif
