// SPDX-License-Identifier: GPL-2.0
/*
 * Sending a task elsewhere as it enters a function of the kernel, now and then.
 *
 * DOC: A livepatch is complete when every task has left the function.  One in which
 * tasks sleep for as long as a disk hangs cannot be livepatched on such a machine: the
 * mount would wait with them.  A diversion waits for nobody.  It is decided upon at each
 * entry; who is inside already has nothing to do with it.
 *
 * Nobody looks for those on stacks who were diverted, so where they go they have to be
 * counted.  The kernel lets a function have one diversion or one livepatch, whoever was
 * first; so memward lets go when a livepatch comes (hooks/attach.c).
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include <compat/divert.h>
#include <compat/features.h>
#include <compat/ftrace.h>

/**
 * struct diversion - from one function
 * @addr:    it; 0: free
 * @wanted:  whom
 * @to:      where
 * @stopped: the tracer has not let go of @ops
 * @ops:     for the tracer
 */
struct diversion {
	unsigned long addr;
	mw_divert_fn wanted;
	void *to;
	bool stopped;
	struct ftrace_ops ops;
};

static void divert(struct ftrace_ops *ops, struct pt_regs *regs)
{
	struct diversion *diversion = container_of(ops, struct diversion, ops);

	if (!READ_ONCE(diversion->stopped) && diversion->wanted(regs))
		instruction_pointer_set(regs, (unsigned long)diversion->to);
}

/* as in ftrace.c */
#if !MW_HAVE_FTRACE_REGS
#define NO_PROTECTION	FTRACE_OPS_FL_RECURSION_SAFE

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct pt_regs *regs)
{
	divert(ops, regs);
}
#else
#define NO_PROTECTION	0

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	divert(ops, ftrace_get_regs(fregs));
}
#endif

#define DIVERSION {							\
	.ops = {							\
		.func = callback,					\
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY | \
			 FTRACE_OPS_FL_PERMANENT | NO_PROTECTION,	\
	},								\
}

static struct diversion diversions[MW_MAX_DIVERSIONS] = {
	[0 ... MW_MAX_DIVERSIONS - 1] = DIVERSION,
};

/* Return: that from a function; of 0: one that is free; or NULL. */
static struct diversion *diversion_from(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < MW_MAX_DIVERSIONS; i++)
		if (diversions[i].addr == addr)
			return &diversions[i];
	return NULL;
}

static void forget(struct diversion *diversion)
{
	ftrace_set_filter_ip(&diversion->ops, diversion->addr, 1, 0);
	diversion->addr = 0;
}

/**
 * mw_divert_start() - divert some of those who enter a function
 * @addr:   the function
 * @wanted: whom
 * @to:     a function with the same prototype
 *
 * Context: process, may sleep; one at a time; one call for a function, then mw_divert_stop().
 * Return: 0; -EBUSY if somebody else has redirected the function; -ENOSPC if some are diverted
 * from MW_MAX_DIVERSIONS functions; -ENODEV if the tracer has not let go of it before; or another
 * error of the tracer's, with nothing diverted.
 */
int mw_divert_start(unsigned long addr, mw_divert_fn wanted, void *to)
{
	struct diversion *diversion;
	unsigned int tries = 20;
	int ret;

	if (diversion_from(addr))
		return -ENODEV;
	diversion = diversion_from(0);
	if (!diversion)
		return -ENOSPC;
	ret = ftrace_set_filter_ip(&diversion->ops, addr, 0, 0);
	if (ret)
		return ret;
	diversion->addr = addr;
	diversion->wanted = wanted;
	diversion->to = to;
	/* a BPF program that is being attached keeps others off for a moment */
	while ((ret = register_ftrace_function(&diversion->ops)) == -EAGAIN && tries--)
		msleep(1);
	if (ret)
		forget(diversion);
	return ret;
}

/**
 * mw_divert_stop() - undo mw_divert_start()
 * @addr: the function
 *
 * Context: process, may sleep; one at a time.  When it returns nobody is diverted any more; who
 * was may be on the way for another grace period of RCU tasks.  See mw_ftrace_leave().
 */
void mw_divert_stop(unsigned long addr)
{
	struct diversion *diversion = diversion_from(addr);

	if (mw_ftrace_leave(&diversion->ops, &diversion->stopped))
		forget(diversion);
}

/* --- those who were diverted --- */

/**
 * mw_passage_enter() - the current task was diverted here
 * @passage: here
 *
 * Context: any but an interrupt.
 * Return: false if the passage is closed, and all that is left to be done is to leave.
 */
bool mw_passage_enter(struct mw_passage *passage)
{
	/* before it looks: mw_passage_close() returns when there is nobody here */
	atomic_inc(&passage->inside);
	smp_mb__after_atomic();
	return !mw_passage_is_closed(passage);
}

/**
 * mw_passage_leave() - undo mw_passage_enter(), whatever that has returned
 * @passage: here
 *
 * Context: any but an interrupt.
 */
void mw_passage_leave(struct mw_passage *passage)
{
	if (atomic_dec_and_test(&passage->inside))
		wake_up_all(&passage->left);
}

/**
 * mw_passage_close() - wait until all who were diverted have left
 * @passage: they are there, or on the way
 *
 * Their stacks return to code that is about to be freed, be it that they sleep for as long as a disk
 * hangs.
 *
 * Context: process, may sleep; nobody is diverted any more.  mw_passage_open() when what they use is
 * taken down.
 */
void mw_passage_close(struct mw_passage *passage)
{
	/* who was diverted has come there */
	synchronize_rcu_tasks();
	WRITE_ONCE(passage->closed, true);
	smp_mb();
	wait_event(passage->left, !atomic_read(&passage->inside));
}

/**
 * mw_passage_open() - undo mw_passage_close()
 * @passage: the passage
 *
 * Context: process, may sleep.  When it returns nobody executes anything of the passage.
 */
void mw_passage_open(struct mw_passage *passage)
{
	/* who was the last has left, but may not have returned */
	synchronize_rcu_tasks();
	WRITE_ONCE(passage->closed, false);
}
