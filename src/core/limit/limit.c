// SPDX-License-Identifier: GPL-2.0
/*
 * memory.max, and memory.memsw.limit: finding room for a charge that would pass one.
 *
 * DOC: The charge itself says only that a limit is in the way; here it is tried
 * again and again: reclaim from the group whose limit it is, give back what the
 * CPUs have in stock, and after MAX_TRIES rounds in vain, one after the other, kill
 * something (oom.c).  Those that wait for a disk are not in vain (patience.c).
 *
 * Some charges must not wait, and some must not fail.  What cannot wait fails, as
 * it does at the kernel's own limits.  What must not fail (__GFP_NOFAIL, a task
 * that reclaims memory itself) is charged above the limit.  So is who ends, up to 4 MB:
 * he has some words to write yet, for which others wait.  A task that was killed and does
 * not end yet is refused: it needs no memory to come to that, but inside a file system,
 * which may ask again and again.
 *
 * Who is not in the group (swapoff, readahead from swap, who writes to another's memory) waits for
 * none of its disks: others may wait for him, up to 6.12 where no signal ends it.  He is charged above the
 * limit, up to 4 MB; from there on he waits as all others do.
 *
 * Where nobody is left to be killed, the limit holds too, as the kernel's own do: a
 * system call fails, and a page fault is tried again, and takes no lock along from
 * one time to the next.  Its task waits here each time (oom.c), so it sleeps until
 * there is room or it is killed, where the kernel's would use up a processor.
 */
#include <linux/jiffies.h>
#include <linux/oom.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include <trace/events/memward.h>

#include <compat/ksym.h>
#include <core/charge/charge.h>
#include <core/charge/member.h>
#include <core/group/group.h>
#include <core/group/memsw.h>
#include <core/group/task.h>
#include <core/group/tree.h>
#include <core/limit/limit.h>
#include <core/limit/oom.h>
#include <core/limit/patience.h>
#include <core/limit/throttle.h>
#include <core/reclaim/drain.h>
#include <core/reclaim/reclaim.h>

/* rounds in vain before giving up */
#define MAX_TRIES	16
/* so often it is only tried again if there is room by now */
#define MAX_MISSES	16
/* with so many left the CPUs give what they have gathered: one round may have to sort it, and the other takes it */
#define DRAIN_TRIES	2
/* larger folios can do without: there are smaller ones */
#define COSTLY_PAGES	8U
/* what CPUs have in stock is given back before pages are reclaimed if it is such a part of the limit */
#define STOCK_PART	100
/* but no more often: whoever is at the limit takes stock again */
#define STOCK_EVERY	(HZ / 10)
/* so far above its limit a group may come for those who end, or are not in it, in pages */
#define ABOVE_PAGES	1024

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
 * @misses:  times that there was room when it was looked for what was in the way
 * @drained: the stocks were given back
 * @outside: current is not in the group whose limit it is
 * @in_vain: the last round has brought nothing, whatever it waited for
 * @patience: with disks
 */
struct attempt {
	const struct mw_charge_request *request;
	gfp_t gfp;
	unsigned int tries;
	unsigned int misses;
	bool drained;
	bool outside;
	bool in_vain;
	struct mw_patience patience;
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

/* For so many pages; below zero if it is above a limit. */
static long room_in(struct mw_group *group)
{
	unsigned long max = READ_ONCE(group->memsw_max);
	long room = READ_ONCE(group->memory.max) - mw_counter_read(&group->memory);

	return max == MW_COUNTER_MAX ? room : min_t(long, room, max - mw_memsw_usage(group));
}

static struct mw_group *tightest(struct mw_group *group)
{
	struct mw_group *found = group;

	while ((group = group->parent))
		if (room_in(group) < room_in(found))
			found = group;
	return found;
}

/*
 * What was in the way may have room by now: others have given something back, or had added what they found no
 * room for.  Then it is where there is least.
 */
static struct mw_group *full_group(struct mw_group *group, unsigned int nr_pages)
{
	struct mw_counter *full = mw_counter_full(&group->memory, nr_pages);

	if (full)
		return container_of(full, struct mw_group, memory);
	return mw_memsw_full(group, nr_pages) ?: tightest(group);
}

/**
 * mw_limit_full_get() - the group whose limit is in the way of a charge
 * @group:    who would pay
 * @nr_pages: pages
 *
 * Context: preemption off, or @group is referenced.
 * Return: @group or one above it, with a reference.
 */
struct mw_group *mw_limit_full_get(struct mw_group *group, unsigned int nr_pages)
{
	struct mw_group *full = full_group(group, nr_pages);

	mw_group_get(full);
	return full;
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
	if (over == MW_CHARGE_BLOCKED)
		*full = mw_limit_full_get(rcu_dereference_sched(owner->group),
					  request->nr_pages);
	preempt_enable();
	return over;
}

/* A batch, as this was expensive, and whoever is here comes again, but who exits. */
static unsigned int nr_to_force(const struct mw_charge_request *request)
{
	return mw_current_is(PF_EXITING) ? request->nr_pages :
					   max(request->nr_pages, MW_STOCK_BATCH);
}

static int force_charge(const struct mw_charge_request *request)
{
	struct mw_owner *owner;
	int over = 0;

	preempt_disable();
	owner = owner_of(request);
	if (owner) {
		/* an interrupt may take the stock away in between */
		do {
			mw_stock_force(owner, nr_to_force(request));
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

/* For a page, up to the root? */
static bool have_room(struct mw_group *group)
{
	for (; group; group = group->parent)
		if (!has_room(group, 1))
			return false;
	return true;
}

/**
 * mw_limit_reclaim() - reclaim for a limit, as a stall that pressure shows
 * @sc:       what is wanted, of whom, and what it may do
 * @may_swap: what is swapped out makes no room for memory and swap together
 *
 * Context: process, may sleep.
 */
void mw_limit_reclaim(struct mw_scan_control *sc, bool may_swap)
{
	unsigned long pflags;

	sc->nr_to_reclaim = max(sc->nr_to_reclaim, 32UL);
	sc->why = MW_RECLAIM_LIMIT;
	sc->swappiness = may_swap ? -1 : 0;
	mw_psi_memstall_enter(&pflags);
	mw_reclaim(sc);
	mw_psi_memstall_leave(&pflags);
}

/*
 * Before somebody is killed: what others have charged in advance meanwhile, and pages
 * that are on no list of the kernel yet.  It is a worker who sees to these, so no lock that
 * is held here is in his way.
 */
static void drain_again(struct mw_group *full)
{
	mw_stock_drain_below(full);
	mw_drain_wait(MW_DRAIN_MS);
}

/*
 * Does who asks for so many pages take fewer?  Not for a file whose blocks are larger than a page;
 * whether they are is not known here, so none of a file are refused that the page allocator
 * would have somebody killed for, too.
 */
static bool takes_fewer(const struct attempt *attempt)
{
	const struct mw_charge_request *request = attempt->request;

	return request->nr_pages > (request->kind == MW_KIND_FILE ? COSTLY_PAGES : 1);
}

/*
 * Nobody can be killed.  What others bring back of a group's, by swapoff perhaps, is
 * not for them to wait for; and a refusal may be the end of process 1, and of the
 * machine, if it gets a signal that there is no stack for.  Nor do these two wait:
 * they come back for each batch.
 */
static enum verdict helpless(struct attempt *attempt, struct mw_group *full)
{
	if (attempt->outside || mw_member_current_is_init())
		return FORCE;
	attempt->tries = MAX_TRIES;
	return mw_oom_wait(full) ? AGAIN : REFUSE;
}

/* Nobody waits for what it would do with the memory. */
static bool is_killed(void)
{
	return fatal_signal_pending(current) || tsk_is_oom_victim(current);
}

/*
 * Who exits, whatever for, writes to the user that a thread has ended and that locks have lost their owner
 * (clear_child_tid, robust futexes).  If that fails nobody is told, and who waits for it, in another process
 * perhaps, does so for ever.  No signal reaches him any more, so he does not wait for long either, but where
 * the group is far above its limit, as that was lowered, perhaps.
 */
static bool may_exit(struct mw_group *full)
{
	return mw_current_is(PF_EXITING) && !mw_memsw_is_above(full, ABOVE_PAGES);
}

/*
 * Is who was killed to have it all the same?  A file system may ask again and again for what it needs to get on,
 * and hold what all others of that file system wait for; so the kernel's controller reclaims for it.  Not for what
 * he writes himself (__GFP_WRITE): btrfs looks at no signal before the end of a write, which may be of 2 GB.
 */
static bool may_ask_for_ever(const struct attempt *attempt)
{
	return !(attempt->gfp & (__GFP_FS | __GFP_NORETRY | __GFP_RETRY_MAYFAIL | __GFP_WRITE)) &&
	       !takes_fewer(attempt);
}

/* Nothing could be reclaimed for a long time. */
static enum verdict last_resort(struct attempt *attempt, struct mw_group *full)
{
	if (attempt->gfp & __GFP_NOFAIL)
		return FORCE;
	if (is_killed() || mw_current_is(PF_EXITING))
		return may_ask_for_ever(attempt) ? FORCE : REFUSE;
	if (attempt->gfp & __GFP_RETRY_MAYFAIL)
		return REFUSE;
	/* there are smaller ones, which may fit: nobody is to die for it */
	if (takes_fewer(attempt))
		return REFUSE;
	/* one would fit, but there may be none of one */
	if (attempt->request->nr_pages > 1 && have_room(full))
		return FORCE;
	if (!mw_oom(full))
		return helpless(attempt, full);
	attempt->tries = MAX_TRIES;
	return AGAIN;
}

/* Far above the limit he waits as all others do: nobody is to die for a disk that is only slow. */
static bool is_spared(const struct attempt *attempt, struct mw_group *full)
{
	return attempt->outside && !mw_memsw_is_above(full, ABOVE_PAGES);
}

/* Who is to be frozen, or is not in the group, has not waited for what may come. */
static bool is_let_go(const struct attempt *attempt, const struct mw_scan_control *sc)
{
	return (sc->pending || mw_scan_held(sc)) &&
	       (mw_reclaim_is_spared(sc->target) ||
		is_spared(attempt, sc->target));
}

/* A round has brought nothing that is there already. */
static enum verdict use_up(struct attempt *attempt, struct mw_group *full,
			   const struct mw_scan_control *sc, enum mw_round round)
{
	if (round == MW_ROUND_VAIN)
		attempt->tries--;
	trace_memward_limit_try(full, round, attempt->tries, sc->nr.dirty,
				sc->nr.writing[MW_LRU_ANON] + sc->nr.writing[MW_LRU_FILE],
				mw_scan_held(sc));
	if (round != MW_ROUND_VAIN)
		return AGAIN;
	if (!attempt->tries)
		return last_resort(attempt, full);
	if (attempt->tries == DRAIN_TRIES)
		drain_again(full);
	return AGAIN;
}

/* Reclaim did not bring enough. */
static enum verdict persist(struct attempt *attempt, struct mw_group *full,
			    const struct mw_scan_control *sc, enum mw_round round)
{
	if (!attempt->drained) {
		attempt->drained = true;
		mw_stock_drain_below(full);
		return AGAIN;
	}
	if ((attempt->gfp & __GFP_NORETRY) || attempt->request->nr_pages > COSTLY_PAGES)
		return attempt->gfp & __GFP_NOFAIL ? FORCE : REFUSE;
	if (may_exit(full))
		return FORCE;
	if (is_killed())
		return last_resort(attempt, full);
	if (round == MW_ROUND_VAIN && is_let_go(attempt, sc))
		return FORCE;
	if (round != MW_ROUND_PROGRESS && (attempt->gfp & __GFP_NOFAIL))
		return FORCE;
	return use_up(attempt, full, sc, round);
}

/*
 * With many CPUs, and one stock each, much of a small group is used by nobody.  Return:
 * whether something was given back.
 */
static bool give_stock_back(struct mw_group *full, bool together)
{
	unsigned long limit = together ? READ_ONCE(full->memsw_max) :
					 READ_ONCE(full->memory.max);
	u64 then = READ_ONCE(full->stock_looked_at);
	u64 now = get_jiffies_64();

	/* all CPUs together do not have so much */
	if (limit / STOCK_PART >= num_possible_cpus() * MW_STOCK_MOST)
		return false;
	if (now < then + STOCK_EVERY ||
	    cmpxchg64(&full->stock_looked_at, then, now) != then)
		return false;
	if (mw_stock_below(full) <= limit / STOCK_PART)
		return false;
	mw_stock_drain_below(full);
	return true;
}

/* If not, who asks does without the page, or for smaller ones. */
static bool kills_at_last(const struct attempt *attempt)
{
	return !takes_fewer(attempt) &&
	       !(attempt->gfp & (__GFP_NORETRY | __GFP_RETRY_MAYFAIL | __GFP_NOFAIL));
}

static enum verdict make_room(struct attempt *attempt, struct mw_group *full)
{
	const unsigned int nr_pages = attempt->request->nr_pages;
	bool together = !mw_memsw_has_room(full, nr_pages);
	struct mw_scan_control sc = {
		.target = full, .nr_to_reclaim = nr_pages,
		.gfp = attempt->gfp, .thorough = true, .sends_ahead = true,
		.desperate = kills_at_last(attempt) &&
			     mw_reclaim_is_desperate(full, attempt->tries <= MAX_TRIES / 2),
		.kills = true, .splits = attempt->in_vain && kills_at_last(attempt),
		.heedless = may_ask_for_ever(attempt),
	};
	enum mw_round round;

	if (has_room(full, nr_pages) && attempt->misses++ < MAX_MISSES)
		return AGAIN;
	trace_memward_limit(full, nr_pages, together,
			    (__force unsigned int)attempt->gfp);
	mw_event(full, MW_EVENT_MAX);
	atomic_long_inc(together ? &full->memsw_failcnt : &full->failcnt);
	if (mw_current_is(PF_MEMALLOC))
		return FORCE;
	if (!gfpflags_allow_blocking(attempt->gfp))
		return attempt->gfp & __GFP_NOFAIL ? FORCE : REFUSE;
	if (give_stock_back(full, together))
		return AGAIN;
	attempt->outside = !mw_member_current_is_below(full);
	if (!takes_fewer(attempt) && !is_spared(attempt, full))
		mw_patience_lend(&attempt->patience, &sc);
	mw_limit_reclaim(&sc, !together);
	round = mw_patience_note(&attempt->patience, &sc);
	attempt->in_vain = !sc.nr.reclaimed;
	if (round == MW_ROUND_PROGRESS)
		attempt->tries = MAX_TRIES;
	/* what was reclaimed may be in this CPU's stock, where it is as good */
	if (sc.nr.reclaimed >= nr_pages || has_room(full, nr_pages))
		return AGAIN;
	return persist(attempt, full, &sc, round);
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
	enum verdict verdict = AGAIN;
	struct mw_group *full;
	int over;

	mw_patience_begin(&attempt.patience);
	while ((over = try_charge(request, &full)) == MW_CHARGE_BLOCKED) {
		verdict = make_room(&attempt, full);
		mw_group_put(full);
		if (verdict != AGAIN)
			break;
	}
	mw_patience_end(&attempt.patience);
	if (over == MW_CHARGE_BLOCKED) {
		if (verdict == REFUSE)
			return -ENOMEM;
		over = force_charge(request);
	}
	/* kept even if it asks for smaller pages: room was made for these */
	if (over)
		mw_throttle_charge(over, request->gfp);
	return 0;
}
