// SPDX-License-Identifier: GPL-2.0
/* Of many devices each has its turn, in whatever order they are met. */
#include <pure/rota.h>

#include "check.h"

static bool has_place(const struct mw_rota *rota, u64 id)
{
	unsigned int i;

	for (i = 0; i < MW_ROTA_PLACES; i++)
		if (rota->id[i] == id)
			return true;
	return false;
}

/* A round in which those from 1 to @nr are met in this order, and again, as reclaim looks twice. */
static void go_round(struct mw_rota *rota, u64 nr, bool upwards)
{
	u64 i;

	mw_rota_begin(rota);
	for (i = 0; i < 2 * nr; i++)
		mw_rota_meet(rota, upwards ? i % nr + 1 : nr - i % nr);
}

static void each_has_his_turn(u64 nr, bool upwards)
{
	struct mw_rota rota = {};
	u64 turns = 0, round, id;

	for (round = 0; round < nr; round++) {
		go_round(&rota, nr, upwards);
		for (id = 1; id <= nr; id++)
			turns |= (u64)has_place(&rota, id) << id;
	}
	CHECK_EQ(turns, (1ULL << (nr + 1)) - 2);
}

TEST(each_of_many_has_his_turn)
{
	u64 nr;

	for (nr = 1; nr <= 20; nr++) {
		each_has_his_turn(nr, true);
		each_has_his_turn(nr, false);
	}
}

TEST(who_stays_is_not_replaced)
{
	struct mw_rota rota = {};
	int round, place;

	go_round(&rota, 3, true);
	place = mw_rota_meet(&rota, 2);
	CHECK_EQ(place, 1);
	rota.stays[place] = true;
	for (round = 0; round < 20; round++) {
		go_round(&rota, 9, true);
		CHECK(has_place(&rota, 2));
	}
	/* nor if all do */
	mw_rota_begin(&rota);
	for (place = 0; place < MW_ROTA_PLACES; place++) {
		CHECK_EQ(mw_rota_meet(&rota, rota.id[place]), place);
		rota.stays[place] = true;
	}
	CHECK_EQ(mw_rota_meet(&rota, 99), -1);
	rota.stays[0] = false;
	CHECK_EQ(mw_rota_meet(&rota, 99), 0);
}

TEST(who_is_met_no_more_makes_room)
{
	struct mw_rota rota = {};

	go_round(&rota, 3, true);
	mw_rota_begin(&rota);
	CHECK_EQ(mw_rota_meet(&rota, 3), 2);
	mw_rota_begin(&rota);
	CHECK_EQ(mw_rota_meet(&rota, 7), 0);
	CHECK(has_place(&rota, 3));
	CHECK(!has_place(&rota, 1));
	CHECK(!has_place(&rota, 2));
}

/* A device that the kernel has not registered has no number. */
TEST(number_zero_has_no_place)
{
	struct mw_rota rota = {};

	mw_rota_begin(&rota);
	CHECK_EQ(mw_rota_meet(&rota, 0), -1);
}
