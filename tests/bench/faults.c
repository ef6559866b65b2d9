// SPDX-License-Identifier: GPL-2.0
/*
 * faults LABEL [CGROUP.PROCS]...
 *
 * What does one 4 KiB anonymous page cost, from its first touch until munmap has freed it? Joins the groups whose
 * cgroup.procs are named, does the same work in whatever groups it is then, and prints three measurements
 *	faults LABEL MEAN MEAN MEAN
 * in nanoseconds of CLOCK_MONOTONIC for one page. Under scripts/vm --icount one nanosecond is one instruction, and
 * the three differ by less than one. The timer interrupt is part of it: 0.3 %, of what is added too.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	PAGES = 256,		/* they fit into the page allocator's per-CPU lists: what lies behind is not exact */
	WARM_UP = 400,
	ROUNDS = 600,
	MEASUREMENTS = 3,
};

/* Far from everything else, but in one page table with a page that stays, so that the page tables stay as well. */
static char *const region = (char *)0x100040000000;
static char *const anchor = (char *)0x100040000000 + (PAGES + 8) * PAGE;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void map(char *where, size_t size)
{
	char *p = mmap(where, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != where)
		err(1, "mmap");
}

static void join(const char *procs)
{
	int fd = open(procs, O_WRONLY);

	if (fd < 0 || write(fd, "0\n", 2) != 2)
		err(1, "%s", procs);
	close(fd);
}

static double measure(int rounds)
{
	long start = now_ns();

	for (int r = 0; r < rounds; r++) {
		map(region, PAGES * PAGE);
		for (int i = 0; i < PAGES; i++)
			*(volatile char *)(region + i * PAGE) = 1;
		munmap(region, PAGES * PAGE);
	}
	return (double)(now_ns() - start) / rounds / PAGES;
}

int main(int argc, char **argv)
{
	double result[MEASUREMENTS];

	if (argc < 2)
		errx(2, "usage: faults LABEL [CGROUP.PROCS]...");
	for (int i = 2; i < argc; i++)
		join(argv[i]);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	map(anchor, PAGE);
	*(volatile char *)anchor = 1;
	measure(WARM_UP);
	for (int i = 0; i < MEASUREMENTS; i++)
		result[i] = measure(ROUNDS);
	printf("faults %s", argv[1]);
	for (int i = 0; i < MEASUREMENTS; i++)
		printf(" %.1f", result[i]);
	printf("\n");
	return 0;
}
