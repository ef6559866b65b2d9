/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_HIERARCHY_H
#define MEMWARD_HIERARCHY_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include <compat/cgroup_v1.h>

/* in so many hierarchies something can be bound at the same time */
#define MW_HIERARCHIES	8

/**
 * struct mw_hierarchy - a hierarchy of cgroup v1 in which something is bound
 * @nr:   how many bindings
 * @root: which one it is; none while there is none of this name
 * @name: what it is called, see mw_v1_name()
 */
struct mw_hierarchy {
	unsigned int nr;
	union mw_v1_root root;
	char name[MW_V1_NAME_SIZE];
};

extern struct mw_hierarchy mw_hierarchies[MW_HIERARCHIES];
extern unsigned long mw_hierarchies_used;

/** mw_hierarchies_exist() - is anything bound in a hierarchy of v1? */
static inline bool mw_hierarchies_exist(void)
{
	return unlikely(READ_ONCE(mw_hierarchies_used));
}

/** mw_hierarchy_is_used() - is there something bound in the hierarchy of this slot? */
static inline bool mw_hierarchy_is_used(unsigned int slot)
{
	return READ_ONCE(mw_hierarchies_used) & BIT(slot);
}

/** mw_hierarchy_root() - which one it is */
static inline union mw_v1_root mw_hierarchy_root(unsigned int slot)
{
	return (union mw_v1_root){ .word = READ_ONCE(mw_hierarchies[slot].root.word) };
}

struct cgroup;
struct task_struct;

int mw_hierarchy_take(const char *name, size_t len);
void mw_hierarchy_release(unsigned int slot);
int mw_hierarchy_of(const struct cgroup *cgrp);
struct cgroup *mw_hierarchy_cgroup_of(unsigned int slot, struct task_struct *task);
u64 mw_hierarchy_id_of(unsigned int slot, struct task_struct *task);

#endif
