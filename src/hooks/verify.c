// SPDX-License-Identifier: GPL-2.0
/*
 * Before anything attaches: is the running kernel what memward was compiled for?
 *
 * DOC: What is asked of it stands in src/pure/judge.c; here is where the answers
 * come from: symbols and type data of the kernel, its tracepoints, and kprobes, which
 * know whether ftrace can attach to a function.
 *
 * Done at the first mount; the kernel's text does not change afterwards.
 */
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include <compat/ksym.h>
#include <hooks/table.h>
#include <pure/btf.h>
#include <pure/judge.h>

struct mw_hook_row mw_hook_rows[MW_MAX_HOOKS];

static bool verified;

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

static void note_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		if (mw_is_at_tracepoint(mw_hook_table[i].how) &&
		    !strcmp(mw_hook_table[i].symbol, tp->name))
			mw_hook_rows[i].tp = tp;
}

/* A function of a tracepoint's name, if there is one, is something else. */
static void find_tracepoints(struct mw_sym *syms)
{
	unsigned int i;

	for_each_kernel_tracepoint(note_tracepoint, NULL);
	for (i = 0; i < mw_hook_count; i++)
		if (mw_is_at_tracepoint(mw_hook_table[i].how))
			syms[i] = (struct mw_sym){
				.name = mw_hook_table[i].symbol,
				.nr = mw_hook_rows[i].tp ? 1 : 0,
			};
}

static int find_symbols(struct mw_sym *hooks, struct mw_sym *calls)
{
	unsigned int i;
	int ret;

	for (i = 0; i < mw_hook_count; i++)
		hooks[i].name = mw_hook_table[i].symbol;
	for (i = 0; i < mw_nr_calls; i++)
		calls[i].name = mw_calls[i].symbol;
	ret = mw_ksym_find(hooks, mw_hook_count + mw_nr_calls);
	find_tracepoints(hooks);
	return ret;
}

/* Can ftrace attach, and where does an original go on behind its call of ftrace? */
static int find_entry(unsigned int row)
{
	const struct mw_hook *hook = &mw_hook_table[row];
	unsigned long addr;
	int ret;

	ret = mw_ksym_past_fentry(mw_hook_rows[row].addr, &addr);
	if (!ret && hook->original)
		hook->original(addr);
	return ret;
}

static void set_calls(const struct mw_sym *syms)
{
	unsigned int i;

	for (i = 0; i < mw_nr_calls; i++)
		if (mw_calls[i].needed)
			mw_calls[i].set(syms[i].addr);
}

/* Everything is looked at, and told, before anything is refused. */
static int judge(const struct mw_btf *btf, const struct mw_sym *syms)
{
	const struct mw_judge judge = {
		.btf = btf,
		.hooks = mw_hook_table,
		.hook_syms = syms,
		.rows = mw_hook_rows,
		.nr_hooks = mw_hook_count,
		.calls = mw_calls,
		.call_syms = syms + mw_hook_count,
		.nr_calls = mw_nr_calls,
		.sizes = mw_sizes,
		.nr_sizes = mw_nr_sizes,
	};
	unsigned int bad;
	int ret;

	bad = mw_judge_calls(&judge);
	bad += mw_judge_sizes(&judge);
	mw_judge_hooks(&judge);
	ret = mw_judge_entries(&judge, find_entry);
	mw_ksym_done();
	if (ret)
		return ret;
	bad += mw_judge_report(&judge);
	if (bad)
		return -EOPNOTSUPP;
	set_calls(judge.call_syms);
	return 0;
}

static int verify(struct mw_sym *syms)
{
	struct mw_btf btf = {};
	int ret;

	ret = find_symbols(syms, syms + mw_hook_count);
	if (!ret)
		ret = btf_load(&btf);
	if (!ret)
		ret = judge(&btf, syms);
	kvfree(btf.offset);
	return ret;
}

/**
 * mw_hooks_verify() - check every hook and call against the running kernel
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP, with a line in the log for each required hook and each
 * call that is not as expected; -ENOMEM.
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
		mw_row_reset(&mw_hook_rows[i]);
}
