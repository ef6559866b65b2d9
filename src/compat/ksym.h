/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_KSYM_H
#define COMPAT_KSYM_H

#include <linux/backing-dev-defs.h>
#include <linux/mm_types.h>
#include <linux/task_work.h>
#include <linux/types.h>

#include <compat/features.h>
#include <pure/judge.h>

/*
 * Functions and data of the kernel that are exported nowhere, or not on every
 * kernel.  Each function is reached through a static call: a direct branch,
 * because the entry of a function that is not exported may be sealed against
 * indirect calls.
 */

int mw_ksym_find(struct mw_sym *syms, unsigned int nr);
void *mw_ksym_data(const char *name);

/* likewise, of a variable that not every kernel has: its absence is nothing that the canary would tell of */
static inline void *mw_ksym_data_if_any(const char *name)
{
	return mw_ksym_data(name);
}
int mw_ksym_past_fentry(unsigned long func, unsigned long *addr);
void mw_ksym_done(void);
int mw_ksym_init(void);

/* what memward calls: types that are not the same on all kernels */
typedef MW_EITHER(MW_HAVE_BOOL_ISOLATE, bool, int) mw_isolated_t;
typedef MW_EITHER(MW_HAVE_BOOL_YOUNG, bool, int) mw_young_t;
#if MW_HAVE_KALLSYMS_OF_KERNEL
typedef int (*mw_each_symbol_fn)(void *, const char *, unsigned long);
#else
typedef int (*mw_each_symbol_fn)(void *, const char *, struct module *,
				 unsigned long);
#endif

struct folio;
struct mm_walk_ops;
struct page_vma_mapped_walk;
struct swap_info_struct;
struct rmap_walk_control;

#define MW_CALL_IF(needed, name, symbol, proto, ret, params, args)	\
	ret name params;
#define MW_ADDRESS(name, symbol, proto)					\
	void *name(void);
#define MW_SIZE_IF(needed, type)					\
	extern unsigned int mw_size_##type;
#include <compat/calls.h>

extern const struct mw_call mw_calls[];
extern const unsigned int mw_nr_calls;
extern const struct mw_size mw_sizes[];
extern const unsigned int mw_nr_sizes;

#endif
