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
/* what somebody who has come to @until may get done, if nothing keeps him */
#define A_WHILE	(100 * NSEC_PER_MSEC)

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function");

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "the process that stops; another one, or 0, and it goes on");

static int second = -1;
module_param(second, int, 0444);
MODULE_PARM_DESC(second, "only where the function's second argument is this; -1: any");

static char *until;
module_param(until, charp, 0444);
MODULE_PARM_DESC(until, "it goes on a tenth of a second after somebody has entered this function meanwhile, who may need its processor's locks");

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

/* when somebody came to @until while it was held; 0: nobody has */
static u64 met;

static bool is_enough(void)
{
	u64 at = READ_ONCE(met);

	return at && ktime_get_mono_fast_ns() - at > A_WHILE;
}

static void stop(void)
{
	u64 start = ktime_get_mono_fast_ns();

	WRITE_ONCE(held, true);
	while (is_wanted()) {
		cpu_relax();
		if (is_enough())
			WRITE_ONCE(pid, 0);
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
	if (is_wanted() && (second < 0 || (int)regs->si == second))
		stop();
	return 0;
}
static struct kprobe probe = { .pre_handler = enters };

static int comes(struct kprobe *unused, struct pt_regs *regs)
{
	if (READ_ONCE(held) && !is_wanted() && !READ_ONCE(met))
		WRITE_ONCE(met, ktime_get_mono_fast_ns());
	return 0;
}
static struct kprobe other = { .pre_handler = comes };

static int __init pause_init(void)
{
	int err = 0;

	if (!symbol)
		return -EINVAL;
	if (until) {
		other.symbol_name = until;
		err = register_kprobe(&other);
	}
	if (err)
		return err;
	probe.symbol_name = symbol;
	err = register_kprobe(&probe);
	if (err && until)
		unregister_kprobe(&other);
	return err;
}

static void __exit pause_exit(void)
{
	/* who is held would keep the probe from going */
	WRITE_ONCE(pid, 0);
	unregister_kprobe(&probe);
	if (until)
		unregister_kprobe(&other);
}

module_init(pause_init);
module_exit(pause_exit);

MODULE_DESCRIPTION("stops a process in the kernel, for memward's tests");
MODULE_LICENSE("GPL");
