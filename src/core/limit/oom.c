// SPDX-License-Identifier: GPL-2.0
/*
 * Killing a process of a group that is at its limit and has nothing to reclaim.
 *
 * DOC: The victim is the process of the subtree that the kernel's own oom_badness()
 * finds worst; it is killed by the kernel's own __oom_kill_process(), so that its
 * memory is reaped even if it is blocked.  One that was killed already is
 * waited for rather than killing another, until its memory was reaped.  It may be in no group
 * any more before it gives that back, so the group remembers it.
 *
 * oom_mutex, outermost here, lets one task at a time choose; the kernel's
 * oom_lock is taken inside it.  Nothing is allocated under either, and what there
 * is to say is said when both are free again.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/oom.h>
#include <linux/pid.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include <trace/events/memward.h>

#include <compat/ksym.h>
#include <compat/oom.h>
#include <core/charge/members.h>
#include <core/group/events.h>
#include <core/group/group.h>
#include <core/group/memsw.h>
#include <core/group/name.h>
#include <core/group/tree.h>
#include <core/limit/oom.h>
#include <core/limit/report.h>

/* how long to wait at a time for memory, from a victim above all */
#define ROOM_WAIT_MS	100
#define ROOM_POLL_MS	5
/* more than any process has; no overflow where points are told of in KB */
#define MOST_POINTS	(LONG_MAX / (long)PAGE_SIZE)

static const char oom_message[] = "memward: out of memory";

static DEFINE_MUTEX(oom_mutex);
/* of victim_mm of all groups; innermost */
static DEFINE_SPINLOCK(victim_lock);

/**
 * struct choice - the search for a victim
 * @limit:  of the group that is out of memory, in pages
 * @points: the worst so far
 * @victim: it, referenced
 * @group:  where it is, referenced
 * @dying:  somebody is dying already
 * @killed: the victim was killed, and its group with it, if it wants that
 * @report: who was looked at
 */
struct choice {
	unsigned long limit;
	long points;
	struct task_struct *victim;
	struct mw_group *group;
	bool dying;
	bool killed;
	struct mw_report report;
};

static bool has_room_for_one(struct mw_group *group)
{
	return mw_counter_read(&group->memory) < READ_ONCE(group->memory.max) &&
	       mw_memsw_has_room(group, 1);
}

static void forget(struct choice *choice)
{
	if (choice->victim) {
		put_task_struct(choice->victim);
		mw_group_put(choice->group);
	}
}

static void choose(struct choice *choice, struct task_struct *task,
		   struct mw_group *group, long points)
{
	forget(choice);
	choice->points = points;
	choice->victim = task;
	choice->group = group;
	get_task_struct(task);
	mw_group_get(group);
}

/* Who brings back what was in swap, or merged, asks to be the first (swapoff, KSM). */
static long points_of(struct task_struct *task, unsigned long limit)
{
	if (oom_task_origin(task) && !is_global_init(task))
		return MOST_POINTS;
	return mw_call_oom_badness(task, limit);
}

static bool consider(struct pid *tgid, struct mw_group *group, void *data)
{
	struct choice *choice = data;
	struct task_struct *task;
	long points;

	rcu_read_lock();
	task = pid_task(tgid, PIDTYPE_TGID);
	if (task && tsk_is_oom_victim(task)) {
		/* until its memory was taken away from it */
		if (!mw_oom_is_reaped(task->signal->oom_mm))
			choice->dying = true;
	} else if (task) {
		points = points_of(task, choice->limit);
		mw_report_see(&choice->report, task, points);
		if (points > choice->points)
			choose(choice, task, group, points);
	}
	rcu_read_unlock();
	return true;
}

static void drop(struct mm_struct *mm)
{
	if (mm)
		mmdrop(mm);
}

/* Does a victim of a group still have its memory? */
static bool is_dying(struct mw_group *group)
{
	struct mm_struct *mm, *reaped = NULL;

	spin_lock(&victim_lock);
	mm = group->victim_mm;
	if (mm && mw_oom_is_reaped(mm)) {
		reaped = mm;
		group->victim_mm = NULL;
	}
	spin_unlock(&victim_lock);
	drop(reaped);
	return mm && !reaped;
}

static void find_victim(struct choice *choice, struct mw_group *top)
{
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, top, MW_WALK_ALL)))
		choice->dying |= is_dying(group);
	mw_members_walk_below(top, consider, choice);
}

/* --- killing --- */

/* Of all that die as a part of a group it is the largest; what a removed group has is its parent's. */
static bool is_to_be_remembered(const struct mw_group *group, struct mm_struct *mm)
{
	return !READ_ONCE(group->dead) &&
	       (!group->victim_mm || mw_oom_is_reaped(group->victim_mm) ||
		get_mm_rss(mm) > get_mm_rss(group->victim_mm));
}

static void remember(struct mw_group *group, struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->signal->oom_mm);

	/* gone before it could be killed? */
	if (!mm)
		return;
	mmgrab(mm);
	spin_lock(&victim_lock);
	if (is_to_be_remembered(group, mm))
		swap(group->victim_mm, mm);
	spin_unlock(&victim_lock);
	drop(mm);
}

static void kill_task(struct task_struct *task, struct mw_group *group,
		      const char *why)
{
	mw_event(group, MW_EVENT_OOM_KILL);
	trace_memward_kill(group, task);
	get_task_struct(task);	/* it is dropped in there */
	mw_call_oom_kill_process(task, why);
	remember(group, task);
}

/**
 * struct purge - killing all processes of a subtree
 * @task:  processes to be killed, referenced
 * @group: where each of them is, referenced
 * @nr:    how many
 * @more:  there was no room for more
 */
struct purge {
	struct task_struct *task[512];
	struct mw_group *group[512];
	unsigned int nr;
	bool more;
};

/* under oom_mutex: large, as for each batch all processes of the machine may be looked at */
static struct purge purge;

/*
 * Has it something to give?  The first thread of a process may have ended long
 * before the others.  Context: inside an RCU read side.
 */
static bool has_memory(struct task_struct *process)
{
	struct task_struct *thread;

	for_each_thread(process, thread)
		if (READ_ONCE(thread->mm))
			return true;
	return false;
}

/* Whoever dies as a part of a group was not chosen by oom_badness(), which knows. */
static bool is_exempt(struct task_struct *process)
{
	return process->signal->oom_score_adj == OOM_SCORE_ADJ_MIN ||
	       is_global_init(process);
}

/* Return: whether there is room for more. */
static bool add(struct task_struct *task, struct mw_group *group)
{
	purge.more = purge.nr == ARRAY_SIZE(purge.task);
	if (purge.more)
		return false;
	get_task_struct(task);
	mw_group_get(group);
	purge.task[purge.nr] = task;
	purge.group[purge.nr++] = group;
	return true;
}

static bool collect(struct pid *tgid, struct mw_group *group, void *data)
{
	struct task_struct *task;
	bool go_on = true;

	rcu_read_lock();
	task = pid_task(tgid, PIDTYPE_TGID);
	if (task && !tsk_is_oom_victim(task) && has_memory(task) &&
	    !is_exempt(task))
		go_on = add(task, group);
	rcu_read_unlock();
	return go_on;
}

static void kill_collected(const char *why)
{
	while (purge.nr--) {
		struct task_struct *task = purge.task[purge.nr];
		struct mw_group *group = purge.group[purge.nr];

		kill_task(task, group, why);
		put_task_struct(task);
		mw_group_put(group);
	}
}

/* Context: oom_mutex held. */
static void kill_subtree(struct mw_group *top, const char *why)
{
	unsigned int rounds = 128;

	mw_event(top, MW_EVENT_OOM_GROUP_KILL);
	do {
		purge.nr = 0;
		purge.more = false;
		mw_members_walk_below(top, collect, NULL);
		kill_collected(why);
	} while (purge.more && --rounds);
}

/* The highest group from the victim's up to @top that wants to die as a whole. */
static struct mw_group *whole(struct mw_group *group, struct mw_group *top)
{
	struct mw_group *found = NULL;

	for (; group; group = group->parent) {
		if (READ_ONCE(group->oom_group))
			found = group;
		if (group == top)
			break;
	}
	return found;
}

static void kill(struct mw_group *top, const struct choice *choice)
{
	struct mw_group *all = whole(choice->group, top);

	if (all)
		kill_subtree(all, oom_message);
	else
		kill_task(choice->victim, choice->group, oom_message);
}

/* Context: oom_mutex held. Return: whether somebody dies. */
static bool kill_one(struct mw_group *top, struct choice *choice)
{
	choice->limit = max(READ_ONCE(top->memory.max), 1UL);
	if (choice->limit == MW_COUNTER_MAX)
		choice->limit = totalram_pages();
	find_victim(choice, top);
	mw_report_note_use(&choice->report, top);
	if (choice->victim && !choice->dying && mw_oom_begin()) {
		/* current may have been killed while it waited: then that makes room */
		choice->dying = fatal_signal_pending(current);
		if (!choice->dying) {
			kill(top, choice);
			choice->killed = true;
		}
		mw_oom_end();
	}
	return choice->killed || choice->dying;
}

/* Context: no lock held: the console may be slow. */
static void tell(struct mw_group *top, const struct choice *choice, bool hope)
{
	if (choice->killed)
		mw_report_oom(&choice->report, top, choice->victim,
			      choice->group);
	else if (!hope && !choice->victim)
		mw_report_helpless(&choice->report, top);
}

static void wait_for_room(struct mw_group *top)
{
	unsigned int ms;

	for (ms = 0; ms < ROOM_WAIT_MS && !has_room_for_one(top) &&
		     !fatal_signal_pending(current); ms += ROOM_POLL_MS)
		schedule_timeout_killable(msecs_to_jiffies(ROOM_POLL_MS));
}

/**
 * mw_oom_wait() - wait a moment for room where nobody can be killed
 * @top: the group whose limit it is, referenced
 *
 * Those who are refused memory try again at once, without end; meanwhile something
 * may be freed, or a limit lifted.
 *
 * Context: process, may sleep.
 * Return: true if there is room.
 */
bool mw_oom_wait(struct mw_group *top)
{
	wait_for_room(top);
	return has_room_for_one(top);
}

/**
 * mw_oom() - make room in a group that has nothing to reclaim
 * @top: the group whose limit it is, referenced
 *
 * Context: process, may sleep.
 * Return: true if it is worth trying again, or current is dying; false if there is
 * nobody to be killed.
 */
bool mw_oom(struct mw_group *top)
{
	struct choice choice = { .points = LONG_MIN };
	bool hope;

	mw_event(top, MW_EVENT_OOM);
	if (mutex_lock_killable(&oom_mutex))
		return true;
	/* while this one waited, another may have made room */
	hope = has_room_for_one(top) || kill_one(top, &choice);
	mutex_unlock(&oom_mutex);
	tell(top, &choice, hope);
	forget(&choice);
	if (hope)
		wait_for_room(top);
	return hope;
}

/**
 * mw_oom_forget() - remember nothing of a removed group
 * @group: the group, referenced; it was removed a grace period ago
 *
 * Context: process, may sleep.
 */
void mw_oom_forget(struct mw_group *group)
{
	struct mm_struct *mm = NULL;

	spin_lock(&victim_lock);
	swap(group->victim_mm, mm);
	spin_unlock(&victim_lock);
	drop(mm);
}

/**
 * mw_oom_kill_all() - kill all processes of a group and of those below it
 * @top: the group, referenced
 * @why: what the log says of it
 *
 * Context: process, may sleep; current may be dying, which does not save the others.
 * Return: false if nobody may be killed now: the machine is being suspended.
 */
bool mw_oom_kill_all(struct mw_group *top, const char *why)
{
	char name[128];
	bool killed;

	mutex_lock(&oom_mutex);
	killed = mw_oom_begin();
	if (killed) {
		kill_subtree(top, "memward");
		mw_oom_end();
	}
	mutex_unlock(&oom_mutex);
	if (!killed)
		return false;
	mw_group_name(top, name, sizeof(name));
	pr_warn("memward: %s %s; its processes were killed\n", name, why);
	return true;
}
