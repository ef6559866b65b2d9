/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_CGROUP_H
#define COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <compat/features.h>

/**
 * mw_cgroup_domain() - the cgroup that memory of a cgroup's processes is charged to
 * @cgrp: a cgroup of the default hierarchy
 *
 * All threads of a process have the same one, as threads can only be spread over
 * cgroups of type threaded.
 */
static inline struct cgroup *mw_cgroup_domain(struct cgroup *cgrp)
{
	return READ_ONCE(cgrp->dom_cgrp);
}

/**
 * mw_cgroup_of() - the cgroup that a task's process is in, of the default hierarchy
 * @task: not a thread that ends while others do not: the kernel moves it no more
 *
 * Context: RCU read side, and kept while the cgroup is used.
 * Return: the cgroup; the root for a child that is in none yet, see mw_cgroup_is_to_come().
 */
static inline struct cgroup *mw_cgroup_of(struct task_struct *task)
{
	return mw_cgroup_domain(task_css_set(task)->dfl_cgrp);
}

/** mw_cgroup_id_of() - the id of mw_cgroup_of() */
static inline u64 mw_cgroup_id_of(struct task_struct *task)
{
	return cgroup_id(mw_cgroup_of(task));
}

#if MW_HAVE_STATE_UNDERSCORES
#define MW_TASK_STATE(task)	READ_ONCE((task)->__state)
#else
#define MW_TASK_STATE(task)	READ_ONCE((task)->state)
#endif

/** mw_task_is_new() - is a task a child that has never been woken? */
static inline bool mw_task_is_new(const struct task_struct *task)
{
	return MW_TASK_STATE(task) & TASK_NEW;
}

/**
 * mw_cgroup_is_to_come() - is a task a child that the kernel has not put in its cgroup yet?
 * @task: the task
 *
 * For an instant a task that is moved is in no list of a cgroup's tasks, either; so it must be one
 * that has not been woken for the first time, too, and that is nowhere but in the root.
 *
 * Context: RCU read side.
 */
static inline bool mw_cgroup_is_to_come(struct task_struct *task)
{
	return unlikely(list_empty(&task->cg_list)) && mw_task_is_new(task) &&
	       task_css_set(task)->dfl_cgrp == &cgrp_dfl_root.cgrp;
}

/** mw_cgroup_is_v2() - is a cgroup one of the default hierarchy? */
static inline bool mw_cgroup_is_v2(const struct cgroup *cgrp)
{
	return cgrp->root == &cgrp_dfl_root;
}

/** mw_cgroup_is_online() - has nobody begun to remove a cgroup? */
static inline bool mw_cgroup_is_online(const struct cgroup *cgrp)
{
	return READ_ONCE(cgrp->self.flags) & CSS_ONLINE;
}

/** mw_cgroup_is_made() - is a cgroup there to stay? One that is being made may come to nothing. */
static inline bool mw_cgroup_is_made(const struct cgroup *cgrp)
{
	return READ_ONCE(cgrp->kn->flags) & KERNFS_ACTIVATED;
}

struct cgroup *mw_cgroup_get(u64 id);
struct cgroup *mw_cgroup_walk(struct cgroup *pos, struct cgroup *top);
int mw_cgroup_path(struct cgroup *cgrp, char *buf, size_t size);
struct kernfs_node *mw_cgroup_node_get(struct cgroup_root *root, const char *path);
int mw_cgroup_find(const char *path, u64 *id);
int mw_cgroup_path_of_id(u64 id, char *buf, size_t size);
int mw_cgroup_path_of_namespace(char *buf, size_t size);

#endif
