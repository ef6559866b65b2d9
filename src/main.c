// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading. Nothing is attached before the first mount. */
#include <linux/module.h>

#include <compat/ksym.h>
#include <compat/livepatch.h>
#include <compat/oom.h>
#include <compat/reclaim.h>
#include <core/charge/hotplug.h>
#include <core/charge/member.h>
#include <core/life/lifecycle.h>
#include <core/pages/chunk.h>
#include <core/pages/compact.h>
#include <core/protect/hide.h>
#include <core/reclaim/oom_notifier.h>
#include <core/reclaim/soft.h>
#include <fs/super.h>
#include <hooks/hooks.h>

static int __init memward_init(void)
{
	int ret;

	ret = mw_ksym_init();
	if (ret)
		return ret;
	ret = mw_livepatch_init();
	if (ret)
		return ret;
	ret = mw_oom_compat_init();
	if (ret)
		return ret;
	mw_reclaim_compat_init();
	ret = mw_chunk_init();
	if (ret)
		return ret;
	ret = mw_compact_init();
	if (ret)
		goto err_chunk;
	ret = mw_group_init();
	if (ret)
		goto err_compact;
	ret = mw_member_init();
	if (ret)
		goto err_group;
	ret = mw_hotplug_init();
	if (ret)
		goto err_member;
	ret = mw_soft_init();
	if (ret)
		goto err_hotplug;
	ret = mw_yield_init();
	if (ret)
		goto err_soft;
	ret = mw_hide_init();
	if (ret)
		goto err_yield;
	ret = mw_fs_init();
	if (ret)
		goto err_hide;
	return 0;

err_hide:
	mw_hide_exit();
err_yield:
	mw_yield_exit();
err_soft:
	mw_soft_exit();
err_hotplug:
	mw_hotplug_exit();
err_member:
	mw_member_exit_all();
err_group:
	mw_group_exit();
err_compact:
	mw_compact_exit();
err_chunk:
	mw_chunk_exit();
	return ret;
}

static void __exit memward_exit(void)
{
	mw_fs_exit();
	mw_hide_exit();
	mw_yield_exit();
	mw_soft_exit();
	mw_hotplug_exit();
	mw_member_exit_all();
	mw_group_exit();
	mw_compact_exit();
	mw_chunk_exit();
	mw_hooks_forget();
}

module_init(memward_init);
module_exit(memward_exit);

MODULE_DESCRIPTION("memory controller for stock kernels");
MODULE_AUTHOR("The memward developers");
MODULE_VERSION(MW_VERSION);
MODULE_LICENSE("GPL");
/* it carries a livepatch, and the kernel wants to know */
MODULE_INFO(livepatch, "Y");
