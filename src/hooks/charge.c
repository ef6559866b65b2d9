// SPDX-License-Identifier: GPL-2.0
/*
 * What runs in place of the kernel's functions that charge.
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
#include <linux/sched.h>

#include <compat/folio.h>
#include <compat/swap.h>
#include <core/charge/charge.h>
#include <core/charge/member.h>
#include <core/limit/limit.h>
#include <core/limit/throttle.h>
#include <hooks/hooks.h>

#include <hooks/wrap.h>

MW_ORIGINAL(charge, (struct folio *folio, struct mm_struct *mm, gfp_t gfp))

/* Whose memory is it? That of the mm, or of current where there is none given. */
static __always_inline struct mm_struct *payer(struct mm_struct *mm)
{
	return mm ?: current->mm;
}

/*
 * Who pays: nobody for a kernel thread, which has no mm, and for a process in
 * no group, as most are.  Preemption is off from here until charge() or leave().
 */
static __always_inline struct mw_owner *enter(struct mm_struct *mm)
{
	preempt_disable();
	return likely(mm) ? mw_member_cached(mm) : NULL;
}

static __always_inline void leave(void)
{
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

static noinline int charge_around(struct folio *folio, struct mm_struct *mm,
				  gfp_t gfp, struct mw_owner *owner)
{
	int ret = charge(owner, folio, mm, gfp);

	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_charge)(folio, mm, gfp);
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
	int ret = mw_wrap_swap_in(folio, gfp, mw_folio_swap_entry(folio));

	if (unlikely(ret))
		return ret;
	ret = static_call(mw_orig_charge)(folio, mm, gfp);
	if (unlikely(ret))
		mw_wrap_undo_swap_in(folio, mw_folio_swap_entry(folio));
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
		leave();
		return static_call(mw_orig_charge)(folio, mm, gfp);
	}
	if (unlikely(!charge_simply(owner, folio, mm))) {
		ret = charge_around(folio, mm, gfp, owner);
		mw_stay_on_stack();
		return ret;
	}
	leave();
	return static_call(mw_orig_charge)(folio, mm, gfp);
}
