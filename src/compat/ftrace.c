// SPDX-License-Identifier: GPL-2.0
/*
 * Looking on when a function of the kernel is entered.
 *
 * DOC: Unlike a kprobe, which is not hit while another one is being handled on
 * the same CPU, no event is lost: the callback asks for no recursion protection
 * of the tracer's (which drops what it takes for recursion), because nothing
 * that it calls enters a watched function.
 */
#include <linux/ftrace.h>
#include <linux/ptrace.h>
#include <linux/version.h>

#include <compat/ftrace.h>

static void run(struct ftrace_ops *ops, struct pt_regs *regs)
{
	struct mw_watch *watch = container_of(ops, struct mw_watch, ops);

	watch->entered(regs_get_kernel_argument(regs, 0),
		       regs_get_kernel_argument(regs, 1));
}

/*
 * In 5.11 callbacks got a structure of the tracer's own, and those that need
 * protection against recursion had to begin to ask for it, where before those
 * that need none had to say so.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define WATCH_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct pt_regs *regs)
{
	run(ops, regs);
}
#else
#define WATCH_FLAGS	FTRACE_OPS_FL_SAVE_REGS

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	run(ops, ftrace_get_regs(fregs));
}
#endif

/**
 * mw_watch_attach() - run something whenever a function is entered
 * @watch:   the watcher's, zeroed, in use until it is detached
 * @addr:    the function
 * @entered: what to run; in any context, with preemption on or off
 *
 * Context: process, may sleep.
 * Return: 0 or an error of the tracer's.
 */
int mw_watch_attach(struct mw_watch *watch, unsigned long addr,
		    mw_entered_fn entered)
{
	int ret;

	watch->addr = addr;
	watch->entered = entered;
	watch->ops.func = callback;
	watch->ops.flags = WATCH_FLAGS;
	ret = ftrace_set_filter_ip(&watch->ops, addr, 0, 0);
	if (ret)
		return ret;
	ret = register_ftrace_function(&watch->ops);
	if (ret)
		ftrace_set_filter_ip(&watch->ops, addr, 1, 0);
	return ret;
}

/**
 * mw_watch_detach() - undo mw_watch_attach()
 * @watch: the watcher's; may be used again
 *
 * Unregisters first: an ops whose filter is emptied while it is registered
 * traces every function.
 *
 * Context: process, may sleep.  When it returns the callback runs nowhere.
 */
void mw_watch_detach(struct mw_watch *watch)
{
	unregister_ftrace_function(&watch->ops);
	/* the last address out frees the filter */
	ftrace_set_filter_ip(&watch->ops, watch->addr, 1, 0);
	memset(watch, 0, sizeof(*watch));
}
