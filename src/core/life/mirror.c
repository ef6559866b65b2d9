// SPDX-License-Identifier: GPL-2.0
/*
 * The mirror: a group for each of the kernel's own cgroups, or for those below one.
 *
 * DOC: A mirrored group is bound to its cgroup by the cgroup's id (binding.c), so who is in it
 * follows from where the kernel has its processes, and none can be missed.  What is left to do
 * here is that there is a group for each cgroup.
 *
 * The kernel tells of a cgroup that is made or removed under its own locks, where nothing can
 * be allocated that may wait and no directory be made.  So it is noted, and whoever has made or
 * removed it does the rest on the way back to user mode, before its system call returns; who
 * does not go there has a worker do it.  Until then, if somebody else is quick enough to be
 * in a new cgroup, he is in the group of the cgroup above.
 *
 * What could not be noted, or not be made, is looked for again among all cgroups by the worker.
 * Of a cgroup that was removed the note is in its binding, which takes no memory.
 *
 * mirror_mutex lets one at a time change the tree, and is outermost: inside are the locks of
 * directories and the tree mutex.  Nobody waits for a directory there for long: who reads one
 * has it locked for as long as he likes.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/cgroup.h>
#include <compat/ksym.h>
#include <core/charge/member_table.h>
#include <core/group/binding.h>
#include <core/group/group.h>
#include <core/group/task.h>
#include <core/group/tree.h>
#include <core/life/mirror.h>

/* whoever has made or removed a cgroup waits so long for directories that are in use, in all */
#define PATIENCE	(HZ / 20)
/*
 * The worker comes back after so long for these, and for cgroups that were being made; and to try again what
 * could not be made.  Each doubles as long as it was in vain.
 */
#define SOON_MIN	(HZ / 10)
#define SOON_MAX	((unsigned long)HZ)
#define LATER_MIN	HZ
#define LATER_MAX	(64UL * HZ)
/* the last unmount waits so long for those who are on their way back to user mode */
#define FAREWELL	HZ

/**
 * struct change - a cgroup that was made or removed
 * @work:  runs as who did it returns to user mode, and holds the module until then; without a function
 *         if he does not
 * @node:  in the list of what is to be made, until it was
 * @cgrp:  what was made, referenced; NULL for a removal
 * @maker: who has made it
 */
struct change {
	struct callback_head work;
	struct list_head node;
	struct cgroup *cgrp;
	struct mw_maker maker;
};

const struct mw_mirror_dirs *mw_mirror_dirs;

/* of what nobody who is known has made */
static const struct mw_maker superuser = { GLOBAL_ROOT_UID, GLOBAL_ROOT_GID };

static DEFINE_MUTEX(mirror_mutex);
/* under mirror_mutex: */
static unsigned long nr_missing;	/* cgroups that have no group; read without it, too */
static u64 base_id;		/* of the cgroup that the root mirrors, 0 for none; set to that without it, too */
static char *base_path;		/* its path */
static bool look_soon;		/* at all cgroups: something was in the way for a moment */
static bool is_busy;		/* something was when somebody was here last */
static unsigned long patient_until;	/* in jiffies */
static unsigned long soon = SOON_MIN, later = LATER_MIN;

static DEFINE_SPINLOCK(changes_lock);	/* taken with interrupts off */
/* under changes_lock: */
static LIST_HEAD(changes);
static bool unnoted;		/* there was no memory for a note, or nothing to tie one to */

static atomic_t nr_returning;	/* who has a note and has not returned to user mode */
static DECLARE_WAIT_QUEUE_HEAD(returned);

static struct workqueue_struct *mirror_wq;
static void worker_fn(struct work_struct *work);
/* the one does not wait for the other, whose time may be far off */
static DECLARE_DELAYED_WORK(soon_work, worker_fn);
static DECLARE_DELAYED_WORK(later_work, worker_fn);

/* --- removing: mirror_mutex is held --- */

/* Those below a group were removed, and so are in the list, before it. */
static int remove_one(struct mw_group *group)
{
	return group->nr_children ? -EBUSY : mw_mirror_dirs->remove(group, patient_until);
}

/* Return: false if some are left, as a directory is in use. */
static bool remove_gone(void)
{
	return mw_bindings_remove_gone(remove_one);
}

/*
 * A cgroup that was looked at while it was being made, and came to nothing: no event tells.  Whoever is
 * below another is in front of it.
 */
static void mark_stale(bool all)
{
	struct mw_group *pos;

	mw_tree_lock();
	for (pos = mw_group_next(&mw_root, &mw_root); pos; pos = mw_group_next(pos, &mw_root))
		if (!pos->dead)
			mw_binding_mark_gone(pos, all);
	mw_tree_unlock();
}

/* --- making: likewise --- */

/* Of exactly this cgroup.  Return: NULL if it has none. */
static struct mw_group *group_of(struct cgroup *cgrp)
{
	return cgroup_id(cgrp) == READ_ONCE(base_id) ? &mw_root : mw_binding_exact(cgroup_id(cgrp));
}

/*
 * It is bound before anybody looks whether the cgroup still is: who removes it marks that first and
 * looks for the binding then.
 */
static int make_bound(struct mw_group *parent, struct cgroup *cgrp, const char *path,
		      const struct mw_maker *maker)
{
	struct mw_binding *binding = mw_binding_new(path, cgrp);
	struct mw_group *group;

	if (!binding)
		return -ENOMEM;
	group = mw_mirror_dirs->make(parent, strrchr(path, '/') + 1, maker, patient_until);
	if (IS_ERR(group)) {
		mw_binding_drop(binding);
		return PTR_ERR(group);
	}
	mw_binding_attach(binding, group);
	/* and who comes there from now on is looked up anew, and finds it */
	smp_mb();
	if (!mw_cgroup_is_online(cgrp))
		mw_binding_mark_gone(group, false);
	else if (cgroup_is_populated(cgrp))
		mw_members_look_again();
	return 0;
}

static int make_group(struct cgroup *cgrp, const struct mw_maker *maker)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	struct mw_group *parent;
	int ret;

	if (!path)
		return -ENOMEM;
	/* it may have the name of one that was removed just now */
	remove_gone();
	parent = group_of(cgroup_parent(cgrp));
	ret = mw_cgroup_path(cgrp, path, PATH_MAX);
	/* what it was in may have gone, and it before that */
	if (!ret && parent)
		ret = make_bound(parent, cgrp, path, maker);
	kfree(path);
	return ret;
}

/* The first one on the way down to a cgroup that is to have a group and has none; NULL if there is none. */
static struct cgroup *highest_missing(struct cgroup *cgrp)
{
	struct cgroup *parent;

	if (group_of(cgrp))
		return NULL;
	while ((parent = cgroup_parent(cgrp)) && !group_of(parent))
		cgrp = parent;
	return parent ? cgrp : NULL;
}

/* One more: it is tried again as soon as the first. */
static void note_missing(int error)
{
	WRITE_ONCE(nr_missing, nr_missing + 1);
	look_soon |= error == -EBUSY;
	later = LATER_MIN;
	mod_delayed_work(mirror_wq, &later_work, later);
}

/* Those above it, too, which have no note of their own any more. */
static void make_down_to(struct cgroup *cgrp, const struct mw_maker *maker)
{
	struct cgroup *next;
	int ret = 0;

	while (!ret && mw_cgroup_is_online(cgrp) && (next = highest_missing(cgrp)))
		ret = make_group(next, next == cgrp ? maker : &superuser);
	if (ret)
		note_missing(ret);
}

/* --- the cgroup that the root mirrors: likewise --- */

static int set_base(struct cgroup *cgrp)
{
	WRITE_ONCE(base_id, cgroup_id(cgrp));
	/* who removes it marks that first, and looks for this then */
	smp_mb();
	if (mw_cgroup_is_online(cgrp) && mw_cgroup_is_made(cgrp))
		return 0;
	WRITE_ONCE(base_id, 0);
	return mw_cgroup_is_online(cgrp) ? -EAGAIN : -ENOENT;
}

/* Return: 0; -ENOENT if there is none of its path, -EAGAIN not yet; or as mw_cgroup_find(). */
static int find_base(void)
{
	struct cgroup *cgrp;
	u64 id;
	int ret = mw_cgroup_find(base_path, &id);

	if (ret)
		return ret;
	cgrp = mw_cgroup_get(id);
	if (!cgrp)
		return -ENOENT;
	ret = set_base(cgrp);
	cgroup_put(cgrp);
	return ret;
}

/* It was removed, and there may be one of that path again. */
static void find_base_again(void)
{
	int ret = READ_ONCE(base_id) ? 0 : find_base();

	look_soon |= ret == -ENOMEM || ret == -EAGAIN;
}

/* --- all of them: likewise --- */

/* Without those above it: if one of these has none it was tried just now.  Return: is it missing? */
static bool look_at(struct cgroup *cgrp)
{
	int ret;

	if (!mw_cgroup_is_made(cgrp))
		look_soon = true;
	if (group_of(cgrp))
		return false;
	if (!group_of(cgroup_parent(cgrp)))
		return true;
	ret = make_group(cgrp, &superuser);
	look_soon |= ret == -EBUSY;
	return ret;
}

static void look_below(struct cgroup *base)
{
	struct cgroup *pos = NULL;
	unsigned long missing = 0;

	while ((pos = mw_cgroup_walk(pos, base))) {
		missing += pos != base && look_at(pos);
		cond_resched();
	}
	WRITE_ONCE(nr_missing, missing);
}

/* A group for each cgroup that has none, and none for what is no cgroup. */
static void look_at_all(void)
{
	struct cgroup *base;

	look_soon = false;
	mark_stale(false);
	remove_gone();
	base = mw_cgroup_get(READ_ONCE(base_id));
	if (!base) {
		/* it was removed before anybody told of that */
		WRITE_ONCE(base_id, 0);
		find_base_again();
		base = mw_cgroup_get(READ_ONCE(base_id));
	}
	if (!base) {
		WRITE_ONCE(nr_missing, 0);
		return;
	}
	look_below(base);
	cgroup_put(base);
}

/* --- catching up with what was noted --- */

/* Who returns to user mode frees it himself. */
static void change_done(struct change *change)
{
	cgroup_put(change->cgrp);
	change->cgrp = NULL;
	if (!change->work.func)
		kfree(change);
}

static struct change *next_change(void)
{
	struct change *change;

	spin_lock_irq(&changes_lock);
	change = list_first_entry_or_null(&changes, struct change, node);
	if (change)
		list_del_init(&change->node);
	spin_unlock_irq(&changes_lock);
	return change;
}

static bool was_unnoted(void)
{
	bool was;

	spin_lock_irq(&changes_lock);
	was = unnoted;
	unnoted = false;
	spin_unlock_irq(&changes_lock);
	return was;
}

static void make_changes(void)
{
	struct change *change;

	while ((change = next_change())) {
		find_base_again();
		make_down_to(change->cgrp, &change->maker);
		change_done(change);
	}
}

/* What somebody has made that cannot be mirrored, or keeps in use, is not looked at all the time. */
static void come_back(bool is_worker)
{
	if (is_busy) {
		queue_delayed_work(mirror_wq, &soon_work, soon);
		if (is_worker)
			soon = min(2 * soon, SOON_MAX);
	} else {
		soon = SOON_MIN;
	}
	if (nr_missing) {
		queue_delayed_work(mirror_wq, &later_work, later);
		if (is_worker)
			later = min(2 * later, LATER_MAX);
	}
}

/* What was removed while all were looked at is removed behind that. */
static void settle(bool all, bool is_worker)
{
	remove_gone();
	if (all)
		look_at_all();
	is_busy = !remove_gone() || look_soon;
	come_back(is_worker);
}

static void catch_up(bool is_worker)
{
	mutex_lock(&mirror_mutex);
	/* the mirror may have ended since, or another one begun */
	if (mw_mirror_dirs) {
		patient_until = jiffies + (is_worker || is_busy ? 0 : PATIENCE);
		make_changes();
		settle(was_unnoted() || (is_worker && (look_soon || nr_missing)), is_worker);
	}
	mutex_unlock(&mirror_mutex);
}

static void worker_fn(struct work_struct *work)
{
	catch_up(true);
}

static void return_fn(struct callback_head *work)
{
	catch_up(false);
	/* all that were noted before are done, by whomever */
	kfree(container_of(work, struct change, work));
	if (atomic_dec_and_test(&nr_returning))
		wake_up(&returned);
	/* mw_mirror_exit() waits for the rest of this */
	module_put(THIS_MODULE);
}

/* --- being told --- */

static void have_worker_do_it(void)
{
	mod_delayed_work(mirror_wq, &soon_work, 0);
}

/* Be it that who has a note is kept from returning for long. */
static bool do_on_return(struct change *change)
{
	/* the kernel's own threads never return */
	if (mw_current_is(PF_KTHREAD | PF_IO_WORKER))
		return false;
	init_task_work(&change->work, return_fn);
	__module_get(THIS_MODULE);
	atomic_inc(&nr_returning);
	if (!mw_task_work_add(current, &change->work, TWA_RESUME)) {
		queue_delayed_work(mirror_wq, &soon_work, SOON_MIN);
		return true;
	}
	change->work.func = NULL;
	atomic_dec(&nr_returning);
	module_put(THIS_MODULE);
	return false;
}

/* All are looked at for it, so not at once for each: who has one that is missing may remove others all the time. */
static void note_unnoted(void)
{
	unsigned long flags;

	spin_lock_irqsave(&changes_lock, flags);
	unnoted = true;
	spin_unlock_irqrestore(&changes_lock, flags);
	queue_delayed_work(mirror_wq, &soon_work, SOON_MIN);
}

static struct change *change_alloc(struct cgroup *cgrp)
{
	struct change *change = kzalloc(sizeof(*change), GFP_ATOMIC | __GFP_NOWARN);

	if (!change)
		return NULL;
	if (cgrp && !cgroup_tryget(cgrp)) {
		kfree(change);
		return NULL;
	}
	change->cgrp = cgrp;
	change->maker.uid = current_fsuid();
	change->maker.gid = current_fsgid();
	return change;
}

/**
 * mw_mirror_cgroup_made() - there is a new cgroup, which nobody is in yet
 * @cgrp: the cgroup
 *
 * Context: process, with interrupts off and locks of the kernel's held.
 */
void mw_mirror_cgroup_made(struct cgroup *cgrp)
{
	struct change *change;
	unsigned long flags;
	bool returns;

	if (!mw_cgroup_is_v2(cgrp))
		return;
	change = change_alloc(cgrp);
	if (!change) {
		note_unnoted();
		return;
	}
	returns = do_on_return(change);
	spin_lock_irqsave(&changes_lock, flags);
	list_add_tail(&change->node, &changes);
	spin_unlock_irqrestore(&changes_lock, flags);
	if (!returns)
		have_worker_do_it();
}

/**
 * mw_mirror_cgroup_removed() - a cgroup is gone
 * @cgrp: the cgroup, marked as such before
 *
 * Context: as mw_mirror_cgroup_made().
 */
void mw_mirror_cgroup_removed(struct cgroup *cgrp)
{
	struct change *change;

	if (!mw_cgroup_is_v2(cgrp))
		return;
	if (cgroup_id(cgrp) == READ_ONCE(base_id)) {
		WRITE_ONCE(base_id, 0);
	} else if (!mw_binding_cgroup_removed(cgrp)) {
		/* it may be one of those that are missing */
		if (READ_ONCE(nr_missing))
			note_unnoted();
		return;
	}
	change = change_alloc(NULL);
	if (change && do_on_return(change))
		return;
	kfree(change);
	have_worker_do_it();
}

/* --- beginning and end --- */

static int start(const char *path, const struct mw_mirror_dirs *dirs)
{
	int ret;

	base_path = kstrdup(path, GFP_KERNEL);
	if (!base_path)
		return -ENOMEM;
	ret = find_base();
	if (ret) {
		kfree(base_path);
		base_path = NULL;
		return ret;
	}
	WRITE_ONCE(mw_mirror_dirs, dirs);
	/* who is told of a cgroup that is not to be seen yet reads it */
	smp_mb();
	settle(true, false);
	return 0;
}

/**
 * mw_mirror_start() - the tree is the kernel's own from now on
 * @path: of the cgroup whose processes are in no group, and whose children have one; in its shortest
 *        form
 * @dirs: who makes directories
 *
 * Context: process, may sleep; there is no group yet, and the kernel tells of its cgroups.
 * Return: 0, also if not every cgroup could have a group (mw_mirror_missing()); -ENOENT if there is no
 * such cgroup, -EAGAIN if it is being made; -ENOTDIR, -EOPNOTSUPP as mw_cgroup_find(); -ENOMEM.
 */
int mw_mirror_start(const char *path, const struct mw_mirror_dirs *dirs)
{
	int ret;

	mutex_lock(&mirror_mutex);
	patient_until = jiffies;
	ret = start(path, dirs);
	mutex_unlock(&mirror_mutex);
	return ret;
}

static void forget_changes(void)
{
	struct change *change;

	while ((change = next_change()))
		change_done(change);
	was_unnoted();
}

/**
 * mw_mirror_stop() - remove all groups again, if this is a mirror
 *
 * Context: process, may sleep; nobody looks at the tree, and the kernel tells of nothing any more.
 */
void mw_mirror_stop(void)
{
	if (!mw_mirror_exists())
		return;
	/* who does not come has the module, and does nothing any more; it may be current itself */
	wait_event_timeout(returned, !atomic_read(&nr_returning), FAREWELL);
	mutex_lock(&mirror_mutex);
	patient_until = jiffies + HZ;
	forget_changes();
	mark_stale(true);
	WARN_ON_ONCE(!remove_gone());
	WRITE_ONCE(mw_mirror_dirs, NULL);
	kfree(base_path);
	base_path = NULL;
	base_id = 0;
	nr_missing = 0;
	look_soon = false;
	is_busy = false;
	soon = SOON_MIN;
	later = LATER_MIN;
	mutex_unlock(&mirror_mutex);
	cancel_delayed_work_sync(&soon_work);
	cancel_delayed_work_sync(&later_work);
}

/**
 * mw_mirror_path() - what is mirrored
 *
 * Context: mounted.
 * Return: the path of the cgroup, seen from the root of its hierarchy; NULL for no mirror.
 */
const char *mw_mirror_path(void)
{
	return base_path;
}

/** mw_mirror_missing() - cgroups that could not get a group, and have not got one since */
unsigned long mw_mirror_missing(void)
{
	return READ_ONCE(nr_missing);
}

/** mw_mirror_init() - prepare it, at module load */
int mw_mirror_init(void)
{
	mirror_wq = alloc_workqueue("memward_mirror", WQ_UNBOUND, 1);
	return mirror_wq ? 0 : -ENOMEM;
}

/** mw_mirror_exit() - undo mw_mirror_init(), at module unload */
void mw_mirror_exit(void)
{
	/* who let go of the module last may not have returned from return_fn() yet */
	synchronize_rcu_tasks();
	destroy_workqueue(mirror_wq);
}
