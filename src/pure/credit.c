// SPDX-License-Identifier: GPL-2.0
/*
 * How many of its pages a group gives, if that is to be in proportion to what it has.
 *
 * DOC: Deficit round robin, as packet schedulers have it.  Each time a walk comes by, a group is given
 * credit for its part of the pages that are wanted of all.  Who has enough for a batch is asked for as many
 * pages as he has credit for, and pays for those that were looked at; who has not is passed, and keeps it.
 * So a group of a hundredth of the memory is asked a hundredth as often as it would be alone, however few
 * pages a request is about, and not for a batch each time.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include <pure/balance.h>
#include <pure/credit.h>

/* what all groups together are asked for in one walk, in pages */
#define WANTED_MIN	64UL
#define WANTED_MAX	1024UL
/* how much more may be looked at than there was credit for, before the rest is let off: one huge page at least */
#define DEBT_PAGES	512

static s64 part_of(unsigned long pages, unsigned long parts)
{
	return (u64)pages * MW_CREDIT_PAGE / parts;
}

/**
 * mw_credit_wanted() - how many pages a walk is to ask all groups for
 * @nr_pages:  what somebody wants
 * @nr_groups: how many there are
 *
 * A walk costs something for each group, so that many are asked for many pages: what is not wanted of them now
 * is asked for by the next request.
 *
 * Return: pages.
 */
unsigned long mw_credit_wanted(unsigned long nr_pages, unsigned long nr_groups)
{
	return clamp(max(nr_pages, nr_groups), WANTED_MIN, WANTED_MAX);
}

/**
 * mw_credit_quantum() - the credit that a walk brings to a group
 * @pages:    that the group has
 * @total:    that all have
 * @wanted:   that are wanted of all, not 0
 * @priority: the walk's: it is 2^-@priority of the pages at least
 *
 * Return: credit, MW_CREDIT_PAGE a page.
 */
s64 mw_credit_quantum(unsigned long pages, unsigned long total, unsigned long wanted,
		      unsigned int priority)
{
	return part_of(pages, min(max(total / wanted, 1UL), 1UL << priority));
}

/**
 * mw_credit_price() - what it takes to be asked
 * @pages: that the group has
 *
 * Who was asked pays that at least: he may have nothing to give.
 *
 * Return: credit.
 */
s64 mw_credit_price(unsigned long pages)
{
	return (s64)min_t(unsigned long, pages, MW_SCAN_BATCH) * MW_CREDIT_PAGE;
}

/**
 * mw_credit_share() - for how many pages there is credit
 * @credit: not below 0
 *
 * Return: pages, if these are more than anybody is asked for by his part of what is wanted, no more: in an urgent round
 * it is a part of his pages that he is asked for.
 */
unsigned long mw_credit_share(s64 credit)
{
	return min_t(u64, credit / MW_CREDIT_PAGE, WANTED_MAX);
}

/**
 * mw_credit_left() - what remains of credit
 * @credit: that is left
 * @pages:  that the group has
 * @total:  that all have
 *
 * Nobody saves up more than what a walk for many pages brings him, nor is anybody in debt for ever.  An urgent round
 * brings more, which is for that round.
 *
 * Return: credit.
 */
s64 mw_credit_left(s64 credit, unsigned long pages, unsigned long total)
{
	s64 most = part_of(pages, max(total / WANTED_MAX, 1UL)) +
		   (s64)MW_SCAN_BATCH * MW_CREDIT_PAGE;

	return clamp_t(s64, credit, -max_t(s64, most, (s64)DEBT_PAGES * MW_CREDIT_PAGE), most);
}

/**
 * mw_credit_first() - what a new group begins with
 * @id: the group's
 *
 * Groups of one size that all began with nothing would all be asked in the same walk, and none for many walks.
 *
 * Return: credit, less than for a batch; of many groups it is spread evenly.
 */
s64 mw_credit_first(u64 id)
{
	/* 2^64 by the golden ratio: what follows each other comes to be far from each other */
	u64 spread = id * 0x9e3779b97f4a7c15ULL;

	return (spread >> 40) * MW_SCAN_BATCH * MW_CREDIT_PAGE >> 24;
}
