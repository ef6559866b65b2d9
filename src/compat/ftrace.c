// SPDX-License-Identifier: GPL-2.0
/*
 * Looking on when a function of the kernel is entered.
 *
 * DOC: All functions share one ftrace_ops, because registering and unregistering
 * one waits for every task of the machine, and each would wait by itself.
 *
 * Unlike a kprobe, which is not hit while another one is being handled on the
 * same CPU, no event is lost: the callback asks for no recursion protection of
 * the tracer's (which drops what it takes for recursion), because nothing that
 * it calls enters a watched function.  It is permanent in the tracer's sense:
 * kernel.ftrace_enabled cannot be switched off under it.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <compat/features.h>
#include <compat/ftrace.h>

#define MAX_WATCHED	20
/* the tracer's address is that of the function, or behind its endbr64 */
#define ENTRY_SIZE	8

/**
 * struct watched - a function that is looked at
 * @addr:    where it begins
 * @entered: what to run
 */
struct watched {
	unsigned long addr;
	mw_entered_fn entered;
};

static struct watched watched[MAX_WATCHED];
static unsigned int nr_watched;
/* the tracer has not let go of watch_ops: see mw_watch_stop() */
static bool stopped;

static void run(unsigned long ip, struct pt_regs *regs)
{
	unsigned int i;

	if (unlikely(READ_ONCE(stopped)))
		return;
	for (i = 0; i < nr_watched; i++) {
		if (ip - watched[i].addr >= ENTRY_SIZE)
			continue;
		watched[i].entered(regs);
		return;
	}
}

/*
 * In 5.11 callbacks got a structure of the tracer's own, and those that need
 * protection against recursion had to begin to ask for it, where before those
 * that need none had to say so.
 */
#if !MW_HAVE_FTRACE_REGS
#define NO_PROTECTION	FTRACE_OPS_FL_RECURSION_SAFE

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct pt_regs *regs)
{
	run(ip, regs);
}
#else
#define NO_PROTECTION	0

static void callback(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	run(ip, ftrace_get_regs(fregs));
}
#endif

static struct ftrace_ops watch_ops = {
	.func = callback,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
		 NO_PROTECTION,
};

/**
 * mw_ftrace_leave() - have the tracer let go of an ops
 * @ops:     registered
 * @stopped: tells its callback to do nothing; set if it goes on to be called
 *
 * Context: process, may sleep.
 * Return: true, and no callback runs any more; or false, if the tracer is broken, which it says
 * of itself: then the module stays.
 */
bool mw_ftrace_leave(struct ftrace_ops *ops, bool *stopped)
{
	int ret = unregister_ftrace_function(ops);

	if (!ret)
		return true;
	pr_err("memward: the tracer does not let go (error %d): memward can be neither unloaded nor mounted again until the machine is booted\n",
	       ret);
	WRITE_ONCE(*stopped, true);
	synchronize_rcu();
	__module_get(THIS_MODULE);
	return false;
}

static void forget_all(void)
{
	/* the last address out frees the filter */
	while (nr_watched--)
		ftrace_set_filter_ip(&watch_ops, watched[nr_watched].addr, 1, 0);
	nr_watched = 0;
}

/**
 * mw_watch_add() - name a function to look at
 * @addr:    the function
 * @entered: what to run whenever it is entered
 *
 * Context: process, may sleep; before mw_watch_start().
 * Return: 0, or an error of the tracer's with nothing watched at all; -ENODEV if it has not
 * let go of what was watched before.
 */
int mw_watch_add(unsigned long addr, mw_entered_fn entered)
{
	int ret = -ENOSPC;

	/* its filter stays as it is: an empty one is one of all functions */
	if (stopped)
		return -ENODEV;
	if (nr_watched < MAX_WATCHED)
		ret = ftrace_set_filter_ip(&watch_ops, addr, 0, 0);
	if (ret) {
		forget_all();
		return ret;
	}
	watched[nr_watched++] = (struct watched){ addr, entered };
	return 0;
}

/**
 * mw_watch_start() - look at all that was named
 *
 * Context: process, may sleep.
 * Return: 0, or an error of the tracer's with nothing watched at all.
 */
int mw_watch_start(void)
{
	int ret = register_ftrace_function(&watch_ops);

	if (ret == -EBUSY)
		pr_err("memward: the kernel's tracer is switched off: sysctl kernel.ftrace_enabled=1\n");
	if (ret)
		forget_all();
	return ret;
}

/**
 * mw_watch_stop() - undo mw_watch_start()
 *
 * Unregisters first: an ops whose filter is emptied while it is registered
 * traces every function.
 *
 * Context: process, may sleep.  When it returns the callback does nothing any more, see
 * mw_ftrace_leave().
 */
void mw_watch_stop(void)
{
	if (mw_ftrace_leave(&watch_ops, &stopped))
		forget_all();
}
