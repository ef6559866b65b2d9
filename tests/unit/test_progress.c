// SPDX-License-Identifier: GPL-2.0
/* When reclaim has failed, by what it says of itself. */
#include <pure/progress.h>

#include "check.h"

#define HIGHEST	12

/* Reclaim from the highest priority down to this one, which alone brings so much. */
static void try_down_to(struct mw_progress *task, int priority,
			unsigned long reclaimed)
{
	int now;

	for (now = HIGHEST; now >= priority; now--)
		*task = mw_progress_note(task, now,
					 now == priority ? reclaimed : 0);
}

static struct mw_progress begun_after(int priority, unsigned long reclaimed)
{
	struct mw_progress task = MW_PROGRESS_NONE;

	try_down_to(&task, priority, reclaimed);
	return mw_progress_note(&task, HIGHEST, 0);
}

TEST(the_first_look_is_no_failure)
{
	struct mw_progress task = MW_PROGRESS_NONE;

	try_down_to(&task, 0, 0);
	CHECK(!task.failed);
	CHECK_EQ(task.priority, 0);
}

TEST(a_look_at_everything_that_brings_nothing_is_one)
{
	CHECK(begun_after(0, 0).failed);
	/* of the last lists there may be nothing to say */
	CHECK(begun_after(1, 0).failed);
}

TEST(it_lasts_until_the_next_begins)
{
	struct mw_progress task = begun_after(0, 0);

	try_down_to(&task, 7, 32);
	CHECK(task.failed);
	CHECK_EQ(task.reclaimed, 32);
	task = mw_progress_note(&task, HIGHEST, 0);
	CHECK(!task.failed);
	CHECK_EQ(task.reclaimed, 0);
}

TEST(a_page_is_progress)
{
	CHECK(!begun_after(0, 1).failed);
}

TEST(who_gave_up_early_has_not_tried)
{
	CHECK(!begun_after(2, 0).failed);
}

TEST(lists_of_one_priority_add_up)
{
	struct mw_progress task = MW_PROGRESS_NONE;

	task = mw_progress_note(&task, 1, 0);
	task = mw_progress_note(&task, 1, 3);
	task = mw_progress_note(&task, 1, 0);
	CHECK_EQ(task.reclaimed, 3);
	CHECK(!mw_progress_begins(&task, 1));
	CHECK(mw_progress_begins(&task, 2));
}

TEST(who_begins_in_the_middle_is_believed_nothing)
{
	struct mw_progress task = MW_PROGRESS_NONE;

	task = mw_progress_note(&task, 0, 0);
	CHECK(!task.failed);
}

static void try_one_node(struct mw_progress *task)
{
	int now;

	for (now = 4; now >= 0; now--)
		*task = mw_progress_note(task, now, 0);
}

TEST(to_find_nothing_in_one_node_is_none)
{
	struct mw_progress task = MW_PROGRESS_NONE;

	try_one_node(&task);
	CHECK(!mw_progress_note(&task, HIGHEST, 0).failed);
	/* as the next that it says after reclaim that has found enough */
	task = begun_after(0, 1);
	try_one_node(&task);
	CHECK(!mw_progress_note(&task, HIGHEST, 0).failed);
}

TEST(a_look_at_one_node_does_not_undo_it)
{
	struct mw_progress task = MW_PROGRESS_NONE;

	try_down_to(&task, 0, 0);
	try_one_node(&task);
	CHECK(mw_progress_note(&task, HIGHEST, 0).failed);
}

/* Of a list of which nothing could be isolated nobody says anything. */
TEST(a_gap_is_no_beginning)
{
	struct mw_progress task = begun_after(0, 0);

	task = mw_progress_note(&task, 9, 0);
	CHECK(task.failed);
	CHECK_EQ(task.priority, 9);
}
