/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PROTECTION_H
#define MEMWARD_PROTECTION_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/nodemask.h>
#include <linux/types.h>

struct mw_group;

/**
 * enum mw_protection_kind - how strong
 * @MW_PROTECTION_MIN: memory.min: nothing takes it
 * @MW_PROTECTION_LOW: memory.low: until nothing else is left
 */
enum mw_protection_kind {
	MW_PROTECTION_MIN,
	MW_PROTECTION_LOW,
	MW_NR_PROTECTIONS,
};

/**
 * struct mw_protection - memory that a group is to keep, in pages
 * @setting:  what was written
 * @usage:    of it, what is used: this group's part of its parent's @children_usage
 * @children_usage: sum of the @usage one level below
 */
struct mw_protection {
	unsigned long setting;
	atomic_long_t usage;
	atomic_long_t children_usage;
};

void mw_protection_set(struct mw_group *group, enum mw_protection_kind kind,
		       unsigned long pages);
bool mw_protection_any(void);
bool mw_protection_any_low(void);
void mw_protection_set_recursive(bool on);
bool mw_protection_is_recursive(void);
void mw_protection_suspend_low(const nodemask_t *nodes);
bool mw_protection_low_holds(int nid);
void mw_protection_set_low_off(bool off);
void mw_protection_stop(void);
void mw_protection_update(struct mw_group *group);
unsigned long mw_protection_effective(struct mw_group *group,
				      struct mw_group *root,
				      enum mw_protection_kind kind);
unsigned long mw_protection_scan_target(struct mw_group *group,
					struct mw_group *root,
					unsigned long pages,
					bool memcg_low_reclaim,
					bool *memcg_low_skipped);
unsigned long mw_protection_rare_target(struct mw_group *group,
					struct mw_group *root,
					unsigned long pages,
					bool memcg_low_reclaim,
					bool *memcg_low_skipped);
void mw_protection_scanned(struct mw_group *group, unsigned long target,
			   unsigned long pages);
unsigned long mw_protection_room(struct mw_group *group, struct mw_group *root,
				 bool memcg_low_reclaim, bool leaving_count);

/**
 * mw_protection_less_room() - others may take of it at the same time
 * @room:  of mw_protection_room(), before anything was taken
 * @taken: pages, since then
 * @now:   what it is now
 *
 * Return: how many pages may be taken with those that have been: not more than before, whatever @now is.
 */
static inline unsigned long mw_protection_less_room(unsigned long room, unsigned long taken,
						    unsigned long now)
{
	return now < room ? min(room, taken + now) : room;
}

#endif
