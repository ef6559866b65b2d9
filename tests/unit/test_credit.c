// SPDX-License-Identifier: GPL-2.0
/* Each group gives by its size, whatever requests are about. */
#include <linux/kernel.h>

#include <pure/balance.h>
#include <pure/credit.h>

#include "check.h"

#define BATCH	((s64)MW_SCAN_BATCH * MW_CREDIT_PAGE)
#define GENTLE	12
#define MAX_GROUPS	1000

/* What they have, are owed and have given; and whose turn it is. */
static struct {
	unsigned long pages[MAX_GROUPS];
	s64 credit[MAX_GROUPS];
	unsigned long given[MAX_GROUPS];
	unsigned int nr;
	unsigned int last;
} tree;

static void plant(unsigned int nr, unsigned long pages)
{
	unsigned int i;

	tree.nr = nr;
	tree.last = 0;
	for (i = 0; i < nr; i++) {
		tree.pages[i] = pages;
		tree.credit[i] = mw_credit_first(i + 1);
		tree.given[i] = 0;
	}
}

static unsigned long total(void)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < tree.nr; i++)
		sum += tree.pages[i];
	return sum;
}

/* @folio pages at a time, all of which can be had. Return: what is still wanted. */
static unsigned long give(unsigned int i, unsigned long wanted, unsigned long folio)
{
	unsigned long share = mw_credit_share(tree.credit[i]), nr = 0;

	while (nr < share && nr < wanted)
		nr += folio;
	tree.given[i] += nr;
	tree.credit[i] -= (s64)nr * MW_CREDIT_PAGE;
	if (nr < wanted && tree.credit[i] > 0)
		tree.credit[i] = 0;
	tree.credit[i] = mw_credit_left(tree.credit[i], tree.pages[i], total());
	return wanted - (nr < wanted ? nr : wanted);
}

static bool is_due(unsigned int i)
{
	return tree.credit[i] >= mw_credit_price(tree.pages[i]);
}

/* As turns.c does. */
static void request(unsigned long nr_pages, unsigned long folio)
{
	unsigned long wanted = mw_credit_wanted(nr_pages, tree.nr), all = total();
	unsigned int i = tree.last;

	while (nr_pages) {
		if (is_due(i))
			nr_pages = give(i, nr_pages, folio);
		if (!nr_pages)
			break;
		i = (i + 1) % tree.nr;
		tree.credit[i] = mw_credit_left(tree.credit[i], tree.pages[i], all) +
				 mw_credit_quantum(tree.pages[i], all, wanted, GENTLE);
	}
	tree.last = i;
}

static void within(unsigned long got, unsigned long want, unsigned int percent)
{
	if (got * 100 >= want * (100 - percent) && got * 100 <= want * (100 + percent))
		return;
	CHECK_EQ(got, want);
}

static void give_by_size(unsigned long nr_pages, unsigned long folio, unsigned int percent)
{
	unsigned int i;

	plant(3, 0);
	tree.pages[0] = 2000;
	tree.pages[1] = 20000;
	tree.pages[2] = 200000;
	for (i = 0; i < 2220000 / 5 / nr_pages; i++)
		request(nr_pages, folio);
	within(tree.given[0], 4000, percent);
	within(tree.given[1], 40000, percent);
	within(tree.given[2], 400000, percent);
}

TEST(each_gives_by_its_size)
{
	give_by_size(1, 1, 5);
	give_by_size(32, 1, 5);
	give_by_size(64, 1, 5);
	give_by_size(100, 1, 5);
	give_by_size(2560, 1, 10);
}

TEST(large_folios_make_no_difference)
{
	give_by_size(32, 16, 10);
	give_by_size(512, 512, 30);
}

TEST(requests_of_all_sizes_take_the_same_of_each)
{
	static const unsigned long sizes[] = { 32, 2560, 64, 512, 1 };
	unsigned int i;

	plant(2, 0);
	tree.pages[0] = 4000;
	tree.pages[1] = 20000;
	for (i = 0; i < 500; i++)
		request(sizes[i % ARRAY_SIZE(sizes)], 1);
	within(tree.given[1], 5 * tree.given[0], 10);
}

/* Also if each has less than a batch. */
TEST(of_a_thousand_each_is_asked_as_often)
{
	unsigned int i;

	plant(1000, 20);
	for (i = 0; i < 10000; i++)
		request(32, 1);
	for (i = 0; i < 1000; i++)
		within(tree.given[i], 320, 10);
}

TEST(new_groups_are_not_in_step)
{
	unsigned int i, early = 0;

	for (i = 1; i <= 1000; i++) {
		s64 first = mw_credit_first(i);

		CHECK(first >= 0 && first < BATCH);
		early += first >= BATCH / 2;
	}
	within(early, 500, 5);
	/* of ten one after the other too */
	for (i = 1, early = 0; i <= 10; i++)
		early += mw_credit_first(i) >= BATCH / 2;
	CHECK(early >= 4 && early <= 6);
}

TEST(what_is_wanted_of_all)
{
	CHECK_EQ(mw_credit_wanted(0, 0), 64);
	CHECK_EQ(mw_credit_wanted(32, 3), 64);
	CHECK_EQ(mw_credit_wanted(100, 3), 100);
	/* a walk over many is not for a few pages */
	CHECK_EQ(mw_credit_wanted(32, 600), 600);
	CHECK_EQ(mw_credit_wanted(32, 100000), 1024);
	CHECK_EQ(mw_credit_wanted(1UL << 40, 3), 1024);
}

TEST(a_quantum_is_a_part_of_what_is_wanted)
{
	CHECK_EQ(mw_credit_quantum(25, 100, 10, GENTLE), 25 * MW_CREDIT_PAGE / 10);
	CHECK_EQ(mw_credit_quantum(0, 100, 10, GENTLE), 0);
	/* more is wanted than there is */
	CHECK_EQ(mw_credit_quantum(25, 100, 1000, GENTLE), 25 * MW_CREDIT_PAGE);
	CHECK_EQ(mw_credit_quantum(25, 0, 64, GENTLE), 25 * MW_CREDIT_PAGE);
	/* and a part of all pages at the least */
	CHECK_EQ(mw_credit_quantum(1UL << 30, 1UL << 30, 64, GENTLE), (1UL << 18) * MW_CREDIT_PAGE);
	CHECK_EQ(mw_credit_quantum(1000, 100000, 64, 3), 125 * MW_CREDIT_PAGE);
	CHECK_EQ(mw_credit_quantum(1000, 100000, 64, 1), 500 * MW_CREDIT_PAGE);
}

TEST(being_asked_has_its_price)
{
	CHECK_EQ(mw_credit_price(10), 10 * MW_CREDIT_PAGE);
	CHECK_EQ(mw_credit_price(100000), BATCH);
	CHECK_EQ(mw_credit_share(BATCH), MW_SCAN_BATCH);
	CHECK_EQ(mw_credit_share((s64)1 << 50), 1024);
}

TEST(nobody_saves_up_nor_is_in_debt_for_ever)
{
	s64 page = MW_CREDIT_PAGE;

	/* of a thousandth, and of all */
	CHECK_EQ(mw_credit_left(5000 * page, 1000, 1024000), BATCH + page);
	CHECK_EQ(mw_credit_left(5000 * page, 1024000, 1024000), BATCH + 1024 * page);
	CHECK_EQ(mw_credit_left(10 * page, 1000, 1024000), 10 * page);
	CHECK_EQ(mw_credit_left(-5000 * page, 1000, 1024000), -512 * page);
	CHECK_EQ(mw_credit_left(-5000 * page, 1024000, 1024000), -BATCH - 1024 * page);
	CHECK_EQ(mw_credit_left(-300 * page, 1000, 1024000), -300 * page);
	CHECK_EQ(mw_credit_left(page, 0, 0), page);
}
