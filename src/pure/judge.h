/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PURE_JUDGE_H
#define PURE_JUDGE_H

#include <linux/types.h>

#include <pure/btf.h>

struct pt_regs;

/*
 * Is a kernel what memward expects?  Judged by the module before it attaches to the
 * kernel that runs, and by scripts/canary of kernels that do not.
 */

/**
 * struct mw_sym - a name looked up among the kernel's symbols
 * @name:  exact name
 * @addr:  its address, if @nr is 1
 * @nr:    how many symbols of the kernel proper have this name; for a tracepoint
 *         1 if the kernel has it
 * @clone: an optimised clone of it exists (name.isra.0 and the like)
 */
struct mw_sym {
	const char *name;
	unsigned long addr;
	unsigned int nr;
	bool clone;
};

/**
 * struct mw_call - a function that memward calls, a row of compat/calls.h
 * @symbol: its name
 * @proto:  the prototype that the call was compiled for
 * @set:    directs the static call
 * @needed: does this build call it?
 */
struct mw_call {
	const char *symbol;
	const char *proto;
	void (*set)(unsigned long addr);
	bool needed;
};

/**
 * struct mw_size - a structure of which memward has to know the size, likewise
 * @name:   of the structure
 * @size:   filled in from the kernel's type data before anything attaches
 * @needed: does this build use it?
 */
struct mw_size {
	const char *name;
	unsigned int *size;
	bool needed;
};

/**
 * enum mw_attach - how a hook is attached
 * @MW_BY_LIVEPATCH:  replaces the function, and calls it
 * @MW_BY_FTRACE:     looks on when the function is entered
 * @MW_BY_DIVERSION:  replaces the function for some of those who enter it, and calls it
 * @MW_BY_TRACEPOINT: looks on at a tracepoint
 * @MW_BY_DEMAND:     likewise, while there is something to look at
 * @MW_BY_DEMAND_V1:  likewise, while it is in a hierarchy of cgroup v1
 * @MW_COVERED:       nothing to attach: on kernels with this function and none
 *                    of the feature's others, another hook does the work
 */
enum mw_attach {
	MW_BY_LIVEPATCH,
	MW_BY_FTRACE,
	MW_BY_DIVERSION,
	MW_BY_TRACEPOINT,
	MW_BY_DEMAND,
	MW_BY_DEMAND_V1,
	MW_COVERED,
};

/** mw_is_at_tracepoint() - is a hook attached to a tracepoint? */
static inline bool mw_is_at_tracepoint(enum mw_attach how)
{
	return how == MW_BY_TRACEPOINT || how == MW_BY_DEMAND || how == MW_BY_DEMAND_V1;
}

/**
 * struct mw_hook - a row of the hook table
 * @feature:  what it is for; rows of one feature are alternatives, of which a
 *            kernel has one
 * @symbol:   function or tracepoint
 * @proto:    prototype that @handler was compiled for
 * @how:      how it is attached
 * @required: without it nothing is mounted; any other may be missing
 * @hit:      what @handler counts, an enum mw_hit
 * @handler:  replacement, mw_entered_fn or tracepoint probe
 * @original: for a replacement: directs its call of the original
 * @diverts:  for a diversion: whom it is for
 * @without:  for one: what is not as it should be without it, for people
 */
struct mw_hook {
	const char *feature;
	const char *symbol;
	const char *proto;
	enum mw_attach how;
	bool required;
	unsigned int hit;
	void *handler;
	void (*original)(unsigned long addr);
	bool (*diverts)(struct pt_regs *regs);
	const char *without;
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

struct tracepoint;

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

/**
 * struct mw_judge - memward's tables, and the kernel that they are compared with
 * @btf:       the kernel's type data, indexed
 * @hooks:     the hook table
 * @hook_syms: of each of its rows what the kernel has of that name
 * @rows:      what becomes of each
 * @nr_hooks:  number of rows
 * @calls:     functions that memward calls
 * @call_syms: of each what the kernel has of that name
 * @nr_calls:  their number
 * @sizes:     structures of which memward has to know the size
 * @nr_sizes:  their number
 */
struct mw_judge {
	const struct mw_btf *btf;
	const struct mw_hook *hooks;
	const struct mw_sym *hook_syms;
	struct mw_hook_row *rows;
	unsigned int nr_hooks;
	const struct mw_call *calls;
	const struct mw_sym *call_syms;
	unsigned int nr_calls;
	const struct mw_size *sizes;
	unsigned int nr_sizes;
};

void mw_sym_match(struct mw_sym *sym, const char *name, unsigned long addr);
unsigned int mw_judge_calls(const struct mw_judge *judge);
unsigned int mw_judge_sizes(const struct mw_judge *judge);
void mw_judge_hooks(const struct mw_judge *judge);
int mw_judge_entries(const struct mw_judge *judge,
		     int (*find)(unsigned int row));
unsigned int mw_judge_report(const struct mw_judge *judge);
void mw_row_refuse(struct mw_hook_row *row, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void mw_row_reset(struct mw_hook_row *row);

#endif
