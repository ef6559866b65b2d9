/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FTRACE_H
#define COMPAT_FTRACE_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct ftrace_ops;

/**
 * typedef mw_entered_fn - runs when a function is entered
 * @regs: hold its arguments, see mw_arg()
 *
 * In any context, with preemption on or off.
 */
typedef void (*mw_entered_fn)(struct pt_regs *regs);

/** mw_arg() - argument number @nr, from 0, of a function that is being entered */
static __always_inline unsigned long mw_arg(struct pt_regs *regs, unsigned int nr)
{
	return regs_get_kernel_argument(regs, nr);
}

int mw_watch_add(unsigned long addr, mw_entered_fn entered);
int mw_watch_start(void);
void mw_watch_stop(void);
bool mw_ftrace_leave(struct ftrace_ops *ops, bool *stopped);

#endif
