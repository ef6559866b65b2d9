// SPDX-License-Identifier: GPL-2.0
/*
 * What a group at its limit, or one that is asked for memory, gets done.
 *
 *   reclaim cycle WHO MIB SECONDS order|random PROCS   touches so much memory in turn, or anywhere
 *   reclaim mixed WHO FILE MIB PROCS GO DONE           holds anonymous memory and a file, a third of both in use;
 *                                                      waits for GO to appear, then touches what is in use and tells
 *                                                      how many pages had to come back; then DONE
 *
 * Prints lines for report.py: "cycle WHO PATTERN PAGES_PER_SECOND", "refaults WHO PAGES".
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define PER_MIB	(1UL << 20)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void enter(const char *procs)
{
	int fd = open(procs, O_WRONLY);

	if (fd < 0 || write(fd, "0", 1) != 1)
		err(1, "%s", procs);
	close(fd);
}

static char *map(size_t size, int fd)
{
	char *at = mmap(NULL, size, PROT_READ | (fd < 0 ? PROT_WRITE : 0),
			fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	madvise(at, size, MADV_NOHUGEPAGE);
	return at;
}

static long major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

/* The same steps for everybody. */
static unsigned int next_random(void)
{
	static unsigned int x = 12345;

	x = x * 1664525 + 1013904223;
	return x >> 4;
}

static int cycle(const char *who, size_t nr, double seconds, int random)
{
	char *at = map(nr * PAGE, -1);
	size_t i, touched = 0;
	double begun, took;

	for (i = 0; i < nr; i++)
		at[i * PAGE] = 1;
	begun = now();
	do {
		for (i = 0; i < 256; i++, touched++)
			at[(random ? next_random() % nr : touched % nr) * PAGE]++;
		took = now() - begun;
	} while (took < seconds);
	printf("cycle %s %s %.0f\n", who, random ? "random" : "order", touched / took);
	return 0;
}

/* A third of the pages is in use: read or written again and again before. */
static long touch_used(volatile char *anon, volatile char *file, size_t nr, int rounds)
{
	long before = major_faults();
	size_t i;

	while (rounds--)
		for (i = 0; i < nr; i += 3) {
			anon[i * PAGE]++;
			(void)file[i * PAGE];
		}
	return major_faults() - before;
}

static void await(const char *path)
{
	struct stat st;

	while (stat(path, &st))
		usleep(10000);
}

static void tell(const char *path)
{
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static int mixed(const char *who, const char *name, size_t nr, const char *go,
		 const char *done)
{
	int fd = open(name, O_RDONLY);
	volatile char *anon, *file;
	size_t i;

	if (fd < 0)
		err(1, "%s", name);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	anon = map(nr * PAGE, -1);
	file = map(nr * PAGE, fd);
	madvise((void *)file, nr * PAGE, MADV_RANDOM);
	for (i = 0; i < nr; i++) {
		anon[i * PAGE] = 1;
		(void)file[i * PAGE];
	}
	touch_used(anon, file, nr, 3);
	tell(done);
	await(go);
	printf("refaults %s %ld\n", who, touch_used(anon, file, nr, 1));
	return 0;
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	if (argc == 7 && !strcmp(argv[1], "cycle")) {
		enter(argv[6]);
		return cycle(argv[2], atol(argv[3]) * PER_MIB / PAGE, atof(argv[4]),
			     !strcmp(argv[5], "random"));
	}
	if (argc == 8 && !strcmp(argv[1], "mixed")) {
		enter(argv[5]);
		return mixed(argv[2], argv[3], atol(argv[4]) * PER_MIB / PAGE,
			     argv[6], argv[7]);
	}
	errx(2, "see the top of reclaim.c");
}
