// SPDX-License-Identifier: GPL-2.0
/*
 * groups LABEL DIRECTORY
 *
 * Makes and removes many groups in DIRECTORY, first to see what memory they hold, then to see what time that takes,
 * and prints
 *	bytes LABEL HELD SLAB PERCPU LEFT	for one group: taken from free memory, of that slab, per-CPU memory,
 *						and what is still gone when all have been removed
 *	groups LABEL MKDIR RMDIR		medians, in nanoseconds (under scripts/vm --icount: instructions)
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HELD = 1000, TIMED = 500 };

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", name);
	close(fd);
}

struct memory {
	long free, slab, percpu;	/* KiB */
};

/* The sum of the numbers in a file of /proc that follow a word at the beginning of a line. */
static long sum(const char *name, const char *word)
{
	FILE *f = fopen(name, "r");
	char line[256];
	long n, total = 0;

	if (!f)
		err(1, "%s", name);
	while (fgets(line, sizeof(line), f)) {
		char *text = line + strspn(line, " ");

		if (!strncmp(text, word, strlen(word)) && sscanf(text + strlen(word), "%ld", &n) == 1)
			total += n;
	}
	fclose(f);
	return total;
}

/*
 * When removal is over, and without caches. Newer kernels keep tens of megabytes of free pages per CPU that MemFree
 * does not show, and counters that only a refresh folds in.
 */
static struct memory memory(void)
{
	sleep(2);
	sync();
	write_file("/proc/sys/vm/drop_caches", "3");
	sleep(1);
	write_file("/proc/sys/vm/stat_refresh", "1");
	return (struct memory){
		.free = 4 * (sum("/proc/zoneinfo", "nr_free_pages ") + sum("/proc/zoneinfo", "count: ")),
		.slab = sum("/proc/meminfo", "Slab:"),
		.percpu = sum("/proc/meminfo", "Percpu:"),
	};
}

static char *name_of(int i)
{
	static char name[16];

	snprintf(name, sizeof(name), "g%d", i);
	return name;
}

static long make_ns(int i)
{
	char *name = name_of(i);
	long start = now_ns();

	if (mkdir(name, 0755))
		err(1, "mkdir %s", name);
	return now_ns() - start;
}

static long remove_ns(int i)
{
	char *name = name_of(i);
	long start = now_ns();

	if (rmdir(name))
		err(1, "rmdir %s", name);
	return now_ns() - start;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static long median(long (*what)(int))
{
	static long ns[TIMED];

	for (int i = 0; i < TIMED; i++)
		ns[i] = what(i);
	qsort(ns, TIMED, sizeof(*ns), compare);
	return ns[TIMED / 2];
}

static void print_bytes(const char *label)
{
	struct memory before, with, after;

	before = memory();
	for (int i = 0; i < HELD; i++)
		make_ns(i);
	with = memory();
	for (int i = 0; i < HELD; i++)
		remove_ns(i);
	after = memory();
	printf("bytes %s %ld %ld %ld %ld\n", label, (before.free - with.free) * 1024 / HELD,
	       (with.slab - before.slab) * 1024 / HELD, (with.percpu - before.percpu) * 1024 / HELD,
	       (before.free - after.free) * 1024 / HELD);
}

static void print_times(const char *label)
{
	long mkdir_ns = median(make_ns), rmdir_ns = median(remove_ns);

	printf("groups %s %ld %ld\n", label, mkdir_ns, rmdir_ns);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		errx(2, "usage: groups LABEL DIRECTORY");
	if (chdir(argv[2]))
		err(1, "%s", argv[2]);
	print_bytes(argv[1]);
	print_times(argv[1]);
	return 0;
}
