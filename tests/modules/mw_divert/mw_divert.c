// SPDX-License-Identifier: GPL-2.0
/*
 * Who enters a function of the kernel or of memward finds nothing done, or done
 * later: for allocations that fail, and for disks that hang.
 *
 * It sleeps, where mw_pause keeps its processor: so RCU gets on meanwhile, and a
 * kernel thread can be held that nobody knows by its number.
 *
 * The tracer's own functions cannot be traced.  A call of one, by a module that is
 * named, is diverted by a breakpoint.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/version.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function, of up to six arguments, none of them on the stack");

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "whose process enters it; 0: anybody's; -1: a kernel thread; -2: nobody's");

static int pass;
module_param(pass, int, 0444);
MODULE_PARM_DESC(pass, "so many of these entries are left alone before");

static bool later;
module_param(later, bool, 0444);
MODULE_PARM_DESC(later, "it waits until @pid is another; otherwise the function returns @ret at once");

static int ret;
module_param(ret, int, 0444);
MODULE_PARM_DESC(ret, "an error; 0 is also NULL");

static char *from;
module_param(from, charp, 0444);
MODULE_PARM_DESC(from, "the module that calls it: so it may be a function of the tracer's; not with @later");

static bool nothing;
module_param(nothing, bool, 0644);
MODULE_PARM_DESC(nothing, "written with @later: who waits goes on and finds nothing done, as all do from then on");

/* a test that forgets it must not take the machine with it */
static uint longest = 20;
module_param(longest, uint, 0444);
MODULE_PARM_DESC(longest, "he goes on by himself after so many seconds");

static bool held;
module_param(held, bool, 0444);
MODULE_PARM_DESC(held, "somebody waits (read it)");

static bool late;
module_param(late, bool, 0444);
MODULE_PARM_DESC(late, "he went on by himself, as nobody let him go (read it)");

static ulong times;
module_param(times, ulong, 0444);
MODULE_PARM_DESC(times, "how often it was like this (read it)");

static atomic_t inside;

static unsigned long none(unsigned long a, unsigned long b, unsigned long c,
			  unsigned long d, unsigned long e, unsigned long f)
{
	return 0;
}
/* not a pointer: a function that is not exported may be sealed against that */
DEFINE_STATIC_CALL(original, none);

static bool is_wanted(void)
{
	int whom = READ_ONCE(pid);

	return !whom || whom == current->tgid || (whom == -1 && current->flags & PF_KTHREAD);
}

static unsigned long return_nothing(void)
{
	WRITE_ONCE(times, times + 1);
	return ret;
}

static void wait(void)
{
	unsigned long end = jiffies + longest * HZ;

	WRITE_ONCE(held, true);
	while (is_wanted() && !READ_ONCE(nothing)) {
		schedule_timeout_uninterruptible(1);
		/* nor is he held again: the test is to see that he went on */
		if (time_after(jiffies, end)) {
			WRITE_ONCE(late, true);
			WRITE_ONCE(pid, -2);
		}
	}
	WRITE_ONCE(held, false);
}

static unsigned long call_later(unsigned long a, unsigned long b, unsigned long c,
				unsigned long d, unsigned long e, unsigned long f)
{
	unsigned long result = 0;

	atomic_inc(&inside);
	WRITE_ONCE(times, times + 1);
	wait();
	if (!READ_ONCE(nothing))
		result = static_call(original)(a, b, c, d, e, f);
	atomic_dec(&inside);
	return result;
}

static void divert(unsigned long parent_ip, struct pt_regs *regs)
{
	/* it is called from here */
	if (within_module(parent_ip, THIS_MODULE) || !is_wanted())
		return;
	if (pass > 0) {
		pass--;
		return;
	}
	instruction_pointer_set(regs, later && !READ_ONCE(nothing) ?
					      (unsigned long)call_later :
					      (unsigned long)return_nothing);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define NO_PROTECTION	FTRACE_OPS_FL_RECURSION_SAFE

static void callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct pt_regs *regs)
{
	divert(parent_ip, regs);
}
#else
#define NO_PROTECTION	0

static void callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs)
{
	divert(parent_ip, ftrace_get_regs(fregs));
}
#endif

static struct ftrace_ops divert_ops = {
	.func = callback,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY | NO_PROTECTION,
};

/* Context: as the function is entered. */
static bool is_called_from(const char *module, struct pt_regs *regs)
{
	char text[KSYM_SYMBOL_LEN], *name;
	size_t len = strlen(module);

	/* function+0x1/0x2 [module] */
	sprint_symbol(text, *(unsigned long *)regs->sp);
	name = strchr(text, '[');
	return name && !strncmp(name + 1, module, len) && name[len + 1] == ']';
}

static int hit(struct kprobe *unused, struct pt_regs *regs)
{
	if (!is_wanted() || !is_called_from(from, regs))
		return 0;
	instruction_pointer_set(regs, (unsigned long)return_nothing);
	return 1;
}

/* without it the breakpoint may become a jump, which cannot be diverted */
static void after(struct kprobe *unused, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe call = { .pre_handler = hit, .post_handler = after };

static int __init divert_init(void)
{
	struct kprobe probe = { .symbol_name = symbol };
	int err;

	if (!symbol || (from && later))
		return -EINVAL;
	if (from) {
		call.symbol_name = symbol;
		return register_kprobe(&call);
	}
	/* this is the way to ask for an address */
	err = register_kprobe(&probe);
	if (err)
		return err;
	unregister_kprobe(&probe);
	static_call_update(original, (typeof(&none))probe.addr);
	err = ftrace_set_filter(&divert_ops, symbol, strlen(symbol), 0);
	return err ?: register_ftrace_function(&divert_ops);
}

static void __exit divert_exit(void)
{
	WRITE_ONCE(pid, -2);
	if (from) {
		unregister_kprobe(&call);
		synchronize_rcu_tasks();
		return;
	}
	unregister_ftrace_function(&divert_ops);
	/* nothing else frees it */
	ftrace_set_filter(&divert_ops, NULL, 0, 1);
	/* who has been sent here has come, and left again */
	do {
		msleep(20);
	} while (atomic_read(&inside));
	synchronize_rcu_tasks();
}

module_init(divert_init);
module_exit(divert_exit);

MODULE_DESCRIPTION("has functions of the kernel fail or wait, for memward's tests");
MODULE_LICENSE("GPL");
