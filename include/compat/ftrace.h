/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FTRACE_H
#define COMPAT_FTRACE_H

#include <linux/ftrace.h>

/**
 * typedef mw_entered_fn - runs when a function is entered
 * @first:  its first argument
 * @second: its second argument, if it has one
 */
typedef void (*mw_entered_fn)(unsigned long first, unsigned long second);

/**
 * struct mw_watch - somebody who looks on when a function is entered
 * @ops:     the tracer's
 * @addr:    the function
 * @entered: what to run
 */
struct mw_watch {
	struct ftrace_ops ops;
	unsigned long addr;
	mw_entered_fn entered;
};

int mw_watch_attach(struct mw_watch *watch, unsigned long addr,
		    mw_entered_fn entered);
void mw_watch_detach(struct mw_watch *watch);

#endif
