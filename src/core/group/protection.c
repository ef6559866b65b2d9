// SPDX-License-Identifier: GPL-2.0
/*
 * memory.min and memory.low: what a group is to keep when others want memory.
 *
 * DOC: Of each setting a group knows how much it uses (@usage), and how much its
 * children use of theirs (@children_usage), as the kernel's page_counter does
 * (propagate_protected_usage()).  Both change when the used part does, and not when
 * usage does: a group that is far above its setting, or has none, touches nothing here.
 *
 * What a group really has (emin, elow) depends on whom reclaim is aimed at and on everybody
 * between (protect.c), and is worked out when reclaim asks.  The numbers it is made
 * of may be of different moments; so is the answer.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/string.h>

#include <core/group/group.h>
#include <core/group/leaving.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <pure/protect.h>

/* less at a time is not worth a look */
#define MIN_TARGET	32UL
/* how much of what was not looked at, or too much, is remembered */
#define MAX_DEFERRED	1024L

/* For how long memory.low does not hold when it has had to give way. */
#define SUSPEND_FOR	(10 * HZ)

/* there has been a setting since memward was mounted */
static bool any_setting;
/* memory.low does not hold up to then, in jiffies, by node; 0: it does */
static unsigned long suspended_until[MAX_NUMNODES];
/* there is one of these that is not 0 */
static bool any_suspended;
/* there is as good as none anywhere, for as long as somebody says so */
static bool low_is_off;
/* what no child protects goes to the children as they use it */
static bool recursive = true;

/* Return: whether it was out of date. */
static bool renew_once(struct mw_group *group, enum mw_protection_kind kind)
{
	struct mw_protection *mine = &group->protection[kind];
	struct mw_protected now = {
		.usage = mw_counter_read(&group->memory),
		.setting = READ_ONCE(mine->setting),
	};
	long usage = mw_protect_usage(&now);
	long old;

	if (likely(usage == atomic_long_read(&mine->usage)))
		return false;
	old = atomic_long_xchg(&mine->usage, usage);
	if (group->parent)
		atomic_long_add(usage - old,
				&group->parent->protection[kind].children_usage);
	return true;
}

/*
 * Usage or the setting has changed.  Of two that see this the one that has looked first
 * may be the last to write, so look again.
 */
static void renew(struct mw_group *group, enum mw_protection_kind kind)
{
	while (renew_once(group, kind))
		cpu_relax();
}

/** mw_protection_any() - has anybody ever set a memory.min or memory.low? */
bool mw_protection_any(void)
{
	return READ_ONCE(any_setting);
}

/**
 * mw_protection_any_low() - does memory.low protect anything?
 *
 * Context: any.
 */
bool mw_protection_any_low(void)
{
	return atomic_long_read(&mw_root.protection[MW_PROTECTION_LOW].children_usage) > 0;
}

/**
 * mw_protection_update() - the usage of a group and of those above it has changed
 * @group: where pages were charged or uncharged
 *
 * Context: any; @group is referenced or inside an RCU read side.
 */
void mw_protection_update(struct mw_group *group)
{
	if (!READ_ONCE(any_setting))
		return;
	for (; group; group = group->parent) {
		renew(group, MW_PROTECTION_MIN);
		renew(group, MW_PROTECTION_LOW);
	}
}

/**
 * mw_protection_set() - set memory.min or memory.low
 * @group: the group
 * @kind:  which
 * @pages: the setting
 *
 * Context: any; @group is referenced.
 */
void mw_protection_set(struct mw_group *group, enum mw_protection_kind kind,
		       unsigned long pages)
{
	WRITE_ONCE(group->protection[kind].setting, pages);
	if (pages)
		WRITE_ONCE(any_setting, true);
	renew(group, kind);
}

/**
 * mw_protection_set_recursive() - does what no child uses of its parent's protection
 *			       protect the children all the same?
 * @on: if so, which is the default
 *
 * Context: any.
 */
void mw_protection_set_recursive(bool on)
{
	WRITE_ONCE(recursive, on);
}

/** mw_protection_is_recursive() - what mw_protection_set_recursive() has set */
bool mw_protection_is_recursive(void)
{
	return READ_ONCE(recursive);
}

static bool holds_on(int nid)
{
	unsigned long until = READ_ONCE(suspended_until[nid]);

	return !until || time_after_eq(jiffies, until);
}

static bool holds_anywhere(void)
{
	int nid;

	for_each_node_state(nid, N_MEMORY)
		if (holds_on(nid))
			return true;
	return false;
}

/**
 * mw_protection_low_holds() - has it not given way lately, see mw_protection_suspend_low()?
 * @nid: for what is on this node; NUMA_NO_NODE: on any at all
 *
 * Context: any.
 */
bool mw_protection_low_holds(int nid)
{
	if (likely(!READ_ONCE(any_suspended)))
		return true;
	return nid == NUMA_NO_NODE ? holds_anywhere() : holds_on(nid);
}

/**
 * mw_protection_suspend_low() - memory.low does not hold for ten seconds
 * @nodes: for what is on these
 *
 * For when nothing else can be reclaimed.
 *
 * Context: one at a time.
 */
void mw_protection_suspend_low(const nodemask_t *nodes)
{
	unsigned long until = (jiffies + SUSPEND_FOR) | 1;
	int nid;

	for_each_node_mask(nid, *nodes)
		WRITE_ONCE(suspended_until[nid], until);
	WRITE_ONCE(any_suspended, true);
}

/**
 * mw_protection_set_low_off() - is it as if nobody had memory.low, until further notice?
 * @off: so it is
 *
 * For when much is to be reclaimed at once.  Where it only gives way, a group still gives
 * the less the less it uses of it, and who has `max` a sixteenth of what he is asked for.
 *
 * Context: any.
 */
void mw_protection_set_low_off(bool off)
{
	WRITE_ONCE(low_is_off, off);
}

/** mw_protection_stop() - back to the defaults, when there is no group any more */
void mw_protection_stop(void)
{
	WRITE_ONCE(any_setting, false);
	WRITE_ONCE(recursive, true);
	WRITE_ONCE(any_suspended, false);
	WRITE_ONCE(low_is_off, false);
	memset(suspended_until, 0, sizeof(suspended_until));
}

static bool is_off(enum mw_protection_kind kind)
{
	return kind == MW_PROTECTION_LOW && unlikely(READ_ONCE(low_is_off));
}

/* From @pos's parent, which @here is of, to @pos.  Return: false if it has none, and so has none to give. */
static bool descend(struct mw_protected *here, struct mw_group *pos,
		    struct mw_group *root, enum mw_protection_kind kind)
{
	const struct mw_protected above = *here;
	struct mw_group *parent = pos->parent;

	here->usage = mw_counter_read(&pos->memory);
	here->setting = is_off(kind) ? 0 : READ_ONCE(pos->protection[kind].setting);
	here->effective = mw_protect_effective(here,
			parent == root ? NULL : &above,
			max(atomic_long_read(&parent->protection[kind].children_usage), 0L),
			READ_ONCE(recursive));
	return here->effective;
}

/**
 * mw_protection_effective() - what of a group reclaim has to spare
 * @group:  the group
 * @root:   where reclaim is aimed at, @group or above it: its own protection is
 *          against those beside it, and does not count here
 * @kind:   which protection
 *
 * Costs a step for each level between, as far down as there is any protection.
 *
 * Context: any; @group is referenced or inside an RCU read side.
 * Return: pages, perhaps more than are used.
 */
unsigned long mw_protection_effective(struct mw_group *group,
				      struct mw_group *root,
				      enum mw_protection_kind kind)
{
	struct mw_protected here = {};
	unsigned int level;

	for (level = root->level + 1; level <= group->level; level++)
		if (!descend(&here, mw_group_ancestor(group, level), root, kind))
			break;
	return here.effective;
}

/*
 * A target that is too small to be worth a look is deferred, and adds up: 16 of 32
 * pages are none and 32 by turns.  To give 32 each time would be no proportion any
 * more; nor is it one if a large folio is taken for 32 pages, so that counts in full.
 */
static unsigned long in_portions(struct mw_group *group, unsigned long pages,
				 unsigned long target)
{
	long deferred = READ_ONCE(group->scan_deferred);
	long sum = min_t(long, deferred + target, pages);

	/* of two that do this at once one may be lost: it is no account */
	if (sum < (long)min(pages, MIN_TARGET)) {
		WRITE_ONCE(group->scan_deferred, sum);
		return 0;
	}
	WRITE_ONCE(group->scan_deferred, 0);
	return sum;
}

/* What was deferred is of what could be had then. */
static unsigned long nothing(struct mw_group *group)
{
	WRITE_ONCE(group->scan_deferred, min(READ_ONCE(group->scan_deferred), 0L));
	return 0;
}

/**
 * struct offer - what a group's protection leaves of the pages that reclaim would like to look at
 * @pages:    so many, as the proportion says
 * @none:     all of the group is protected
 * @given_up: memory.low would have kept them, and gives way
 */
struct offer {
	unsigned long pages;
	bool none;
	bool given_up;
};

/* Return: false if nothing of the group is protected; it is all it was, then. */
static bool make_offer(struct offer *offer, struct mw_group *group, struct mw_group *root,
		       bool memcg_low_reclaim, bool *memcg_low_skipped)
{
	unsigned long pages = offer->pages;
	unsigned long usage, emin, elow, low;

	if (!READ_ONCE(any_setting) || !pages || group == root)
		return false;
	usage = mw_counter_read(&group->memory);
	emin = mw_protection_effective(group, root, MW_PROTECTION_MIN);
	elow = mw_protection_effective(group, root, MW_PROTECTION_LOW);
	if (!emin && !elow)
		return false;
	offer->pages = mw_protect_scan_target(pages, usage, emin);
	if (memcg_low_reclaim) {
		offer->pages = min(offer->pages,
				   mw_protect_scan_target_low(pages, usage, elow));
	} else if (elow > emin) {
		low = mw_protect_scan_target(pages, usage, elow);
		*memcg_low_skipped |= low < offer->pages;
		offer->pages = low;
	}
	offer->none = usage <= (memcg_low_reclaim ? emin : max(emin, elow));
	offer->given_up = memcg_low_reclaim && usage <= elow;
	return true;
}

static void count(struct mw_group *group, unsigned long pages, const struct offer *offer)
{
	mw_stats_add(group, MW_STAT_KEPT, pages - offer->pages);
	mw_stats_add(group, MW_STAT_OFFERED, offer->pages);
	if (!offer->given_up || !offer->pages)
		return;
	mw_stats_add(group, MW_STAT_GIVEN_UP, offer->pages);
	mw_event(group, MW_EVENT_LOW);
}

/**
 * mw_protection_scan_target() - how many pages of a group reclaim may look at
 * @group:             the group
 * @root:              where reclaim is aimed at, @group or above it
 * @pages:             of those it would like to look at
 * @memcg_low_reclaim: nothing else could be reclaimed
 * @memcg_low_skipped: set if memory.low has kept some
 *
 * Context: process; @group is referenced.
 * Return: pages; on the average as the proportion says, but not less than 32, or what
 * was asked for, if it is not none this time.
 */
unsigned long mw_protection_scan_target(struct mw_group *group,
					struct mw_group *root,
					unsigned long pages,
					bool memcg_low_reclaim,
					bool *memcg_low_skipped)
{
	struct offer offer = { .pages = pages };

	if (!make_offer(&offer, group, root, memcg_low_reclaim, memcg_low_skipped))
		return pages;
	if (offer.none)
		offer.pages = nothing(group);
	else if (offer.pages < pages)
		offer.pages = in_portions(group, pages, offer.pages);
	count(group, pages, &offer);
	return offer.pages;
}

/**
 * mw_protection_rare_target() - the same for a look that is made now and then
 * @group:             the group
 * @root:              where reclaim is aimed at, @group or above it
 * @pages:             of those it would like to look at
 * @memcg_low_reclaim: nothing else could be reclaimed
 * @memcg_low_skipped: set if memory.low has kept some
 *
 * What is too little to be worth a look is none, and is not deferred; nor is what others have deferred spent.
 *
 * Context: process; @group is referenced.
 * Return: pages.
 */
unsigned long mw_protection_rare_target(struct mw_group *group, struct mw_group *root,
					unsigned long pages, bool memcg_low_reclaim,
					bool *memcg_low_skipped)
{
	struct offer offer = { .pages = pages };

	if (!make_offer(&offer, group, root, memcg_low_reclaim, memcg_low_skipped))
		return pages;
	if (offer.none || offer.pages < min(pages, MIN_TARGET))
		offer.pages = 0;
	count(group, pages, &offer);
	return offer.pages;
}

/**
 * mw_protection_scanned() - reclaim has looked at a part of a group's pages
 * @group:  the group
 * @target: of mw_protection_scan_target(), less than all
 * @pages:  how many it was in the end
 *
 * Context: process; @group is referenced.
 */
void mw_protection_scanned(struct mw_group *group, unsigned long target,
			   unsigned long pages)
{
	long deferred = READ_ONCE(group->scan_deferred) + (long)target - (long)pages;

	WRITE_ONCE(group->scan_deferred, clamp(deferred, -MAX_DEFERRED, MAX_DEFERRED));
}

/*
 * What a parent protects is given to its children as they use it, which changes as what is on its way
 * goes.  So there has to be room in the parent too, also for who has no part in its protection, unless
 * children have what they ask for alone.
 */
static unsigned long room_beside(struct mw_group *group, struct mw_group *root,
				 enum mw_protection_kind kind, bool leaving_count)
{
	unsigned long room = ULONG_MAX;
	struct mw_protected here = {};
	unsigned int level;

	for (level = root->level + 1; level <= group->level; level++) {
		struct mw_group *pos = mw_group_ancestor(group, level);
		/* before usage, which is less by the time they do not count any more */
		unsigned long kept = leaving_count ? mw_leaving_read(pos) : 0;

		if (!READ_ONCE(recursive))
			room = ULONG_MAX;
		if (!descend(&here, pos, root, kind))
			break;
		kept += here.effective;
		room = min(room, here.usage - min(here.usage, kept));
	}
	return room;
}

/**
 * mw_protection_room() - how many pages of a group reclaim may take
 * @group:             the group
 * @root:              where reclaim is aimed at, @group or above it
 * @memcg_low_reclaim: memory.low does not hold
 * @leaving_count:     what is about to go does not count as there
 *
 * How many it may look at says nothing of that: who has twice what is protected is looked at
 * as a whole.
 *
 * Context: process; @group is referenced.
 * Return: pages; ULONG_MAX if nothing of it is protected; 0 if it is above @root, as that was
 * removed.
 */
unsigned long mw_protection_room(struct mw_group *group, struct mw_group *root,
				 bool memcg_low_reclaim, bool leaving_count)
{
	unsigned long room;

	if (group->level < root->level)
		return 0;
	if (!READ_ONCE(any_setting))
		return ULONG_MAX;
	room = room_beside(group, root, MW_PROTECTION_MIN, leaving_count);
	if (!memcg_low_reclaim)
		room = min(room, room_beside(group, root, MW_PROTECTION_LOW, leaving_count));
	return room;
}
