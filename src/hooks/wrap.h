/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOOKS_WRAP_H
#define HOOKS_WRAP_H

#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/swap.h>

struct folio;
struct pt_regs;

int mw_wrap_charge(struct folio *folio, struct mm_struct *mm, gfp_t gfp);
int mw_wrap_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
		      swp_entry_t entry);
int mw_wrap_swapin_id(struct folio *folio, unsigned short id,
		      struct mm_struct *mm, gfp_t gfp);
void mw_orig_charge(unsigned long addr);
void mw_orig_swapin_mm(unsigned long addr);
void mw_orig_swapin_id(unsigned long addr);

void mw_see_uncharge(struct pt_regs *regs);
void mw_see_uncharge_list(struct pt_regs *regs);
void mw_see_uncharge_batch(struct pt_regs *regs);
void mw_see_migrate(struct pt_regs *regs);
void mw_see_replace(struct pt_regs *regs);
void mw_see_refault(struct pt_regs *regs);
void mw_see_fork(void *data, struct task_struct *parent,
		 struct task_struct *child);
void mw_see_exit(void *data, struct task_struct *task);
void mw_see_exit_dead(void *data, struct task_struct *task, bool group_dead);

#endif
