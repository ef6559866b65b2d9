// SPDX-License-Identifier: GPL-2.0
/* What looks on where processes come and go; see charge.c. */
#include <core/charge/birth.h>
#include <core/charge/member.h>
#include <core/charge/migration.h>
#include <core/charge/rebind.h>
#include <core/group/binding.h>
#include <core/life/mirror.h>
#include <core/limit/throttle.h>
#include <hooks/hooks.h>

#include <hooks/wrap.h>

/** mw_see_fork() - at sched_process_fork: the child has not run yet */
void mw_see_fork(void *data, struct task_struct *parent,
		 struct task_struct *child)
{
	mw_hit(MW_HIT_FORK);
	mw_birth(parent, child);
}

/** mw_see_exit() - at sched_process_exit, up to 6.12 */
void mw_see_exit(void *data, struct task_struct *task)
{
	mw_hit(MW_HIT_EXIT);
	mw_member_exit(task);
	mw_throttle_exit(task);
}

/** mw_see_exit_dead() - at sched_process_exit that tells if the group is dead */
void mw_see_exit_dead(void *data, struct task_struct *task, bool group_dead)
{
	mw_see_exit(data, task);
}

/** mw_see_cgroup_attach() - at cgroup_attach_task: all threads of a process, or one, are there */
void mw_see_cgroup_attach(void *data, struct cgroup *cgrp, const char *path,
			  struct task_struct *task, bool threadgroup)
{
	mw_hit(MW_HIT_CGROUP_ATTACH);
	mw_migration_seen(task, cgrp, threadgroup);
}

/** mw_see_cgroup_mkdir() - at cgroup_mkdir: nobody can be in it before this returns */
void mw_see_cgroup_mkdir(void *data, struct cgroup *cgrp, const char *path)
{
	mw_hit(MW_HIT_CGROUP_MKDIR);
	/* which is bound by ids alone */
	if (mw_mirror_exists())
		mw_mirror_cgroup_made(cgrp);
	else
		mw_binding_cgroup_made(cgrp);
}

/** mw_see_cgroup_rmdir() - at cgroup_rmdir: nobody comes there any more, and who is there still is about to end */
void mw_see_cgroup_rmdir(void *data, struct cgroup *cgrp, const char *path)
{
	mw_hit(MW_HIT_CGROUP_RMDIR);
	if (mw_mirror_exists())
		mw_mirror_cgroup_removed(cgrp);
}

/** mw_see_cgroup_transfer() - at cgroup_transfer_tasks: a cpuset has lost its processors, and this thread is above it now */
void mw_see_cgroup_transfer(void *data, struct cgroup *cgrp, const char *path,
			    struct task_struct *task, bool threadgroup)
{
	mw_hit(MW_HIT_CGROUP_TRANSFER);
	mw_migration_seen(task, cgrp, threadgroup);
}

/** mw_see_cgroup_rename() - at cgroup_rename: it, and all below it, have other paths now */
void mw_see_cgroup_rename(void *data, struct cgroup *cgrp, const char *path)
{
	mw_hit(MW_HIT_CGROUP_RENAME);
	mw_rebind_below(cgrp);
}

/** mw_see_cgroup_mount() - at cgroup_setup_root: a hierarchy is about to be there, and all processes in its root */
void mw_see_cgroup_mount(void *data, struct cgroup_root *root)
{
	mw_hit(MW_HIT_CGROUP_MOUNT);
	mw_rebind_soon();
}

/** mw_see_cgroup_remount() - at cgroup_remount: it has other controllers, so it is called something else */
void mw_see_cgroup_remount(void *data, struct cgroup_root *root)
{
	mw_hit(MW_HIT_CGROUP_REMOUNT);
	mw_rebind_soon();
}

/** mw_see_cgroup_destroy() - at cgroup_destroy_root: it was unmounted with no cgroups left, and is about to go */
void mw_see_cgroup_destroy(void *data, struct cgroup_root *root)
{
	mw_hit(MW_HIT_CGROUP_DESTROY);
	mw_rebind_below(&root->cgrp);
}
