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
 *
 * What most calls do not need is kept out of line, so that the quick way through
 * a wrapper saves no registers.
 */
#include <linux/mm.h>
#include <linux/static_call.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <compat/swap.h>
#include <core/charge/charge.h>
#include <core/charge/member.h>
#include <core/limit/limit.h>
#include <core/limit/throttle.h>
#include <core/reclaim/refault.h>
#include <hooks/hooks.h>
#include <hooks/wrap.h>

DEFINE_PER_CPU(unsigned long [MW_NR_HITS], mw_hits);

/* Whose memory is it? That of the mm, or of current where there is none given. */
static __always_inline struct mm_struct *payer(struct mm_struct *mm)
{
	return mm ?: current->mm;
}

/*
 * Who pays: nobody for a kernel thread, which has no mm, and for a process in
 * no group, as most are.  Preemption is off from here until charge() or pass().
 */
static __always_inline struct mw_owner *enter(struct mm_struct *mm)
{
	preempt_disable();
	return likely(mm) ? mw_member_cached(mm) : NULL;
}

static __always_inline void pass(void)
{
	preempt_enable();
}

static noinline void uncharge_charged(struct mw_uncharge *batch,
				      struct folio *folio)
{
	mw_uncharge_pages(batch, folio_pfn(folio), folio_nr_pages(folio));
}

/* Asked of every folio that is freed, so "not charged" is the quick way. */
static __always_inline void uncharge_folio(struct mw_uncharge *batch,
					   struct folio *folio)
{
	mw_entry_t *entry = mw_pc_entry_near(&batch->near, folio_pfn(folio));

	if (likely(!entry || !mw_pc_is_charged(mw_pc_read(entry))))
		return;
	if (likely(!folio_test_large(folio)))
		mw_uncharge_entry(batch, entry);
	else
		uncharge_charged(batch, folio);
}

/**
 * mw_wrap_undo() - the original refused to charge
 * @folio: whoever asked for the charge frees it; the kernel charges a folio once,
 *         so no charge is undone but the wrapper's own
 *
 * The kernel reports every folio that is freed, so this happens sooner or later
 * without this function.  It is for large ones, and for those that were refused
 * when they were above a limit: their group has use for the pages at once.
 *
 * Context: as the original.
 */
noinline void mw_wrap_undo(struct folio *folio)
{
	struct mw_uncharge batch = {};

	preempt_disable();
	uncharge_folio(&batch, folio);
	mw_uncharge_flush(&batch);
	preempt_enable();
}

static noinline int charge_at_limit(struct folio *folio, struct mm_struct *mm,
				    enum mw_kind kind, gfp_t gfp)
{
	struct mw_charge_request request = {
		.mm = payer(mm), .pfn = folio_pfn(folio),
		.nr_pages = folio_nr_pages(folio), .kind = kind, .gfp = gfp,
	};

	return mw_limit_charge(&request);
}

/* A limit is in the way, or the pages are above memory.high. */
static int charge_over(int over, struct folio *folio, struct mm_struct *mm,
		       enum mw_kind kind, gfp_t gfp)
{
	int ret;

	if (over == MW_CHARGE_BLOCKED)
		return charge_at_limit(folio, mm, kind, gfp);
	ret = mw_throttle_charge(over, gfp);
	if (ret)
		mw_wrap_undo(folio);
	return ret;
}

/* Return: 0 or -ENOMEM, then nothing is charged. Preemption is on afterwards. */
static int charge(struct mw_owner *owner, struct folio *folio,
		  struct mm_struct *mm, gfp_t gfp)
{
	enum mw_kind kind = mw_folio_kind(folio, mm);
	int over = 0;

	if (owner == MW_OWNER_UNKNOWN)
		owner = mw_member_owner(payer(mm));
	if (owner && folio_test_large(folio))
		over = mw_charge_large(owner, folio_pfn(folio),
				       folio_nr_pages(folio), kind);
	else if (owner)
		over = mw_charge_page(owner, folio_pfn(folio), kind);
	preempt_enable();
	return over ? charge_over(over, folio, mm, kind, gfp) : 0;
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

static noinline int charge_around(struct folio *folio, struct mm_struct *mm,
				  gfp_t gfp, struct mw_owner *owner)
{
	int ret = charge(owner, folio, mm, gfp);

	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_charge_fn)(folio, mm, gfp);
	if (unlikely(ret))
		mw_wrap_undo(folio);
	return ret;
}

/* What most charges are, and what needs no register but those of the call. */
static __always_inline bool charge_simply(struct mw_owner *owner,
					  struct folio *folio,
					  struct mm_struct *mm)
{
	struct mw_place place;

	if (unlikely(owner == MW_OWNER_UNKNOWN || folio_test_large(folio)))
		return false;
	if (unlikely(!mw_charge_begin(&place, owner, folio_pfn(folio))))
		return false;
	mw_charge_end(&place, mw_folio_kind(folio, mm));
	return true;
}

/* Swap-in, where it has no function of its own. */
static noinline int come_back(struct folio *folio, struct mm_struct *mm, gfp_t gfp)
{
	int ret = mw_wrap_swap_in(folio, gfp, mw_folio_slot(folio));

	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_charge_fn)(folio, mm, gfp);
	if (unlikely(ret))
		mw_wrap_undo_swap_in(folio, mw_folio_slot(folio));
	return ret;
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
	struct mw_owner *owner;
	int ret;

	mw_hit(MW_HIT_CHARGE);
	if (mw_folio_is_coming_back(folio)) {
		ret = come_back(folio, mm, gfp);
		mw_stay_on_stack();
		return ret;
	}
	owner = enter(payer(mm));
	if (!owner) {
		pass();
		return static_call(mw_orig_charge_fn)(folio, mm, gfp);
	}
	if (unlikely(!charge_simply(owner, folio, mm))) {
		ret = charge_around(folio, mm, gfp, owner);
		mw_stay_on_stack();
		return ret;
	}
	pass();
	return static_call(mw_orig_charge_fn)(folio, mm, gfp);
}

/**
 * mw_see_uncharge() - as __mem_cgroup_uncharge() is entered, 5.10's without "__"
 * @regs: a folio, about to be freed, or not charged for after all
 *
 * Context: any.
 */
void mw_see_uncharge(struct pt_regs *regs)
{
	struct mw_uncharge batch = {};

	preempt_disable();
	uncharge_folio(&batch, (struct folio *)mw_arg(regs, 0));
	mw_uncharge_flush(&batch);
	preempt_enable();
	mw_hit(MW_HIT_UNCHARGE);
}

/** mw_see_uncharge_list() - as mem_cgroup_uncharge_list() is entered, to 6.1 */
void mw_see_uncharge_list(struct pt_regs *regs)
{
	struct list_head *list = (struct list_head *)mw_arg(regs, 0);
	struct mw_uncharge batch = {};
	struct page *page;

	preempt_disable();
	list_for_each_entry(page, list, lru)
		uncharge_folio(&batch, (struct folio *)page);
	mw_uncharge_flush(&batch);
	preempt_enable();
	mw_hit(MW_HIT_UNCHARGE_BATCH);
}

/** mw_see_uncharge_batch() - as __mem_cgroup_uncharge_folios() is entered */
void mw_see_uncharge_batch(struct pt_regs *regs)
{
	struct folio_batch *these = (struct folio_batch *)mw_arg(regs, 0);
	struct folio **pos = these->folios;
	struct folio **end = pos + these->nr;
	struct mw_uncharge batch = {};

	preempt_disable();
	while (pos < end)
		uncharge_folio(&batch, *pos++);
	mw_uncharge_flush(&batch);
	preempt_enable();
	mw_hit(MW_HIT_UNCHARGE_BATCH);
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
	mw_throttle_exit(task);
}

/** mw_see_exit_dead() - at sched_process_exit, 7.2 */
void mw_see_exit_dead(void *data, struct task_struct *task, bool group_dead)
{
	mw_see_exit(data, task);
}

static void move(struct pt_regs *regs)
{
	struct folio *old = (struct folio *)mw_arg(regs, 0);
	struct folio *new = (struct folio *)mw_arg(regs, 1);

	preempt_disable();
	mw_charge_move(folio_pfn(old), folio_pfn(new), folio_nr_pages(old));
	preempt_enable();
}

/**
 * mw_see_migrate() - as mem_cgroup_migrate() is entered
 * @regs: the old folio and the new one, both locked by the caller
 *
 * Context: any.
 */
void mw_see_migrate(struct pt_regs *regs)
{
	mw_hit(MW_HIT_MIGRATE);
	move(regs);
}

/** mw_see_replace() - as mem_cgroup_replace_folio() is entered, likewise */
void mw_see_replace(struct pt_regs *regs)
{
	mw_hit(MW_HIT_REPLACE);
	move(regs);
}

/**
 * mw_see_refault() - as workingset_refault() is entered
 * @regs: a folio, locked and charged: it comes back
 *
 * Context: any.
 */
void mw_see_refault(struct pt_regs *regs)
{
	struct folio *back = (struct folio *)mw_arg(regs, 0);

	mw_hit(MW_HIT_REFAULT);
	preempt_disable();
	mw_refault(folio_pfn(back), folio_nr_pages(back));
	preempt_enable();
}

/*
 * The folio was charged before anyone could tell for what, see mw_folio_kind().
 * It is in its file now, if all went well.  By now it may also be gone, and its
 * page be somebody else's: what it says itself, while it cannot be freed, is right.
 */
static void collapsed(unsigned long pfn)
{
	struct folio *folio = NULL;

	preempt_disable();
	if (mw_charged_entry(pfn))
		folio = mw_folio_tryget(pfn);
	if (folio && mw_folio_is_cache(folio))
		mw_charge_becomes(pfn, folio_nr_pages(folio),
				  mw_folio_cache_kind(folio));
	preempt_enable();
	if (folio)
		folio_put(folio);
}

/**
 * mw_see_collapse() - at mm_khugepaged_collapse_file
 * @data:     unused
 * @mm:       whose mapping khugepaged went by
 * @new:      the huge page, freed already if it came to nothing; NULL for none
 * @index:    its place in @file
 * @addr:     and in @mm
 * @is_shmem: @file is in memory alone
 * @file:     the file
 * @nr:       pages
 * @result:   what came of it
 *
 * Context: process.
 */
void mw_see_collapse(void *data, struct mm_struct *mm, struct folio *new,
		     pgoff_t index, unsigned long addr, bool is_shmem,
		     struct file *file, int nr, int result)
{
	mw_hit(MW_HIT_COLLAPSE);
	if (new)
		collapsed(folio_pfn(new));
}

/** mw_see_collapse_pfn() - likewise, where it is told by page frame, or -1 */
void mw_see_collapse_pfn(void *data, struct mm_struct *mm, unsigned long pfn,
			 pgoff_t index, unsigned long addr, bool is_shmem,
			 struct file *file, int nr, int result)
{
	mw_hit(MW_HIT_COLLAPSE);
	collapsed(pfn);
}
