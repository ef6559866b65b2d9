/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_BINDING_H
#define MEMWARD_BINDING_H

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>

#include <compat/cgroup_v1.h>
#include <core/group/group.h>

struct cgroup;
struct mw_binding;
struct task_struct;

/* of what a binding is kept by: a path, and in cgroup v1 its hierarchy and a colon in front of it */
#define MW_BINDING_PATH_SIZE	(MW_V1_NAME_SIZE + PATH_MAX)

/** mw_binding_is_v2() - is a binding one in the default hierarchy? */
static inline bool mw_binding_is_v2(const char *path)
{
	return *path == '/';
}

/** mw_is_bound_below() - is any cgroup bound to a group, or to one below it? */
static inline bool mw_is_bound_below(const struct mw_group *group)
{
	return READ_ONCE(group->nr_bindings);
}

/** mw_bindings_exist() - is any cgroup bound at all? */
static inline bool mw_bindings_exist(void)
{
	return unlikely(mw_is_bound_below(&mw_root));
}

int mw_binding_add(struct mw_group *group, const char *path);
int mw_binding_remove(struct mw_group *group, const char *path);
void mw_bindings_drop(struct mw_group *group);
void mw_bindings_stop(void);
int mw_binding_resolve(const char *path);
int mw_bindings_resolve(void);

struct mw_group *mw_binding_of_cgroup(struct cgroup *cgrp);
struct mw_group *mw_binding_of_task(struct task_struct *task);
void mw_binding_cgroup_made(struct cgroup *cgrp);

/* the mirror's */
struct mw_binding *mw_binding_new(const char *path, struct cgroup *cgrp);
void mw_binding_drop(struct mw_binding *binding);
void mw_binding_attach(struct mw_binding *binding, struct mw_group *group);
struct mw_group *mw_binding_exact(u64 id);
bool mw_binding_cgroup_removed(struct cgroup *cgrp);
void mw_binding_mark_gone(struct mw_group *group, bool whatever);
bool mw_bindings_remove_gone(int (*remove)(struct mw_group *group));

/* @slot: of its hierarchy, negative for the default one */
typedef void (*mw_binding_visit_fn)(const char *path, int slot, void *data);
void mw_bindings_walk(struct mw_group *group, mw_binding_visit_fn visit, void *data);

#endif
