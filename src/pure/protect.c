// SPDX-License-Identifier: GPL-2.0
/* How much of a group memory.min or memory.low protects, and what may be scanned. */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include <pure/protect.h>

/* @part / @whole of @pages; @part is not more than @whole */
static u64 share(u64 pages, u64 part, u64 whole)
{
	return mul_u64_u64_div_u64(pages, part, whole);
}

/**
 * mw_protect_usage() - what a group uses of its protection
 * @group: usage and setting
 *
 * It asks no more of its parent's: others may have the rest meanwhile.
 *
 * Return: pages.
 */
unsigned long mw_protect_usage(const struct mw_protected *group)
{
	return min(group->usage, group->setting);
}

/* Of what no child of @parent protects, as much as this one uses unprotected. */
static unsigned long unprotected_share(const struct mw_protected *group,
				     const struct mw_protected *parent,
				     unsigned long siblings, unsigned long mine)
{
	/* more than is used need not be given out */
	unsigned long given = min(parent->effective, parent->usage);

	if (given <= siblings || group->usage <= mine)
		return 0;
	return share(group->usage - mine, given - siblings,
		     parent->usage - siblings);
}

/**
 * mw_protect_effective() - what of a group's protection its ancestors let it have
 * @group:     usage and setting
 * @parent:    all of it; NULL if nothing above @group is limited by protection:
 *             it is at the first level, or what reclaim is aimed at
 * @siblings:  mw_protect_usage() of all children of @parent, this one included
 * @recursive: what no child protects goes to the children as they use it
 *
 * If the children use more of theirs than the parent has, each gets a part in
 * proportion to that.  The rules are those of cgroup v2 ("Memory Interface Files",
 * memory.min and memory.low; mount option memory_recursiveprot).
 *
 * The numbers may have been read at different times; the result is never above
 * usage or setting for more than that.
 *
 * Return: pages.
 */
unsigned long mw_protect_effective(const struct mw_protected *group,
				   const struct mw_protected *parent,
				   unsigned long siblings, bool recursive)
{
	unsigned long mine = mw_protect_usage(group);

	if (!parent)
		return group->setting;
	siblings = max(siblings, mine);
	if (siblings > parent->effective)
		return share(mine, parent->effective, siblings);
	if (recursive)
		mine += unprotected_share(group, parent, siblings, mine);
	return mine;
}

/**
 * mw_protect_scan_target() - how many pages of a group global reclaim may look at
 * @pages:     of those it would like to look at
 * @usage:     of the group, in pages
 * @protected: of it, effective
 *
 * None up to its protection, all at twice that, and in proportion between: at
 * 130 % of its protection 30 %.
 *
 * Return: pages.
 */
unsigned long mw_protect_scan_target(unsigned long pages, unsigned long usage,
				     unsigned long protected)
{
	if (usage <= protected)
		return 0;
	if (usage - protected >= protected)
		return pages;
	return share(pages, usage - protected, protected);
}

/* of what is not protected any more a group gives one page of so many, at least */
#define MAX_THRIFT	16

/**
 * mw_protect_scan_target_low() - the same when nothing else could be freed
 * @pages:     of those it would like to look at
 * @usage:     of the group, in pages
 * @protected: by memory.low, effective: it does not hold any more
 *
 * Who uses little of his protection gives little: the share of it that he uses.  But that
 * may be more than the machine has, or `max`, and all there is left to reclaim.
 *
 * Return: pages.
 */
unsigned long mw_protect_scan_target_low(unsigned long pages, unsigned long usage,
					 unsigned long protected)
{
	if (usage >= protected)
		return pages;
	return max(share(pages, usage, protected), pages / MAX_THRIFT);
}

/* what is kept may make reclaim come again so many times as soon, at most */
#define MAX_HASTE	4

/**
 * mw_protect_asked() - how many pages would be asked for if nothing were kept
 * @pages: that are
 * @all:   that were asked for lately, of everybody
 * @kept:  of these
 *
 * Reclaim goes on until it has found enough: if half of what it asks for is kept it
 * asks for twice as much, of everybody.  A proportion of that would be no proportion
 * of the size of a group any more.  At least a quarter counts, so reclaim gets on
 * where nothing is left but what is protected in part.
 *
 * Return: in parts of a page, %MW_PROTECT_PARTS.
 */
unsigned long mw_protect_asked(unsigned long pages, unsigned long all,
			       unsigned long kept)
{
	unsigned long parts = pages * MW_PROTECT_PARTS;

	if (!all)
		return parts;
	return max((unsigned long)share(parts, all - kept, all),
		   parts / MAX_HASTE);
}
