// SPDX-License-Identifier: GPL-2.0
/*
 * Before anything attaches: is each function what memward was compiled for?
 *
 * DOC: For every row of the hook table, and for every function that memward
 * calls, the symbol must exist once and its prototype in the kernel's own type
 * data must be the expected one, letter by letter.  A stable update that changes
 * a function under an unchanged name is refused, not called.
 *
 * Done at the first mount; the kernel's text does not change afterwards.
 */
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include <compat/ksym.h>
#include <compat/livepatch.h>
#include <hooks/table.h>
#include <pure/btf.h>

#define PROTO_MAX	200

struct mw_hook_row mw_hook_rows[MW_MAX_HOOKS];

static bool verified;

__printf(2, 3)
static void refuse(struct mw_hook_row *row, const char *fmt, ...)
{
	va_list args;

	row->state = MW_HOOK_REFUSED;
	kfree(row->why);
	va_start(args, fmt);
	row->why = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
}

/* --- the kernel's type data --- */

static int btf_load(struct mw_btf *btf)
{
	const char *start = mw_ksym_data("__start_BTF");
	const char *stop = mw_ksym_data("__stop_BTF");
	u32 *offset;
	int ret;

	if (!start || !stop) {
		pr_err("memward: the kernel has no type data (CONFIG_DEBUG_INFO_BTF), so no prototype can be verified\n");
		return -EOPNOTSUPP;
	}
	ret = mw_btf_open(btf, start, stop - start);
	if (ret) {
		pr_err("memward: the kernel's type data cannot be read\n");
		return -EOPNOTSUPP;
	}
	offset = kvmalloc_array(btf->nr, sizeof(*offset), GFP_KERNEL);
	if (!offset)
		return -ENOMEM;
	return mw_btf_index(btf, offset);
}

/* --- functions that memward calls --- */

static int check_call(const struct mw_call *call, const struct mw_sym *sym,
		      const struct mw_btf *btf)
{
	char found[PROTO_MAX];
	int ret;

	if (!call->needed)
		return 0;
	if (sym->nr != 1) {
		pr_err("memward: %s: %u symbols of this name, expected one\n",
		       call->symbol, sym->nr);
		return -EOPNOTSUPP;
	}
	ret = mw_btf_func_proto(btf, call->symbol, found, sizeof(found));
	if (ret || strcmp(found, call->proto)) {
		pr_err("memward: %s: expected prototype \"%s\", found \"%s\"\n",
		       call->symbol, call->proto, ret ? "none" : found);
		return -EOPNOTSUPP;
	}
	call->set(sym->addr);
	return 0;
}

static int check_calls(const struct mw_sym *syms, const struct mw_btf *btf)
{
	unsigned int i;
	int ret;

	for (i = 0; i < mw_nr_calls; i++) {
		ret = check_call(&mw_calls[i], &syms[i], btf);
		if (ret)
			return ret;
	}
	return 0;
}

static int find_sizes(const struct mw_btf *btf)
{
	unsigned int i;

	for (i = 0; i < mw_nr_sizes; i++) {
		if (!mw_sizes[i].needed)
			continue;
		*mw_sizes[i].size = mw_btf_struct_size(btf, mw_sizes[i].name);
		if (!*mw_sizes[i].size) {
			pr_err("memward: the kernel has no struct %s\n",
			       mw_sizes[i].name);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* --- hooks --- */

static void compare_proto(const struct mw_hook *hook, struct mw_hook_row *row,
			  const struct mw_btf *btf)
{
	char found[PROTO_MAX];
	int ret;

	if (hook->how == MW_BY_TRACEPOINT)
		ret = mw_btf_trace_proto(btf, hook->symbol, found, sizeof(found));
	else
		ret = mw_btf_func_proto(btf, hook->symbol, found, sizeof(found));
	if (ret || strcmp(found, hook->proto))
		refuse(row, "expected prototype \"%s\", found \"%s\"",
		       hook->proto, ret ? "none" : found);
	else
		row->state = MW_HOOK_READY;
}

static void check_function(const struct mw_hook *hook, struct mw_hook_row *row,
			   const struct mw_sym *sym, const struct mw_btf *btf)
{
	if (!sym->nr && !sym->clone)
		return;
	if (sym->clone)
		refuse(row, "the compiler made an optimised clone of it");
	else if (sym->nr > 1)
		refuse(row, "%u functions have this name", sym->nr);
	else
		compare_proto(hook, row, btf);
	row->addr = sym->addr;
}

static void note_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		if (mw_hook_table[i].how == MW_BY_TRACEPOINT &&
		    !strcmp(mw_hook_table[i].symbol, tp->name))
			mw_hook_rows[i].tp = tp;
}

static void check_hooks(const struct mw_sym *syms, const struct mw_btf *btf)
{
	unsigned int i;

	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (i = 0; i < mw_hook_count; i++) {
		const struct mw_hook *hook = &mw_hook_table[i];
		struct mw_hook_row *row = &mw_hook_rows[i];

		if (hook->how != MW_BY_TRACEPOINT)
			check_function(hook, row, &syms[i], btf);
		else if (row->tp)
			compare_proto(hook, row, btf);
	}
}

/* Where an original goes on behind its fentry call, where the hook sits. */
static int find_original(const struct mw_hook *hook, struct mw_hook_row *row)
{
	unsigned long addr;
	int ret;

	if (row->state != MW_HOOK_READY)
		return -EOPNOTSUPP;
	if (!hook->original)
		return 0;
	ret = mw_ksym_past_fentry(hook->symbol, &addr);
	if (!ret)
		hook->original(addr);
	else if (ret != -ENOMEM)
		refuse(row, "not traceable on this kernel");
	return ret;
}

/* --- features: of several alternatives, a kernel has one --- */

static bool same_feature(unsigned int a, unsigned int b)
{
	return b < mw_hook_count &&
	       !strcmp(mw_hook_table[a].feature, mw_hook_table[b].feature);
}

static void drop(struct mw_hook_row *row)
{
	row->state = MW_HOOK_ABSENT;
	kfree(row->why);
	row->why = NULL;
}

/* The row that does a feature's work: a hook before "another one does it". */
static int choose(unsigned int first)
{
	int chosen = -1;
	unsigned int i;

	for (i = first; same_feature(first, i); i++) {
		struct mw_hook_row *row = &mw_hook_rows[i];

		if (row->state == MW_HOOK_ABSENT)
			continue;
		/* a hook that is there but not as expected is not covered */
		if (mw_hook_table[i].how == MW_COVERED && chosen >= 0 &&
		    mw_hook_table[chosen].how != MW_COVERED)
			break;
		if (chosen < 0 || mw_hook_rows[chosen].state != MW_HOOK_READY)
			chosen = i;
	}
	return chosen;
}

static int settle_feature(unsigned int first, unsigned int *next)
{
	int chosen = choose(first);
	const struct mw_hook *hook;
	struct mw_hook_row *row;
	unsigned int i;
	int ret;

	for (i = first; same_feature(first, i); i++)
		if ((int)i != chosen)
			drop(&mw_hook_rows[i]);
	*next = i;
	if (chosen < 0 && !mw_hook_table[first].required)
		return 0;
	hook = &mw_hook_table[chosen < 0 ? first : chosen];
	row = &mw_hook_rows[chosen < 0 ? first : chosen];
	if (chosen < 0)
		refuse(row, "no such function");
	ret = find_original(hook, row);
	if (!ret || ret == -ENOMEM)
		return ret;
	pr_err("memward: cannot attach to %s, needed for %s: %s\n",
	       hook->symbol, hook->feature, row->why ?: "");
	return hook->required ? -EOPNOTSUPP : 0;
}

static int settle_features(void)
{
	unsigned int i = 0;
	int ret = 0;

	while (i < mw_hook_count && !ret)
		ret = settle_feature(i, &i);
	return ret;
}

static void name_syms(struct mw_sym *hooks, struct mw_sym *calls)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		hooks[i].name = mw_hook_table[i].symbol;
	for (i = 0; i < mw_nr_calls; i++)
		calls[i].name = mw_calls[i].symbol;
}

static int verify(struct mw_sym *syms)
{
	struct mw_btf btf = {};
	int ret;

	name_syms(syms, syms + mw_hook_count);
	ret = mw_ksym_find(syms, mw_hook_count + mw_nr_calls);
	if (!ret)
		ret = btf_load(&btf);
	if (!ret)
		ret = check_calls(syms + mw_hook_count, &btf);
	if (!ret)
		ret = find_sizes(&btf);
	if (!ret) {
		check_hooks(syms, &btf);
		ret = settle_features();
	}
	kvfree(btf.offset);
	return ret;
}

/**
 * mw_hooks_verify() - check every hook and call against the running kernel
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP, with a line in the log that says why, if a required
 * hook or a call is not as expected; -ENOMEM.
 */
int mw_hooks_verify(void)
{
	struct mw_sym *syms;
	int ret;

	if (verified)
		return 0;
	syms = kcalloc(mw_hook_count + mw_nr_calls, sizeof(*syms), GFP_KERNEL);
	if (!syms)
		return -ENOMEM;
	ret = verify(syms);
	kfree(syms);
	verified = !ret;
	return ret;
}

/** mw_hooks_forget() - free what verification found, at module unload */
void mw_hooks_forget(void)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		drop(&mw_hook_rows[i]);
}
