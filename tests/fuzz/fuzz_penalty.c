// SPDX-License-Identifier: GPL-2.0
/* The throttling curve against the same formula in 128 bits, and the properties that a user counts on. */
#include <linux/types.h>

#include <pure/penalty.h>

#include "fuzz.h"

typedef unsigned __int128 u128;

#define ONE		((u128)1 << MW_OVERAGE_SHIFT)
#define US_MIN		10000
#define US_MAX		2000000

/* Numbers of all magnitudes, and those where things change. */
static uint64_t number(struct input *in)
{
	uint8_t how = take(in);
	uint64_t word = take_word(in);

	return how & 1 ? word >> (how >> 1) % 64 : (uint64_t)1 << word % 64;
}

/* As a share of one page at least. */
static uint64_t overage(unsigned long usage, unsigned long high)
{
	u128 ratio;

	high = high ?: 1;
	if (usage <= high)
		return 0;
	ratio = (u128)(usage - high) * ONE / high;
	return ratio < 2 * ONE ? ratio : 2 * ONE;
}

static void check_overage(unsigned long usage, unsigned long high)
{
	uint64_t got = mw_overage(usage, high), want = overage(usage, high);

	MUST(got == want, "%lu of %lu: %#llx, not %#llx", usage, high,
	     (unsigned long long)got, (unsigned long long)want);
	if (usage + 1)
		MUST(mw_overage(usage + 1, high) >= got, "falls at %lu of %lu",
		     usage, high);
}

static void check_penalty(uint64_t over, unsigned int nr_pages)
{
	uint64_t got = mw_penalty_us(over, 0, nr_pages);
	u128 cut = over < 2 * ONE ? over : 2 * ONE;
	/* 64 s x share^2 x pages / 32, in microseconds; rounding loses one for each 32 pages, and one */
	u128 exact = cut * cut * 64000000 / (ONE * ONE) * nr_pages / 32;
	u128 least = exact > nr_pages / 32 + 1 ? exact - nr_pages / 32 - 1 : 0;
	u128 most = (cut * cut * 64000000 / (ONE * ONE) + 1) * nr_pages / 32 + 1;

	MUST(got <= US_MAX, "%llu us", (unsigned long long)got);
	MUST(!got || got > US_MIN, "%llu us", (unsigned long long)got);
	if (got && got < US_MAX)
		MUST(got >= least && got <= most, "%#llx, %u: %llu us",
		     (unsigned long long)over, nr_pages, (unsigned long long)got);
	if (!got)
		MUST(least <= US_MIN, "%#llx, %u: nothing",
		     (unsigned long long)over, nr_pages);
	if (got == US_MAX)
		MUST(most >= US_MAX, "%#llx, %u: all", (unsigned long long)over,
		     nr_pages);
	if (over + 1)
		MUST(mw_penalty_us(over + 1, 0, nr_pages) >= got, "falls");
	if (nr_pages + 1)
		MUST(mw_penalty_us(over, 0, nr_pages + 1) >= got, "falls");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned long high = number(&in), usage = number(&in);
	unsigned int nr_pages = number(&in);

	/* mostly a bit above it */
	if (take(&in) % 4)
		usage = high + usage % (high / 8 + 2);
	/* 64 ZiB: no machine can use more, whatever the limit */
	usage %= 1UL << 44;
	check_overage(usage, high);
	check_penalty(number(&in), nr_pages);
	check_penalty(mw_overage(usage, high), nr_pages % 1024);
	return 0;
}
