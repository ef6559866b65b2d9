/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOOKS_TABLE_H
#define HOOKS_TABLE_H

#include <hooks/hooks.h>

#define MW_MAX_HOOKS	72

extern const struct mw_hook mw_hook_table[];
extern const unsigned int mw_hook_count;
extern struct mw_hook_row mw_hook_rows[MW_MAX_HOOKS];

int mw_hooks_verify(void);
unsigned long mw_hits_read(enum mw_hit hit);

#endif
