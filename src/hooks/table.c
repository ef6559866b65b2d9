// SPDX-License-Identifier: GPL-2.0
/* The hook table; its rows are in rows.h. */
#include <linux/kernel.h>

#include <hooks/hooks.h>
#include <hooks/table.h>
#include <hooks/wrap.h>

#define MW_HOOK(feature, symbol, proto, how, required, ...)		\
	{ feature, symbol, proto, how, required, __VA_ARGS__ },
const struct mw_hook mw_hook_table[] = {
#include <hooks/rows.h>
};
static_assert(ARRAY_SIZE(mw_hook_table) <= MW_MAX_HOOKS);
const unsigned int mw_hook_count = ARRAY_SIZE(mw_hook_table);
