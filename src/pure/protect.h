/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PROTECT_H
#define MEMWARD_PROTECT_H

#include <linux/types.h>

/**
 * struct mw_protected - a group and one of its protections
 * @usage:     pages
 * @setting:   memory.min or memory.low, in pages
 * @effective: what its ancestors let it have of @setting, and what it gets of
 *             theirs, in pages
 */
struct mw_protected {
	unsigned long usage;
	unsigned long setting;
	unsigned long effective;
};

/* a page counts as so many when shares of it are wanted */
#define MW_PROTECT_PARTS	256UL

unsigned long mw_protect_usage(const struct mw_protected *group);
unsigned long mw_protect_effective(const struct mw_protected *group,
				   const struct mw_protected *parent,
				   unsigned long siblings, bool recursive);
unsigned long mw_protect_scan_target(unsigned long pages, unsigned long usage,
				     unsigned long protected);
unsigned long mw_protect_scan_target_low(unsigned long pages, unsigned long usage,
					 unsigned long protected);
unsigned long mw_protect_asked(unsigned long pages, unsigned long all,
			       unsigned long kept);

#endif
