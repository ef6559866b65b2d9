// SPDX-License-Identifier: GPL-2.0
/* Prints the frequency of this machine's time stamp counter in kHz. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct sample {
	uint64_t ns;
	uint64_t tsc;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Of a hundred, the one that took least time: nothing came in between. */
static struct sample sample(void)
{
	struct sample best = { 0, 0 };
	uint64_t least = ~0ULL;
	int i;

	for (i = 0; i < 100; i++) {
		uint64_t before = __rdtsc(), ns = now(), after = __rdtsc();

		if (after - before >= least)
			continue;
		least = after - before;
		best.ns = ns;
		best.tsc = before + least / 2;
	}
	return best;
}

int main(void)
{
	struct timespec pause = { 0, 200000000 };
	struct sample start = sample(), end;

	nanosleep(&pause, NULL);
	end = sample();
	printf("%.0f\n", (end.tsc - start.tsc) * 1e6 / (end.ns - start.ns));
	return 0;
}
