/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_KSYM_H
#define COMPAT_KSYM_H

#include <linux/backing-dev-defs.h>
#include <linux/mm_types.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/version.h>

/*
 * Functions and data of the kernel that are exported nowhere, or not on every
 * kernel.  Each function is reached through a static call: a direct branch,
 * because the entry of a function that is not exported may be sealed against
 * indirect calls.
 */

/**
 * struct mw_sym - a name looked up among the kernel's symbols
 * @name:  exact name
 * @addr:  its address, if @nr is 1
 * @nr:    how many symbols of the kernel proper have this name
 * @clone: an optimised clone of it exists (name.isra.0 and the like)
 */
struct mw_sym {
	const char *name;
	unsigned long addr;
	unsigned int nr;
	bool clone;
};

int mw_ksym_find(struct mw_sym *syms, unsigned int nr);
void *mw_ksym_data(const char *name);
int mw_ksym_past_fentry(const char *symbol, unsigned long *addr);
int mw_ksym_init(void);

int mw_task_work_add(struct task_struct *task, struct callback_head *work,
		     enum task_work_notify_mode notify);
struct callback_head *mw_task_work_cancel(struct task_struct *task,
					  task_work_func_t func);
void mw_psi_memstall_enter(unsigned long *flags);
void mw_psi_memstall_leave(unsigned long *flags);

/* what is on LRU lists: pages up to 5.15; and what isolating one returns */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
#define mw_lru_item	page
#else
#define mw_lru_item	folio
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
typedef int mw_isolated_t;
#else
typedef bool mw_isolated_t;
#endif
/* what a look at accessed bits returns */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
typedef int mw_young_t;
#else
typedef bool mw_young_t;
#endif

struct mw_lru_item;
struct page_vma_mapped_walk;
struct rmap_walk_control;
mw_isolated_t mw_call_isolate(struct mw_lru_item *item);
void *mw_ksym_lock_anon_vma(void);
void mw_call_rmap_walk(struct mw_lru_item *item, struct rmap_walk_control *rwc);
bool mw_call_page_vma_mapped_walk(struct page_vma_mapped_walk *walk);
bool mw_call_ptep_young(struct vm_area_struct *vma, unsigned long addr,
			pte_t *pte);
bool mw_call_pmdp_young(struct vm_area_struct *vma, unsigned long addr,
			pmd_t *pmd);
bool mw_call_notifier_young(struct mm_struct *mm, unsigned long start,
			    unsigned long end);
unsigned long mw_call_reclaim_pages(struct list_head *folios);
void mw_call_lru_add_drain_all(void);
void mw_call_drain_all_pages(void);
bool mw_call_is_free_buddy_page(struct page *page);
void mw_call_wakeup_flusher_threads(enum wb_reason reason);
void mw_call_oom_kill_process(struct task_struct *victim, const char *message);
long mw_call_oom_badness(struct task_struct *task, unsigned long totalpages);

/**
 * struct mw_call - a function that memward calls
 * @symbol: its name
 * @proto:  the prototype that the call was compiled for
 * @set:    directs the static call
 */
struct mw_call {
	const char *symbol;
	const char *proto;
	void (*set)(unsigned long addr);
};

extern const struct mw_call mw_calls[];
extern const unsigned int mw_nr_calls;

#endif
