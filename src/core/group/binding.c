// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the kernel's own cgroups are bound to which group.
 *
 * DOC: The processes of a bound cgroup have no entry anywhere: whose they are follows from
 * the cgroup that the kernel has them in, as often as that is asked (member.c keeps the
 * answer).  So none can be born, moved or executed past it, and it takes no memory that
 * there may not be.
 *
 * A binding is kept by its path, and by the id of the cgroup that has this path now.  Who
 * looks up has the id alone: of the cgroup, then of those above it.  A cgroup that is made
 * with the path of a binding is told of before anybody can be in it, and the binding gets
 * its id; that of one that was removed is left, as no other will ever have it.
 *
 * What the mirror (life/mirror.c) has bound is bound by the id alone: another cgroup by the same name
 * gets another group.  That the cgroup was removed is noted in the binding.
 *
 * bindings_lock protects both tables.  It is taken where the kernel makes a cgroup, with
 * interrupts off and under a lock of its own trace events: nothing else is taken inside,
 * but the kernel's lock of names in kernfs.  The lists by group are under the tree mutex.
 * Lookups take no lock: when an entry gets another id, who may have seen it in between
 * looks again (the sequence count).
 */
#include <linux/cgroup.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/rculist.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stringhash.h>

#include <compat/cgroup.h>
#include <core/group/binding.h>
#include <core/group/group.h>
#include <core/group/tree.h>

#define BINDING_HASH_BITS	10

/**
 * struct mw_binding - a cgroup that is bound to a group
 * @by_id:   in the table that is looked up, if there is such a cgroup
 * @by_path: in that of all bindings, but for the mirror's
 * @list:    in the group's
 * @gone:    the mirror's: in the list of those whose cgroup was removed
 * @group:   the group
 * @cgrp:    the mirror's: the cgroup, referenced; NULL for one by path
 * @id:      of the cgroup; 0 for none
 * @rcu:     frees it
 * @path:    of the cgroup, seen from the root of its hierarchy
 */
struct mw_binding {
	struct hlist_node by_id;
	struct hlist_node by_path;
	struct list_head list;
	struct list_head gone;
	struct mw_group *group;
	struct cgroup *cgrp;
	u64 id;
	struct rcu_head rcu;
	char path[];
};

static DEFINE_SPINLOCK(bindings_lock);
static seqcount_spinlock_t moves = SEQCNT_SPINLOCK_ZERO(moves, &bindings_lock);
static struct hlist_head ids[1 << BINDING_HASH_BITS];
static struct hlist_head paths[1 << BINDING_HASH_BITS];
static char made_path[PATH_MAX];	/* under bindings_lock */
static LIST_HEAD(gone);			/* likewise */

static struct hlist_head *bucket_of_id(u64 id)
{
	return &ids[hash_64(id, BINDING_HASH_BITS)];
}

static struct hlist_head *bucket_of_path(const char *path)
{
	unsigned int hash = full_name_hash(NULL, path, strlen(path));

	return &paths[hash_32(hash, BINDING_HASH_BITS)];
}

/* Context: tree mutex or bindings_lock held. */
static struct mw_binding *find_path(const char *path)
{
	struct mw_binding *binding;

	hlist_for_each_entry(binding, bucket_of_path(path), by_path)
		if (!strcmp(binding->path, path))
			return binding;
	return NULL;
}

/* Context: RCU read side. */
static struct mw_binding *find_id(u64 id)
{
	struct mw_binding *binding;

	hlist_for_each_entry_rcu(binding, bucket_of_id(id), by_id)
		if (READ_ONCE(binding->id) == id)
			return binding;
	return NULL;
}

/* Context: bindings_lock held. */
static void set_id(struct mw_binding *binding, u64 id)
{
	write_seqcount_begin(&moves);
	if (binding->id)
		hlist_del_init_rcu(&binding->by_id);
	WRITE_ONCE(binding->id, id);
	if (id)
		hlist_add_head_rcu(&binding->by_id, bucket_of_id(id));
	write_seqcount_end(&moves);
}

static struct mw_binding *binding_alloc(struct mw_group *group, const char *path)
{
	size_t len = strlen(path) + 1;
	struct mw_binding *binding;

	binding = kzalloc(sizeof(*binding) + len, GFP_KERNEL_ACCOUNT);
	if (!binding)
		return NULL;
	binding->group = group;
	INIT_LIST_HEAD(&binding->gone);
	memcpy(binding->path, path, len);
	return binding;
}

/* Context: tree mutex held. */
static void count(struct mw_group *group, int change)
{
	for (; group; group = group->parent)
		WRITE_ONCE(group->nr_bindings, group->nr_bindings + change);
}

static void link_binding(struct mw_binding *binding, u64 id)
{
	spin_lock_irq(&bindings_lock);
	if (id)
		set_id(binding, id);
	else
		hlist_add_head(&binding->by_path, bucket_of_path(binding->path));
	spin_unlock_irq(&bindings_lock);
	list_add_tail(&binding->list, &binding->group->bindings);
	count(binding->group, 1);
}

static void unlink_binding(struct mw_binding *binding)
{
	spin_lock_irq(&bindings_lock);
	/* the mirror's are not there */
	hlist_del_init(&binding->by_path);
	list_del_init(&binding->gone);
	set_id(binding, 0);
	spin_unlock_irq(&bindings_lock);
	list_del(&binding->list);
	count(binding->group, -1);
	if (binding->cgrp)
		cgroup_put(binding->cgrp);
	kfree_rcu(binding, rcu);
}

/*
 * The path is in the table already, so a cgroup that is made meanwhile is told of; and if
 * one was, that is younger than what was found here.
 */
static int resolve(struct mw_binding *binding)
{
	u64 id;
	int ret = mw_cgroup_find(binding->path, &id);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	spin_lock_irq(&bindings_lock);
	if (!binding->id)
		set_id(binding, id);
	spin_unlock_irq(&bindings_lock);
	return 0;
}

/**
 * mw_binding_add() - bind a cgroup to a group
 * @group: the group, not dead; the root too
 * @path:  of the cgroup, in its shortest form, be it that there is none yet
 *
 * The caller has who is known to be where looked up again (mw_members_look_again()), also
 * after an error.
 *
 * Context: process, may sleep, tree mutex held.
 * Return: 0, also if it was bound to this group already; -EBUSY if it is to another one;
 * -ENOTDIR if it is no cgroup; -EOPNOTSUPP if it is a threaded one; -ENOMEM.
 */
int mw_binding_add(struct mw_group *group, const char *path)
{
	struct mw_binding *binding;
	int ret;

	mw_tree_assert_held();
	binding = find_path(path);
	if (binding)
		return binding->group == group ? 0 : -EBUSY;
	binding = binding_alloc(group, path);
	if (!binding)
		return -ENOMEM;
	link_binding(binding, 0);
	ret = resolve(binding);
	if (ret)
		unlink_binding(binding);
	return ret;
}

/**
 * mw_binding_new() - what binds one cgroup to a group, and no other by its name
 * @path: of the cgroup, to be shown
 * @cgrp: the cgroup, referenced; bound to nothing
 *
 * Context: process, may sleep.
 * Return: it, for mw_binding_attach() or mw_binding_drop(); NULL without memory, or if the cgroup is about
 * to be freed.
 */
struct mw_binding *mw_binding_new(const char *path, struct cgroup *cgrp)
{
	struct mw_binding *binding = binding_alloc(NULL, path);

	if (!binding)
		return NULL;
	if (!cgroup_tryget(cgrp)) {
		kfree(binding);
		return NULL;
	}
	binding->cgrp = cgrp;
	return binding;
}

/** mw_binding_drop() - undo mw_binding_new() */
void mw_binding_drop(struct mw_binding *binding)
{
	cgroup_put(binding->cgrp);
	kfree(binding);
}

/**
 * mw_binding_attach() - bind
 * @binding: of mw_binding_new()
 * @group:   made just now; it has this binding and no others
 *
 * If somebody is in the cgroup already the caller has that looked up again.
 *
 * Context: process, may sleep; takes the tree mutex.
 */
void mw_binding_attach(struct mw_binding *binding, struct mw_group *group)
{
	binding->group = group;
	mw_tree_lock();
	link_binding(binding, cgroup_id(binding->cgrp));
	mw_tree_unlock();
}

/**
 * mw_binding_remove() - undo mw_binding_add()
 * @group: the group
 * @path:  as it was bound
 *
 * Context and what the caller does: as there.
 * Return: 0 or -ENOENT.
 */
int mw_binding_remove(struct mw_group *group, const char *path)
{
	struct mw_binding *binding;

	mw_tree_assert_held();
	binding = find_path(path);
	if (!binding || binding->group != group)
		return -ENOENT;
	unlink_binding(binding);
	return 0;
}

/**
 * mw_bindings_drop() - remove all of a group's
 * @group: the group
 *
 * Context and what the caller does: as mw_binding_add().
 */
void mw_bindings_drop(struct mw_group *group)
{
	struct mw_binding *binding, *next;

	mw_tree_assert_held();
	list_for_each_entry_safe(binding, next, &group->bindings, list)
		unlink_binding(binding);
}

/**
 * mw_bindings_stop() - remove the root's, at the last unmount; no other group is left
 *
 * Context: process, may sleep.
 */
void mw_bindings_stop(void)
{
	mw_tree_lock();
	mw_bindings_drop(&mw_root);
	mw_tree_unlock();
}

static struct mw_group *find_up(struct cgroup *cgrp)
{
	struct mw_binding *binding;

	for (; cgrp; cgrp = cgroup_parent(cgrp)) {
		binding = find_id(cgroup_id(cgrp));
		if (binding)
			return binding->group;
	}
	return NULL;
}

/**
 * mw_binding_of_cgroup() - the group that a cgroup, or the nearest one above it, is bound to
 * @cgrp: of the default hierarchy, not threaded
 *
 * Context: RCU read side, and kept while the group is used.
 * Return: the group; NULL for none.
 */
struct mw_group *mw_binding_of_cgroup(struct cgroup *cgrp)
{
	struct mw_group *group;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&moves);
		group = find_up(cgrp);
	} while (read_seqcount_retry(&moves, seq));
	return group;
}

/**
 * mw_binding_of_task() - the group that the cgroup of a process is bound to
 * @task: one of its threads, see mw_cgroup_of()
 *
 * Context and return: as mw_binding_of_cgroup().
 */
struct mw_group *mw_binding_of_task(struct task_struct *task)
{
	return mw_bindings_exist() ? mw_binding_of_cgroup(mw_cgroup_of(task)) : NULL;
}

/**
 * mw_binding_cgroup_made() - there is a new cgroup, which nobody is in yet
 * @cgrp: the cgroup
 *
 * Context: any but interrupts and NMIs.
 */
void mw_binding_cgroup_made(struct cgroup *cgrp)
{
	struct mw_binding *binding = NULL;
	unsigned long flags;

	if (!mw_cgroup_is_v2(cgrp))
		return;
	spin_lock_irqsave(&bindings_lock, flags);
	if (!mw_cgroup_path(cgrp, made_path, sizeof(made_path)))
		binding = find_path(made_path);
	if (binding)
		set_id(binding, cgroup_id(cgrp));
	spin_unlock_irqrestore(&bindings_lock, flags);
}

/**
 * mw_binding_exact() - the group that a cgroup itself is bound to
 * @id: of the cgroup
 *
 * Context: process; the caller is the only one who removes such a group.
 * Return: the group; NULL for none.
 */
struct mw_group *mw_binding_exact(u64 id)
{
	struct mw_binding *binding;

	rcu_read_lock();
	binding = find_id(id);
	rcu_read_unlock();
	return binding ? binding->group : NULL;
}

/**
 * mw_binding_cgroup_removed() - note that a cgroup is gone
 * @cgrp: the cgroup, marked as such before
 *
 * Context: any but interrupts and NMIs.
 * Return: true if it is the mirror's.
 */
bool mw_binding_cgroup_removed(struct cgroup *cgrp)
{
	struct mw_binding *binding;
	unsigned long flags;
	bool is_mirrored;

	spin_lock_irqsave(&bindings_lock, flags);
	binding = find_id(cgroup_id(cgrp));
	is_mirrored = binding && binding->cgrp;
	if (is_mirrored)
		list_move_tail(&binding->gone, &gone);
	spin_unlock_irqrestore(&bindings_lock, flags);
	return is_mirrored;
}

/**
 * mw_binding_mark_gone() - likewise, of a mirrored group
 * @group:    the group
 * @whatever: also if its cgroup is there still
 *
 * It comes in front of all that are gone.
 *
 * Context: process; the caller is the only one who makes or removes such a group.
 */
void mw_binding_mark_gone(struct mw_group *group, bool whatever)
{
	struct mw_binding *binding;

	list_for_each_entry(binding, &group->bindings, list) {
		if (!whatever && mw_cgroup_is_online(binding->cgrp))
			continue;
		spin_lock_irq(&bindings_lock);
		list_move(&binding->gone, &gone);
		spin_unlock_irq(&bindings_lock);
	}
}

static struct mw_binding *next_of(struct list_head *list)
{
	struct mw_binding *binding;

	spin_lock_irq(&bindings_lock);
	binding = list_first_entry_or_null(list, struct mw_binding, gone);
	if (binding)
		list_del_init(&binding->gone);
	spin_unlock_irq(&bindings_lock);
	return binding;
}

static void keep(struct mw_binding *binding)
{
	spin_lock_irq(&bindings_lock);
	/* it may have been noted again */
	list_move_tail(&binding->gone, &gone);
	spin_unlock_irq(&bindings_lock);
}

/**
 * mw_bindings_remove_gone() - remove the groups whose cgroup is gone, each once
 * @remove: removes one, with its binding.  Return: 0, or why it stays for now
 *
 * Context: process, may sleep; the caller is the only one who makes or removes such a group.
 * Return: false if some stay.
 */
bool mw_bindings_remove_gone(int (*remove)(struct mw_group *group))
{
	struct mw_binding *binding;
	LIST_HEAD(list);
	bool all = true;

	spin_lock_irq(&bindings_lock);
	list_splice_init(&gone, &list);
	spin_unlock_irq(&bindings_lock);
	while ((binding = next_of(&list)))
		if (remove(binding->group)) {
			keep(binding);
			all = false;
		}
	return all;
}

/**
 * mw_bindings_walk() - visit what is bound to a group, the oldest first
 * @group: the group
 * @visit: called for each
 * @data:  handed on
 *
 * Context: process, tree mutex held.
 */
void mw_bindings_walk(struct mw_group *group, mw_binding_visit_fn visit, void *data)
{
	struct mw_binding *binding;

	mw_tree_assert_held();
	list_for_each_entry(binding, &group->bindings, list)
		visit(binding->path, data);
}
