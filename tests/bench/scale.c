// SPDX-License-Identifier: GPL-2.0
/*
 * scale LABEL DIRECTORY FILE NUMBER
 *
 * Makes so many groups in DIRECTORY, which has a limit, lets a process in the first of them read FILE, which is larger, and
 * prints what that took and what each of these takes then, in nanoseconds (under scripts/vm --icount: instructions):
 *	scale LABEL NUMBER STREAM MKDIR RMDIR STAT CURRENT PROCS READDIR [AUDIT]
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* many, as some meet what the kernel does now and then: a page for its slabs, or for its percpu memory */
enum { TIMES = 101 };

static char text[1 << 16];

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int open_file(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0)
		err(1, "%s", name);
	return fd;
}

static void read_all(const char *name)
{
	int fd = open_file(name, O_RDONLY);
	ssize_t len;

	while ((len = read(fd, text, sizeof(text))) > 0)
		;
	if (len)
		err(1, "%s", name);
	close(fd);
}

static char *name_of(int i)
{
	static char name[16];

	snprintf(name, sizeof(name), "g%d", i);
	return name;
}

static void make(int i)
{
	if (mkdir(name_of(i), 0755))
		err(1, "mkdir %s", name_of(i));
}

static void drop(int i)
{
	if (rmdir(name_of(i)))
		err(1, "rmdir %s", name_of(i));
}

/* In the first group. A child, as nobody can be moved out of it again. */
static long stream_ns(const char *file)
{
	long *ns = mmap(NULL, sizeof(*ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = open_file("g0/cgroup.procs", O_WRONLY), status;
	pid_t pid = fork();

	if (!pid) {
		if (write(fd, "0", 1) != 1)
			err(1, "g0/cgroup.procs");
		*ns = now_ns();
		read_all(file);
		*ns = now_ns() - *ns;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the process that reads has ended with status %x", status);
	close(fd);
	return *ns;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static void do_mkdir(int round) { make(1000000 + round); }
static void do_rmdir(int round) { drop(1000000 + round); }
static void do_stat(int round) { (void)round; read_all("memory.stat"); }
static void do_current(int round) { (void)round; read_all("memory.current"); }
static void do_procs(int round) { (void)round; read_all("cgroup.procs"); }

static void do_readdir(int round)
{
	DIR *dir = opendir("g0");

	(void)round;
	while (dir && readdir(dir))
		;
	closedir(dir);
}

static long median(void (*what)(int))
{
	long ns[TIMES];

	for (int i = 0; i < TIMES; i++) {
		long start = now_ns();

		what(i);
		ns[i] = now_ns() - start;
	}
	qsort(ns, TIMES, sizeof(*ns), compare);
	return ns[TIMES / 2];
}

/* Only memward has one. It walks all memory, so once will do. */
static long audit_ns(void)
{
	long start = now_ns();

	read_all("/sys/fs/memward/memward.audit");
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	static void (*const what[])(int) = { do_mkdir, do_rmdir, do_stat, do_current, do_procs, do_readdir };
	int nr;

	if (argc != 5 || (nr = atoi(argv[4])) < 1)
		errx(2, "usage: scale LABEL DIRECTORY FILE NUMBER");
	if (chdir(argv[2]))
		err(1, "%s", argv[2]);
	for (int i = 0; i < nr; i++)
		make(i);
	printf("scale %s %d %ld", argv[1], nr, stream_ns(argv[3]));
	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++)
		printf(" %ld", median(what[i]));
	if (strstr(argv[1], "memward"))
		printf(" %ld", audit_ns());
	printf("\n");
	for (int i = nr - 1; i >= 0; i--)
		drop(i);
	return 0;
}
