/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOOKS_WRAP_H
#define HOOKS_WRAP_H

#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/swap.h>

struct address_space;
struct cgroup;
struct cgroup_root;
struct folio;
struct mem_cgroup;
struct reclaim_stat;
struct pt_regs;

int mw_wrap_charge(struct folio *folio, struct mm_struct *mm, gfp_t gfp);
int mw_wrap_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
		      swp_entry_t entry);
int mw_wrap_swapin_id(struct folio *folio, unsigned short id,
		      struct mm_struct *mm, gfp_t gfp);
void mw_orig_charge(unsigned long addr);
void mw_orig_swapin_mm(unsigned long addr);
void mw_orig_swapin_id(unsigned long addr);

int mw_wrap_swapout(struct folio *folio, swp_entry_t entry);
int mw_wrap_swapout_folio(struct folio *folio);
void mw_orig_swapout(unsigned long addr);
void mw_orig_swapout_folio(unsigned long addr);

void mw_wrap_undo(struct folio *folio);
int mw_wrap_swap_in(struct folio *folio, gfp_t gfp, swp_entry_t entry);
void mw_wrap_undo_swap_in(struct folio *folio, swp_entry_t entry);

int mw_wrap_referenced(struct folio *folio, int is_locked,
		       struct mem_cgroup *memcg, unsigned long *vm_flags);
void mw_orig_referenced(unsigned long addr);
void mw_see_shrink(void *data, int nid, unsigned long nr_scanned,
		   unsigned long nr_reclaimed, struct reclaim_stat *stat,
		   int priority, int file);

void mw_see_swapfree(struct pt_regs *regs);
void mw_see_swapfree_cluster(struct pt_regs *regs);
void mw_see_swapalone(struct pt_regs *regs);
void mw_see_swapalone_cluster(struct pt_regs *regs);
void mw_see_uncharge(struct pt_regs *regs);
void mw_see_uncharge_list(struct pt_regs *regs);
void mw_see_uncharge_batch(struct pt_regs *regs);
void mw_see_migrate(struct pt_regs *regs);
void mw_see_replace(struct pt_regs *regs);
void mw_see_refault(struct pt_regs *regs);
void mw_see_oom(struct pt_regs *regs);
bool mw_diverts_limited(struct pt_regs *regs);
unsigned long mw_wrap_limited(struct mem_cgroup *memcg, unsigned long nr_pages,
			      gfp_t gfp, unsigned int options, int *swappiness);
unsigned long mw_wrap_limited_options(struct mem_cgroup *memcg, unsigned long nr_pages,
				      gfp_t gfp, unsigned int options);
unsigned long mw_wrap_limited_swap(struct mem_cgroup *memcg, unsigned long nr_pages,
				   gfp_t gfp, bool may_swap);
void mw_orig_limited(unsigned long addr);
void mw_orig_limited_options(unsigned long addr);
void mw_orig_limited_swap(unsigned long addr);
bool mw_diverts_fallible(struct pt_regs *regs);
unsigned long mw_wrap_fallible(struct zonelist *zonelist, int order, gfp_t gfp,
			       const nodemask_t *nodes);
void mw_orig_fallible(unsigned long addr);
void mw_see_lazyfree(struct pt_regs *regs);
void mw_see_collapse(void *data, struct mm_struct *mm, struct folio *new,
		     pgoff_t index, unsigned long addr, bool is_shmem,
		     struct file *file, int nr, int result);
void mw_see_collapse_pfn(void *data, struct mm_struct *mm, unsigned long pfn,
			 pgoff_t index, unsigned long addr, bool is_shmem,
			 struct file *file, int nr, int result);
void mw_see_dirty(void *data, struct folio *folio, struct address_space *mapping);
void mw_see_cleaned(struct pt_regs *regs);
void mw_see_writing(struct pt_regs *regs);
void mw_see_written(struct pt_regs *regs);
bool mw_diverts_write(struct pt_regs *regs);
int mw_wrap_write(struct address_space *mapping);
int mw_wrap_write_flags(struct address_space *mapping, unsigned int flags);
void mw_orig_write(unsigned long addr);
void mw_orig_write_flags(unsigned long addr);
void mw_see_cgroup_attach(void *data, struct cgroup *cgrp, const char *path,
			  struct task_struct *task, bool threadgroup);
void mw_see_cgroup_mkdir(void *data, struct cgroup *cgrp, const char *path);
void mw_see_cgroup_rmdir(void *data, struct cgroup *cgrp, const char *path);
void mw_see_cgroup_transfer(void *data, struct cgroup *cgrp, const char *path,
			    struct task_struct *task, bool threadgroup);
void mw_see_cgroup_rename(void *data, struct cgroup *cgrp, const char *path);
void mw_see_cgroup_mount(void *data, struct cgroup_root *root);
void mw_see_cgroup_remount(void *data, struct cgroup_root *root);
void mw_see_cgroup_destroy(void *data, struct cgroup_root *root);
void mw_see_fork(void *data, struct task_struct *parent,
		 struct task_struct *child);
void mw_see_exit(void *data, struct task_struct *task);
void mw_see_exit_dead(void *data, struct task_struct *task, bool group_dead);

/*
 * The original of mw_wrap_NAME(): static_call(mw_orig_NAME), which does nothing
 * until mw_orig_NAME() directs it to where the original goes on behind the hook.
 */
#define MW_ORIGINAL(name, params)	MW_ORIGINAL_OF(int, name, params)
#define MW_ORIGINAL_OF(ret, name, params)				\
	static ret no_##name params					\
	{								\
		return 0;						\
	}								\
	DEFINE_STATIC_CALL(mw_orig_##name, no_##name);			\
	void mw_orig_##name(unsigned long addr)				\
	{								\
		static_call_update(mw_orig_##name,			\
				   (typeof(&no_##name))addr);		\
	}

/* Between the last call and the return: no tail call, the frame stays. */
static __always_inline void mw_stay_on_stack(void)
{
	barrier();
}

#endif
