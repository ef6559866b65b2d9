// SPDX-License-Identifier: GPL-2.0
/*
 * Takes memory as an interrupt does: without reclaiming any itself, so that kswapd
 * is all there is to make room.
 */
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/swap.h>

static LIST_HEAD(taken);
static unsigned long leave = ULONG_MAX;

static bool take_one(void)
{
	struct page *page = alloc_page(GFP_NOWAIT | __GFP_NOWARN);

	if (page)
		list_add(&page->lru, &taken);
	return page;
}

static int set_leave(const char *text, const struct kernel_param *param)
{
	int err = param_set_ulong(text, param);

	while (!err && nr_free_pages() > leave && take_one())
		cond_resched();
	return err;
}

static const struct kernel_param_ops leave_ops = {
	.set = set_leave,
	.get = param_get_ulong,
};
module_param_cb(leave, &leave_ops, &leave, 0644);
MODULE_PARM_DESC(leave, "write it, and all but so many free pages are taken");

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

MODULE_DESCRIPTION("takes memory without reclaiming any, for memward's tests");
MODULE_LICENSE("GPL");
