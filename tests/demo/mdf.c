// SPDX-License-Identifier: GPL-2.0
/*
 * mdf MEGABYTES [MEMORY.CURRENT]
 *
 * Allocates anonymous memory, one megabyte at a time, and keeps it. Prints for each how many it has by then and how
 * many microseconds the last one took; with the name of a group's memory.current also what that showed, in bytes,
 * before and after, and how many times it slept meanwhile.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MEGABYTE = 1 << 20 };

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static long allocate_us(void)
{
	long start = now_us();
	char *p = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	for (size_t i = 0; i < MEGABYTE; i += PAGE)
		*(volatile char *)(p + i) = 1;
	return now_us() - start;
}

static long usage(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		err(1, "memory.current");
	return atol(text);
}

static long sleeps(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_nvcsw;
}

int main(int argc, char **argv)
{
	int fd = -1;

	if (argc < 2)
		errx(2, "usage: mdf MEGABYTES [MEMORY.CURRENT]");
	if (argc > 2 && (fd = open(argv[2], O_RDONLY)) < 0)
		err(1, "%s", argv[2]);
	/* khugepaged must not replace the pages of a run that takes minutes. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	setlinebuf(stdout);
	for (int mb = 1, end = atoi(argv[1]); mb <= end; mb++) {
		long before = fd < 0 ? 0 : usage(fd), slept = sleeps(), us = allocate_us();

		slept = sleeps() - slept;
		if (fd < 0)
			printf("%d %ld\n", mb, us);
		else
			printf("%d %ld %ld %ld %ld\n", mb, us, before, usage(fd), slept);
	}
	return 0;
}
