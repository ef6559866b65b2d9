// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroups of v1 have the paths of bindings now.
 *
 * DOC: That a hierarchy is mounted, remounted or destroyed, or a cgroup renamed, is told of where
 * nothing can be looked up by its path.  So a worker does that, and by then it has been done: the
 * kernel tells of it with cgroup_mutex held, which the worker waits for (mw_v1_lock()).  Only of a
 * hierarchy that is destroyed it tells before it has the mutex, but such a one does not count as
 * one any more since it was unmounted.
 *
 * Until the worker has run, who is bound by such a path stays where he was.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include <compat/cgroup_v1.h>
#include <core/charge/member_table.h>
#include <core/charge/migration.h>
#include <core/charge/rebind.h>
#include <core/group/binding.h>
#include <core/group/hierarchy.h>

static void rebind_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(rebind_work, rebind_fn);

static void rebind_fn(struct work_struct *work)
{
	int ret;

	if (!mw_hierarchies_exist())
		return;
	mw_v1_lock();
	ret = mw_bindings_resolve();
	mw_migration_note_all_in_v1();
	mw_v1_unlock();
	mw_members_look_again();
	/* without memory */
	if (ret)
		schedule_delayed_work(&rebind_work, HZ);
}

/**
 * mw_rebind() - find the cgroup of a new binding in a hierarchy of v1
 * @path: as it was bound
 *
 * The caller has who is known to be where looked up again.
 *
 * Context: process, may sleep, holding nothing inside of bind_mutex.
 * Return: as mw_binding_resolve().
 */
int mw_rebind(const char *path)
{
	int ret;

	mw_v1_lock();
	ret = mw_binding_resolve(path);
	mw_migration_note_all_in_v1();
	mw_v1_unlock();
	return ret;
}

/**
 * mw_rebind_soon() - have a worker look up what is bound in hierarchies of v1
 *
 * Context: any but NMIs.
 */
void mw_rebind_soon(void)
{
	/* one that has found no memory, and waits, is soon enough */
	schedule_delayed_work(&rebind_work, 0);
}

/**
 * mw_rebind_below() - the same, because of a cgroup
 * @cgrp: of v1; if nothing is bound in its hierarchy there is nothing to be done
 *
 * Context: any but NMIs.
 */
void mw_rebind_below(struct cgroup *cgrp)
{
	if (mw_hierarchy_of(cgrp) >= 0)
		mw_rebind_soon();
}

/** mw_rebind_stop() - at the last unmount, after which nobody is told of anything */
void mw_rebind_stop(void)
{
	cancel_delayed_work_sync(&rebind_work);
}
