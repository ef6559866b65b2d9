// SPDX-License-Identifier: GPL-2.0
/*
 * memory.max, and memory.memsw.limit: finding room for a charge that would pass one.
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
#include <core/charge/charge.h>
#include <core/charge/member.h>
#include <core/group/group.h>
#include <core/group/memsw.h>
#include <core/group/task.h>
#include <core/group/tree.h>
#include <core/limit/limit.h>
#include <core/limit/oom.h>
#include <core/limit/throttle.h>
#include <core/reclaim/reclaim.h>

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
 * @request: what is to be charged
 * @gfp:     what may be done for it
 * @tries:   rounds left
 * @drained: the stocks were given back
 */
struct attempt {
	const struct mw_charge_request *request;
	gfp_t gfp;
	unsigned int tries;
	bool drained;
};

static int charge(const struct mw_charge_request *request,
		  struct mw_owner *owner)
{
	if (request->nr_pages > 1)
		return mw_charge_large(owner, request->pfn, request->nr_pages,
				       request->kind);
	return mw_charge_page(owner, request->pfn, request->kind);
}

static struct mw_owner *owner_of(const struct mw_charge_request *request)
{
	return request->owner_id ? mw_owner_find(request->owner_id) :
				   mw_member_owner(request->mm);
}

static struct mw_group *full_group(struct mw_group *group, unsigned int nr_pages)
{
	struct mw_counter *full = mw_counter_full(&group->memory, nr_pages);

	if (full)
		return container_of(full, struct mw_group, memory);
	return mw_memsw_full(group, nr_pages) ?: group;
}

/* As mw_charge_page(); sets @full, with a reference, if it is blocked. */
static int try_charge(const struct mw_charge_request *request,
		      struct mw_group **full)
{
	struct mw_owner *owner;
	int over = 0;

	preempt_disable();
	owner = owner_of(request);
	if (owner)
		over = charge(request, owner);
	if (over == MW_CHARGE_BLOCKED) {
		*full = full_group(rcu_dereference_sched(owner->group),
				   request->nr_pages);
		mw_group_get(*full);
	}
	preempt_enable();
	return over;
}

static int force_charge(const struct mw_charge_request *request)
{
	struct mw_owner *owner;
	int over = 0;

	preempt_disable();
	owner = owner_of(request);
	if (owner) {
		/*
		 * A batch: this was expensive, and whoever is here comes again.
		 * An interrupt may take the stock away in between.
		 */
		do {
			mw_stock_force(owner, max(request->nr_pages,
						  MW_STOCK_BATCH));
			over = charge(request, owner);
		} while (over == MW_CHARGE_BLOCKED);
	}
	preempt_enable();
	return over;
}

static bool memory_has_room(struct mw_group *group, unsigned int nr_pages)
{
	return mw_counter_read(&group->memory) + nr_pages <=
	       READ_ONCE(group->memory.max);
}

static bool has_room(struct mw_group *group, unsigned int nr_pages)
{
	return memory_has_room(group, nr_pages) &&
	       mw_memsw_has_room(group, nr_pages);
}

/* What is swapped out makes no room for memory and swap together. */
static unsigned long reclaim(struct mw_group *group, unsigned long nr_pages,
			     gfp_t gfp, bool may_swap)
{
	struct mw_scan_control sc = {
		.target = group, .nr_to_reclaim = max(nr_pages, 32UL),
		.why = MW_RECLAIM_LIMIT, .gfp = gfp,
		.swappiness = may_swap ? -1 : 0,
	};
	unsigned long nr, pflags;

	mw_psi_memstall_enter(&pflags);
	nr = mw_reclaim(&sc);
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
	if (fatal_signal_pending(current) || mw_current_is(PF_EXITING))
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
	if ((attempt->gfp & __GFP_NORETRY) || attempt->request->nr_pages > COSTLY_PAGES)
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
	const unsigned int nr_pages = attempt->request->nr_pages;
	bool together = !mw_memsw_has_room(full, nr_pages);
	unsigned long reclaimed;

	mw_event(full, MW_EVENT_MAX);
	atomic_long_inc(together ? &full->memsw_failcnt : &full->failcnt);
	if (mw_current_is(PF_MEMALLOC))
		return FORCE;
	if (!gfpflags_allow_blocking(attempt->gfp))
		return attempt->gfp & __GFP_NOFAIL ? FORCE : REFUSE;
	reclaimed = reclaim(full, nr_pages, attempt->gfp, !together);
	/* what was reclaimed may be in this CPU's stock, where it is as good */
	if (reclaimed >= nr_pages || has_room(full, nr_pages))
		return AGAIN;
	return persist(attempt, full, reclaimed);
}

/**
 * mw_limit_charge() - charge pages, making room where a limit is in the way
 * @request: what is to be charged to whom
 *
 * Context: any; sleeps only if @request->gfp allows it.
 * Return: 0; or -ENOMEM with nothing charged.
 */
int mw_limit_charge(const struct mw_charge_request *request)
{
	struct attempt attempt = {
		.request = request,
		.gfp = current_gfp_context(request->gfp), .tries = MAX_TRIES,
	};
	enum verdict verdict;
	struct mw_group *full;
	int over;

	while ((over = try_charge(request, &full)) == MW_CHARGE_BLOCKED) {
		verdict = make_room(&attempt, full);
		mw_group_put(full);
		if (verdict == REFUSE)
			return -ENOMEM;
		if (verdict == FORCE) {
			over = force_charge(request);
			break;
		}
	}
	/* kept even if it asks for smaller pages: room was made for these */
	if (over)
		mw_throttle_charge(over, request->gfp);
	return 0;
}

/* --- setting limits --- */

/**
 * struct goal - a limit that was set and is to be obeyed
 * @group:    whose
 * @limit:    where it is kept
 * @pages:    what was written
 * @together: it is one for memory and swap together
 */
struct goal {
	struct mw_group *group;
	unsigned long *limit;
	unsigned long pages;
	bool together;
};

static unsigned long usage_for(const struct goal *goal)
{
	return goal->together ? mw_memsw_usage(goal->group) :
				mw_counter_read(&goal->group->memory);
}

/* Above it still, and nobody has written another one meanwhile? */
static bool is_above(const struct goal *goal)
{
	return READ_ONCE(*goal->limit) == goal->pages &&
	       usage_for(goal) > goal->pages;
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
		unsigned long over = usage_for(goal) - goal->pages;

		if (!reclaim(goal->group, min(over, 1024UL), GFP_KERNEL,
			     !goal->together))
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

/* As cgroup v1 does: a limit that cannot be reached is not set. */
static int resize(const struct goal *goal)
{
	unsigned long old = xchg(goal->limit, goal->pages);

	if (reclaim_to(goal))
		return 0;
	cmpxchg(goal->limit, goal->pages, old);
	return signal_pending(current) ? -EINTR : -EBUSY;
}

/**
 * mw_limit_resize() - set memory.max as cgroup v1 does
 * @group: the group
 * @pages: the limit
 *
 * Context: process, may sleep.
 * Return: 0; or with the limit as it was: -EINVAL if it is above that of memory
 * and swap together, -EBUSY if usage could not be brought below it, -EINTR on a
 * signal.
 */
int mw_limit_resize(struct mw_group *group, unsigned long pages)
{
	struct goal goal = { group, &group->memory.max, pages };

	if (pages > READ_ONCE(group->memsw_max))
		return -EINVAL;
	return resize(&goal);
}

/**
 * mw_limit_resize_memsw() - set the limit of memory and swap together
 * @group: the group
 * @pages: the limit
 *
 * Context: process, may sleep.
 * Return: as mw_limit_resize(); -EINVAL if it is below memory.max.
 */
int mw_limit_resize_memsw(struct mw_group *group, unsigned long pages)
{
	struct goal goal = { group, &group->memsw_max, pages, true };

	if (pages < READ_ONCE(group->memory.max))
		return -EINVAL;
	return resize(&goal);
}
