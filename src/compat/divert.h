/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_DIVERT_H
#define COMPAT_DIVERT_H

#include <linux/types.h>

/**
 * typedef mw_divert_fn - is who enters the function to be diverted?
 *
 * In the context of the function, perhaps with preemption off.
 */
typedef bool (*mw_divert_fn)(void);

int mw_divert_start(unsigned long addr, mw_divert_fn wanted, void *to);
void mw_divert_stop(void);

#endif
