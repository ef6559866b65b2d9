// SPDX-License-Identifier: GPL-2.0
/* How much of which type of pages reclaim looks at. */
#include <pure/balance.h>

#include "check.h"

#define BIG	(1UL << 20)
/* what a group looks at whatever the priority is */
#define BATCHES	(MW_NR_LRU_TYPES * MW_SCAN_BATCH)

static struct mw_balance both(unsigned long anon, unsigned long file)
{
	return (struct mw_balance){
		.pages = { anon, file },
		.weight = { mw_balance_weight(60, 0, 0),
			    mw_balance_weight(140, 0, 0) },
	};
}

TEST(what_is_in_use_weighs_less)
{
	unsigned long unused = mw_balance_weight(100, 1000, 0);
	unsigned long half = mw_balance_weight(100, 1000, 500);
	unsigned long used = mw_balance_weight(100, 1000, 1000);

	CHECK(unused > half);
	CHECK(half > used);
	CHECK_EQ(used, 100 * 16);
	CHECK_EQ(mw_balance_weight(0, 1000, 0), 0);
}

TEST(weights_do_not_overflow)
{
	/* counts are halved above 32768 pages; a batch of huge pages may come on top */
	unsigned long most = mw_balance_weight(200, BIG, 0);

	CHECK_EQ(most, 200 * (BIG + 1) * 16);
}

TEST(types_give_by_weight)
{
	struct mw_balance balance = both(BIG, BIG);

	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 10, BATCHES), 2 * 1024 * 3 / 10);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_FILE, 10, BATCHES), 2 * 1024 * 7 / 10);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 9, BATCHES), 2 * 2048 * 3 / 10);
}

TEST(types_of_one_weight_give_the_part_that_is_asked_for)
{
	struct mw_balance balance = both(BIG, BIG);

	balance.weight[MW_LRU_ANON] = balance.weight[MW_LRU_FILE];
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 12, BATCHES), BIG >> 12);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_FILE, 12, BATCHES), BIG >> 12);
}

TEST(the_last_round_spares_nothing)
{
	struct mw_balance balance = both(BIG, 7);

	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 0, BATCHES), BIG);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_FILE, 0, BATCHES), 7);
}

TEST(what_cannot_be_reclaimed_is_not_looked_at)
{
	struct mw_balance balance = both(BIG, BIG);
	int priority;

	balance.weight[MW_LRU_ANON] = 0;
	for (priority = 12; priority >= 0; priority--)
		CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, priority, BATCHES), 0);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_FILE, 10, BATCHES), 2 * 1024);
	balance.weight[MW_LRU_FILE] = 0;
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_FILE, 0, BATCHES), 0);
}

TEST(a_type_without_pages_gives_none)
{
	struct mw_balance balance = both(0, BIG);

	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 0, BATCHES), 0);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 12, BATCHES), 0);
}

TEST(a_small_group_shares_a_batch_of_each)
{
	struct mw_balance balance = both(100, 100);
	unsigned long anon = mw_balance_part(&balance, MW_LRU_ANON, 12, BATCHES);
	unsigned long file = mw_balance_part(&balance, MW_LRU_FILE, 12, BATCHES);

	CHECK(anon && anon < file);
	CHECK(anon + file <= 2 * MW_SCAN_BATCH);
	CHECK(anon + file >= 2 * MW_SCAN_BATCH - 1);
	/* one type alone gives both batches */
	balance = both(100, 0);
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 12, BATCHES), 2 * MW_SCAN_BATCH);
}

TEST(a_stream_is_trimmed)
{
	struct mw_balance balance = both(BIG, BIG);

	CHECK(mw_balance_trims_cache(&balance, 1000, 0));
	CHECK(mw_balance_trims_cache(&balance, 1000, 500));
	CHECK(!mw_balance_trims_cache(&balance, 1000, 501));
}

TEST(swap_that_is_preferred_comes_first)
{
	struct mw_balance balance = both(BIG, BIG);

	balance.weight[MW_LRU_ANON] = balance.weight[MW_LRU_FILE] + 1;
	CHECK(!mw_balance_trims_cache(&balance, 1000, 0));
	balance.weight[MW_LRU_ANON] = balance.weight[MW_LRU_FILE];
	CHECK(mw_balance_trims_cache(&balance, 1000, 0));
}

TEST(a_share_is_parted)
{
	struct mw_balance balance = both(3000, 1000);
	unsigned long anon = mw_balance_part(&balance, MW_LRU_ANON, 12, 1000);
	unsigned long file = mw_balance_part(&balance, MW_LRU_FILE, 12, 1000);

	/* by size and weight: 3000 * 30 % to 1000 * 70 % */
	CHECK(anon > 550 && anon < 575);
	CHECK(file > 425 && file < 450);
	balance.pages[MW_LRU_FILE] = 0;
	CHECK_EQ(mw_balance_part(&balance, MW_LRU_ANON, 12, 1000), 1000);
}

TEST(what_can_be_had)
{
	struct mw_balance balance = both(3000, 1000);

	CHECK_EQ(mw_balance_reclaimable(&balance, 0), MW_BALANCE_ALL);
	/* what is locked counts once, of whichever type it is */
	CHECK_EQ(mw_balance_reclaimable(&balance, 1000), MW_BALANCE_ALL * 3 / 4);
	balance.weight[MW_LRU_ANON] = 0;
	CHECK_EQ(mw_balance_reclaimable(&balance, 0), MW_BALANCE_ALL / 4);
	CHECK_EQ(mw_balance_reclaimable(&balance, 1000), MW_BALANCE_ALL / 4);
	CHECK_EQ(mw_balance_reclaimable(&balance, 3500), MW_BALANCE_ALL / 8);
	CHECK_EQ(mw_balance_reclaimable(&balance, 5000), MW_BALANCE_LITTLE);
	balance = both(0, 0);
	CHECK_EQ(mw_balance_reclaimable(&balance, 0), MW_BALANCE_ALL);
}
