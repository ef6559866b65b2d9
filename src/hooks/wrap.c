// SPDX-License-Identifier: GPL-2.0
/*
 * What runs in place of, or beside, the kernel's functions.
 *
 * DOC: Wrappers have the kernel's prototypes, know nothing of how they are
 * attached and hold no policy: they turn arguments into what core understands.
 *
 * A replacement must be visible on the stack while core code that it called may
 * sleep: livepatch looks for it there before it lets the module go.  So no
 * replacement may end in a tail call into the module, and the compiler must not
 * move parts of one out of it (see Kbuild).  A tail call of the original is fine:
 * nothing returns to the module from there.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/static_call.h>

#include <compat/folio.h>
#include <memward/charge.h>
#include <memward/hooks.h>
#include <memward/member.h>

#include "wrap.h"

DEFINE_PER_CPU(unsigned long [MW_NR_HITS], mw_hits);

/* Whose memory is it? That of the mm, or of current where there is none given. */
static __always_inline struct mm_struct *payer(struct mm_struct *mm)
{
	return mm ?: current->mm;
}

/* A kernel thread has no mm; most processes are in no group. */
static __always_inline bool nobody_pays(struct mm_struct *mm)
{
	return unlikely(!mm) || mw_member_absent(mm);
}

static __always_inline bool charge(struct folio *folio, struct mm_struct *mm,
				   enum mw_kind kind, gfp_t gfp)
{
	return mw_charge_pages(mm, folio_pfn(folio), folio_nr_pages(folio),
			       kind, gfp);
}

static __always_inline void undo(struct folio *folio)
{
	mw_uncharge_pages(folio_pfn(folio), folio_nr_pages(folio));
}

static int no_charge(struct folio *folio, struct mm_struct *mm, gfp_t gfp)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_charge_fn, no_charge);

/** mw_orig_charge() - tell mw_wrap_charge() where its original goes on */
void mw_orig_charge(unsigned long addr)
{
	static_call_update(mw_orig_charge_fn, (typeof(&no_charge))addr);
}

/**
 * mw_wrap_charge() - around __mem_cgroup_charge() and mem_cgroup_charge()
 * @folio: newly allocated; a head page before 5.16
 * @mm:    whose it is, NULL for current's
 * @gfp:   flags of the allocation
 *
 * Context: as the original; sleeps only where @gfp allows it.
 * Return: what the original returned; if that is an error, nothing is charged.
 */
int mw_wrap_charge(struct folio *folio, struct mm_struct *mm, gfp_t gfp)
{
	bool charged;
	int ret;

	mw_hit(MW_HIT_CHARGE);
	if (nobody_pays(payer(mm)))
		return static_call(mw_orig_charge_fn)(folio, mm, gfp);
	charged = charge(folio, payer(mm), mw_folio_kind(folio, mm), gfp);
	ret = static_call(mw_orig_charge_fn)(folio, mm, gfp);
	if (ret && charged)
		undo(folio);
	return ret;
}

static int no_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
			swp_entry_t entry)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_swapin_mm_fn, no_swapin_mm);

/** mw_orig_swapin_mm() - tell mw_wrap_swapin_mm() where its original goes on */
void mw_orig_swapin_mm(unsigned long addr)
{
	static_call_update(mw_orig_swapin_mm_fn, (typeof(&no_swapin_mm))addr);
}

/** mw_wrap_swapin_mm() - around mem_cgroup_swapin_charge_folio(), 6.1 and 6.12 */
int mw_wrap_swapin_mm(struct folio *folio, struct mm_struct *mm, gfp_t gfp,
		      swp_entry_t entry)
{
	bool charged;
	int ret;

	mw_hit(MW_HIT_SWAPIN);
	if (nobody_pays(payer(mm)))
		return static_call(mw_orig_swapin_mm_fn)(folio, mm, gfp, entry);
	charged = charge(folio, payer(mm), MW_KIND_ANON, gfp);
	ret = static_call(mw_orig_swapin_mm_fn)(folio, mm, gfp, entry);
	if (ret && charged)
		undo(folio);
	return ret;
}

static int no_swapin_id(struct folio *folio, unsigned short id,
			struct mm_struct *mm, gfp_t gfp)
{
	return 0;
}
DEFINE_STATIC_CALL(mw_orig_swapin_id_fn, no_swapin_id);

/** mw_orig_swapin_id() - tell mw_wrap_swapin_id() where its original goes on */
void mw_orig_swapin_id(unsigned long addr)
{
	static_call_update(mw_orig_swapin_id_fn, (typeof(&no_swapin_id))addr);
}

/** mw_wrap_swapin_id() - around mem_cgroup_swapin_charge_folio(), 7.2 */
int mw_wrap_swapin_id(struct folio *folio, unsigned short id,
		      struct mm_struct *mm, gfp_t gfp)
{
	bool charged;
	int ret;

	mw_hit(MW_HIT_SWAPIN);
	if (nobody_pays(payer(mm)))
		return static_call(mw_orig_swapin_id_fn)(folio, id, mm, gfp);
	charged = charge(folio, payer(mm), MW_KIND_ANON, gfp);
	ret = static_call(mw_orig_swapin_id_fn)(folio, id, mm, gfp);
	if (ret && charged)
		undo(folio);
	return ret;
}

/**
 * mw_see_page_free() - at the tracepoint mm_page_free: every page passes here
 *
 * From 7.2 probes run with preemption on.  In an NMI only pages that were never
 * charged are freed, so the work ends at their empty entries.
 *
 * Context: any.
 */
void mw_see_page_free(void *data, struct page *page, unsigned int order)
{
	preempt_disable();
	if (mw_uncharge_freed(page_to_pfn(page), order))
		mw_hit(MW_HIT_UNCHARGE);
	preempt_enable();
}

/** mw_see_fork() - at sched_process_fork: the child has not run yet */
void mw_see_fork(void *data, struct task_struct *parent,
		 struct task_struct *child)
{
	mw_hit(MW_HIT_FORK);
	mw_member_fork(parent, child);
}

/** mw_see_exit() - at sched_process_exit, up to 6.12 */
void mw_see_exit(void *data, struct task_struct *task)
{
	mw_hit(MW_HIT_EXIT);
	mw_member_exit(task);
}

/** mw_see_exit_dead() - at sched_process_exit, 7.2 */
void mw_see_exit_dead(void *data, struct task_struct *task, bool group_dead)
{
	mw_see_exit(data, task);
}

static void move(struct pt_regs *regs)
{
	struct folio *old = (void *)regs_get_kernel_argument(regs, 0);
	struct folio *new = (void *)regs_get_kernel_argument(regs, 1);

	mw_charge_move(folio_pfn(old), folio_pfn(new), folio_nr_pages(old));
}

/**
 * mw_see_migrate() - as mem_cgroup_migrate(old, new) is entered
 *
 * Context: any, preemption off; both folios are locked by the caller.
 * Return: 0, the function goes on.
 */
int mw_see_migrate(struct kprobe *probe, struct pt_regs *regs)
{
	mw_hit(MW_HIT_MIGRATE);
	move(regs);
	return 0;
}

/** mw_see_replace() - as mem_cgroup_replace_folio(old, new) is entered */
int mw_see_replace(struct kprobe *probe, struct pt_regs *regs)
{
	mw_hit(MW_HIT_REPLACE);
	move(regs);
	return 0;
}
