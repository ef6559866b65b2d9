/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_DIVERT_H
#define COMPAT_DIVERT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/wait.h>

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

/**
 * struct mw_passage - where those go who were diverted, and from where they return to the kernel
 * @inside: tasks there
 * @closed: nobody is to begin anything there any more
 * @left:   to wait until there is nobody
 */
struct mw_passage {
	atomic_t inside;
	bool closed;
	wait_queue_head_t left;
};

#define MW_PASSAGE(name) \
	struct mw_passage name = { .left = __WAIT_QUEUE_HEAD_INITIALIZER((name).left) }

bool mw_passage_enter(struct mw_passage *passage);
void mw_passage_leave(struct mw_passage *passage);
void mw_passage_close(struct mw_passage *passage);
void mw_passage_open(struct mw_passage *passage);

static inline bool mw_passage_is_closed(struct mw_passage *passage)
{
	return READ_ONCE(passage->closed);
}

int mw_divert_start(unsigned long addr, mw_divert_fn wanted, void *to);
void mw_divert_stop(unsigned long addr);

#endif
