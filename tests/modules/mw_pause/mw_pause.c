// SPDX-License-Identifier: GPL-2.0
/*
 * One process stops where it enters a kernel function, and goes on when it is
 * told to: for races between two steps that are never met otherwise.
 *
 * It stops by turning round in a kprobe, so it keeps its processor, perhaps with
 * interrupts off; the test has the others.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

/* a test that forgets it must not take the machine with it */
#define LONGEST	(20 * NSEC_PER_SEC)

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function");

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "the process that stops; another one, or 0, and it goes on");

static bool held;
module_param(held, bool, 0444);
MODULE_PARM_DESC(held, "it has stopped (read it)");

static bool is_wanted(void)
{
	return READ_ONCE(pid) == task_tgid_nr(current);
}

static int stop(struct kprobe *unused, struct pt_regs *regs)
{
	u64 start;

	if (!is_wanted())
		return 0;
	WRITE_ONCE(held, true);
	start = ktime_get_mono_fast_ns();
	while (is_wanted() && ktime_get_mono_fast_ns() - start < LONGEST)
		cpu_relax();
	WRITE_ONCE(held, false);
	return 0;
}

static struct kprobe probe = { .pre_handler = stop };

static int __init pause_init(void)
{
	probe.symbol_name = symbol;
	return symbol ? register_kprobe(&probe) : -EINVAL;
}

static void __exit pause_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(pause_init);
module_exit(pause_exit);

MODULE_DESCRIPTION("stops a process in the kernel, for memward's tests");
MODULE_LICENSE("GPL");
