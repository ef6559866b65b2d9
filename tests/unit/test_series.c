// SPDX-License-Identifier: GPL-2.0
/* Which series a kernel is of. */
#include <pure/series.h>

#include "check.h"

static const char list[] = "5.10 6.1 6.12 7.2";

TEST(releases_of_these_series)
{
	CHECK(mw_series_has(list, "5.10.0-46-cloud-amd64"));
	CHECK(mw_series_has(list, "6.1.0-56-amd64"));
	CHECK(mw_series_has(list, "6.12.117+deb13-cloud-amd64"));
	CHECK(mw_series_has(list, "7.2.13-memward-debug"));
	CHECK(mw_series_has(list, "7.2"));
	CHECK(mw_series_has(list, "7.2-rc1"));
	CHECK(mw_series_has(list, "7.2+"));
}

TEST(series_that_only_begin_or_end_alike)
{
	CHECK(!mw_series_has(list, "6.10.3-1-amd64"));
	CHECK(!mw_series_has(list, "6.121.0"));
	CHECK(!mw_series_has(list, "6.19.14+deb13-amd64"));
	CHECK(!mw_series_has(list, "5.1.0"));
	CHECK(!mw_series_has(list, "5.100.0"));
	CHECK(!mw_series_has(list, "16.1.0"));
	CHECK(!mw_series_has(list, "1.0"));
	CHECK(!mw_series_has(list, "6"));
	CHECK(!mw_series_has(list, "6.1_something"));
	CHECK(!mw_series_has(list, ""));
}

TEST(lists_of_other_forms)
{
	CHECK(!mw_series_has("", "6.1.0"));
	CHECK(!mw_series_has("  ", "6.1.0"));
	CHECK(!mw_series_has("", ""));
	CHECK(mw_series_has("6.1", "6.1.0"));
	CHECK(mw_series_has(" 5.10  6.1 ", "6.1.0"));
	CHECK(!mw_series_has(" 5.10  6.1 ", "-1"));
}
