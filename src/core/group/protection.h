/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SHIELD_H
#define MEMWARD_SHIELD_H

#include <linux/atomic.h>
#include <linux/types.h>

struct mw_group;

/**
 * enum mw_shield_kind - how strong
 * @MW_SHIELD_MIN: memory.min: nothing takes it
 * @MW_SHIELD_LOW: memory.low: until nothing else is left
 */
enum mw_shield_kind {
	MW_SHIELD_MIN,
	MW_SHIELD_LOW,
	MW_NR_SHIELDS,
};

/**
 * struct mw_shield - memory that a group is to keep, in pages
 * @setting:  what was written
 * @claim:    of it, what is used: this group's part of its parent's @children
 * @children: sum of the claims one level below
 */
struct mw_shield {
	unsigned long setting;
	atomic_long_t claim;
	atomic_long_t children;
};

void mw_shield_set(struct mw_group *group, enum mw_shield_kind kind,
		   unsigned long pages);
bool mw_shield_any(void);
void mw_shield_set_recursive(bool on);
bool mw_shield_is_recursive(void);
void mw_shield_relent(void);
bool mw_shield_low_holds(void);
void mw_shield_stop(void);
void mw_shield_use(struct mw_group *group);
unsigned long mw_shield_effective(struct mw_group *group,
				  struct mw_group *target,
				  enum mw_shield_kind kind);
unsigned long mw_shield_offer(struct mw_group *group, struct mw_group *target,
			      unsigned long pages, bool despite_low,
			      bool *spared);
void mw_shield_took(struct mw_group *group, unsigned long pages);

#endif
