// SPDX-License-Identifier: GPL-2.0
/*
 * Is each function of a kernel what memward was compiled for?
 *
 * DOC: For every row of the hook table, and for every function that memward
 * calls, the symbol must exist once and its prototype in the kernel's own type
 * data must be the expected one, letter by letter.  A stable update that changes
 * a function under an unchanged name is refused, not called.
 *
 * Everything that is not as expected is named, a line each, before anybody
 * decides: who has to make memward run on a new kernel wants to know it all.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <pure/judge.h>

#define PROTO_MAX	200

/**
 * mw_sym_match() - note that the kernel has a symbol, if it is the wanted one
 * @sym:  what is wanted, and what was found of it so far
 * @name: a symbol of the kernel proper
 * @addr: its address
 */
void mw_sym_match(struct mw_sym *sym, const char *name, unsigned long addr)
{
	size_t len;

	if (name[0] != sym->name[0])
		return;
	len = strlen(sym->name);
	if (strncmp(name, sym->name, len))
		return;
	if (!name[len]) {
		sym->addr = addr;
		sym->nr++;
	} else if (name[len] == '.' && strncmp(&name[len], ".cold", 5)) {
		sym->clone = true;
	}
}

/* --- functions that memward calls --- */

static bool is_callable(const struct mw_call *call, const struct mw_sym *sym,
			const struct mw_btf *btf)
{
	char found[PROTO_MAX];
	int ret;

	if (sym->nr != 1) {
		pr_err("memward: cannot call %s: %u symbols of this name, expected one\n",
		       call->symbol, sym->nr);
		return false;
	}
	ret = mw_btf_func_proto(btf, call->symbol, found, sizeof(found));
	if (ret || strcmp(found, call->proto)) {
		pr_err("memward: cannot call %s: expected prototype \"%s\", found \"%s\"\n",
		       call->symbol, call->proto, ret ? "none" : found);
		return false;
	}
	return true;
}

/**
 * mw_judge_calls() - can every function be called that memward calls?
 * @judge: tables and kernel
 *
 * Return: how many cannot; each has a line in the log.
 */
unsigned int mw_judge_calls(const struct mw_judge *judge)
{
	unsigned int i, bad = 0;

	for (i = 0; i < judge->nr_calls; i++)
		if (judge->calls[i].needed &&
		    !is_callable(&judge->calls[i], &judge->call_syms[i],
				 judge->btf))
			bad++;
	return bad;
}

/**
 * mw_judge_sizes() - find out the sizes of structures
 * @judge: tables and kernel; the sizes are filled in
 *
 * Return: how many are not known; each has a line in the log.
 */
unsigned int mw_judge_sizes(const struct mw_judge *judge)
{
	unsigned int i, bad = 0;

	for (i = 0; i < judge->nr_sizes; i++) {
		const struct mw_size *size = &judge->sizes[i];

		if (!size->needed)
			continue;
		*size->size = mw_btf_struct_size(judge->btf, size->name);
		if (*size->size)
			continue;
		pr_err("memward: the kernel has no struct %s\n", size->name);
		bad++;
	}
	return bad;
}

/* --- hooks --- */

/**
 * mw_row_refuse() - nothing is to be attached here
 * @row: the row
 * @fmt: why, for people
 *
 * Context: may sleep.
 */
void mw_row_refuse(struct mw_hook_row *row, const char *fmt, ...)
{
	va_list args;

	row->state = MW_HOOK_REFUSED;
	kfree(row->why);
	va_start(args, fmt);
	row->why = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
}

/** mw_row_reset() - forget what is known of a row */
void mw_row_reset(struct mw_hook_row *row)
{
	row->state = MW_HOOK_ABSENT;
	kfree(row->why);
	row->why = NULL;
}

static void compare_proto(const struct mw_hook *hook, struct mw_hook_row *row,
			  const struct mw_btf *btf)
{
	char found[PROTO_MAX];
	int ret;

	if (mw_is_at_tracepoint(hook->how))
		ret = mw_btf_trace_proto(btf, hook->symbol, found, sizeof(found));
	else
		ret = mw_btf_func_proto(btf, hook->symbol, found, sizeof(found));
	if (ret || strcmp(found, hook->proto))
		mw_row_refuse(row, "expected prototype \"%s\", found \"%s\"",
			      hook->proto, ret ? "none" : found);
	else
		row->state = MW_HOOK_READY;
}

static void check_symbol(const struct mw_hook *hook, struct mw_hook_row *row,
			 const struct mw_sym *sym, const struct mw_btf *btf)
{
	mw_row_reset(row);
	if (!sym->nr && !sym->clone)
		return;
	if (sym->clone)
		mw_row_refuse(row, "the compiler made an optimised clone of it");
	else if (sym->nr > 1)
		mw_row_refuse(row, "%u functions have this name", sym->nr);
	else
		compare_proto(hook, row, btf);
	row->addr = sym->addr;
}

/* --- features: of several alternatives, a kernel has one --- */

static bool same_feature(const struct mw_judge *judge, unsigned int a,
			 unsigned int b)
{
	return b < judge->nr_hooks &&
	       !strcmp(judge->hooks[a].feature, judge->hooks[b].feature);
}

/* The row that does a feature's work: a hook before "another one does it". */
static int choose(const struct mw_judge *judge, unsigned int first)
{
	int chosen = -1;
	unsigned int i;

	for (i = first; same_feature(judge, first, i); i++) {
		if (judge->rows[i].state == MW_HOOK_ABSENT)
			continue;
		/* a hook that is there but not as expected is not covered */
		if (judge->hooks[i].how == MW_COVERED && chosen >= 0 &&
		    judge->hooks[chosen].how != MW_COVERED)
			break;
		if (chosen < 0 || judge->rows[chosen].state != MW_HOOK_READY)
			chosen = i;
	}
	return chosen;
}

/* Leaves one row of the feature at most. Return: the first row of the next one. */
static unsigned int keep_chosen(const struct mw_judge *judge, unsigned int first)
{
	int chosen = choose(judge, first);
	unsigned int i;

	for (i = first; same_feature(judge, first, i); i++)
		if ((int)i != chosen)
			mw_row_reset(&judge->rows[i]);
	if (chosen < 0 && judge->hooks[first].required)
		mw_row_refuse(&judge->rows[first], "the kernel does not have it");
	return i;
}

/**
 * mw_judge_hooks() - which row does the work of each feature, if any can?
 * @judge: tables and kernel; the rows are filled in
 *
 * Context: may sleep.
 */
void mw_judge_hooks(const struct mw_judge *judge)
{
	unsigned int i;

	for (i = 0; i < judge->nr_hooks; i++)
		check_symbol(&judge->hooks[i], &judge->rows[i],
			     &judge->hook_syms[i], judge->btf);
	for (i = 0; i < judge->nr_hooks;)
		i = keep_chosen(judge, i);
}

static bool is_entered(const struct mw_judge *judge, unsigned int row)
{
	enum mw_attach how = judge->hooks[row].how;

	return judge->rows[row].state == MW_HOOK_READY &&
	       (how == MW_BY_LIVEPATCH || how == MW_BY_FTRACE ||
		how == MW_BY_DIVERSION);
}

/**
 * mw_judge_entries() - can ftrace attach to each function that it is to attach to?
 * @judge: tables and kernel, judged by mw_judge_hooks()
 * @find:  0 if it can attach to the function of this row; -ENOMEM if that cannot be
 *         said; another error if it cannot
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int mw_judge_entries(const struct mw_judge *judge, int (*find)(unsigned int row))
{
	unsigned int i;
	int ret;

	for (i = 0; i < judge->nr_hooks; i++) {
		if (!is_entered(judge, i))
			continue;
		ret = find(i);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			mw_row_refuse(&judge->rows[i],
				      "not traceable on this kernel");
	}
	return 0;
}

/**
 * mw_judge_report() - a line in the log for each row that was refused
 * @judge: tables and kernel
 *
 * Return: how many of these are required.
 */
unsigned int mw_judge_report(const struct mw_judge *judge)
{
	unsigned int i, bad = 0;

	for (i = 0; i < judge->nr_hooks; i++) {
		const struct mw_hook *hook = &judge->hooks[i];
		const struct mw_hook_row *row = &judge->rows[i];

		if (row->state != MW_HOOK_REFUSED)
			continue;
		pr_err("memward: cannot attach to %s, needed for %s: %s\n",
		       hook->symbol, hook->feature, row->why ?: "");
		bad += hook->required;
	}
	return bad;
}
