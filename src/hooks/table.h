/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOOKS_TABLE_H
#define HOOKS_TABLE_H

#include <hooks/hooks.h>

struct tracepoint;

#define MW_MAX_HOOKS	40

/**
 * struct mw_hook_row - what verification and attaching know about a hook
 * @state: what became of it
 * @why:   reason of a refusal; allocated, NULL for none
 * @addr:  the function
 * @tp:    the tracepoint
 */
struct mw_hook_row {
	enum mw_hook_state state;
	char *why;
	unsigned long addr;
	struct tracepoint *tp;
};

extern const struct mw_hook mw_hook_table[];
extern const unsigned int mw_hook_count;
extern struct mw_hook_row mw_hook_rows[MW_MAX_HOOKS];

int mw_hooks_verify(void);

#endif
