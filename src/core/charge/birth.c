// SPDX-License-Identifier: GPL-2.0
/*
 * In which group a child is born: its parent's, or the one that its cgroup is bound to.
 *
 * DOC: A child is among the processes before the kernel has it in its cgroup, and then for a
 * moment before its entry is made: whoever looks through all processes (members.c) just
 * then misses it, or takes it for one whose cgroup counts.
 */
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include <compat/cgroup.h>
#include <core/charge/birth.h>
#include <core/charge/member_table.h>
#include <core/charge/migration.h>
#include <core/group/binding.h>
#include <core/group/group.h>

static atomic_long_t fork_kills;

/*
 * The parent's entry, if that counted when the child was begun: the parent may have been moved
 * since, the child has not.  Context: RCU read side.
 */
static struct mw_member *entry_at_birth(struct task_struct *parent, struct task_struct *child)
{
	struct mw_member *from = mw_member_entry(parent->signal);
	u64 voided = from ? READ_ONCE(from->voided) : 0;

	return voided && voided < child->start_time ? NULL : from;
}

/*
 * Was it begun in another cgroup (of v2) than its parent's (CLONE_INTO_CGROUP), and one that is bound?
 * Where the parent was then is not known if it has been moved more than once since.
 *
 * Context: RCU read side.
 */
static bool is_begun_elsewhere(const struct mw_member *from, struct task_struct *child)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(from->sig);
	unsigned long flags;
	u64 id;

	if (!mw_bindings_exist())
		return false;
	spin_lock_irqsave(&bucket->lock, flags);
	if (from->came < child->start_time)
		id = from->cgroup;
	else if (from->before_came < child->start_time)
		id = from->before;
	else
		id = 0;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return id && mw_cgroup_id_of(child) != id && mw_binding_of_cgroup(mw_cgroup_of(child));
}

/* The parent's, when the child was begun; 0 if that is not known. */
static u64 place_at_birth(const struct mw_member *from, unsigned int slot, struct task_struct *child)
{
	struct mw_member_bucket *bucket = mw_member_bucket_of(from->sig);
	unsigned long flags;
	u64 id;

	spin_lock_irqsave(&bucket->lock, flags);
	id = from->came_in_v1 < child->start_time ? from->in_v1[slot] : 0;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return id;
}

/*
 * The same in cgroup v1: by a thread that is not where its process is, or it was moved already.
 *
 * Context: RCU read side.
 */
static bool is_elsewhere_in_v1(const struct mw_member *from, struct task_struct *child)
{
	struct cgroup *cgrp;
	unsigned int slot;
	u64 id;

	if (!mw_hierarchies_exist())
		return false;
	for (slot = 0; slot < MW_HIERARCHIES; slot++) {
		if (!mw_hierarchy_is_used(slot))
			continue;
		id = place_at_birth(from, slot, child);
		cgrp = mw_hierarchy_cgroup_of(slot, child);
		if (id && cgrp && cgroup_id(cgrp) != id && mw_binding_of_cgroup(cgrp))
			return true;
	}
	return false;
}

static bool is_elsewhere(const struct mw_member *from, struct task_struct *child)
{
	return is_begun_elsewhere(from, child) || is_elsewhere_in_v1(from, child);
}

/*
 * Returns whether the child must die: cgroup.kill came while it was made.  Its
 * parent need not have died of that: nothing ends process 1.
 */
static bool inherit(struct task_struct *parent, struct task_struct *child,
		    struct mw_member *fresh)
{
	struct mw_member *from = entry_at_birth(parent, child);
	bool is_heir = from && !is_elsewhere(from, child);
	struct mw_group *group = is_heir ? mw_member_lock_group(from) : NULL;
	bool is_used = false, die = false;

	if (group) {
		/* unless it was moved already */
		is_used = mw_member_insert(fresh, group);
		die = is_used && child->start_time <= from->killed;
		spin_unlock(&group->members_lock);
	}
	if (!is_used)
		mw_member_drop(fresh);
	return die;
}

/* A child that is where its cgroup is bound: must it die?  See mw_members_kill(). */
static bool is_born_bound(struct task_struct *child)
{
	struct mw_group *group;
	bool die = false;

	smp_mb();	/* the kernel has it in its cgroup; pairs with that in kill_others() */
	rcu_read_lock();
	group = mw_member_find(child->signal) ? NULL : mw_binding_of_task(child);
	if (group)
		die = child->start_time <= READ_ONCE(group->killed);
	rcu_read_unlock();
	return die;
}

static bool may_inherit(struct task_struct *parent, struct task_struct *child)
{
	bool ret;

	rcu_read_lock();
	ret = entry_at_birth(parent, child);
	rcu_read_unlock();
	return ret;
}

/* Unless it was moved already, or its parent was. */
static bool has_no_place(struct task_struct *parent, struct task_struct *child)
{
	struct mw_member *from = entry_at_birth(parent, child);

	if (!from || is_elsewhere(from, child) || mw_member_entry(child->signal))
		return false;
	atomic_long_inc(&fork_kills);
	pr_warn_ratelimited("memward: a child of %s (pid %d) was killed: no memory to put it in its group\n",
			    parent->comm, task_tgid_nr(parent));
	return true;
}

/* Return: must the child die? */
static bool place(struct task_struct *parent, struct task_struct *child)
{
	struct mw_member *fresh = mw_member_new_reserved(child);
	bool die;

	rcu_read_lock();
	if (fresh)
		die = inherit(parent, child, fresh);
	else
		die = has_no_place(parent, child);
	rcu_read_unlock();
	return die;
}

static bool is_heir_in_root(struct task_struct *parent, struct task_struct *child)
{
	struct mw_member *from = entry_at_birth(parent, child);

	return from && READ_ONCE(from->group) == &mw_root;
}

/*
 * Who was moved to the root while it was born is there without an entry, as nothing is bound.  An
 * heir keeps his: his parent was moved there while something was bound, and keeps that as well.
 */
static void settle_in_root(struct task_struct *parent, struct task_struct *child)
{
	struct mw_group *group = NULL;
	struct mw_member *member;

	if (likely(list_empty(&mw_root.members)))
		return;
	rcu_read_lock();
	member = is_heir_in_root(parent, child) ? NULL : mw_member_entry(child->signal);
	if (member && READ_ONCE(member->group) == &mw_root)
		group = mw_member_lock_group(member);
	/* unless it was moved on */
	if (group == &mw_root)
		mw_member_remove(member);
	if (group)
		spin_unlock(&group->members_lock);
	rcu_read_unlock();
}

/**
 * mw_birth() - a child is born in its parent's group, or where its cgroup is bound
 * @parent: the forking thread
 * @child:  the new thread, not running yet; the kernel has put it in its cgroup
 *
 * Or not at all: it dies if there is no memory for its entry and nothing is left of what was
 * set aside.  Outside of the group it would be free of its limits for good, and it is too late
 * for fork() to fail.
 *
 * Context: process.
 */
void mw_birth(struct task_struct *parent, struct task_struct *child)
{
	bool die = false;

	if (child->signal == parent->signal)
		return;
	if (may_inherit(parent, child))
		die = place(parent, child);
	if (mw_bindings_exist()) {
		/* also who was moved by hand before the kernel had it in its cgroup */
		mw_migration_catch_up(child);
		mw_migration_catch_up_in_v1(child);
		die |= is_born_bound(child);
	} else {
		settle_in_root(parent, child);
	}
	if (die)
		send_sig(SIGKILL, child, 1);
}

/**
 * mw_birth_kills() - children that died at birth for want of memory
 *
 * Return: their number since the module was loaded.
 */
unsigned long mw_birth_kills(void)
{
	return atomic_long_read(&fork_kills);
}
