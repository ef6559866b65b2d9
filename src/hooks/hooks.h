/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_HOOKS_H
#define MEMWARD_HOOKS_H

#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * enum mw_hit - hooks that count how often they run, by feature
 */
enum mw_hit {
	MW_HIT_FORK,
	MW_HIT_EXIT,
	MW_HIT_UNCHARGE,
	MW_HIT_UNCHARGE_BATCH,
	MW_HIT_MIGRATE,
	MW_HIT_REPLACE,
	MW_HIT_COLLAPSE,
	MW_HIT_CHARGE,
	MW_HIT_SWAPIN,
	MW_HIT_REFAULT,
	MW_HIT_REFERENCED,
	MW_HIT_SHRINK,
	MW_HIT_SWAPOUT,
	MW_HIT_SWAPALONE,
	MW_HIT_SWAPFREE,
	MW_NR_HITS,
};

DECLARE_PER_CPU(unsigned long [MW_NR_HITS], mw_hits);

static __always_inline void mw_hit(enum mw_hit hit)
{
	this_cpu_inc(mw_hits[hit]);
}

/**
 * enum mw_attach - how a hook is attached
 * @MW_BY_LIVEPATCH:  replaces the function, and calls it
 * @MW_BY_FTRACE:     looks on when the function is entered
 * @MW_BY_TRACEPOINT: looks on at a tracepoint
 * @MW_COVERED:       nothing to attach: on kernels with this function and none
 *                    of the feature's others, another hook does the work
 */
enum mw_attach {
	MW_BY_LIVEPATCH,
	MW_BY_FTRACE,
	MW_BY_TRACEPOINT,
	MW_COVERED,
};

/**
 * struct mw_hook - a row of the hook table
 * @feature:  what it is for; rows of one feature are alternatives, of which a
 *            kernel has one
 * @symbol:   function or tracepoint
 * @proto:    prototype that @handler was compiled for
 * @how:      how it is attached
 * @required: without it nothing is mounted; any other may be missing
 * @hit:      what @handler counts
 * @handler:  replacement, mw_entered_fn or tracepoint probe
 * @original: for a replacement: directs its call of the original
 */
struct mw_hook {
	const char *feature;
	const char *symbol;
	const char *proto;
	enum mw_attach how;
	bool required;
	enum mw_hit hit;
	void *handler;
	void (*original)(unsigned long addr);
};

/**
 * enum mw_hook_state - what became of a row
 * @MW_HOOK_ABSENT:   the kernel has another alternative
 * @MW_HOOK_READY:    found and verified
 * @MW_HOOK_ATTACHED: in use
 * @MW_HOOK_REFUSED:  not as expected, see @why
 * @MW_HOOK_SHADOWED: attached, but another livepatch of the function came later
 *                    and runs instead; in struct mw_hook_info alone
 * @MW_HOOK_LOST:     attached once, but its livepatch was switched off; likewise
 */
enum mw_hook_state {
	MW_HOOK_ABSENT,
	MW_HOOK_READY,
	MW_HOOK_ATTACHED,
	MW_HOOK_REFUSED,
	MW_HOOK_SHADOWED,
	MW_HOOK_LOST,
};

/**
 * struct mw_hook_info - a row and its state, for memward.status
 * @hook:  the row
 * @state: its state
 * @why:   reason of a refusal, "" otherwise
 * @hits:  how often it ran since the module was loaded
 * @by:    if it is shadowed or lost: the module that did it, "" for none
 */
struct mw_hook_info {
	const struct mw_hook *hook;
	enum mw_hook_state state;
	const char *why;
	unsigned long hits;
	char by[MODULE_NAME_LEN];
};

int mw_hooks_attach(void);
void mw_hooks_detach(void);
void mw_hooks_forget(void);
bool mw_hook_info(unsigned int row, struct mw_hook_info *info);

#endif
