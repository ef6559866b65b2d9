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
#include <linux/ptrace.h>

#include <compat/divert.h>
#include <compat/features.h>
#include <compat/ftrace.h>

static unsigned long diverted;
static mw_divert_fn is_wanted;
static void *destination;
/* the tracer has not let go of divert_ops */
static bool stopped;

static void divert(struct pt_regs *regs)
{
	if (!READ_ONCE(stopped) && is_wanted())
		instruction_pointer_set(regs, (unsigned long)destination);
}

/* as in ftrace.c */
#if !MW_HAVE_FTRACE_REGS
#define NO_PROTECTION	FTRACE_OPS_FL_RECURSION_SAFE

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct pt_regs *regs)
{
	divert(regs);
}
#else
#define NO_PROTECTION	0

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	divert(ftrace_get_regs(fregs));
}
#endif

static struct ftrace_ops divert_ops = {
	.func = callback,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY |
		 FTRACE_OPS_FL_PERMANENT | NO_PROTECTION,
};

static void forget(void)
{
	ftrace_set_filter_ip(&divert_ops, diverted, 1, 0);
}

/**
 * mw_divert_start() - divert some of those who enter a function
 * @addr:   the function
 * @wanted: whom
 * @to:     a function with the same prototype
 *
 * Context: process, may sleep; one call, then mw_divert_stop().
 * Return: 0; -EBUSY if somebody else has redirected the function, or another error of the
 * tracer's, with nothing diverted.
 */
int mw_divert_start(unsigned long addr, mw_divert_fn wanted, void *to)
{
	unsigned int tries = 20;
	int ret;

	if (stopped)
		return -ENODEV;
	diverted = addr;
	is_wanted = wanted;
	destination = to;
	ret = ftrace_set_filter_ip(&divert_ops, addr, 0, 0);
	if (ret)
		return ret;
	/* a BPF program that is being attached keeps others off for a moment */
	while ((ret = register_ftrace_function(&divert_ops)) == -EAGAIN && tries--)
		msleep(1);
	if (ret)
		forget();
	return ret;
}

/**
 * mw_divert_stop() - undo mw_divert_start()
 *
 * Context: process, may sleep.  When it returns nobody is diverted any more; who was may be
 * on the way for another grace period of RCU tasks.  See mw_ftrace_leave().
 */
void mw_divert_stop(void)
{
	if (mw_ftrace_leave(&divert_ops, &stopped))
		forget();
}
