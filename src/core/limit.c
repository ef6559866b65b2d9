// SPDX-License-Identifier: GPL-2.0
/*
 * memory.max: finding room for a charge that would pass it.
 *
 * DOC: The charge itself says only that a limit is in the way; here it is tried
 * again and again: reclaim from the group whose limit it is, give back what the
 * CPUs have in stock, and after MAX_TRIES rounds without progress kill something
 * (oom.c).
 *
 * Some charges must not wait, and some must not fail.  What cannot wait fails, as
 * it does at the kernel's own limits.  What must not fail (__GFP_NOFAIL, a task
 * that reclaims memory itself) is charged above the limit.  So is what nobody is
 * left to be killed for: a page fault that is refused would only be tried again,
 * without end.  A task that is dying is refused: it needs no memory to die.
 *
 * Setting a limit takes effect first and makes room afterwards; the other way
 * round whoever writes it could be starved by those who charge.
 */
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include <compat/ksym.h>
#include <compat/reclaim.h>
#include <memward/charge.h>
#include <memward/group.h>
#include <memward/limit.h>
#include <memward/member.h>
#include <memward/oom.h>
#include <memward/reclaim.h>
#include <memward/throttle.h>

/* rounds without progress before giving up */
#define MAX_TRIES	16
/* larger folios can do without: there are smaller ones */
#define COSTLY_PAGES	8U

/**
 * enum verdict - what is to become of a charge that was in the way of a limit
 * @AGAIN:  try again, there may be room
 * @FORCE:  charge it all the same
 * @REFUSE: -ENOMEM
 */
enum verdict { AGAIN, FORCE, REFUSE };

/**
 * struct attempt - a charge that a limit is in the way of
 * @mm:       who pays
 * @pfn:      first page frame
 * @nr_pages: pages
 * @kind:     what they hold
 * @gfp:      what may be done for it
 * @tries:    rounds left
 * @drained:  the stocks were given back
 */
struct attempt {
	struct mm_struct *mm;
	unsigned long pfn;
	unsigned int nr_pages;
	enum mw_kind kind;
	gfp_t gfp;
	unsigned int tries;
	bool drained;
};

static int charge(struct attempt *attempt, struct mw_owner *owner)
{
	if (attempt->nr_pages > 1)
		return mw_charge_large(owner, attempt->pfn, attempt->nr_pages,
				       attempt->kind);
	return mw_charge_page(owner, attempt->pfn, attempt->kind);
}

static struct mw_group *full_group(struct mw_group *group, unsigned int nr_pages)
{
	struct mw_counter *full = mw_counter_full(&group->memory, nr_pages);

	return full ? container_of(full, struct mw_group, memory) : group;
}

/* As mw_charge_page(); sets @full, with a reference, if it is blocked. */
static int try_charge(struct attempt *attempt, struct mw_group **full)
{
	struct mw_owner *owner;
	int over = 0;

	preempt_disable();
	owner = mw_member_owner(attempt->mm);
	if (owner)
		over = charge(attempt, owner);
	if (over == MW_CHARGE_BLOCKED) {
		*full = full_group(rcu_dereference_sched(owner->group),
				   attempt->nr_pages);
		mw_group_get(*full);
	}
	preempt_enable();
	return over;
}

static int force_charge(struct attempt *attempt)
{
	struct mw_owner *owner;
	int over = 0;

	preempt_disable();
	owner = mw_member_owner(attempt->mm);
	if (owner) {
		/*
		 * A batch: this was expensive, and whoever is here comes again.
		 * An interrupt may take the stock away in between.
		 */
		do {
			mw_stock_force(owner, max(attempt->nr_pages,
						  MW_STOCK_BATCH));
			over = charge(attempt, owner);
		} while (over == MW_CHARGE_BLOCKED);
	}
	preempt_enable();
	return over;
}

static bool has_room(struct mw_group *group, unsigned int nr_pages)
{
	return mw_counter_read(&group->memory) + nr_pages <=
	       READ_ONCE(group->memory.max);
}

static unsigned long reclaim(struct mw_group *group, unsigned long nr_pages,
			     gfp_t gfp)
{
	struct mw_reclaim how = {
		.why = MW_RECLAIM_LIMIT, .gfp = gfp, .swappiness = -1,
	};
	unsigned long nr, pflags;

	mw_psi_memstall_enter(&pflags);
	nr = mw_reclaim(group, max(nr_pages, 32UL), &how);
	mw_psi_memstall_leave(&pflags);
	return nr;
}

/* Pages that CPUs have not put on the kernel's lists yet. */
static void drain_lists(gfp_t gfp)
{
	if (gfp & __GFP_FS)
		mw_lru_add_drain_all();
}

/* Nothing could be reclaimed for a long time. */
static enum verdict last_resort(struct attempt *attempt, struct mw_group *full)
{
	if (attempt->gfp & __GFP_NOFAIL)
		return FORCE;
	if (fatal_signal_pending(current) || (current->flags & PF_EXITING))
		return REFUSE;
	if (attempt->gfp & __GFP_RETRY_MAYFAIL)
		return REFUSE;
	if (!mw_oom(full))
		return FORCE;
	attempt->tries = MAX_TRIES;
	return AGAIN;
}

/* Reclaim did not bring enough. */
static enum verdict persist(struct attempt *attempt, struct mw_group *full,
			    unsigned long reclaimed)
{
	if (!attempt->drained) {
		attempt->drained = true;
		mw_stock_drain_online();
		return AGAIN;
	}
	if ((attempt->gfp & __GFP_NORETRY) || attempt->nr_pages > COSTLY_PAGES)
		return attempt->gfp & __GFP_NOFAIL ? FORCE : REFUSE;
	if (fatal_signal_pending(current))
		return last_resort(attempt, full);
	if (!reclaimed && !--attempt->tries)
		return last_resort(attempt, full);
	if (attempt->tries == 1)
		drain_lists(attempt->gfp);
	return AGAIN;
}

static enum verdict make_room(struct attempt *attempt, struct mw_group *full)
{
	unsigned long reclaimed;

	mw_event(full, MW_EVENT_MAX);
	atomic_long_inc(&full->failcnt);
	if (current->flags & PF_MEMALLOC)
		return FORCE;
	if (!gfpflags_allow_blocking(attempt->gfp))
		return attempt->gfp & __GFP_NOFAIL ? FORCE : REFUSE;
	reclaimed = reclaim(full, attempt->nr_pages, attempt->gfp);
	/* what was reclaimed may be in this CPU's stock, where it is as good */
	if (reclaimed >= attempt->nr_pages ||
	    has_room(full, attempt->nr_pages))
		return AGAIN;
	return persist(attempt, full, reclaimed);
}

/**
 * mw_limit_charge() - charge pages that a memory.max is in the way of
 * @mm:       who pays
 * @pfn:      first page frame
 * @nr_pages: pages
 * @kind:     what they hold
 * @gfp:      flags of the allocation
 *
 * Context: any; sleeps only if @gfp allows it.
 * Return: 0; or -ENOMEM with nothing charged.
 */
int mw_limit_charge(struct mm_struct *mm, unsigned long pfn,
		    unsigned int nr_pages, enum mw_kind kind, gfp_t gfp)
{
	struct attempt attempt = {
		.mm = mm, .pfn = pfn, .nr_pages = nr_pages, .kind = kind,
		.gfp = current_gfp_context(gfp), .tries = MAX_TRIES,
	};
	enum verdict verdict;
	struct mw_group *full;
	int over;

	while ((over = try_charge(&attempt, &full)) == MW_CHARGE_BLOCKED) {
		verdict = make_room(&attempt, full);
		mw_group_put(full);
		if (verdict == REFUSE)
			return -ENOMEM;
		if (verdict == FORCE) {
			over = force_charge(&attempt);
			break;
		}
	}
	if (over)
		mw_throttle_charge(over, gfp);
	return 0;
}

/* --- setting limits --- */

/**
 * struct goal - a limit that was set and is to be obeyed
 * @group: whose
 * @limit: where it is kept
 * @pages: what was written
 */
struct goal {
	struct mw_group *group;
	unsigned long *limit;
	unsigned long pages;
};

/* Above it still, and nobody has written another one meanwhile? */
static bool is_above(const struct goal *goal)
{
	return READ_ONCE(*goal->limit) == goal->pages &&
	       mw_counter_read(&goal->group->memory) > goal->pages;
}

/* Return: whether it came to that without killing. */
static bool reclaim_to(const struct goal *goal)
{
	unsigned int tries = MAX_TRIES;

	if (is_above(goal)) {
		mw_stock_drain_all();
		drain_lists(GFP_KERNEL);
	}
	while (is_above(goal) && tries && !signal_pending(current)) {
		unsigned long over = mw_counter_read(&goal->group->memory) -
				     goal->pages;

		if (!reclaim(goal->group, min(over, 1024UL), GFP_KERNEL))
			tries--;
		cond_resched();
	}
	return !is_above(goal);
}

/**
 * mw_limit_set_high() - set memory.high
 * @group: the group
 * @pages: the limit
 * @shrink: reclaim what is above it
 *
 * Context: process, may sleep; a signal ends it, and the limit stays.
 */
void mw_limit_set_high(struct mw_group *group, unsigned long pages, bool shrink)
{
	struct goal goal = { group, &group->memory.high, pages };

	WRITE_ONCE(group->memory.high, pages);
	if (shrink)
		reclaim_to(&goal);
}

/**
 * mw_limit_set_max() - set memory.max as cgroup v2 does
 * @group:  the group
 * @pages:  the limit
 * @shrink: reclaim what is above it, and kill until it holds
 *
 * Context: process, may sleep; a signal ends it, and the limit stays.
 */
void mw_limit_set_max(struct mw_group *group, unsigned long pages, bool shrink)
{
	struct goal goal = { group, &group->memory.max, pages };

	WRITE_ONCE(group->memory.max, pages);
	if (!shrink)
		return;
	while (!reclaim_to(&goal) && !signal_pending(current))
		if (!mw_oom(group))
			break;
}

/**
 * mw_limit_resize() - set memory.max as cgroup v1 does
 * @group: the group
 * @pages: the limit
 *
 * Context: process, may sleep.
 * Return: 0; or with the limit as it was: -EBUSY if usage could not be brought
 * below it, -EINTR on a signal.
 */
int mw_limit_resize(struct mw_group *group, unsigned long pages)
{
	struct goal goal = { group, &group->memory.max, pages };
	unsigned long old = xchg(&group->memory.max, pages);

	if (reclaim_to(&goal))
		return 0;
	cmpxchg(&group->memory.max, pages, old);
	return signal_pending(current) ? -EINTR : -EBUSY;
}
