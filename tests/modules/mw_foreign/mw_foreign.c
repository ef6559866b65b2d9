// SPDX-License-Identifier: GPL-2.0
/*
 * Somebody else's livepatch, for tests/vm/neighbours.sh: replaces one function
 * by one that counts and goes on with the original, past its fentry call.
 *
 * Arguments go through as four words, which is all that the functions in
 * question have, and so does what comes back.
 */
#include <linux/kprobes.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/static_call.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function to replace");

static bool all;
module_param(all, bool, 0444);
MODULE_PARM_DESC(all, "replace every other livepatch too");

static unsigned long hits;
module_param(hits, ulong, 0444);
MODULE_PARM_DESC(hits, "how often the replacement ran (read it)");

static long nothing(long a, long b, long c, long d)
{
	return 0;
}
DEFINE_STATIC_CALL(foreign_original, nothing);

static long replacement(long a, long b, long c, long d)
{
	WRITE_ONCE(hits, READ_ONCE(hits) + 1);
	return static_call(foreign_original)(a, b, c, d);
}

static struct klp_func funcs[] = {
	{ .new_func = replacement },
	{ }
};

static struct klp_object objs[] = {
	{ .funcs = funcs },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objs };

static int __init foreign_init(void)
{
	struct kprobe probe = { .symbol_name = symbol };
	int ret = symbol ? register_kprobe(&probe) : -EINVAL;

	if (ret)
		return ret;
	unregister_kprobe(&probe);
	static_call_update(foreign_original,
			   (typeof(&nothing))(probe.addr + MCOUNT_INSN_SIZE));
	funcs[0].old_name = symbol;
	patch.replace = all;
	return klp_enable_patch(&patch);
}

/* only after the patch was disabled through sysfs */
static void __exit foreign_exit(void)
{
}

module_init(foreign_init);
module_exit(foreign_exit);

MODULE_DESCRIPTION("another livepatch, for memward's tests");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
