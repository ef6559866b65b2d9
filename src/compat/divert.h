/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_DIVERT_H
#define COMPAT_DIVERT_H

#include <linux/types.h>

struct pt_regs;

/* how many functions some are diverted from, at the most */
#define MW_MAX_DIVERSIONS	3

/**
 * typedef mw_divert_fn - is who enters the function to be diverted?
 * @regs: hold its arguments, see mw_arg()
 *
 * In the context of the function, perhaps with preemption off.
 */
typedef bool (*mw_divert_fn)(struct pt_regs *regs);

int mw_divert_start(unsigned long addr, mw_divert_fn wanted, void *to);
void mw_divert_stop(unsigned long addr);

#endif
