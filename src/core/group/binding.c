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
 * A binding in a hierarchy of cgroup v1 has that in front of its path, as /proc/PID/cgroup has it;
 * and the number of the hierarchy that is called so now, as ids are unique within one alone.  Such
 * cgroups can be renamed, and hierarchies can go, come again and be called something else: then all
 * of these bindings are looked up again (charge/rebind.c), with mw_v1_lock() held, so that nothing
 * changes between the look and what follows from it.  Of several hierarchies the binding counts
 * that is furthest below the root of its own; then v2's; then that of the hierarchy whose name
 * comes first.  So it does not matter in which order anything was mounted or bound.
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
#include <compat/cgroup_v1.h>
#include <core/group/binding.h>
#include <core/group/group.h>
#include <core/group/hierarchy.h>
#include <core/group/task.h>
#include <core/group/tree.h>

#define BINDING_HASH_BITS	10

/**
 * struct mw_binding - a cgroup that is bound to a group
 * @by_id:   in the table that is looked up, if there is such a cgroup
 * @by_path: in that of all bindings, but for the mirror's
 * @list:    in the group's
 * @gone:    the mirror's: in the list of those whose cgroup was removed
 * @in_v1:   in the list of those in hierarchies of v1
 * @group:   the group
 * @cgrp:    the mirror's: the cgroup, referenced; NULL for one by path
 * @slot:    of its hierarchy (hierarchy.c); negative for the default one
 * @hierarchy: number of the hierarchy that the cgroup is in; 0 for the default one
 * @id:      of the cgroup; 0 for none
 * @rcu:     frees it
 * @path:    of the cgroup, seen from the root of its hierarchy; in v1 behind what that is called
 *           and a colon
 */
struct mw_binding {
	struct hlist_node by_id;
	struct hlist_node by_path;
	struct list_head list;
	struct list_head gone;
	struct list_head in_v1;
	struct mw_group *group;
	struct cgroup *cgrp;
	int slot;
	int hierarchy;
	u64 id;
	struct rcu_head rcu;
	char path[];
};

static DEFINE_SPINLOCK(bindings_lock);
static seqcount_spinlock_t moves = SEQCNT_SPINLOCK_ZERO(moves, &bindings_lock);
static struct hlist_head ids[1 << BINDING_HASH_BITS];
static struct hlist_head paths[1 << BINDING_HASH_BITS];
static char made_path[MW_BINDING_PATH_SIZE];	/* under bindings_lock */
static LIST_HEAD(gone);			/* likewise */
static LIST_HEAD(in_v1);		/* likewise: those that were looked up */
static LIST_HEAD(out_of_date);		/* likewise: those that are to be */

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
static struct mw_binding *find_id(int hierarchy, u64 id)
{
	struct mw_binding *binding;

	hlist_for_each_entry_rcu(binding, bucket_of_id(id), by_id)
		if (READ_ONCE(binding->id) == id && READ_ONCE(binding->hierarchy) == hierarchy)
			return binding;
	return NULL;
}

static int hierarchy_of(const struct cgroup *cgrp)
{
	return READ_ONCE(cgrp->root)->hierarchy_id;
}

/* Context: bindings_lock held. */
static void set_id(struct mw_binding *binding, int hierarchy, u64 id)
{
	write_seqcount_begin(&moves);
	if (binding->id)
		hlist_del_init_rcu(&binding->by_id);
	WRITE_ONCE(binding->hierarchy, hierarchy);
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
	binding->slot = -1;
	INIT_LIST_HEAD(&binding->gone);
	INIT_LIST_HEAD(&binding->in_v1);
	memcpy(binding->path, path, len);
	return binding;
}

/* Context: tree mutex held. */
static void count(struct mw_group *group, int change)
{
	for (; group; group = group->parent)
		WRITE_ONCE(group->nr_bindings, group->nr_bindings + change);
}

/* Context: bindings_lock held.  Return: false if there is no room for one more hierarchy. */
static bool take_slot(struct mw_binding *binding)
{
	if (mw_binding_is_v2(binding->path))
		return true;
	write_seqcount_begin(&moves);
	binding->slot = mw_hierarchy_take(binding->path, strcspn(binding->path, ":"));
	write_seqcount_end(&moves);
	if (binding->slot < 0)
		return false;
	list_add_tail(&binding->in_v1, &in_v1);
	return true;
}

/* Context: bindings_lock held. */
static void release_slot(struct mw_binding *binding)
{
	if (binding->slot < 0)
		return;
	list_del_init(&binding->in_v1);
	write_seqcount_begin(&moves);
	mw_hierarchy_release(binding->slot);
	write_seqcount_end(&moves);
}

static int link_binding(struct mw_binding *binding, u64 id)
{
	bool is_linked = true;

	spin_lock_irq(&bindings_lock);
	if (id)
		set_id(binding, 0, id);
	else if (take_slot(binding))
		hlist_add_head(&binding->by_path, bucket_of_path(binding->path));
	else
		is_linked = false;
	spin_unlock_irq(&bindings_lock);
	if (!is_linked)
		return -ENOSPC;
	list_add_tail(&binding->list, &binding->group->bindings);
	count(binding->group, 1);
	return 0;
}

static void unlink_binding(struct mw_binding *binding)
{
	spin_lock_irq(&bindings_lock);
	/* the mirror's are not there */
	hlist_del_init(&binding->by_path);
	list_del_init(&binding->gone);
	set_id(binding, 0, 0);
	release_slot(binding);
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
		set_id(binding, 0, id);
	spin_unlock_irq(&bindings_lock);
	return 0;
}

/* --- hierarchies of v1: mw_v1_lock() is held --- */

/* Return: false if nothing is bound in the hierarchy of this slot. */
static bool read_name(unsigned int slot, char *name)
{
	bool is_used;

	spin_lock_irq(&bindings_lock);
	is_used = mw_hierarchy_is_used(slot);
	if (is_used)
		memcpy(name, mw_hierarchies[slot].name, MW_V1_NAME_SIZE);
	spin_unlock_irq(&bindings_lock);
	return is_used;
}

/* Unless the slot is another one's meanwhile. */
static void set_root(unsigned int slot, const char *name, union mw_v1_root root)
{
	spin_lock_irq(&bindings_lock);
	if (mw_hierarchy_is_used(slot) && !strcmp(mw_hierarchies[slot].name, name)) {
		write_seqcount_begin(&moves);
		WRITE_ONCE(mw_hierarchies[slot].root.word, root.word);
		write_seqcount_end(&moves);
	}
	spin_unlock_irq(&bindings_lock);
}

static void find_roots(void)
{
	char name[MW_V1_NAME_SIZE];
	unsigned int slot;

	for (slot = 0; slot < MW_HIERARCHIES; slot++)
		if (read_name(slot, name))
			set_root(slot, name, mw_v1_root_of(mw_v1_find_root(name)));
}

static int find_in_v1(const char *path, int *hierarchy, u64 *id)
{
	size_t len = strcspn(path, ":");
	char name[MW_V1_NAME_SIZE];
	struct cgroup_root *root;

	if (len >= sizeof(name))
		return -ENOENT;
	memcpy(name, path, len);
	name[len] = '\0';
	root = mw_v1_find_root(name);
	if (!root)
		return -ENOENT;
	*hierarchy = root->hierarchy_id;
	return mw_v1_find(root, path + len + 1, id);
}

/* The binding may be gone meanwhile.  Without memory it stays what it was, until it is looked up again. */
static int resolve_in_v1(const char *path)
{
	struct mw_binding *binding;
	int hierarchy = 0;
	u64 id = 0;
	int ret = find_in_v1(path, &hierarchy, &id);

	spin_lock_irq(&bindings_lock);
	binding = find_path(path);
	if (binding && ret != -ENOMEM)
		set_id(binding, ret ? 0 : hierarchy, ret ? 0 : id);
	spin_unlock_irq(&bindings_lock);
	return ret == -ENOENT ? 0 : ret;
}

/**
 * mw_binding_resolve() - find the cgroup of a binding in a hierarchy of v1
 * @path: as it was bound
 *
 * The caller has who is known to be where looked up again (mw_members_look_again()).
 *
 * Context: process, may sleep, mw_v1_lock() held.
 * Return: 0, also if there is none yet; -ENOTDIR if it is no cgroup; -ENOMEM.
 */
int mw_binding_resolve(const char *path)
{
	find_roots();
	return resolve_in_v1(path);
}

/* Return: false if none is out of date. */
static bool next_out_of_date(char *path)
{
	struct mw_binding *binding;

	spin_lock_irq(&bindings_lock);
	binding = list_first_entry_or_null(&out_of_date, struct mw_binding, in_v1);
	if (binding) {
		list_move_tail(&binding->in_v1, &in_v1);
		strscpy(path, binding->path, MW_BINDING_PATH_SIZE);
	}
	spin_unlock_irq(&bindings_lock);
	return binding;
}

/**
 * mw_bindings_resolve() - the same, of all bindings in hierarchies of v1
 *
 * One that becomes a file, say, stays without a cgroup.
 *
 * Context and what the caller does: as mw_binding_resolve().
 * Return: 0; -ENOMEM if some could not be looked up.
 */
int mw_bindings_resolve(void)
{
	char *path = kmalloc(MW_BINDING_PATH_SIZE, GFP_KERNEL);
	int ret = 0;

	if (!path)
		return -ENOMEM;
	find_roots();
	spin_lock_irq(&bindings_lock);
	list_splice_tail_init(&in_v1, &out_of_date);
	spin_unlock_irq(&bindings_lock);
	while (next_out_of_date(path))
		if (resolve_in_v1(path) == -ENOMEM)
			ret = -ENOMEM;
	kfree(path);
	return ret;
}

/* --- binding --- */

/**
 * mw_binding_add() - bind a cgroup to a group
 * @group: the group, not dead; the root too
 * @path:  of the cgroup, in its shortest form, be it that there is none yet; in v1 behind
 *         mw_v1_name() and a colon, and then mw_binding_resolve() is called next
 *
 * The caller has who is known to be where looked up again (mw_members_look_again()), also
 * after an error.
 *
 * Context: process, may sleep, tree mutex held.
 * Return: 0; 1 if it was bound to this group already; -EBUSY if it is to another one;
 * -ENOTDIR if it is no cgroup; -EOPNOTSUPP if it is a threaded one; -ENOSPC if there are bindings
 * in MW_HIERARCHIES others already; -ENOMEM.
 */
int mw_binding_add(struct mw_group *group, const char *path)
{
	struct mw_binding *binding;
	int ret;

	mw_tree_assert_held();
	binding = find_path(path);
	if (binding)
		return binding->group == group ? 1 : -EBUSY;
	binding = binding_alloc(group, path);
	if (!binding)
		return -ENOMEM;
	ret = link_binding(binding, 0);
	if (ret) {
		kfree(binding);
		return ret;
	}
	ret = mw_binding_is_v2(path) ? resolve(binding) : 0;
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
	/* cannot fail: it takes no slot */
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

/**
 * struct found - what a cgroup, or the nearest one above it, is bound to
 * @group: the group; NULL for none
 * @level: how far below the root of its hierarchy the one is that is bound
 * @name:  what the hierarchy is called; "" for the default one
 */
struct found {
	struct mw_group *group;
	int level;
	const char *name;
};

static struct found find_up(struct cgroup *cgrp, const char *name)
{
	struct found found = { .name = name };
	int hierarchy = cgrp ? hierarchy_of(cgrp) : 0;
	struct mw_binding *binding;

	for (; cgrp; cgrp = cgroup_parent(cgrp)) {
		binding = find_id(hierarchy, cgroup_id(cgrp));
		if (!binding)
			continue;
		found.group = binding->group;
		found.level = cgrp->level;
		break;
	}
	return found;
}

static bool is_before(const struct found *a, const struct found *b)
{
	if (!a->group || !b->group)
		return a->group;
	if (a->level != b->level)
		return a->level > b->level;
	return strcmp(a->name, b->name) < 0;
}

static struct found find_in_hierarchies(struct task_struct *task, struct found best)
{
	struct found found;
	unsigned int slot;

	for (slot = 0; slot < MW_HIERARCHIES; slot++) {
		if (!mw_hierarchy_is_used(slot))
			continue;
		found = find_up(mw_hierarchy_cgroup_of(slot, task), mw_hierarchies[slot].name);
		if (is_before(&found, &best))
			best = found;
	}
	return best;
}

/**
 * mw_binding_of_cgroup() - the group that a cgroup, or the nearest one above it, is bound to
 * @cgrp: of any hierarchy, not threaded
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
		group = find_up(cgrp, "").group;
	} while (read_seqcount_retry(&moves, seq));
	return group;
}

static struct mw_group *find_of_task(struct task_struct *task)
{
	struct found found;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&moves);
		found = find_up(mw_cgroup_of(task), "");
		if (mw_hierarchies_exist())
			found = find_in_hierarchies(task, found);
	} while (read_seqcount_retry(&moves, seq));
	return found.group;
}

/**
 * mw_binding_of_task() - the group that the cgroups of a process are bound to
 * @task: one of its threads, see mw_cgroup_of()
 *
 * Context: as mw_binding_of_cgroup() and mw_v1_cgroup_of().
 * Return: the group; NULL for none.
 */
struct mw_group *mw_binding_of_task(struct task_struct *task)
{
	return mw_bindings_exist() ? find_of_task(task) : NULL;
}

/*
 * What a cgroup that is made may be bound by.  Context: bindings_lock held.  Return: 0 or an error.
 */
static int print_made(struct cgroup *cgrp)
{
	int slot = mw_hierarchy_of(cgrp);
	size_t len = 0;

	if (!mw_cgroup_is_v2(cgrp)) {
		if (slot < 0)
			return -ENOENT;
		len = scnprintf(made_path, sizeof(made_path), "%s:", mw_hierarchies[slot].name);
	}
	return mw_cgroup_path(cgrp, made_path + len, PATH_MAX);
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

	spin_lock_irqsave(&bindings_lock, flags);
	if (!print_made(cgrp))
		binding = find_path(made_path);
	if (binding)
		set_id(binding, hierarchy_of(cgrp), cgroup_id(cgrp));
	spin_unlock_irqrestore(&bindings_lock, flags);
}

/**
 * mw_binding_exact() - the group that a cgroup itself is bound to
 * @id: of the cgroup, one of the default hierarchy
 *
 * Context: process; the caller is the only one who removes such a group.
 * Return: the group; NULL for none.
 */
struct mw_group *mw_binding_exact(u64 id)
{
	struct mw_binding *binding;

	rcu_read_lock();
	binding = find_id(0, id);
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
	binding = find_id(hierarchy_of(cgrp), cgroup_id(cgrp));
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
		visit(binding->path, binding->slot, data);
}
