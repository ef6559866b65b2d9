/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MIRROR_H
#define MEMWARD_MIRROR_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cgroup;
struct mw_group;

/**
 * struct mw_maker - who makes a group's directory, and owns it at first
 * @uid: the user
 * @gid: the group of users
 */
struct mw_maker {
	kuid_t uid;
	kgid_t gid;
};

/**
 * struct mw_mirror_dirs - who makes and removes the directories of groups
 * @make:   makes a group of this name, and its directory.  Return: the group, or an ERR_PTR: -EBUSY as
 *          below, -EEXIST if there is such a file or directory, or as mw_group_create()
 * @remove: undoes that; the group has none below it.  Return: 0 or -EBUSY
 *
 * -EBUSY: a directory was in use until then, in jiffies.
 *
 * Context: both process, may sleep.
 */
struct mw_mirror_dirs {
	struct mw_group *(*make)(struct mw_group *parent, const char *name,
				 const struct mw_maker *maker, unsigned long until);
	int (*remove)(struct mw_group *group, unsigned long until);
};

extern const struct mw_mirror_dirs *mw_mirror_dirs;

/** mw_mirror_exists() - is the tree the kernel's own, and nobody's to change? */
static inline bool mw_mirror_exists(void)
{
	return READ_ONCE(mw_mirror_dirs);
}

int mw_mirror_start(const char *path, const struct mw_mirror_dirs *dirs);
void mw_mirror_stop(void);
const char *mw_mirror_path(void);
unsigned long mw_mirror_missing(void);

void mw_mirror_cgroup_made(struct cgroup *cgrp);
void mw_mirror_cgroup_removed(struct cgroup *cgrp);

int mw_mirror_init(void);
void mw_mirror_exit(void);

#endif
