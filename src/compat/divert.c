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
