// SPDX-License-Identifier: GPL-2.0
/*
 * memory.high: holding back the tasks that charge above it; and those that dirty too
 * much, see dirty_limit.c.
 *
 * DOC: Pages that a task charges above memory.high are noted for it, in a small
 * table keyed by task.  When a nominal batch has come together a task_work makes
 * the task pay when it returns to user mode, where it holds no lock.  So what it
 * pays depends on the pages it has used, not on how they were batched, on which
 * CPU it ran, or on who ran there beside it.
 *
 * Only the task itself adds to its note and pays; the lock of a bucket protects
 * its list, and whoever takes a note off its list frees it: the task when it
 * exits, or mw_throttle_stop().
 *
 * A task that charges a lot in one kernel entry (mlock or read of hundreds of
 * megabytes) would do all its harm before it returns, so it pays in the charge,
 * if the allocation may sleep there.  Who dirties a lot in one write() pays in the middle
 * of it likewise, see mw_throttle_write().
 *
 * Kernel threads never return to user mode, an interrupt charges on behalf of
 * nobody in particular, and an exiting task makes room for others: none of
 * them is held back.
 *
 * At the last unmount notes of tasks that are blocked somewhere else in the
 * kernel are cancelled, and those that are being paid are waited for.
 */
#include <linux/freezer.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>

#include <trace/events/memward.h>

#include <compat/divert.h>
#include <compat/ksym.h>
#include <compat/reclaim.h>
#include <core/charge/member.h>
#include <core/charge/stock.h>
#include <core/group/events.h>
#include <core/group/group.h>
#include <core/group/task.h>
#include <core/group/tree.h>
#include <core/limit/dirty_limit.h>
#include <core/limit/stall.h>
#include <core/limit/throttle.h>
#include <core/reclaim/device.h>
#include <core/reclaim/reclaim.h>
#include <pure/nominal.h>
#include <pure/penalty.h>

#define NOTE_HASH_BITS	8
/* rounds of reclaim without progress before the task is held back */
#define MAX_TRIES	16
/* the shortest wait for a disk, as of the kernel's balance_dirty_pages() */
#define DIRTY_MIN_US	10000
/* who waits looks so often whether it has become cheaper */
#define DIRTY_LOOK_US	4000
/* the flusher threads are told so often; and io_uring's threads wait no longer */
#define DIRTY_SLICE_US	20000
/* who has dirtied so many pages since it paid last pays before it returns */
#define DIRTY_AT_ONCE	(2 * MW_NOMINAL_BATCH)
/* the longest, for each so many pages */
#define DIRTY_MAX_US	2000000ULL
#define DIRTY_MAX_PAGES	256U

/**
 * struct note - what a task has to pay for
 * @work:     runs on return to user mode
 * @node:     in the table
 * @task:     who, referenced
 * @nr_pages: pages charged above memory.high and not paid for; the task's own
 * @nr_dirtied: pages dirtied where much is unwritten, likewise
 * @nr_left:  how many of them were left when it paid last
 * @queued:   @work is queued or running; the task's own, but for stop()
 */
struct note {
	struct callback_head work;
	struct hlist_node node;
	struct task_struct *task;
	unsigned int nr_pages;
	unsigned int nr_dirtied;
	unsigned int nr_left;
	bool queued;
};

/* pages dirtied on a CPU, by whomever, that are in no note yet */
static DEFINE_PER_CPU(unsigned int, nr_dirtied);
/* who has dirtied DIRTY_AT_ONCE there, and has not been told yet; to compare, and no more */
static DEFINE_PER_CPU(struct task_struct *, due);

/**
 * struct bucket - a part of the table
 * @lock:  taken as pages are dirtied, under a lock of the page cache that interrupts take too
 * @notes: their @node
 */
struct bucket {
	spinlock_t lock;
	struct hlist_head notes;
};

static struct bucket note_hash[1 << NOTE_HASH_BITS] = {
	[0 ... (1 << NOTE_HASH_BITS) - 1] = {
		.lock = __SPIN_LOCK_UNLOCKED(note_hash.lock),
	},
};
static atomic_t nr_notes;
static bool any_note;
/* for who pays in the middle of a write */
static MW_PASSAGE(writing);
static atomic_long_t missed;
static DECLARE_WAIT_QUEUE_HEAD(paid);

static struct bucket *bucket_of(struct task_struct *task)
{
	return &note_hash[hash_ptr(task, NOTE_HASH_BITS)];
}

static u64 memory_overage(struct mw_group *group)
{
	unsigned long high = READ_ONCE(group->memory.high);

	/* what CPUs have in stock is in there: where that is not above, none need be asked */
	if (mw_counter_read(&group->memory) <= high)
		return 0;
	return mw_overage(mw_group_usage(group), high);
}

static u64 swap_overage(struct mw_group *group)
{
	return mw_overage(mw_counter_read(&group->swap),
			  READ_ONCE(group->swap.high));
}

static bool is_above(struct mw_group *group)
{
	return memory_overage(group) || swap_overage(group);
}

/* Every breached level gets its event.  Return: is there any? */
static bool breach(struct mw_group *group)
{
	bool any = false;

	for (; group; group = group->parent) {
		u64 memory = memory_overage(group), swap = swap_overage(group);

		if (memory)
			mw_event(group, MW_EVENT_HIGH);
		if (swap)
			mw_event(group, MW_EVENT_SWAP_HIGH);
		if (memory || swap)
			mw_stall_see(group);
		any |= memory || swap;
	}
	return any;
}

/* Every level that it was held back for. */
static void add_stall(struct mw_group *group, u64 us)
{
	for (; group; group = group->parent)
		if (is_above(group))
			mw_stall_add(group, us);
}

/* The largest overage counts; that of swap counts apart. */
static u64 penalty_us(struct mw_group *group, unsigned int nr_pages)
{
	u64 memory = 0, swap = 0;

	for (; group; group = group->parent) {
		if (mw_stall_is_lifted(group))
			continue;
		memory = max(memory, memory_overage(group));
		swap = max(swap, swap_overage(group));
	}
	return mw_penalty_us(memory, swap, nr_pages);
}

/*
 * Killable, and inside a memstall so that pressure shows who waits for what.  Return:
 * microseconds that this has taken: fewer if current was killed.
 */
static u64 hold_back(u64 us)
{
	ktime_t timeout = ns_to_ktime(us * NSEC_PER_USEC), begin = ktime_get();
	unsigned long pflags;

	mw_psi_memstall_enter(&pflags);
	set_current_state(TASK_KILLABLE);
	schedule_hrtimeout(&timeout, HRTIMER_MODE_REL);
	mw_psi_memstall_leave(&pflags);
	/* not what it waited for a processor after that */
	return min_t(u64, us, ktime_us_delta(ktime_get(), begin));
}

/* Every group that is above its memory.high gives something, but not for what CPUs have in stock. */
static unsigned long reclaim_above(struct mw_group *group, unsigned int nr_pages,
				   gfp_t gfp, unsigned int tries)
{
	unsigned long pflags, nr = 0;

	mw_psi_memstall_enter(&pflags);
	for (; group; group = group->parent) {
		struct mw_scan_control sc = {
			.target = group, .nr_to_reclaim = nr_pages,
			.why = MW_RECLAIM_LIMIT, .gfp = gfp, .swappiness = -1,
			.sends_ahead = true,
			.desperate = mw_reclaim_is_desperate(group, tries <= MAX_TRIES / 2),
			.splits = tries < MAX_TRIES,
		};

		if (memory_overage(group))
			nr += mw_reclaim(&sc);
	}
	mw_psi_memstall_leave(&pflags);
	return nr;
}

/*
 * Reclaim first: what was charged, then a batch at a time for as long as there is
 * progress.  Return: microseconds to wait, if that was not enough.
 */
static u64 settle(struct mw_group *group, unsigned int nr_pages, gfp_t gfp)
{
	unsigned int tries = MAX_TRIES, batch = nr_pages;
	u64 us;

	do {
		if (!reclaim_above(group, batch, gfp, tries))
			tries--;
		us = penalty_us(group, nr_pages);
		batch = MW_NOMINAL_BATCH;
	} while (us && tries && !fatal_signal_pending(current) && !freezing(current));
	return us;
}

static void pay(struct note *note, gfp_t gfp)
{
	unsigned int nr_pages = note->nr_pages;
	struct mw_group *group;
	u64 us = 0;

	note->nr_pages = 0;
	group = mw_member_current_group_get();
	/* the counter may be above by what CPUs have in stock, and then nothing is owed */
	if (breach(group))
		us = settle(group, nr_pages, gfp);
	if (us && freezing(current)) {
		note->nr_pages += nr_pages;
	} else if (us) {
		us = hold_back(us);
		add_stall(group, us);
		trace_memward_throttle(group, MEMWARD_THROTTLE_HIGH, nr_pages, us);
	}
	mw_group_put(group);
}

/* The task may have been moved meanwhile. Return: microseconds that pages cost now. */
static u64 price_of(unsigned int nr_dirtied, bool exact)
{
	struct mw_group *group = mw_member_current_group_get();
	u64 us = mw_dirty_limit_us(group, nr_dirtied, exact);

	mw_group_put(group);
	return us;
}

/* They write what is dirty on all of the machine: of all who wait one tells them each time. */
static void wake_flushers(void)
{
	static u64 told;
	u64 then = READ_ONCE(told), now = get_jiffies_64();

	if (now < then + usecs_to_jiffies(DIRTY_SLICE_US) ||
	    cmpxchg64(&told, then, now) != then)
		return;
	mw_wake_flushers();
}

/*
 * In the middle of a write only a fatal signal and the freezer end the wait; what another signal
 * wants is seen to when the write is done.
 */
static bool is_called_away(bool writing)
{
	return writing ? fatal_signal_pending(current) || freezing(current) :
			 signal_pending(current);
}

/* Who writes holds the lock of a file, and not for any number of pages. */
static u64 most_us(unsigned int nr_dirtied, bool writing)
{
	if (writing)
		return DIRTY_MAX_US;
	return DIRTY_MAX_US * DIV_ROUND_UP(nr_dirtied, DIRTY_MAX_PAGES);
}

/*
 * A disk may be through with much at once, which makes the rest cheaper: so it is the disk that
 * ends most waits.  The flusher threads are told again and again: who tells them while they run is
 * not heard.  What is not worth a timer is paid for with the pages that follow, and so is what a
 * signal has cut short.  At the end of a system call io_uring's thread may hold a lock.
 *
 * @disk is what is written to, in the middle of a write; NULL at its end.  Where that has
 * little to write it is another that keeps the group's pages dirty, and nobody is to wait
 * for that with the lock of a file held.  All processors are asked once in a slice.
 *
 * Sets @waited_us.  Return: pages that are paid for.
 */
static unsigned int wait_for_disk(unsigned int nr_dirtied,
				  struct backing_dev_info *disk, u64 *waited_us)
{
	const u64 most = most_us(nr_dirtied, disk);
	ktime_t begin = ktime_get();
	u64 us, waited = 0, slice_ends = 0;
	bool exact;

	for (;; *waited_us = waited) {
		exact = waited >= slice_ends;
		us = min(price_of(nr_dirtied, exact), most);
		if (us <= waited)
			return nr_dirtied;
		wake_flushers();
		if (us <= DIRTY_MIN_US || is_called_away(disk) ||
		    mw_passage_is_closed(&writing) ||
		    (waited >= DIRTY_SLICE_US && !disk && mw_current_is(PF_IO_WORKER)))
			return div64_u64(waited * nr_dirtied, us);
		if (exact && disk && !mw_device_has_unwritten(disk, DIRTY_AT_ONCE * 2))
			return nr_dirtied;
		if (exact)
			slice_ends = waited + DIRTY_SLICE_US;
		us = min_t(u64, us - waited, DIRTY_LOOK_US);
		set_current_state(TASK_KILLABLE);
		io_schedule_timeout(usecs_to_jiffies(us));
		/* with what jiffies are longer */
		waited = ktime_us_delta(ktime_get(), begin);
	}
}

static void trace_dirtied(unsigned int nr_pages, u64 waited_us)
{
	struct mw_group *group;

	if (!waited_us || !trace_memward_throttle_enabled())
		return;
	group = mw_member_current_group_get();
	trace_memward_throttle(group, MEMWARD_THROTTLE_DIRTY, nr_pages, waited_us);
	mw_group_put(group);
}

/* What is left is priced anew next time, so it must not grow. */
static void pay_dirtied(struct note *note, struct backing_dev_info *disk)
{
	u64 waited_us = 0;
	unsigned int paid = wait_for_disk(note->nr_dirtied, disk, &waited_us);
	unsigned int rest = note->nr_dirtied - paid;

	trace_dirtied(paid, waited_us);
	note->nr_dirtied = min(rest, DIRTY_MAX_PAGES);
	note->nr_left = note->nr_dirtied;
}

static void note_free(struct note *note)
{
	put_task_struct(note->task);
	kfree(note);
	atomic_dec(&nr_notes);
}

/* Return: whether the note was on its list, and so is the caller's to free. */
static bool note_unlink(struct note *note)
{
	struct bucket *bucket = bucket_of(note->task);
	unsigned long flags;
	bool mine;

	spin_lock_irqsave(&bucket->lock, flags);
	mine = !hlist_unhashed(&note->node);
	hlist_del_init(&note->node);
	spin_unlock_irqrestore(&bucket->lock, flags);
	return mine;
}

static void pay_fn(struct callback_head *work)
{
	struct note *note = container_of(work, struct note, work);

	if (mw_current_is(PF_EXITING)) {
		if (note_unlink(note)) {
			note_free(note);
			return;
		}
	} else {
		/* unless it was paid in a charge meanwhile; who is to freeze pays with what follows */
		if (note->nr_pages && !fatal_signal_pending(current) && !freezing(current))
			pay(note, GFP_KERNEL);
		/* and so does who has a signal to see to */
		if (note->nr_dirtied && !signal_pending(current))
			pay_dirtied(note, NULL);
	}
	/* the note may be gone after this: mw_throttle_stop() frees it */
	smp_store_release(&note->queued, false);
	wake_up(&paid);
}

static struct note *note_find(struct task_struct *task)
{
	struct bucket *bucket = bucket_of(task);
	unsigned long flags;
	struct note *note;

	spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(note, &bucket->notes, node)
		if (note->task == task)
			break;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return note;
}

static struct note *note_add(void)
{
	struct note *note = kzalloc(sizeof(*note), GFP_ATOMIC | __GFP_NOWARN);
	struct bucket *bucket = bucket_of(current);
	unsigned long flags;

	if (!note) {
		atomic_long_inc(&missed);
		return NULL;
	}
	init_task_work(&note->work, pay_fn);
	note->task = get_task_struct(current);
	atomic_inc(&nr_notes);
	WRITE_ONCE(any_note, true);
	spin_lock_irqsave(&bucket->lock, flags);
	hlist_add_head(&note->node, &bucket->notes);
	spin_unlock_irqrestore(&bucket->lock, flags);
	return note;
}

/* Fails only for a task that is past its last task_work, hence exiting. */
static void pay_later(struct note *note)
{
	if (note->queued)
		return;
	WRITE_ONCE(note->queued, true);
	if (mw_task_work_add(current, &note->work, TWA_RESUME))
		WRITE_ONCE(note->queued, false);
}

static bool may_pay_now(gfp_t gfp)
{
	return gfpflags_allow_blocking(gfp) && !mw_current_is(PF_MEMALLOC) &&
	       !fatal_signal_pending(current) && !freezing(current);
}

/*
 * Huge pages are asked for in a way that must not wait.  A task that populates a
 * mapping with them would be held back after the last: let it have small ones,
 * for which it can wait.
 */
static bool must_be_smaller(const struct note *note, unsigned int nr_pages,
			    gfp_t gfp)
{
	return note->nr_pages && nr_pages > MW_NOMINAL_BATCH &&
	       !gfpflags_allow_blocking(gfp);
}

/**
 * mw_throttle_charge() - the current task has charged above memory.high
 * @nr_pages: pages
 * @gfp:      flags of the allocation that charged them
 *
 * Context: any; sleeps only if @gfp allows it and the task has charged more
 * than a nominal batch since it entered the kernel.
 * Return: 0; or -ENOMEM if it would have to wait for the pages of earlier huge
 * pages and cannot: then it is not held to account for these, which the caller
 * may refuse.
 */
int mw_throttle_charge(unsigned int nr_pages, gfp_t gfp)
{
	struct note *note;

	if (!in_task() || mw_current_is(PF_KTHREAD | PF_EXITING))
		return 0;
	note = note_find(current) ?: note_add();
	if (!note)
		return 0;
	if (must_be_smaller(note, nr_pages, gfp))
		return -ENOMEM;
	note->nr_pages += nr_pages;
	if (note->nr_pages < MW_NOMINAL_BATCH)
		return 0;
	if (note->nr_pages > MW_NOMINAL_BATCH && may_pay_now(gfp))
		pay(note, current_gfp_context(gfp));
	else
		pay_later(note);
	return 0;
}

static bool is_due(const struct note *note)
{
	return note->nr_dirtied >= note->nr_left + DIRTY_AT_ONCE;
}

/*
 * Looking a note up takes a lock, so it is done for a batch of a CPU; who completes it
 * pays for all of it.  Return: pages that the current task is to pay for.
 */
static unsigned int batch_with(unsigned int nr_pages)
{
	unsigned int nr = __this_cpu_add_return(nr_dirtied, nr_pages);

	if (nr < MW_NOMINAL_BATCH)
		return 0;
	__this_cpu_write(nr_dirtied, 0);
	return nr;
}

/**
 * mw_throttle_dirtied() - the current task has dirtied pages
 * @group:    that is charged for them, found in this RCU read side
 * @nr_pages: pages
 *
 * Where much is unwritten it pays when it returns to user mode, if it is in that group or
 * below, see mw_dirty_limit_us().  Not if it is a process that writes for others.
 *
 * Context: any, preemption off, under a lock of the page cache perhaps.
 */
void mw_throttle_dirtied(struct mw_group *group, unsigned int nr_pages)
{
	struct note *note;

	if (!mw_dirty_limit_is_near(group) || !in_task() ||
	    mw_current_is(PF_KTHREAD | PF_EXITING | PF_LOCAL_THROTTLE))
		return;
	nr_pages = batch_with(nr_pages);
	if (!nr_pages)
		return;
	note = note_find(current) ?: note_add();
	if (!note)
		return;
	note->nr_dirtied += nr_pages;
	if (is_due(note))
		__this_cpu_write(due, current);
	pay_later(note);
}

/**
 * mw_throttle_is_due() - must the current task pay before it returns to user mode?
 *
 * A write of many megabytes fills the group with dirty pages before it ends.  Asked for each
 * page that anybody writes.
 *
 * Context: any.
 * Return: whether it is to call mw_throttle_write(); once for each time that it has become
 * due on this CPU.
 */
bool mw_throttle_is_due(void)
{
	if (likely(this_cpu_read(due) != current))
		return false;
	/* on another CPU meanwhile? then somebody pays a little later */
	this_cpu_write(due, NULL);
	return true;
}

/**
 * mw_throttle_write() - the current task pays in the middle of a write
 * @disk: what it writes to
 *
 * Context: process, may sleep, where balance_dirty_pages() would: the lock of a file may be
 * held, but none of a page, and no transaction is open.
 */
void mw_throttle_write(struct backing_dev_info *disk)
{
	struct note *note;

	/* mw_throttle_stop() frees notes when there is nobody here */
	note = mw_passage_enter(&writing) ? note_find(current) : NULL;
	if (note && is_due(note))
		pay_dirtied(note, disk);
	mw_passage_leave(&writing);
}

/**
 * mw_throttle_exit() - a thread ends: it pays no more
 * @task: the thread
 *
 * Context: process, preemption off.
 */
void mw_throttle_exit(struct task_struct *task)
{
	struct note *note;

	if (!atomic_read(&nr_notes))
		return;
	note = note_find(task);
	/* what is queued runs before the task is gone, and frees it */
	if (note && !note->queued && note_unlink(note))
		note_free(note);
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

/* Return: a note that was on a list, and is the caller's to free. */
static struct note *note_take(struct bucket *bucket)
{
	unsigned long flags;
	struct note *note;

	spin_lock_irqsave(&bucket->lock, flags);
	note = hlist_entry_safe(bucket->notes.first, struct note, node);
	if (note)
		hlist_del_init(&note->node);
	spin_unlock_irqrestore(&bucket->lock, flags);
	return note;
}

/* A note that is being paid at this moment cannot be cancelled, but waited for. */
static void note_retire(struct note *note)
{
	if (READ_ONCE(note->queued) &&
	    !mw_task_work_cancel(note->task, pay_fn))
		wait_event(paid, !smp_load_acquire(&note->queued));
	note_free(note);
}

/**
 * mw_throttle_stop() - end all throttling
 *
 * Context: process, may sleep for 2 s; neither charges nor exits are hooked any
 * more.
 */
void mw_throttle_stop(void)
{
	struct note *note;
	int i;

	if (!READ_ONCE(any_note))
		return;
	mw_passage_close(&writing);
	for (i = 0; i < ARRAY_SIZE(note_hash); i++)
		while ((note = note_take(&note_hash[i])))
			note_retire(note);
	any_note = false;
	/* nor has anybody still to return from pay_fn() */
	mw_passage_open(&writing);
}
