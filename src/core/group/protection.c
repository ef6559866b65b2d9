// SPDX-License-Identifier: GPL-2.0
/*
 * memory.min and memory.low: what a group is to keep when others want memory.
 *
 * DOC: Each group claims what it uses of its setting; a parent knows the sum of
 * its children's claims, which is changed when a claim is, and not when usage is:
 * a group that is far above its setting, or has none, touches nothing here.
 *
 * What a group really has depends on whom reclaim is aimed at and on everybody
 * between (protect.c), and is worked out when reclaim asks.  The numbers it is made
 * of may be of different moments; so is the answer.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/processor.h>

#include <core/group/group.h>
#include <core/group/protection.h>
#include <pure/protect.h>

/* less at a time is not worth a look */
#define MIN_OFFER	32UL
/* nor is what was not taken, or taken too much, long ago */
#define MAX_DUE		1024L

/*
 * For how long memory.low does not hold when it has had to give way: twice as long
 * if it has to again before it has held for eight times as long.
 */
#define RELENT_LEAST	HZ
#define RELENT_MOST	(32 * HZ)

/* there has been a setting since memward was mounted */
static bool any_setting;
/* memory.low does not hold up to then, in jiffies; 0: it does */
static unsigned long relent_until;
/* when it began to hold again (0: it has never given way), and for how long it had not */
static unsigned long relented_at;
static unsigned long relented_for = RELENT_LEAST;
/* what nobody claims goes to the children as they use it */
static bool recursive = true;

/* Return: whether it was out of date. */
static bool renew_once(struct mw_group *group, enum mw_shield_kind kind)
{
	struct mw_shield *shield = &group->shield[kind];
	struct mw_protected now = {
		.usage = mw_counter_read(&group->memory),
		.setting = READ_ONCE(shield->setting),
	};
	long claim = mw_protect_claim(&now);
	long old;

	if (likely(claim == atomic_long_read(&shield->claim)))
		return false;
	old = atomic_long_xchg(&shield->claim, claim);
	if (group->parent)
		atomic_long_add(claim - old,
				&group->parent->shield[kind].children);
	return true;
}

/*
 * Usage or the setting has changed.  Of two that see this the one that has looked first
 * may be the last to write, so look again.
 */
static void renew(struct mw_group *group, enum mw_shield_kind kind)
{
	while (renew_once(group, kind))
		cpu_relax();
}

/** mw_shield_any() - has anybody ever set a memory.min or memory.low? */
bool mw_shield_any(void)
{
	return READ_ONCE(any_setting);
}

/**
 * mw_shield_use() - the usage of a group and of those above it has changed
 * @group: where pages were charged or uncharged
 *
 * Context: any; @group is referenced or inside an RCU read side.
 */
void mw_shield_use(struct mw_group *group)
{
	if (!READ_ONCE(any_setting))
		return;
	for (; group; group = group->parent) {
		renew(group, MW_SHIELD_MIN);
		renew(group, MW_SHIELD_LOW);
	}
}

/**
 * mw_shield_set() - set memory.min or memory.low
 * @group: the group
 * @kind:  which
 * @pages: the setting
 *
 * Context: any; @group is referenced.
 */
void mw_shield_set(struct mw_group *group, enum mw_shield_kind kind,
		   unsigned long pages)
{
	WRITE_ONCE(group->shield[kind].setting, pages);
	if (pages)
		WRITE_ONCE(any_setting, true);
	renew(group, kind);
}

/**
 * mw_shield_set_recursive() - does what no child claims of its parent's protection
 *			       protect the children all the same?
 * @on: if so, which is the default
 *
 * Context: any.
 */
void mw_shield_set_recursive(bool on)
{
	WRITE_ONCE(recursive, on);
}

/** mw_shield_is_recursive() - what mw_shield_set_recursive() has set */
bool mw_shield_is_recursive(void)
{
	return READ_ONCE(recursive);
}

/** mw_shield_low_holds() - unless it has given way lately, see mw_shield_relent() */
bool mw_shield_low_holds(void)
{
	unsigned long until = READ_ONCE(relent_until);

	if (likely(!until))
		return true;
	if (time_before(jiffies, until))
		return false;
	WRITE_ONCE(relent_until, 0);
	return true;
}

/**
 * mw_shield_relent() - nothing else can be reclaimed: memory.low does not hold for a while
 *
 * If all that there is is protected, it is over and over again.  To hide all of it
 * in between and to show it again takes longer than to reclaim what is wanted.
 *
 * Context: one at a time.
 */
void mw_shield_relent(void)
{
	bool holds = mw_shield_low_holds();

	if (holds && relented_at &&
	    time_before(jiffies, relented_at + 8 * relented_for))
		relented_for = min(2 * relented_for, (unsigned long)RELENT_MOST);
	else if (holds)
		relented_for = RELENT_LEAST;
	relented_at = (jiffies + relented_for) | 1;
	WRITE_ONCE(relent_until, relented_at);
}

/** mw_shield_stop() - back to the defaults, when there is no group any more */
void mw_shield_stop(void)
{
	WRITE_ONCE(any_setting, false);
	WRITE_ONCE(recursive, true);
	WRITE_ONCE(relent_until, 0);
	relented_for = RELENT_LEAST;
	relented_at = 0;
}

/* The child of @above that @group is below, or is. */
static struct mw_group *towards(struct mw_group *above, struct mw_group *group)
{
	while (group->parent != above)
		group = group->parent;
	return group;
}

/**
 * mw_shield_effective() - what of a group reclaim has to spare
 * @group:  the group
 * @target: where reclaim is aimed at, @group or above it: its own protection is
 *          against those beside it, and does not count here
 * @kind:   which protection
 *
 * Costs the square of the levels between.
 *
 * Context: any; @group is referenced or inside an RCU read side.
 * Return: pages, perhaps more than are used.
 */
unsigned long mw_shield_effective(struct mw_group *group,
				  struct mw_group *target,
				  enum mw_shield_kind kind)
{
	struct mw_protected above, here = {};
	struct mw_group *pos;

	for (pos = target; pos != group; above = here) {
		struct mw_group *parent = pos;

		pos = towards(parent, group);
		here.usage = mw_counter_read(&pos->memory);
		here.setting = READ_ONCE(pos->shield[kind].setting);
		here.effective = mw_protect_effective(&here,
				parent == target ? NULL : &above,
				max(atomic_long_read(&parent->shield[kind].children), 0L),
				READ_ONCE(recursive));
	}
	return here.effective;
}

/*
 * What was offered and not looked at yet adds up until it is worth a look: 16 of 32
 * pages are none and 32 by turns.  To give 32 each time would be no proportion any
 * more; nor is it one if a large folio is taken for 32 pages, so that counts in full.
 */
static unsigned long in_portions(struct mw_group *group, unsigned long pages,
				 unsigned long offer)
{
	long due = READ_ONCE(group->due) + offer;

	/* of two that do this at once one may be lost: it is no account */
	due = min(due, MAX_DUE);
	WRITE_ONCE(group->due, due);
	due = min_t(long, due, pages);
	return due < (long)min(pages, MIN_OFFER) ? 0 : due;
}

static void count(struct mw_group *group, unsigned long pages,
		  unsigned long offer, bool given_up)
{
	this_cpu_add(group->stats->kept, pages - offer);
	this_cpu_add(group->stats->offered, offer);
	if (given_up)
		this_cpu_add(group->stats->given_up, offer);
}

/**
 * mw_shield_offer() - how many pages of a group reclaim may look at
 * @group:       the group
 * @target:      where reclaim is aimed at, @group or above it
 * @pages:       of those it would like to look at
 * @despite_low: nothing else could be reclaimed
 * @spared:      set if memory.low has kept some
 *
 * Context: process; @group is referenced.
 * Return: pages; on the average as the proportion says, but not less than 32, or what
 * was asked for, if it is not none this time.
 */
unsigned long mw_shield_offer(struct mw_group *group, struct mw_group *target,
			      unsigned long pages, bool despite_low,
			      bool *spared)
{
	unsigned long usage, min, low, offer;

	if (!READ_ONCE(any_setting) || !pages || group == target)
		return pages;
	usage = mw_counter_read(&group->memory);
	min = mw_shield_effective(group, target, MW_SHIELD_MIN);
	low = mw_shield_effective(group, target, MW_SHIELD_LOW);
	if (!min && !low)
		return pages;
	offer = mw_protect_offer(pages, usage, min);
	if (despite_low) {
		offer = min(offer, mw_protect_offer_low(pages, usage, low));
		if (offer && usage <= low)
			mw_event(group, MW_EVENT_LOW);
	} else if (low > min) {
		low = mw_protect_offer(pages, usage, low);
		*spared |= low < offer;
		offer = low;
	}
	if (offer < pages)
		offer = in_portions(group, pages, offer);
	else
		/* mw_shield_took() takes it away again: no debts from here */
		WRITE_ONCE(group->due, min_t(long, pages, MAX_DUE));
	count(group, pages, offer, despite_low && usage <= low);
	return offer;
}

/**
 * mw_shield_took() - reclaim has looked at pages that mw_shield_offer() has offered
 * @group: the group
 * @pages: how many it was in the end
 *
 * Context: process; @group is referenced.
 */
void mw_shield_took(struct mw_group *group, unsigned long pages)
{
	if (READ_ONCE(any_setting))
		WRITE_ONCE(group->due, max(READ_ONCE(group->due) - (long)pages,
					   -MAX_DUE));
}
