/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FTRACE_H
#define COMPAT_FTRACE_H

/**
 * typedef mw_entered_fn - runs when a function is entered
 * @first:  its first argument
 * @second: its second argument, if it has one
 *
 * In any context, with preemption on or off.
 */
typedef void (*mw_entered_fn)(unsigned long first, unsigned long second);

int mw_watch_add(unsigned long addr, mw_entered_fn entered);
int mw_watch_start(void);
void mw_watch_stop(void);

#endif
