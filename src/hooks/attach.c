// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching the hooks at the first mount and detaching them at the last unmount.
 *
 * DOC: Looking-on hooks come first and go last, replacements the other way
 * round: no page is charged whose freeing would be missed.  All replacements
 * are one livepatch, so a task has all of them or none.
 */
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

#include <compat/livepatch.h>

#include "table.h"

/**
 * struct way - a way of attaching one hook
 * @attach: 0 or an error
 * @detach: undoes it; the handler may still be running afterwards
 */
struct way {
	int (*attach)(const struct mw_hook *hook, struct mw_hook_row *row);
	void (*detach)(const struct mw_hook *hook, struct mw_hook_row *row);
};

static int attach_ftrace(const struct mw_hook *hook, struct mw_hook_row *row)
{
	return mw_watch_attach(&row->watch, row->addr, hook->handler);
}

static void detach_ftrace(const struct mw_hook *hook, struct mw_hook_row *row)
{
	mw_watch_detach(&row->watch);
}

static int attach_tracepoint(const struct mw_hook *hook,
			     struct mw_hook_row *row)
{
	return tracepoint_probe_register(row->tp, hook->handler, NULL);
}

static void detach_tracepoint(const struct mw_hook *hook,
			      struct mw_hook_row *row)
{
	tracepoint_probe_unregister(row->tp, hook->handler, NULL);
}

static const struct way ways[] = {
	[MW_BY_FTRACE] = { attach_ftrace, detach_ftrace },
	[MW_BY_TRACEPOINT] = { attach_tracepoint, detach_tracepoint },
	/* livepatched together, see below; covered ones have nothing to attach */
	[MW_BY_LIVEPATCH] = {},
	[MW_COVERED] = {},
};

static void detach_lookers(void)
{
	unsigned int i = mw_hook_count;

	while (i--) {
		const struct mw_hook *hook = &mw_hook_table[i];
		struct mw_hook_row *row = &mw_hook_rows[i];

		if (!ways[hook->how].detach || row->state != MW_HOOK_ATTACHED)
			continue;
		ways[hook->how].detach(hook, row);
		row->state = MW_HOOK_READY;
	}
	/* on 7.2 the former does not imply the latter */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

static int attach_lookers(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < mw_hook_count; i++) {
		const struct mw_hook *hook = &mw_hook_table[i];
		struct mw_hook_row *row = &mw_hook_rows[i];

		if (!ways[hook->how].attach || row->state != MW_HOOK_READY)
			continue;
		ret = ways[hook->how].attach(hook, row);
		if (ret) {
			pr_err("memward: cannot attach to %s: error %d\n",
			       hook->symbol, ret);
			return ret;
		}
		row->state = MW_HOOK_ATTACHED;
	}
	return 0;
}

static int refuse_foreign(const struct mw_hook *hook, unsigned long addr)
{
	const char *owner = mw_livepatch_foreign(addr);

	if (!owner)
		return 0;
	pr_err("memward: %s is livepatched by %s already\n", hook->symbol,
	       owner);
	return -EBUSY;
}

/* Fills @list with what is to be replaced. Return: how many, or an error. */
static int replacements(struct mw_replace *list)
{
	unsigned int i;
	int nr = 0, ret;

	for (i = 0; i < mw_hook_count; i++) {
		const struct mw_hook *hook = &mw_hook_table[i];

		if (hook->how != MW_BY_LIVEPATCH ||
		    mw_hook_rows[i].state != MW_HOOK_READY)
			continue;
		ret = refuse_foreign(hook, mw_hook_rows[i].addr);
		if (ret)
			return ret;
		list[nr].symbol = hook->symbol;
		list[nr++].replacement = hook->handler;
	}
	return nr;
}

static void set_replaced(enum mw_hook_state state)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		if ((mw_hook_table[i].how == MW_BY_LIVEPATCH ||
		     mw_hook_table[i].how == MW_COVERED) &&
		    (mw_hook_rows[i].state == MW_HOOK_READY ||
		     mw_hook_rows[i].state == MW_HOOK_ATTACHED))
			mw_hook_rows[i].state = state;
}

static int attach_replacements(void)
{
	struct mw_replace list[MW_MAX_HOOKS];
	int ret = replacements(list);

	if (ret < 0)
		return ret;
	ret = mw_livepatch_enable(list, ret);
	if (ret == -EBUSY)
		pr_err("memward: another tool has redirected a function that memward needs\n");
	else if (ret && ret != -EINTR)
		pr_err("memward: livepatch failed: error %d\n", ret);
	if (!ret)
		set_replaced(MW_HOOK_ATTACHED);
	return ret;
}

/**
 * mw_hooks_attach() - attach everything
 *
 * Context: process, may sleep for seconds: a livepatch waits until every task
 * has left the function.
 * Return: 0, or an error with nothing attached: -EOPNOTSUPP if this kernel is
 * not as expected, -EBUSY if somebody else has a function, -EINTR on a fatal
 * signal, -ENOMEM.
 */
int mw_hooks_attach(void)
{
	int ret;

	if (WARN_ON_ONCE(mw_hook_count > MW_MAX_HOOKS))
		return -EOPNOTSUPP;
	if (mem_cgroup_disabled()) {
		pr_err("memward: the kernel was booted with cgroup_disable=memory, so it calls none of the functions that memward hooks\n");
		return -EOPNOTSUPP;
	}
	ret = mw_hooks_verify();
	if (ret)
		return ret;
	ret = attach_lookers();
	if (!ret)
		ret = attach_replacements();
	if (ret)
		detach_lookers();
	return ret;
}

/**
 * mw_hooks_detach() - detach everything
 *
 * Context: process, may sleep for seconds.  When it returns no handler runs.
 */
void mw_hooks_detach(void)
{
	mw_livepatch_disable();
	set_replaced(MW_HOOK_READY);
	detach_lookers();
}

static unsigned long hits(enum mw_hit hit)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(mw_hits[hit], cpu);
	return sum;
}

/**
 * mw_hook_info() - a row of the hook table and its state
 * @row:  number of the row
 * @info: filled in
 *
 * Return: false if there is no such row.
 */
bool mw_hook_info(unsigned int row, struct mw_hook_info *info)
{
	if (row >= mw_hook_count)
		return false;
	info->hook = &mw_hook_table[row];
	info->state = mw_hook_rows[row].state;
	info->why = mw_hook_rows[row].why ?: "";
	info->hits = hits(info->hook->hit);
	return true;
}
