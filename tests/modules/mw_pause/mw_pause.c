// SPDX-License-Identifier: GPL-2.0
/*
 * One process stops where it enters a kernel function, and goes on when it is
 * told to: for races between two steps that are never met otherwise.
 *
 * It stops by turning round in a probe, so it keeps its processor; the test has
 * the others.  There is no way to stop where a function is left: 5.10 runs the
 * handler of a kretprobe under one of 64 spin locks, chosen by a hash of the
 * task, and each task that has died needs that of its own hash
 * (kprobe_flush_task()), so one of 64 takes another processor with it.
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

static bool late;
module_param(late, bool, 0444);
MODULE_PARM_DESC(late, "it went on by itself, as nobody let it go (read it)");

static bool is_wanted(void)
{
	return READ_ONCE(pid) == task_tgid_nr(current);
}

static void stop(void)
{
	u64 start = ktime_get_mono_fast_ns();

	WRITE_ONCE(held, true);
	while (is_wanted()) {
		cpu_relax();
		/* nor is it held again: the test is to see that it went on */
		if (ktime_get_mono_fast_ns() - start > LONGEST) {
			WRITE_ONCE(late, true);
			WRITE_ONCE(pid, 0);
		}
	}
	WRITE_ONCE(held, false);
}

static int enters(struct kprobe *unused, struct pt_regs *regs)
{
	if (is_wanted())
		stop();
	return 0;
}
static struct kprobe probe = { .pre_handler = enters };

static int __init pause_init(void)
{
	if (!symbol)
		return -EINVAL;
	probe.symbol_name = symbol;
	return register_kprobe(&probe);
}

static void __exit pause_exit(void)
{
	/* who is held would keep the probe from going */
	WRITE_ONCE(pid, 0);
	unregister_kprobe(&probe);
}

module_init(pause_init);
module_exit(pause_exit);

MODULE_DESCRIPTION("stops a process in the kernel, for memward's tests");
MODULE_LICENSE("GPL");
