// SPDX-License-Identifier: GPL-2.0
/*
 * The hierarchies of cgroup v1 in which something is bound, each in a slot.
 *
 * DOC: Nothing is known of a hierarchy in which nothing is bound, so that the kernel's work there
 * costs a look at this table at most.  Who takes and releases slots, and sets which hierarchy one
 * is for, holds the lock of the bindings (binding.c); readers hold nothing: what they have read
 * together with bindings they read again if one has changed meanwhile.
 *
 * In v1 each thread can be in a cgroup of its own, but memory belongs to the process.  Where the
 * first of its threads is that does not end, in the order in which they were begun, there it is.
 */
#include <linux/cgroup.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <compat/cgroup.h>
#include <core/group/hierarchy.h>
#include <core/group/task.h>

struct mw_hierarchy mw_hierarchies[MW_HIERARCHIES];
unsigned long mw_hierarchies_used;

static int find_name(const char *name, size_t len)
{
	unsigned int slot;

	for (slot = 0; slot < MW_HIERARCHIES; slot++)
		if (mw_hierarchies[slot].nr && strlen(mw_hierarchies[slot].name) == len &&
		    !memcmp(mw_hierarchies[slot].name, name, len))
			return slot;
	return -1;
}

/* Return: a free slot, for this hierarchy; negative if all are used. */
static int set_up(const char *name, size_t len)
{
	int slot;

	for (slot = 0; slot < MW_HIERARCHIES; slot++)
		if (!mw_hierarchies[slot].nr)
			break;
	if (slot == MW_HIERARCHIES || len >= MW_V1_NAME_SIZE)
		return -1;
	WRITE_ONCE(mw_hierarchies[slot].root.word, 0);
	memcpy(mw_hierarchies[slot].name, name, len);
	mw_hierarchies[slot].name[len] = '\0';
	WRITE_ONCE(mw_hierarchies_used, mw_hierarchies_used | BIT(slot));
	return slot;
}

/**
 * mw_hierarchy_take() - something is bound in a hierarchy
 * @name: what it is called
 * @len:  of @name
 *
 * Context: the lock of the bindings held.
 * Return: its slot, for mw_hierarchy_release(); negative if all are used.
 */
int mw_hierarchy_take(const char *name, size_t len)
{
	int slot = find_name(name, len);

	if (slot < 0)
		slot = set_up(name, len);
	if (slot >= 0)
		mw_hierarchies[slot].nr++;
	return slot;
}

/** mw_hierarchy_release() - undo one mw_hierarchy_take() */
void mw_hierarchy_release(unsigned int slot)
{
	if (--mw_hierarchies[slot].nr)
		return;
	WRITE_ONCE(mw_hierarchies_used, mw_hierarchies_used & ~BIT(slot));
	WRITE_ONCE(mw_hierarchies[slot].root.word, 0);
}

/**
 * mw_hierarchy_of() - the slot of a cgroup's hierarchy
 * @cgrp: a cgroup
 *
 * Context: any.
 * Return: the slot; negative if nothing is bound there, or it is the default one.
 */
int mw_hierarchy_of(const struct cgroup *cgrp)
{
	int id = READ_ONCE(cgrp->root)->hierarchy_id;
	unsigned int slot;

	if (!id || !mw_hierarchies_exist())
		return -1;
	for (slot = 0; slot < MW_HIERARCHIES; slot++)
		if (mw_hierarchy_is_used(slot) && mw_hierarchy_root(slot).id == id)
			return slot;
	return -1;
}

/**
 * mw_hierarchy_cgroup_of() - the cgroup that a process is in
 * @slot: of the hierarchy
 * @task: any of its threads
 *
 * Context: as mw_v1_cgroup_of().
 * Return: the cgroup; NULL if there is no such hierarchy.
 */
struct cgroup *mw_hierarchy_cgroup_of(unsigned int slot, struct task_struct *task)
{
	return mw_v1_cgroup_of(mw_task_first_thread(task), mw_hierarchy_root(slot));
}

/**
 * mw_hierarchy_id_of() - the id of mw_hierarchy_cgroup_of()
 *
 * Context: as there.
 * Return: the id; 0 if there is no such hierarchy, or for a child that is in no cgroup yet.
 */
u64 mw_hierarchy_id_of(unsigned int slot, struct task_struct *task)
{
	struct cgroup *cgrp = NULL;
	u64 id;

	if (!mw_hierarchy_is_used(slot))
		return 0;
	rcu_read_lock();
	if (!mw_cgroup_is_to_come(mw_task_first_thread(task)))
		cgrp = mw_hierarchy_cgroup_of(slot, task);
	id = cgrp ? cgroup_id(cgrp) : 0;
	rcu_read_unlock();
	return id;
}
