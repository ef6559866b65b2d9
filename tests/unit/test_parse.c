// SPDX-License-Identifier: GPL-2.0
/* What may be written into the files, and what must be refused. */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/types.h>

#include <stdlib.h>
#include <string.h>

#include <pure/parse.h>

#include "check.h"

#define PAGE_SHIFT	12
#define NONE		(LONG_MAX >> PAGE_SHIFT)
#define UNTOUCHED	0xdeadbeefUL

/* In memory of exactly its length, so that reading past the end is seen. */
static int pages_of(const char *text, unsigned long *pages)
{
	char *exact = strdup(text);
	int ret;

	*pages = UNTOUCHED;
	ret = mw_parse_pages(exact, PAGE_SHIFT, NONE, pages);
	free(exact);
	return ret;
}

static int number_of(const char *text, unsigned long max, unsigned long *number)
{
	char *exact = strdup(text);
	int ret;

	*number = UNTOUCHED;
	ret = mw_parse_number(exact, max, number);
	free(exact);
	return ret;
}

static void says_pages(const char *text, unsigned long want)
{
	unsigned long pages;
	bool ok = CHECK_EQ(pages_of(text, &pages), 0);

	if (!(CHECK_EQ(pages, want) && ok))
		CHECK_STR("in mw_parse_pages()", text);
}

static void refuses_pages(const char *text)
{
	unsigned long pages;
	bool ok = CHECK_EQ(pages_of(text, &pages), -EINVAL);

	if (!(CHECK_EQ(pages, UNTOUCHED) && ok))
		CHECK_STR("in mw_parse_pages()", text);
}

static void refuses_number(const char *text)
{
	unsigned long number;
	bool ok = CHECK_EQ(number_of(text, INT_MAX, &number), -EINVAL);

	if (!(CHECK_EQ(number, UNTOUCHED) && ok))
		CHECK_STR("in mw_parse_number()", text);
}

TEST(blanks_at_both_ends)
{
	char blanks[] = " \t\n", text[] = " \t/a b\xc3\xa0 \r\n", none[] = "";

	CHECK(!strcmp(mw_parse_strip(text), "/a b\xc3\xa0"));
	CHECK(!strcmp(mw_parse_strip(blanks), ""));
	CHECK(!strcmp(mw_parse_strip(none), ""));
}

TEST(words)
{
	CHECK(mw_parse_is("default", "default"));
	CHECK(mw_parse_is(" default\n", "default"));
	CHECK(!mw_parse_is("defaul", "default"));
	CHECK(!mw_parse_is("default x", "default"));
	CHECK(!mw_parse_is("", "default"));
}

TEST(bounds)
{
	unsigned long bound = 7;

	CHECK_EQ(mw_parse_bound("max", 1000, &bound), 0);
	CHECK_EQ(bound, 1000);
	CHECK_EQ(mw_parse_bound(" max\n", 1000, &bound), 0);
	CHECK_EQ(mw_parse_bound("0", 1000, &bound), 0);
	CHECK_EQ(bound, 0);
	CHECK_EQ(mw_parse_bound("999", 1000, &bound), 0);
	CHECK_EQ(bound, 999);
	CHECK_EQ(mw_parse_bound("1000", 1000, &bound), -EINVAL);
	CHECK_EQ(mw_parse_bound("", 1000, &bound), -EINVAL);
	CHECK_EQ(mw_parse_bound("-1", 1000, &bound), -EINVAL);
	CHECK_EQ(mw_parse_bound("maxx", 1000, &bound), -EINVAL);
	CHECK_EQ(mw_parse_bound("1M", 1000, &bound), -EINVAL);
	CHECK_EQ(bound, 999);
}

TEST(bytes_are_rounded_down_to_pages)
{
	says_pages("0", 0);
	says_pages("1", 0);
	says_pages("4095", 0);
	says_pages("4096", 1);
	says_pages("8191", 1);
	says_pages("104857600", 25600);
}

TEST(suffixes)
{
	says_pages("4K", 1);
	says_pages("100M", 25600);
	says_pages("1G", 1UL << 18);
	says_pages("2T", 1UL << 29);
	says_pages("4k", 1);
	says_pages("100m", 25600);
	says_pages("1g", 1UL << 18);
	says_pages("2t", 1UL << 29);
	says_pages("0K", 0);
	says_pages("3K", 0);
	says_pages("7K", 1);
}

TEST(no_limit)
{
	says_pages("max", NONE);
	says_pages("-1", NONE);
	says_pages("max\n", NONE);
	says_pages("-1\n", NONE);
	says_pages("  max  \n", NONE);
}

TEST(blanks_around_a_size)
{
	says_pages("4096\n", 1);
	says_pages(" 4096", 1);
	says_pages("\t4096 \n", 1);
	says_pages("100M\n", 25600);
}

TEST(leading_zeroes_are_decimal)
{
	says_pages("010K", 2);
	says_pages("0000000000000000000000000000000004096", 1);
}

TEST(the_largest_sizes)
{
	/* more than "no limit" stands for is cut to it */
	says_pages("9223372036854775807", NONE);
	says_pages("9223372036854771712", NONE);
	says_pages("9223372036854767616", NONE - 1);
	says_pages("18446744073709551615", NONE);
	says_pages("15E", NONE);
	says_pages("16777215T", NONE);
}

TEST(sizes_above_2_to_the_64th)
{
	refuses_pages("18446744073709551616");
	refuses_pages("18446744073709551620");
	refuses_pages("28446744073709551615");
	refuses_pages("100000000000000000000000000000000000000");
	refuses_pages("18014398509481984K");
	refuses_pages("17592186044416M");
	refuses_pages("17179869184G");
	refuses_pages("16777216T");
	refuses_pages("16E");
	refuses_pages("18446744073709551615K");
}

TEST(nothing_is_no_size)
{
	refuses_pages("");
	refuses_pages("\n");
	refuses_pages("   \n");
}

TEST(bad_sizes)
{
	refuses_pages("12Q");
	refuses_pages("-5");
	refuses_pages("-0");
	refuses_pages("-");
	refuses_pages("--1");
	refuses_pages("-1K");
	refuses_pages("-11");
	refuses_pages("+5");
	refuses_pages("1e9");
	refuses_pages("0x10");
	refuses_pages("1.5G");
	refuses_pages("1,000");
	refuses_pages("K");
	refuses_pages("M1");
	refuses_pages("1KK");
	refuses_pages("1KB");
	refuses_pages("1KiB");
	refuses_pages("1 K");
	refuses_pages("1 2");
	refuses_pages("1\n2");
	refuses_pages("4096 max");
	refuses_pages("max 4096");
	refuses_pages("maximum");
	refuses_pages("MAX");
	refuses_pages("ma");
	refuses_pages("max1");
	refuses_pages("infinity");
	refuses_pages("\xff\xfe");
	refuses_pages("1\xff");
	refuses_pages("\xd9\xa3");
}

TEST(sixty_four_kib_of_text)
{
	char *text = malloc(65537);
	unsigned long value;

	memset(text, 'a', 65536);
	text[65536] = 0;
	CHECK_EQ(pages_of(text, &value), -EINVAL);
	memset(text, '9', 65536);
	CHECK_EQ(pages_of(text, &value), -EINVAL);
	CHECK_EQ(number_of(text, INT_MAX, &value), -EINVAL);
	memset(text, ' ', 65536);
	CHECK_EQ(pages_of(text, &value), -EINVAL);
	memset(text, '0', 65536);
	CHECK_EQ(pages_of(text, &value), 0);
	CHECK_EQ(value, 0);
	free(text);
}

TEST(other_page_sizes)
{
	unsigned long pages;

	CHECK_EQ(mw_parse_pages("1M", 16, LONG_MAX >> 16, &pages), 0);
	CHECK_EQ(pages, 16);
	CHECK_EQ(mw_parse_pages("max", 16, LONG_MAX >> 16, &pages), 0);
	CHECK_EQ(pages, LONG_MAX >> 16);
}

static void says_number(const char *text, unsigned long want)
{
	unsigned long number;

	CHECK_EQ(number_of(text, INT_MAX, &number), 0);
	CHECK_EQ(number, want);
}

TEST(numbers)
{
	says_number("0", 0);
	says_number("1", 1);
	says_number("4194304\n", 4194304);
	says_number(" 17 ", 17);
	says_number("2147483647", INT_MAX);
	says_number("0017", 17);
}

TEST(bad_numbers)
{
	refuses_number("");
	refuses_number("\n");
	refuses_number("2147483648");
	refuses_number("4294967296");
	refuses_number("18446744073709551616");
	refuses_number("18446744073709551617");
	refuses_number("-1");
	refuses_number("+1");
	refuses_number("0x10");
	refuses_number("1e9");
	refuses_number("1 2");
	refuses_number("1\n2\n");
	refuses_number("12Q");
	refuses_number("4K");
	refuses_number("max");
}

TEST(the_bound_of_a_number_is_exact)
{
	unsigned long number;

	CHECK_EQ(number_of("10", 10, &number), 0);
	CHECK_EQ(number_of("11", 10, &number), -EINVAL);
	CHECK_EQ(number_of("18446744073709551615", ULONG_MAX, &number), 0);
	CHECK_EQ(number, ULONG_MAX);
	CHECK_EQ(number_of("18446744073709551616", ULONG_MAX, &number), -EINVAL);
}

/* --- what memory.reclaim takes --- */

static int reclaim(const char *text, unsigned long *pages, int *swappiness)
{
	*pages = 77;
	*swappiness = 77;
	return mw_parse_reclaim(text, 12, ULONG_MAX, pages, swappiness);
}

TEST(reclaim_takes_a_size)
{
	unsigned long pages;
	int swappiness;

	CHECK_EQ(reclaim("8192", &pages, &swappiness), 0);
	CHECK_EQ(pages, 2);
	CHECK_EQ(swappiness, -1);
	CHECK_EQ(reclaim(" 1M ", &pages, &swappiness), 0);
	CHECK_EQ(pages, 256);
}

TEST(reclaim_takes_a_swappiness)
{
	unsigned long pages;
	int swappiness;

	CHECK_EQ(reclaim("1M swappiness=0", &pages, &swappiness), 0);
	CHECK_EQ(swappiness, 0);
	CHECK_EQ(reclaim("1M  swappiness=200", &pages, &swappiness), 0);
	CHECK_EQ(swappiness, 200);
	CHECK_EQ(reclaim("1M swappiness=max", &pages, &swappiness), 0);
	CHECK_EQ(swappiness, 200);
}

TEST(reclaim_refuses_the_rest)
{
	static const char *const texts[] = {
		"", "max", "-1", "1q", "1M x", "1Mswappiness=1", "swappiness=1",
		"1M swappiness", "1M swappiness=", "1M swappiness=201",
		"1M swappiness=-1", "1M swappiness= 1", "1M swappiness=1 2",
		"1M swappiness=1x", "1 M",
	};
	unsigned long pages;
	int swappiness;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK_EQ(reclaim(texts[i], &pages, &swappiness), -EINVAL);
		CHECK_EQ(pages, 77);
		CHECK_EQ(swappiness, 77);
	}
}

static int path_of(const char *text, char *path, size_t size)
{
	memset(path, 'x', size);
	return mw_parse_path(text, path, size);
}

TEST(paths_in_their_shortest_form)
{
	char path[32];

	CHECK_EQ(path_of("/", path, 2), 0);
	CHECK(!strcmp(path, "/"));
	CHECK_EQ(path_of("///", path, 2), 0);
	CHECK(!strcmp(path, "/"));
	CHECK_EQ(path_of("/a", path, 3), 0);
	CHECK(!strcmp(path, "/a"));
	CHECK_EQ(path_of("//a///b c/.../..d/e./", path, sizeof(path)), 0);
	CHECK(!strcmp(path, "/a/b c/.../..d/e."));
}

TEST(paths_that_are_none)
{
	static const char *const texts[] = {
		"", "a", "a/b", "./a", "/.", "/..", "/a/..", "/a/../b", "/a/./b",
		"/a//..//", "/a\n", "/a\n/b", " /a", "-/a",
	};
	char path[32];
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_EQ(path_of(texts[i], path, sizeof(path)), -EINVAL);
}

TEST(paths_that_are_too_long)
{
	char text[300], path[512];

	CHECK_EQ(path_of("/", path, 1), -ENAMETOOLONG);
	CHECK_EQ(path[0], 'x');
	CHECK_EQ(path_of("/a", path, 2), -ENAMETOOLONG);
	CHECK_EQ(path_of("/ab/c", path, 5), -ENAMETOOLONG);
	CHECK_EQ(path_of("/ab/c", path, 6), 0);
	memset(text, 'n', sizeof(text));
	text[0] = '/';
	text[256] = 0;
	CHECK_EQ(path_of(text, path, sizeof(path)), 0);
	CHECK_EQ(strlen(path), 256);
	text[256] = 'n';
	text[257] = 0;
	CHECK_EQ(path_of(text, path, sizeof(path)), -ENAMETOOLONG);
}
