/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_HOOKS_H
#define MEMWARD_HOOKS_H

#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <pure/judge.h>

/**
 * enum mw_hit - hooks that count how often they run, by feature
 */
enum mw_hit {
	MW_HIT_FORK,
	MW_HIT_EXIT,
	MW_HIT_CGROUP_ATTACH,
	MW_HIT_CGROUP_MKDIR,
	MW_HIT_CGROUP_RMDIR,
	MW_HIT_CGROUP_TRANSFER,
	MW_HIT_CGROUP_RENAME,
	MW_HIT_CGROUP_MOUNT,
	MW_HIT_CGROUP_REMOUNT,
	MW_HIT_CGROUP_DESTROY,
	MW_HIT_UNCHARGE,
	MW_HIT_UNCHARGE_BATCH,
	MW_HIT_MIGRATE,
	MW_HIT_REPLACE,
	MW_HIT_COLLAPSE,
	MW_HIT_CHARGE,
	MW_HIT_SWAPIN,
	MW_HIT_REFAULT,
	MW_HIT_LAZYFREE,
	MW_HIT_DIRTY,
	MW_HIT_CLEANED,
	MW_HIT_WRITING,
	MW_HIT_WRITTEN,
	MW_HIT_WRITE,
	MW_HIT_REFERENCED,
	MW_HIT_SHRINK,
	MW_HIT_OOM,
	MW_HIT_LIMITED,
	MW_HIT_FALLIBLE,
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

int mw_hooks_check(void);
int mw_hooks_attach(void);
void mw_hooks_allow_untested(bool allowed);
void mw_hooks_detach(void);
int mw_hooks_want_cgroups(void);
void mw_hooks_leave_cgroups(void);
int mw_hooks_want_cgroups_v1(void);
void mw_hooks_leave_cgroups_v1(void);
void mw_hooks_forget(void);
bool mw_hook_info(unsigned int row, struct mw_hook_info *info);

#endif
