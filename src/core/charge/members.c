// SPDX-License-Identifier: GPL-2.0
/*
 * All processes of a group: listing, killing, and whether there are any.
 *
 * DOC: Those that have an entry (member.c) are in the list of their group.  Those whose cgroup
 * is bound have none and are in no list: if anything is bound to the group, or below it where
 * that is asked, all processes of the machine are looked at, as the kernel's own OOM killer does.
 */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include <core/charge/member.h>
#include <core/charge/member_table.h>
#include <core/charge/members.h>
#include <core/group/binding.h>
#include <core/group/group.h>
#include <core/group/tree.h>

static void visit_others(struct mw_group *top, bool below, mw_member_visit_fn visit,
			 void *data)
{
	struct task_struct *process;
	struct mw_group *group;

	rcu_read_lock();
	for_each_process(process) {
		group = mw_member_unlisted(process);
		if ((group == top || (group && below && mw_group_is_below(group, top))) &&
		    !visit(task_tgid(process), group, data))
			break;
	}
	rcu_read_unlock();
}

/**
 * mw_members_walk() - visit the processes of one group
 * @group: the group, referenced
 * @visit: called for each, must not sleep
 * @data:  handed on
 *
 * Context: process.
 */
void mw_members_walk(struct mw_group *group, mw_member_visit_fn visit,
		     void *data)
{
	if (mw_member_visit(group, visit, data) &&
	    (group == &mw_root || mw_is_bound_below(group)))
		visit_others(group, false, visit, data);
}

/**
 * mw_members_walk_below() - visit the processes of a subtree
 * @top:   its top, referenced; not the root
 * @visit: called for each, must not sleep
 * @data:  handed on
 *
 * Context: process.
 */
void mw_members_walk_below(struct mw_group *top, mw_member_visit_fn visit, void *data)
{
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, top, MW_WALK_ALL)))
		if (!mw_member_visit(group, visit, data)) {
			mw_group_put(group);
			return;
		}
	if (mw_is_bound_below(top))
		visit_others(top, true, visit, data);
}

static bool note_one(struct pid *tgid, struct mw_group *group, void *data)
{
	bool *found = data;

	*found = true;
	return false;
}

/**
 * mw_members_close() - let nobody enter a group that has no process
 * @group: about to be removed
 *
 * What is bound to it is bound no longer.  Who comes to such a cgroup meanwhile is there as
 * one that comes a moment later.
 *
 * Context: process, tree mutex held.
 * Return: true if it is closed now, false if it has processes.
 */
bool mw_members_close(struct mw_group *group)
{
	bool populated = false;

	mw_tree_assert_held();
	mw_members_walk(group, note_one, &populated);
	if (populated)
		return false;
	mw_member_drop_void(group);
	spin_lock(&group->members_lock);
	if (list_empty(&group->members))
		WRITE_ONCE(group->dead, true);
	spin_unlock(&group->members_lock);
	if (group->dead && !list_empty(&group->bindings)) {
		mw_bindings_drop(group);
		mw_members_look_again();
	}
	return group->dead;
}

/**
 * mw_members_dissolve() - let nobody enter a group whose cgroup is gone
 * @group: about to be removed; it is the mirror's, so nobody was ever moved there by hand
 *
 * Context: process, tree mutex held.
 */
void mw_members_dissolve(struct mw_group *group)
{
	mw_tree_assert_held();
	WARN_ON_ONCE(!list_empty(&group->members));
	WRITE_ONCE(group->dead, true);
	mw_bindings_drop(group);
	mw_members_look_again();
}

static bool has_any(struct mw_group *top)
{
	bool found = false;

	mw_members_walk_below(top, note_one, &found);
	return found;
}

/**
 * mw_members_populated() - does a subtree have processes?
 * @group: its top, referenced; not the root
 *
 * Everybody may ask, and where a cgroup is bound it is a look at all processes of the machine: so
 * the tree is held still only for who has found none while one was moved, as that may have been
 * from where it had not looked yet to where it had.
 *
 * Context: process, tree mutex not held.
 * Return: true if so.
 */
bool mw_members_populated(struct mw_group *group)
{
	unsigned int seq = mw_member_moves();
	bool populated = has_any(group);

	if (populated || !mw_member_moved_since(seq))
		return populated;
	mw_tree_lock();
	populated = has_any(group);
	mw_tree_unlock();
	return populated;
}

/*
 * As cgroup v2 does: a signal for each thread, from current, which process 1
 * ignores, and the init of a pid namespace if it comes from inside.
 */
static bool kill_process(struct pid *tgid, struct mw_group *group, void *data)
{
	struct task_struct *process, *thread;

	rcu_read_lock();
	process = pid_task(tgid, PIDTYPE_TGID);
	if (process)
		for_each_thread(process, thread)
			if (!__fatal_signal_pending(thread))
				send_sig(SIGKILL, thread, 0);
	rcu_read_unlock();
	return true;
}

static void note_kill(struct mw_group *top, u64 when)
{
	struct mw_group *pos;

	for (pos = top; pos; pos = mw_group_next(pos, top))
		WRITE_ONCE(pos->killed, when);
}

/*
 * Who has no entry is found among all processes, where a child is before the kernel has it in
 * its cgroup.  So meanwhile whoever is born there dies.
 */
static void kill_others(struct mw_group *top)
{
	note_kill(top, U64_MAX);
	smp_mb();	/* pairs with that in is_born_bound() */
	visit_others(top, true, kill_process, NULL);
	note_kill(top, ktime_get_ns());
}

/**
 * mw_members_kill() - kill every process of a subtree
 * @group: its top
 *
 * A child that is being forked meanwhile is caught by mw_birth(): either
 * it is in the list already, or it is older than the time in its parent's entry.
 *
 * Context: process, tree mutex held.
 */
void mw_members_kill(struct mw_group *group)
{
	struct mw_group *pos;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		mw_member_kill(pos, kill_process);
	if (mw_is_bound_below(group))
		kill_others(group);
}
