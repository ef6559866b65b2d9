// SPDX-License-Identifier: GPL-2.0
/*
 * Takes memory as a driver does: without reclaiming any itself, so that kswapd is all
 * there is to make room, or with flags that say what is to be done for it.
 */
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/static_call.h>
#include <linux/swap.h>
#include <linux/topology.h>

static LIST_HEAD(taken);

static bool take_one(gfp_t gfp)
{
	struct page *page = alloc_page(gfp);

	if (page)
		list_add(&page->lru, &taken);
	return page;
}

/* --- without --- */

static unsigned long leave = ULONG_MAX;

static int set_leave(const char *text, const struct kernel_param *param)
{
	int err = param_set_ulong(text, param);

	while (!err && nr_free_pages() > leave && take_one(GFP_NOWAIT | __GFP_NOWARN))
		cond_resched();
	return err;
}

static const struct kernel_param_ops leave_ops = {
	.set = set_leave,
	.get = param_get_ulong,
};
module_param_cb(leave, &leave_ops, &leave, 0644);
MODULE_PARM_DESC(leave, "write it, and all but so many free pages are taken");

/* --- with --- */

static bool mayfail;
module_param(mayfail, bool, 0644);
MODULE_PARM_DESC(mayfail, "everything is to be tried but to kill somebody (__GFP_RETRY_MAYFAIL)");

static bool noretry;
module_param(noretry, bool, 0644);
MODULE_PARM_DESC(noretry, "a try is to be made (__GFP_NORETRY)");

static bool thisnode;
module_param(thisnode, bool, 0644);
MODULE_PARM_DESC(thisnode, "only what is on this processor's node will do (__GFP_THISNODE)");

static bool nowarn;
module_param(nowarn, bool, 0644);
MODULE_PARM_DESC(nowarn, "and nothing else is as good, too (__GFP_NOWARN)");

static gfp_t flags(void)
{
	return GFP_KERNEL | (mayfail ? __GFP_RETRY_MAYFAIL : 0) |
	       (noretry ? __GFP_NORETRY : 0) | (thisnode ? __GFP_THISNODE : 0) |
	       (nowarn ? __GFP_NOWARN : 0);
}

static unsigned long want;

/* How many it got is what it says then. */
static int set_want(const char *text, const struct kernel_param *param)
{
	unsigned long nr;
	int err = kstrtoul(text, 0, &nr);

	for (want = 0; !err && want < nr && !fatal_signal_pending(current); want++) {
		if (!take_one(flags()))
			break;
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops want_ops = {
	.set = set_want,
	.get = param_get_ulong,
};
module_param_cb(want, &want_ops, &want, 0644);
MODULE_PARM_DESC(want, "write it, and so many pages are asked for; it says how many there were");

/* --- and without any need --- */

static int order;
module_param(order, int, 0644);
MODULE_PARM_DESC(order, "of the block that is reclaimed for");

static unsigned long none(struct zonelist *zonelist, int order, gfp_t gfp, nodemask_t *nodes)
{
	return 0;
}
/* not a pointer: a function that is not exported may be sealed against that */
DEFINE_STATIC_CALL(reclaim, none);

static unsigned long reclaimed;

static int set_reclaim(const char *text, const struct kernel_param *param)
{
	struct kprobe kp = { .symbol_name = "try_to_free_pages" };
	unsigned int noreclaim;
	int err = register_kprobe(&kp);

	if (err)
		return err;
	static_call_update(reclaim, (typeof(&none))kp.addr);
	unregister_kprobe(&kp);
	noreclaim = memalloc_noreclaim_save();
	reclaimed = static_call(reclaim)(node_zonelist(numa_node_id(), flags()), order, flags(), NULL);
	memalloc_noreclaim_restore(noreclaim);
	return 0;
}

static const struct kernel_param_ops reclaim_ops = {
	.set = set_reclaim,
	.get = param_get_ulong,
};
module_param_cb(reclaim, &reclaim_ops, &reclaimed, 0644);
MODULE_PARM_DESC(reclaim, "write it, and it is reclaimed as for one block; it says what came of it");

/* without it the module could not be removed */
static int __init take_init(void)
{
	return 0;
}

static void __exit take_exit(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &taken, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

module_init(take_init);
module_exit(take_exit);

MODULE_DESCRIPTION("takes memory, or asks for some, for memward's tests");
MODULE_LICENSE("GPL");
