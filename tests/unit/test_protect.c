// SPDX-License-Identifier: GPL-2.0
/* Protection against a table worked out by hand. */
#include <linux/limits.h>
#include <linux/types.h>

#include <pure/protect.h>

#include "check.h"

#define NONE	(LONG_MAX / 4096)	/* "max", in pages */

/* What a child of a parent gets. */
static unsigned long effective(unsigned long usage, unsigned long setting,
			       unsigned long parent_usage,
			       unsigned long parent_effective,
			       unsigned long siblings, bool recursive)
{
	struct mw_protected group = { usage, setting, 0 };
	struct mw_protected parent = { parent_usage, 0, parent_effective };

	return mw_protect_effective(&group, &parent, siblings, recursive);
}

TEST(first_level_has_what_it_was_given)
{
	struct mw_protected group = { 10, 70, 0 };

	CHECK_EQ(mw_protect_effective(&group, NULL, 0, true), 70);
	group.setting = NONE;
	CHECK_EQ(mw_protect_effective(&group, NULL, 0, true), NONE);
}

TEST(claims_are_what_is_used_of_a_setting)
{
	CHECK_EQ(mw_protect_usage(&(struct mw_protected){ 50, 75, 0 }), 50);
	CHECK_EQ(mw_protect_usage(&(struct mw_protected){ 50, 25, 0 }), 25);
	CHECK_EQ(mw_protect_usage(&(struct mw_protected){ 0, NONE, 0 }), 0);
}

/* cgroup v2's own example: 50M for children of 75M, 25M, 0 and 500M, the last empty. */
TEST(more_is_claimed_than_there_is)
{
	unsigned long siblings = 50 + 25 + 0 + 0;

	CHECK_EQ(effective(50, 75, 150, 50, siblings, true), 33);
	CHECK_EQ(effective(50, 25, 150, 50, siblings, true), 16);
	CHECK_EQ(effective(50, 0, 150, 50, siblings, true), 0);
	CHECK_EQ(effective(0, 500, 150, 50, siblings, true), 0);
}

TEST(less_is_claimed_than_there_is)
{
	CHECK_EQ(effective(50, 20, 100, 80, 50, false), 20);
	CHECK_EQ(effective(50, 30, 100, 80, 50, false), 30);
	CHECK_EQ(effective(10, 30, 100, 80, 50, false), 10);
}

/* 80 - 50 = 30 are left over, for 50 pages that are not protected: 30 and 20 of them. */
TEST(what_nobody_claims_goes_by_use)
{
	CHECK_EQ(effective(50, 20, 100, 80, 50, true), 20 + 30 * 30 / 50);
	CHECK_EQ(effective(50, 30, 100, 80, 50, true), 30 + 20 * 30 / 50);
	/* all of the parent's, as if it had no children */
	CHECK_EQ(effective(40, 0, 100, 100, 0, true), 40);
	CHECK_EQ(effective(60, 0, 100, 100, 0, true), 60);
	CHECK_EQ(effective(40, 0, 100, 50, 0, true), 20);
	CHECK_EQ(effective(40, 0, 100, 50, 0, false), 0);
}

TEST(ancestors_cap)
{
	CHECK_EQ(effective(100, 100, 100, 0, 100, true), 0);
	CHECK_EQ(effective(100, NONE, 100, 60, 100, true), 60);
	CHECK_EQ(effective(100, NONE, 100, NONE, 100, true), 100);
}

/* Read while pages come and go: nothing is divided by zero, nothing wraps. */
TEST(numbers_of_different_moments)
{
	/* the parent has fewer pages than its child, or none */
	CHECK_EQ(effective(50, 20, 30, 80, 20, true), 50);
	CHECK_EQ(effective(50, 20, 0, 80, 20, true), 20);
	CHECK_EQ(effective(50, 20, 20, 80, 20, true), 20);
	/* its own claim is not in the sum yet */
	CHECK_EQ(effective(50, 50, 100, 80, 0, true), 50);
	CHECK_EQ(effective(50, 50, 100, 20, 0, true), 20);
	CHECK_EQ(effective(0, 0, 0, 0, 0, true), 0);
}

TEST(large_numbers)
{
	unsigned long half = 1UL << 40;

	CHECK_EQ(effective(half, NONE, 2 * half, half, 2 * half, true), half / 2);
	CHECK_EQ(effective(half, 0, 2 * half, NONE, 0, true), half);
	CHECK_EQ(mw_protect_scan_target(1UL << 40, 3UL << 40, 2UL << 40), 1UL << 39);
}

TEST(offers_above_protection)
{
	CHECK_EQ(mw_protect_scan_target(1000, 99, 100), 0);
	CHECK_EQ(mw_protect_scan_target(1000, 100, 100), 0);
	CHECK_EQ(mw_protect_scan_target(1000, 101, 100), 10);
	CHECK_EQ(mw_protect_scan_target(1000, 130, 100), 300);
	CHECK_EQ(mw_protect_scan_target(1000, 199, 100), 990);
	CHECK_EQ(mw_protect_scan_target(1000, 200, 100), 1000);
	CHECK_EQ(mw_protect_scan_target(1000, 900, 100), 1000);
	CHECK_EQ(mw_protect_scan_target(1000, 900, 0), 1000);
	CHECK_EQ(mw_protect_scan_target(1000, 0, 0), 0);
	CHECK_EQ(mw_protect_scan_target(1000, 900, NONE), 0);
}

TEST(what_is_kept_makes_reclaim_ask_again)
{
	CHECK_EQ(mw_protect_asked(1, 0, 0), 256);
	CHECK_EQ(mw_protect_asked(512, 1000, 0), 512 * 256);
	CHECK_EQ(mw_protect_asked(1, 1000, 500), 128);
	CHECK_EQ(mw_protect_asked(512, 1000, 700), 153 * 256 + 153);
	CHECK_EQ(mw_protect_asked(1, 1000, 750), 64);
	CHECK_EQ(mw_protect_asked(1, 1000, 999), 64);
	CHECK_EQ(mw_protect_asked(1, 1000, 1000), 64);
}

TEST(offers_when_low_does_not_hold)
{
	CHECK_EQ(mw_protect_scan_target_low(1000, 30, 100), 300);
	CHECK_EQ(mw_protect_scan_target_low(1000, 100, 100), 1000);
	CHECK_EQ(mw_protect_scan_target_low(1000, 130, 100), 1000);
	CHECK_EQ(mw_protect_scan_target_low(1000, 7, 100), 70);
	CHECK_EQ(mw_protect_scan_target_low(1000, 6, 100), 62);
	CHECK_EQ(mw_protect_scan_target_low(1000, 0, 100), 62);
	CHECK_EQ(mw_protect_scan_target_low(1000, 30, LONG_MAX / 4096), 62);
	CHECK_EQ(mw_protect_scan_target_low(1000, 0, 0), 1000);
}
