// SPDX-License-Identifier: GPL-2.0
/* The penalty of memory.high against the table in the seed's own comment. */
#include <linux/limits.h>
#include <linux/types.h>

#include <pure/nominal.h>
#include <pure/penalty.h>

#include "check.h"

#define MB	256UL	/* pages */

static const struct {
	unsigned long usage_mb;
	u64 ms;
} seed_table[] = {
	{ 100, 0 },    { 101, 6 },    { 102, 25 },   { 103, 57 },
	{ 104, 102 },  { 105, 159 },  { 106, 230 },  { 107, 313 },
	{ 108, 409 },  { 109, 518 },  { 110, 639 },  { 111, 774 },
	{ 112, 921 },  { 113, 1081 }, { 114, 1254 }, { 115, 1439 },
	{ 116, 1638 }, { 117, 1849 }, { 118, 2000 }, { 119, 2000 },
	{ 120, 2000 },
};

#define NR_ROWS	(sizeof(seed_table) / sizeof(seed_table[0]))

static u64 penalty(unsigned long usage, unsigned long high, unsigned int nr)
{
	return mw_penalty_us(mw_overage(usage, high), 0, nr);
}

static u64 at(unsigned long usage_mb, unsigned int nr)
{
	return penalty(usage_mb * MB, 100 * MB, nr);
}

TEST(the_nominal_batch_is_that_of_the_seed)
{
	CHECK_EQ(MW_NOMINAL_BATCH, 32);
}

TEST(table_of_the_seed)
{
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		u64 ms = at(seed_table[i].usage_mb, 32) / 1000;
		/* 6 ms are not worth a sleep, see below */
		u64 want = seed_table[i].ms > 10 ? seed_table[i].ms : 0;

		CHECK_EQ(ms, want);
	}
}

TEST(row_of_6_ms_shows_in_two_batches)
{
	CHECK_EQ(at(101, 64) / 2 / 1000, 6);
}

TEST(no_penalty_at_or_below_high)
{
	CHECK_EQ(mw_overage(100 * MB, 100 * MB), 0);
	CHECK_EQ(mw_overage(99 * MB, 100 * MB), 0);
	CHECK_EQ(mw_overage(0, 100 * MB), 0);
	CHECK_EQ(mw_overage(0, 0), 0);
	CHECK_EQ(at(100, UINT_MAX), 0);
	CHECK_EQ(mw_penalty_us(0, 0, 32), 0);
}

TEST(no_penalty_for_no_pages)
{
	CHECK_EQ(at(120, 0), 0);
}

TEST(overage_is_a_fixed_point_ratio)
{
	CHECK_EQ(mw_overage(150 * MB, 100 * MB), 1ULL << (MW_OVERAGE_SHIFT - 1));
	CHECK_EQ(mw_overage(200 * MB, 100 * MB), 1ULL << MW_OVERAGE_SHIFT);
	CHECK_EQ(mw_overage(101, 100), (1ULL << MW_OVERAGE_SHIFT) / 100);
}

TEST(ten_ms_or_less_is_no_sleep)
{
	u64 overage, us, last = 0;

	/* steps of half a microsecond about the edge of 1.25 % */
	for (overage = 13000; overage < 13300; overage++) {
		us = mw_penalty_us(overage, 0, 32);
		CHECK(us == 0 || us > 10000);
		CHECK(us >= last);
		last = us;
	}
	CHECK_EQ(mw_penalty_us(13000, 0, 32), 0);
	CHECK(mw_penalty_us(13299, 0, 32) > 10000);
	CHECK(mw_penalty_us(13299, 0, 32) < 10400);
}

TEST(memory_and_swap_add_up)
{
	u64 over = mw_overage(110 * MB, 100 * MB);

	CHECK_EQ(mw_penalty_us(0, over, 32), mw_penalty_us(over, 0, 32));
	CHECK_EQ(mw_penalty_us(over, over, 32), mw_penalty_us(over, 0, 64));
	/* together above what each alone is too short for */
	CHECK_EQ(mw_penalty_us(11000, 0, 32), 0);
	CHECK(mw_penalty_us(11000, 11000, 32) > 10000);
	CHECK_EQ(mw_penalty_us(2ULL << MW_OVERAGE_SHIFT, 2ULL << MW_OVERAGE_SHIFT, 32), 2000000);
}

TEST(four_charges_of_n_cost_one_of_4n)
{
	unsigned int nr, mb;

	for (mb = 103; mb < 118; mb++)
		for (nr = 32; nr <= 512; nr *= 2) {
			u64 four = 4 * at(mb, nr), one = at(mb, 4 * nr);

			if (one >= 2000000 || at(mb, nr) >= 2000000)
				continue;
			CHECK(one >= four && one - four < 4);
		}
}

TEST(small_charges_scale_too)
{
	u64 batch = at(110, 32);

	CHECK_EQ(at(110, 1), batch / 32);
	CHECK_EQ(at(110, 16), batch / 2);
	CHECK_EQ(at(110, 96), 3 * batch);
}

TEST(clamp_is_2_seconds)
{
	CHECK_EQ(at(118, 32), 2000000);
	CHECK_EQ(at(200, 32), 2000000);
	CHECK_EQ(at(110, 32 * 1024), 2000000);
	CHECK(at(117, 32) < 2000000);
}

TEST(penalty_never_falls_with_usage_or_pages)
{
	u64 last = 0, us;
	unsigned long usage;
	unsigned int nr;

	for (usage = 100 * MB; usage < 130 * MB; usage += 7) {
		us = penalty(usage, 100 * MB, 32);
		CHECK(us >= last);
		last = us;
	}
	for (last = 0, nr = 0; nr < 4096; nr++) {
		us = at(104, nr);
		CHECK(us >= last);
		last = us;
	}
}

TEST(high_of_0_counts_as_one_page)
{
	CHECK_EQ(mw_overage(1, 0), 0);
	CHECK_EQ(mw_overage(2, 0), 1ULL << MW_OVERAGE_SHIFT);
	CHECK_EQ(mw_overage(3, 0), mw_overage(3, 1));
	CHECK_EQ(penalty(2, 0, 32), 2000000);
	CHECK_EQ(penalty(1000 * MB, 0, 32), 2000000);
}

TEST(high_of_one_page)
{
	CHECK_EQ(mw_overage(1, 1), 0);
	CHECK_EQ(mw_overage(2, 1), 1ULL << MW_OVERAGE_SHIFT);
	CHECK_EQ(penalty(3, 1, 32), 2000000);
}

/* A multiplication that wraps would show as a small penalty. */
TEST(extremes_do_not_wrap)
{
	/* more memory than any machine has: 64 PiB */
	unsigned long most = (1UL << 44) - 1;
	unsigned long high;

	for (high = 1; high < most / 2; high *= 2)
		CHECK_EQ(penalty(most, high, 32), 2000000);
	CHECK_EQ(penalty(most, most / 2, UINT_MAX), 2000000);
	CHECK_EQ(penalty(ULONG_MAX, 0, UINT_MAX), 2000000);
	CHECK_EQ(penalty(ULONG_MAX, 1, 1), 2000000);
	CHECK_EQ(penalty(ULONG_MAX, ULONG_MAX, UINT_MAX), 0);
	CHECK_EQ(mw_penalty_us(U64_MAX, 0, UINT_MAX), 2000000);
	CHECK_EQ(mw_penalty_us(U64_MAX, 0, 1), 2000000);
	CHECK_EQ(mw_penalty_us(U64_MAX, 0, 0), 0);
	CHECK_EQ(mw_penalty_us(1, 0, UINT_MAX), 0);
}

/* what is unwritten, what may be, and the pages that were dirtied */
static u64 dirty_us(unsigned long unwritten, unsigned long share, unsigned int nr)
{
	return mw_dirty_penalty_us(mw_overage(unwritten, share / 4 * 3), nr);
}

TEST(dirtying_costs_the_square_of_the_overage)
{
	CHECK_EQ(dirty_us(749, 1000, 32), 0);
	CHECK_EQ(dirty_us(750, 1000, 32), 0);
	CHECK_EQ(dirty_us(1000, 1000, 32) / 1000, 199);
	CHECK_EQ(dirty_us(875, 1000, 32) / 1000, 49);
	CHECK_EQ(dirty_us(775, 1000, 32) / 1000, 1);
	CHECK_EQ(dirty_us(1000, 1000, 64) / 1000, 399);
	CHECK_EQ(dirty_us(1250, 1000, 32) / 1000, 799);
}

TEST(dirtying_has_a_highest_price)
{
	CHECK_EQ(dirty_us(100000, 1000, 32), 7200000);
	CHECK_EQ(dirty_us(ULONG_MAX, 0, 32), 7200000);
	CHECK_EQ(mw_dirty_penalty_us(U64_MAX, UINT_MAX), 7200000ULL * UINT_MAX / 32);
	CHECK_EQ(mw_dirty_penalty_us(U64_MAX, 0), 0);
	CHECK_EQ(mw_dirty_penalty_us(0, UINT_MAX), 0);
}

TEST(large_limits_keep_their_precision)
{
	unsigned long high = 1UL << 40;

	CHECK_EQ(penalty(high + high / 100 * 10, high, 32) / 1000, 639);
	CHECK_EQ(penalty(high + 1, high, UINT_MAX), 0);
}
