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

#include <compat/divert.h>
#include <compat/ftrace.h>
#include <compat/livepatch.h>
#include <compat/tested.h>
#include <hooks/table.h>

static bool is_used(unsigned int i, enum mw_attach how)
{
	return mw_hook_table[i].how == how &&
	       (mw_hook_rows[i].state == MW_HOOK_READY ||
		mw_hook_rows[i].state == MW_HOOK_ATTACHED);
}

static void set_state(enum mw_attach how, enum mw_hook_state state)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		if (is_used(i, how))
			mw_hook_rows[i].state = state;
}

/* --- tracepoints --- */

static void detach_probes(enum mw_attach how)
{
	unsigned int i, nr = 0;

	for (i = 0; i < mw_hook_count; i++) {
		if (!is_used(i, how) || mw_hook_rows[i].state != MW_HOOK_ATTACHED)
			continue;
		tracepoint_probe_unregister(mw_hook_rows[i].tp,
					    mw_hook_table[i].handler, NULL);
		mw_hook_rows[i].state = MW_HOOK_READY;
		nr++;
	}
	if (!nr)
		return;
	/* on 7.2 the former does not imply the latter */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

static int attach_probes(enum mw_attach how)
{
	unsigned int i;
	int ret;

	for (i = 0; i < mw_hook_count; i++) {
		if (!is_used(i, how) ||
		    mw_hook_rows[i].state == MW_HOOK_ATTACHED)
			continue;
		ret = tracepoint_probe_register(mw_hook_rows[i].tp,
						mw_hook_table[i].handler, NULL);
		if (ret) {
			detach_probes(how);
			return ret;
		}
		mw_hook_rows[i].state = MW_HOOK_ATTACHED;
	}
	return 0;
}

static void detach_tracepoints(void)
{
	detach_probes(MW_BY_TRACEPOINT);
}

static int attach_tracepoints(void)
{
	return attach_probes(MW_BY_TRACEPOINT);
}

/* --- tracepoints that are wanted now and then --- */

static int want(enum mw_attach how)
{
	unsigned int i, missing = 0;

	/* of each feature there is one row */
	for (i = 0; i < mw_hook_count; i++)
		missing += mw_hook_table[i].how == how && !is_used(i, how);
	return missing ? -EOPNOTSUPP : attach_probes(how);
}

/**
 * mw_hooks_want_cgroups() - tell of the kernel's own cgroups from now on
 *
 * Context: process, may sleep; mounted; one at a time.
 * Return: 0, also if they are told of already; -EOPNOTSUPP if this kernel cannot, memward.status
 * says why; -ENOMEM.
 */
int mw_hooks_want_cgroups(void)
{
	return want(MW_BY_DEMAND);
}

/**
 * mw_hooks_leave_cgroups() - undo mw_hooks_want_cgroups()
 *
 * Context: process, may sleep for some grace periods; one at a time.
 */
void mw_hooks_leave_cgroups(void)
{
	detach_probes(MW_BY_DEMAND);
}

/**
 * mw_hooks_want_cgroups_v1() - tell of what only happens in cgroup v1, too
 *
 * A kernel that cannot has all else.
 *
 * Context and return: as mw_hooks_want_cgroups().
 */
int mw_hooks_want_cgroups_v1(void)
{
	return want(MW_BY_DEMAND_V1);
}

/** mw_hooks_leave_cgroups_v1() - undo mw_hooks_want_cgroups_v1(); context: as mw_hooks_leave_cgroups() */
void mw_hooks_leave_cgroups_v1(void)
{
	detach_probes(MW_BY_DEMAND_V1);
}

/* Nobody wants them yet. */
static int attach_demanded(void)
{
	return 0;
}

/* --- functions that are looked at --- */

static void detach_watched(void)
{
	mw_watch_stop();
	set_state(MW_BY_FTRACE, MW_HOOK_READY);
}

static int attach_watched(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < mw_hook_count; i++) {
		if (!is_used(i, MW_BY_FTRACE))
			continue;
		ret = mw_watch_add(mw_hook_rows[i].addr,
				   mw_hook_table[i].handler);
		if (ret)
			return ret;
	}
	ret = mw_watch_start();
	if (!ret)
		set_state(MW_BY_FTRACE, MW_HOOK_ATTACHED);
	return ret;
}

/* --- functions that some are diverted from --- */

static void detach_diverted(void)
{
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		if (is_used(i, MW_BY_DIVERSION) &&
		    mw_hook_rows[i].state == MW_HOOK_ATTACHED)
			mw_divert_stop(mw_hook_rows[i].addr);
	set_state(MW_BY_DIVERSION, MW_HOOK_READY);
}

/* memward can do without any. */
static int attach_diverted(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < mw_hook_count; i++) {
		if (!is_used(i, MW_BY_DIVERSION) ||
		    mw_hook_rows[i].state == MW_HOOK_ATTACHED)
			continue;
		ret = mw_divert_start(mw_hook_rows[i].addr,
				      mw_hook_table[i].diverts,
				      mw_hook_table[i].handler);
		if (!ret)
			mw_hook_rows[i].state = MW_HOOK_ATTACHED;
		else
			pr_warn("memward: %s cannot be diverted (error %d): %s\n",
				mw_hook_table[i].symbol, ret,
				mw_hook_table[i].without);
	}
	return 0;
}

/* --- functions that are replaced --- */

static int refuse_foreign(void)
{
	char name[MODULE_NAME_LEN];
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++) {
		if (!is_used(i, MW_BY_LIVEPATCH) ||
		    !mw_livepatch_foreign(mw_hook_rows[i].addr, name))
			continue;
		pr_err("memward: %s is livepatched by %s already\n",
		       mw_hook_table[i].symbol, name);
		return -EBUSY;
	}
	return 0;
}

/* Fills @list with what is to be replaced. Return: how many. */
static unsigned int replacements(struct mw_replace *list)
{
	unsigned int i, nr = 0;

	for (i = 0; i < mw_hook_count; i++) {
		if (!is_used(i, MW_BY_LIVEPATCH))
			continue;
		list[nr].symbol = mw_hook_table[i].symbol;
		list[nr++].replacement = mw_hook_table[i].handler;
	}
	return nr;
}

/*
 * Of several livepatches of a function the last one counts.  One that comes after
 * memward's may mend the kernel, so it is not fought: what it does not pass on is
 * not charged, freeing is seen as before, and the log and memward.status say so.
 */
static void tell_shadowed(const char *by)
{
	char name[MODULE_NAME_LEN];
	unsigned int i;

	for (i = 0; i < mw_hook_count; i++)
		if (is_used(i, MW_BY_LIVEPATCH) &&
		    mw_livepatch_foreign(mw_hook_rows[i].addr, name) &&
		    !strcmp(name, by))
			pr_warn("memward: %s was livepatched by %s: memward charges nothing there while that is loaded\n",
				mw_hook_table[i].symbol, by);
}

/* A livepatch is enabled by its module's init function, which has just run. */
static void livepatch_came(struct module *mod)
{
	if (mw_livepatch_replaced(mod))
		pr_warn("memward: the livepatch %s replaces all others: memward charges nothing until it is unmounted, without groups, and mounted again\n",
			mod->name);
	else
		tell_shadowed(mod->name);
}

/*
 * One that is about to come may have a function that some are diverted from, and would be
 * refused as a whole.
 */
static int module_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	struct module *mod = data;

	if (!is_livepatch_module(mod))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING)
		detach_diverted();
	else if (event == MODULE_STATE_LIVE || event == MODULE_STATE_GOING)
		attach_diverted();
	if (event == MODULE_STATE_LIVE)
		livepatch_came(mod);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = { .notifier_call = module_event };

static void detach_replacements(void)
{
	unregister_module_notifier(&module_nb);
	mw_livepatch_disable();
	set_state(MW_BY_LIVEPATCH, MW_HOOK_READY);
}

static int attach_replacements(void)
{
	struct mw_replace list[MW_MAX_HOOKS];
	int ret = refuse_foreign();

	if (ret)
		return ret;
	ret = mw_livepatch_enable(list, replacements(list));
	if (ret == -EBUSY)
		pr_err("memward: another tool has redirected a function that memward needs\n");
	if (ret)
		return ret;
	set_state(MW_BY_LIVEPATCH, MW_HOOK_ATTACHED);
	register_module_notifier(&module_nb);
	/* one that came in between would be bypassed: memward calls the original */
	ret = refuse_foreign();
	if (ret)
		detach_replacements();
	return ret;
}

/**
 * struct way - a way of attaching hooks
 * @attach: attaches all that are attached so; an error leaves none attached
 * @detach: undoes it; when it returns no handler of these runs
 * @name:   for people
 */
static const struct way {
	int (*attach)(void);
	void (*detach)(void);
	const char *name;
} ways[] = {
	{ attach_tracepoints, detach_tracepoints, "tracepoints" },
	{ attach_demanded, mw_hooks_leave_cgroups, "tracepoints" },
	{ attach_demanded, mw_hooks_leave_cgroups_v1, "tracepoints" },
	{ attach_watched, detach_watched, "ftrace" },
	{ attach_diverted, detach_diverted, "diversion" },
	{ attach_replacements, detach_replacements, "livepatch" },
};

static bool allow_untested;

/**
 * mw_hooks_allow_untested() - may a kernel be one that memward was not tested on?
 * @allowed: it may; for the next mw_hooks_check()
 */
void mw_hooks_allow_untested(bool allowed)
{
	allow_untested = allowed;
}

/*
 * That every function is there and takes what it took before does not say that it
 * does what it did.
 */
static int refuse_untested(void)
{
	if (mw_kernel_is_tested())
		return 0;
	if (!allow_untested) {
		pr_err("memward: nobody has tested it on Linux %s, only on %s; all functions look as expected, so it may work: to try, on a machine that may crash, mount with -o untested\n",
		       mw_kernel_release(), mw_tested_series());
		return -EOPNOTSUPP;
	}
	pr_warn("memward: mounted on Linux %s, on which nobody has tested it\n",
		mw_kernel_release());
	return 0;
}

/**
 * mw_hooks_check() - can memward run on this kernel, and may it?
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP, with lines in the log that say why, if this kernel is not
 * as expected or not tested; -ENOMEM.
 */
int mw_hooks_check(void)
{
	if (mem_cgroup_disabled()) {
		pr_err("memward: the kernel was booted with cgroup_disable=memory, so it calls none of the functions that memward hooks\n");
		return -EOPNOTSUPP;
	}
	return mw_hooks_verify() ?: refuse_untested();
}

/**
 * mw_hooks_attach() - attach everything, after mw_hooks_check()
 *
 * Context: process, may sleep for seconds: a livepatch waits until every task
 * has left the function.
 * Return: 0, or an error with nothing attached: -EBUSY if somebody else has a
 * function, -EINTR on a fatal signal, -ENOMEM.
 */
int mw_hooks_attach(void)
{
	unsigned int nr;
	int ret;

	for (nr = 0; nr < ARRAY_SIZE(ways); nr++) {
		ret = ways[nr].attach();
		if (ret)
			goto err;
	}
	set_state(MW_COVERED, MW_HOOK_ATTACHED);
	return 0;

err:
	if (ret != -EINTR)
		pr_err("memward: attaching by %s failed: error %d\n",
		       ways[nr].name, ret);
	while (nr--)
		ways[nr].detach();
	return ret;
}

/**
 * mw_hooks_detach() - detach everything
 *
 * Context: process, may sleep for seconds.  When it returns no handler runs.
 */
void mw_hooks_detach(void)
{
	unsigned int nr = ARRAY_SIZE(ways);

	set_state(MW_COVERED, MW_HOOK_READY);
	while (nr--)
		ways[nr].detach();
}

/* Does what was attached still run? */
static void look_for_rival(struct mw_hook_info *info, unsigned long addr)
{
	if (!mw_livepatch_enabled(info->by))
		info->state = MW_HOOK_LOST;
	else if (mw_livepatch_foreign(addr, info->by))
		info->state = MW_HOOK_SHADOWED;
}

/**
 * mw_hook_info() - a row of the hook table and its state
 * @row:  number of the row
 * @info: filled in
 *
 * Context: process, may sleep; mounted.
 * Return: false if there is no such row.
 */
bool mw_hook_info(unsigned int row, struct mw_hook_info *info)
{
	if (row >= mw_hook_count)
		return false;
	info->hook = &mw_hook_table[row];
	info->state = mw_hook_rows[row].state;
	info->why = mw_hook_rows[row].why ?: "";
	info->hits = mw_hits_read(info->hook->hit);
	info->by[0] = '\0';
	if (is_used(row, MW_BY_LIVEPATCH) && info->state == MW_HOOK_ATTACHED)
		look_for_rival(info, mw_hook_rows[row].addr);
	return true;
}
