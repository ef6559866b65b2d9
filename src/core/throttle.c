// SPDX-License-Identifier: GPL-2.0
/*
 * memory.high: holding back the tasks that charge above it.
 *
 * DOC: A charge above memory.high is noted for the task that made it, in a
 * small table keyed by task, and a task_work makes the task pay when it returns
 * to user mode, where it holds no lock.  Only the task itself adds to its note
 * and takes it, so the lock of the table protects the lists alone.
 *
 * A task that charges a lot in one kernel entry (mlock or read of hundreds of
 * megabytes) would do all its harm before it returns, so it pays in the charge,
 * if the allocation may sleep there.
 *
 * Kernel threads never return to user mode, an interrupt charges on behalf of
 * nobody in particular, and an exiting task makes room for others: none of
 * them is held back.
 *
 * At the last unmount notes of tasks that are blocked somewhere else in the
 * kernel are cancelled, and those that are being paid are waited for.
 */
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>

#include <compat/ksym.h>
#include <memward/events.h>
#include <memward/group.h>
#include <memward/member.h>
#include <memward/nominal.h>
#include <memward/penalty.h>
#include <memward/throttle.h>

#define NOTE_HASH_BITS	6

/**
 * struct note - what a task has to pay for
 * @work:     runs on return to user mode
 * @node:     in the table
 * @task:     who, referenced
 * @nr_pages: pages charged above memory.high; the task's own
 */
struct note {
	struct callback_head work;
	struct hlist_node node;
	struct task_struct *task;
	unsigned int nr_pages;
};

static struct hlist_head note_hash[1 << NOTE_HASH_BITS];
static DEFINE_SPINLOCK(note_lock);
static atomic_t nr_notes;
static bool any_note;
static atomic_long_t missed;
static DECLARE_WAIT_QUEUE_HEAD(notes_gone);

static struct hlist_head *bucket(struct task_struct *task)
{
	return &note_hash[hash_ptr(task, NOTE_HASH_BITS)];
}

/* The largest overage counts, and every breached level gets its event. */
static u64 breach(struct mw_group *group)
{
	u64 worst = 0;

	for (; group; group = group->parent) {
		u64 over = mw_overage(mw_group_usage(group),
				      READ_ONCE(group->memory.high));

		if (!over)
			continue;
		mw_event(group, MW_EVENT_HIGH);
		worst = max(worst, over);
	}
	return worst;
}

/* Killable, and inside a memstall so that pressure shows who waits for what. */
static void hold_back(u64 us)
{
	ktime_t timeout = ns_to_ktime(us * NSEC_PER_USEC);
	unsigned long pflags;

	mw_psi_memstall_enter(&pflags);
	set_current_state(TASK_KILLABLE);
	schedule_hrtimeout(&timeout, HRTIMER_MODE_REL);
	mw_psi_memstall_leave(&pflags);
}

static void pay(unsigned int nr_pages)
{
	struct mw_group *group;
	u64 us;

	if (!nr_pages || fatal_signal_pending(current))
		return;
	group = mw_member_current_group_get();
	us = mw_penalty_us(breach(group), nr_pages);
	mw_group_put(group);
	if (us)
		hold_back(us);
}

static void note_free(struct note *note)
{
	put_task_struct(note->task);
	kfree(note);
	if (atomic_dec_and_test(&nr_notes))
		wake_up(&notes_gone);
}

static void note_unlink(struct note *note)
{
	spin_lock(&note_lock);
	hlist_del_init(&note->node);
	spin_unlock(&note_lock);
}

static void pay_fn(struct callback_head *work)
{
	struct note *note = container_of(work, struct note, work);

	note_unlink(note);
	if (!(current->flags & PF_EXITING))
		pay(note->nr_pages);
	note_free(note);
}

static struct note *note_find(void)
{
	struct note *note;

	spin_lock(&note_lock);
	hlist_for_each_entry(note, bucket(current), node)
		if (note->task == current)
			break;
	spin_unlock(&note_lock);
	return note;
}

static struct note *note_add(void)
{
	struct note *note = kzalloc(sizeof(*note), GFP_ATOMIC | __GFP_NOWARN);

	if (!note)
		return NULL;
	init_task_work(&note->work, pay_fn);
	note->task = get_task_struct(current);
	atomic_inc(&nr_notes);
	WRITE_ONCE(any_note, true);
	spin_lock(&note_lock);
	hlist_add_head(&note->node, bucket(current));
	spin_unlock(&note_lock);
	/* fails only for a task that is past its last task_work: it exits */
	if (mw_task_work_add(current, &note->work, TWA_RESUME)) {
		note_unlink(note);
		note_free(note);
		return NULL;
	}
	return note;
}

static bool may_pay_now(gfp_t gfp)
{
	return gfpflags_allow_blocking(gfp) && !(current->flags & PF_MEMALLOC);
}

/**
 * mw_throttle_charge() - the current task has charged above memory.high
 * @nr_pages: pages
 * @gfp:      flags of the allocation that charged them
 *
 * Context: any; sleeps only if @gfp allows it and the task has charged more
 * than a nominal batch since it entered the kernel.
 */
void mw_throttle_charge(unsigned int nr_pages, gfp_t gfp)
{
	struct note *note;

	if (!in_task() || (current->flags & (PF_KTHREAD | PF_EXITING)))
		return;
	note = note_find() ?: note_add();
	if (!note) {
		atomic_long_inc(&missed);
		return;
	}
	note->nr_pages += nr_pages;
	if (note->nr_pages > MW_NOMINAL_BATCH && may_pay_now(gfp)) {
		nr_pages = note->nr_pages;
		note->nr_pages = 0;
		pay(nr_pages);
	}
}

/**
 * mw_throttle_missed() - charges above memory.high that nobody paid for
 *
 * Return: their number since the module was loaded: no memory for the note.
 */
unsigned long mw_throttle_missed(void)
{
	return atomic_long_read(&missed);
}

/* Unlinks some note and returns its task, with a reference. */
static struct task_struct *note_any(void)
{
	struct task_struct *task = NULL;
	struct note *note = NULL;
	int i;

	spin_lock(&note_lock);
	for (i = 0; i < ARRAY_SIZE(note_hash) && !note; i++)
		note = hlist_entry_safe(note_hash[i].first, struct note, node);
	if (note) {
		task = get_task_struct(note->task);
		hlist_del_init(&note->node);
	}
	spin_unlock(&note_lock);
	return task;
}

/* A note that is being paid at this moment is not cancelled: its task frees it. */
static void cancel_notes(void)
{
	struct task_struct *task;

	while ((task = note_any())) {
		struct callback_head *work = mw_task_work_cancel(task, pay_fn);

		if (work)
			note_free(container_of(work, struct note, work));
		put_task_struct(task);
	}
}

/**
 * mw_throttle_stop() - end all throttling
 *
 * Context: process, may sleep for 2 s; no charge is hooked any more.
 */
void mw_throttle_stop(void)
{
	if (!READ_ONCE(any_note))
		return;
	cancel_notes();
	wait_event(notes_gone, !atomic_read(&nr_notes));
	/* the last one to count down may not have returned from pay_fn() yet */
	synchronize_rcu_tasks();
	any_note = false;
}
