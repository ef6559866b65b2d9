// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading. Nothing is attached before the first mount. */
#include <linux/module.h>

#include <fs/super.h>
#include <parts.h>

static int __init memward_init(void)
{
	int ret = mw_parts_init();

	if (ret)
		return ret;
	ret = mw_fs_init();
	if (ret)
		mw_parts_exit();
	return ret;
}

static void __exit memward_exit(void)
{
	mw_fs_exit();
	mw_parts_exit();
}

module_init(memward_init);
module_exit(memward_exit);

MODULE_DESCRIPTION("memory controller for stock kernels");
MODULE_AUTHOR("The memward developers");
MODULE_VERSION(MW_VERSION);
MODULE_LICENSE("GPL");
/* it carries a livepatch, and the kernel wants to know */
MODULE_INFO(livepatch, "Y");
