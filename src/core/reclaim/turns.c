// SPDX-License-Identifier: GPL-2.0
/*
 * Whose turn it is to give pages, of all groups of a subtree.
 *
 * DOC: A round meets each group once, from where the one before it ended.  In a gentle
 * round each gives in proportion to what it has: it is asked when it has credit for a batch of pages
 * (src/pure/credit.c), and as long as it has, also by the next request.  What a group cannot give, as there is no
 * swap, say, or as it is locked or protected, does not count; how much that is was seen when it was asked last.
 * In the last round all are asked.
 *
 * How much there is of all is the target's usage at first, and from the second round on what the first has met,
 * which is less if much of it cannot be had.  Credit is not locked, but who is asked has paid before that, so that of many who
 * reclaim at a time the others pass it.
 */
#include <linux/sched.h>

#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/reclaim/reclaim.h>
#include <core/reclaim/scan.h>
#include <core/reclaim/turns.h>
#include <pure/balance.h>
#include <pure/credit.h>

/* Pages of a group without those of groups below it; what a removed one had is its parent's. */
static unsigned long own_pages(struct mw_group *group)
{
	struct mw_stats stats;

	if (READ_ONCE(group->dead))
		return 0;
	if (!READ_ONCE(group->nr_descendants))
		return mw_counter_read(&group->memory);
	/* most of those in the middle have none, and each possible CPU is asked for the others */
	if (!atomic_long_read(&group->lru.nr_chunks))
		return 0;
	mw_stats_estimate(group, &stats);
	return max(mw_stats_held(&stats, MW_KIND_FILE) + mw_stats_swapbacked(&stats), 0L);
}

/* Of them, those that can be had. */
static unsigned long pages_of(struct mw_group *group)
{
	unsigned long pages = own_pages(group);

	return DIV_ROUND_UP(pages * READ_ONCE(group->reclaimable), MW_BALANCE_ALL);
}

/* What is left from before has a bound, what a round brings has none.  Has it enough to be asked?  Then it has paid. */
static bool is_due(struct mw_turns *turns, unsigned long pages, s64 quantum)
{
	struct mw_group *group = turns->group;
	s64 credit = mw_credit_left(READ_ONCE(group->credit), pages, turns->total) + quantum;
	bool due = pages && credit >= mw_credit_price(pages);

	if (due) {
		turns->share = mw_credit_share(credit);
		turns->paid = (s64)turns->share * MW_CREDIT_PAGE;
	}
	WRITE_ONCE(group->credit, credit - turns->paid);
	return due;
}

/* The round comes by. Return: whether it is the group's turn. */
static bool is_reached(struct mw_turns *turns)
{
	unsigned long pages;

	turns->share = MW_SCAN_SHARE;
	turns->paid = 0;
	if (!turns->counts)
		return true;
	/* who has none is not one of those few that are asked */
	if (turns->keeps)
		return own_pages(turns->group);
	pages = pages_of(turns->group);
	if (is_due(turns, pages, mw_credit_quantum(pages, turns->total, turns->wanted,
						   turns->priority)))
		return true;
	turns->met += pages;
	turns->passed |= pages;
	/* or, if the round ends before anybody else is asked, the next one would bring it credit once more than others */
	mw_group_had_turn(turns->group, turns->sc->target);
	return false;
}

/*
 * The next one, or nobody: the round is over.  The first one may be gone, or pay for nothing any
 * more: then that is at the second end.
 */
static bool go_on(struct mw_turns *turns)
{
	struct mw_group *target = turns->sc->target;

	turns->group = mw_group_walk(turns->group, target, MW_WALK_CHARGED);
	if (!turns->group) {
		turns->group = mw_group_walk(NULL, target, MW_WALK_CHARGED);
		turns->ends++;
	}
	if (turns->group->id != turns->first && turns->ends < 2)
		return true;
	/* what has been met is all there is */
	if (turns->counts && !turns->keeps)
		turns->sc->found = max(turns->met, 1UL);
	return false;
}

/* From here on, whose turn is it?  Who is passed costs little, but there may be thousands of them. */
static bool find(struct mw_turns *turns)
{
	while (!is_reached(turns)) {
		cond_resched();
		if (mw_scan_must_stop(turns->sc) || !go_on(turns))
			return false;
	}
	return true;
}

/* Who was asked last may not have come to the end of what he was due. */
static bool begins_with_last(struct mw_turns *turns)
{
	turns->group = mw_group_last_in_turn(turns->sc->target);
	if (!turns->group)
		return false;
	if (is_due(turns, pages_of(turns->group), 0))
		return true;
	mw_group_put(turns->group);
	return false;
}

/**
 * mw_turns_begin() - a round begins
 * @turns:    the round
 * @sc:       the request
 * @priority: of the round, 0 for the last
 *
 * Context: process, may sleep.  mw_turns_end() ends it in any case.
 * Return: true, and whose turn it is; or false, if nobody's.
 */
bool mw_turns_begin(struct mw_turns *turns, struct mw_scan_control *sc, unsigned int priority)
{
	unsigned int nr_below = READ_ONCE(sc->target->nr_descendants);
	bool last;

	*turns = (struct mw_turns){
		.sc = sc, .priority = priority,
		.counts = priority && nr_below,
		.wanted = mw_credit_wanted(sc->nr_to_reclaim - min(sc->nr.reclaimed, sc->nr_to_reclaim),
					   nr_below),
		.total = sc->found ?: mw_counter_read(&sc->target->memory),
	};
	last = turns->counts && begins_with_last(turns);
	if (!last)
		turns->group = mw_group_in_turn(sc->target);
	turns->first = turns->group->id;
	return last || find(turns);
}

/**
 * mw_turns_next() - the next one
 * @turns: the round
 *
 * Context: as mw_turns_begin().
 * Return: as there.
 */
bool mw_turns_next(struct mw_turns *turns)
{
	return go_on(turns) && find(turns);
}

/* What it did not look at though more was wanted it has not got. */
static bool keeps_rest(const struct mw_scan_control *sc)
{
	return mw_scan_is_enough(sc) || mw_scan_is_coming(sc) || mw_scan_must_stop(sc);
}

/**
 * mw_turns_had() - it has had its turn
 * @turns:      the round
 * @nr_scanned: pages that were looked at
 *
 * Context: any.
 */
void mw_turns_had(struct mw_turns *turns, unsigned long nr_scanned)
{
	struct mw_group *group = turns->group;
	unsigned long pages;
	s64 credit, price;

	if (!turns->keeps)
		mw_group_had_turn(group, turns->sc->target);
	if (!turns->counts)
		return;
	pages = pages_of(group);
	turns->met += pages;
	/* what is asked of all is no turn, and nothing has come in for it */
	price = turns->keeps ? 0 : mw_credit_price(pages);
	credit = READ_ONCE(group->credit) + turns->paid -
		 max_t(s64, (s64)nr_scanned * MW_CREDIT_PAGE, price);
	if (!turns->keeps && !keeps_rest(turns->sc))
		credit = min_t(s64, credit, 0);
	WRITE_ONCE(group->credit, mw_credit_left(credit, pages, turns->total));
}

/**
 * mw_turns_refuse() - it was not asked after all, and keeps its turn
 * @turns: the round
 *
 * Context: any.
 */
void mw_turns_refuse(struct mw_turns *turns)
{
	WRITE_ONCE(turns->group->credit, READ_ONCE(turns->group->credit) + turns->paid);
}

/**
 * mw_turns_keep() - from now on all are asked that have something, and keep their turn
 * @turns: the round
 *
 * If any that has something was passed before the round begins anew behind whose turn it is.
 *
 * Context: any.
 */
void mw_turns_keep(struct mw_turns *turns)
{
	if (turns->keeps)
		return;
	turns->keeps = true;
	if (!turns->passed)
		return;
	turns->first = turns->group->id;
	turns->ends = 0;
}

/**
 * mw_turns_end() - undo mw_turns_begin()
 * @turns: the round
 *
 * Context: any.
 */
void mw_turns_end(struct mw_turns *turns)
{
	mw_group_put(turns->group);
}
