// SPDX-License-Identifier: GPL-2.0
/*
 * What a group at its limit, or one that is asked for memory, gets done.
 *
 *   jobs cycle WHO MIB SECONDS order|random PROCS   touches so much memory in turn, or anywhere
 *   jobs consume MIB RATE SECONDS                   takes so many pages a second and uses them once; has so much, and gives
 *                                                   back what it took first
 *   jobs mixed WHO FILE MIB PROCS GO DONE           holds anonymous memory and a file, a third of both in use;
 *                                                   waits for GO to appear, then touches what is in use and tells
 *                                                   how many pages had to come back; then DONE
 *   jobs build WHO DIR JOBS PROCS                   many short processes that read files, use memory and write files
 *   jobs hot FILE DONE STOP                         reads a file, then DONE, then over and over until STOP appears
 *   jobs beside WHO FILE|MIB PROCS                  uses 10 MB all the time, and beside it a file, or so much memory, once
 *   jobs most GROUP FILE STOP                       looks at what the pages of GROUP come to, by its memory.stat, until STOP
 *                                                   appears; prints the most, how often it has looked, and how much of
 *                                                   FILE is in memory in the end
 *   jobs keep MIB PROCS GO DONE                     fills memory and looks, when GO has appeared, if it is all there
 *   jobs victim WHO MIB PROCS GO DONE               the same, and tells how long it takes to touch all of it then
 *   jobs probe WHO MIB RATE SECONDS PROCS           touches memory at random, so many pages a second, and tells how long
 *                                                   that takes; SIGTERM ends it early
 *   jobs squeeze MIB STEP FILE                      takes that much in steps, ten a second, and writes to FILE how far
 *                                                   it has come: it may be killed at any time
 *
 * Prints lines for report.py: "cycle WHO PATTERN PAGES_PER_SECOND", "refaults WHO PAGES", "build WHO MILLISECONDS",
 * "beside WHO PAGES" of the 10 MB that had to come back, "after WHO MICROSECONDS PAGES", "latency WHO TOUCHES P50 P99 P999 PAGES LEAST" (touches a second, how long they took in
 * nanoseconds, pages that had to be read anew, the touches of the worst second); and for scripts "PAGES" that had to be
 * read anew, and "intact".
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define PER_MIB	(1UL << 20)

/* what is done at a rate is done in bursts, with these between */
#define REST_US	10000

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

/* --- accessed bits ------------------------------------------------------------- */

/* as many translations as a processor may remember */
#define TRANSLATIONS	1536
/* so many at once and the kernel has all of them forgotten; it knows others for up to 33 */
#define ALL_OF_THEM	64

/*
 * A page table says that a page was used when the processor has to look it up.  One
 * that remembers some thousand translations does so every now and then, QEMU only
 * when it is told to forget them: when the protection of pages changes that are in
 * use, any pages.
 */
static void forget_translations(void)
{
	static char pages[(ALL_OF_THEM + 1) * PAGE], *at;
	size_t i;

	if (!at)
		at = pages + PAGE - (size_t)pages % PAGE;
	for (i = 0; i < ALL_OF_THEM; i++)
		at[i * PAGE]++;
	if (mprotect(at, ALL_OF_THEM * PAGE, PROT_READ) ||
	    mprotect(at, ALL_OF_THEM * PAGE, PROT_READ | PROT_WRITE))
		err(1, "mprotect");
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

static int consume(size_t nr, int rate, double seconds)
{
	char *at = map(nr * PAGE, -1);
	double begun = now();
	size_t taken = 0;

	while (now() - begun < seconds) {
		size_t due = (now() - begun) * rate;

		for (; taken < due; taken++) {
			char *page = at + taken % nr * PAGE;

			madvise(page, PAGE, MADV_DONTNEED);
			*page = 1;
		}
		usleep(REST_US);
	}
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

/* --- a job like the building of a program --- */

#define HEADERS		100
#define HEADER_SIZE	(100UL << 10)
#define INCLUDES	30
#define OBJECT_SIZE	(300UL << 10)
#define AT_A_TIME	2

static char *name_of(const char *dir, const char *what, int nr)
{
	char *name;

	if (asprintf(&name, "%s/%s.%d", dir, what, nr) < 0)
		err(1, "asprintf");
	return name;
}

static int open_file(const char *dir, const char *what, int nr, int flags)
{
	char *name = name_of(dir, what, nr);
	int fd = open(name, flags, 0600);

	if (fd < 0)
		err(1, "%s", name);
	free(name);
	return fd;
}

static void write_file(const char *dir, const char *what, int nr, const char *text,
		       size_t size)
{
	int fd = open_file(dir, what, nr, O_CREAT | O_TRUNC | O_WRONLY);

	if (write(fd, text, size) != (ssize_t)size)
		err(1, "%s.%d", what, nr);
	close(fd);
}

static void read_file(const char *dir, const char *what, int nr)
{
	static char buf[64 << 10];
	int fd = open_file(dir, what, nr, O_RDONLY);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

/* One translation unit: a program of its own, as a compiler is. */
static int compile(const char *dir, int job)
{
	size_t i, nr = (4 + job % 5 * 2) * PER_MIB / PAGE;
	char *work = map(nr * PAGE, -1);

	for (i = 0; i < INCLUDES; i++)
		read_file(dir, "header", (job * 7 + i * 3) % HEADERS);
	for (i = 0; i < nr; i++)
		work[i * PAGE] = i;
	write_file(dir, "object", job, work, OBJECT_SIZE);
	return 0;
}

static void start_compiler(const char *dir, int job)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", job);
	if (fork() == 0) {
		execl("/proc/self/exe", "jobs", "compile", dir, number, NULL);
		err(1, "exec");
	}
}

static void await_compiler(void)
{
	int status;

	if (wait(&status) < 0 || status)
		errx(1, "a compiler failed with %#x", status);
}

static void build_all(const char *dir, int jobs)
{
	int job;

	for (job = 0; job < jobs; job++) {
		if (job >= AT_A_TIME)
			await_compiler();
		start_compiler(dir, job);
	}
	for (job = 0; job < AT_A_TIME; job++)
		await_compiler();
	for (job = 0; job < jobs; job++)
		read_file(dir, "object", job);
}

static void make_headers(const char *dir)
{
	char *text = map(HEADER_SIZE, -1);
	int i;

	memset(text, 'h', HEADER_SIZE);
	for (i = 0; i < HEADERS; i++)
		write_file(dir, "header", i, text, HEADER_SIZE);
	munmap(text, HEADER_SIZE);
}

static void remove_all(const char *dir, const char *what, int nr)
{
	while (nr--) {
		char *name = name_of(dir, what, nr);

		unlink(name);
		free(name);
	}
}

static int build(const char *who, const char *dir, int jobs, const char *procs)
{
	double begun;

	make_headers(dir);
	sync();
	enter(procs);
	begun = now();
	build_all(dir, jobs);
	printf("build %s %.0f\n", who, (now() - begun) * 1000);
	remove_all(dir, "header", HEADERS);
	remove_all(dir, "object", jobs);
	return 0;
}

/* --- what is used beside it, and what has to survive --- */

static int hot(const char *name, const char *done, const char *stop)
{
	int fd = open(name, O_RDONLY);
	volatile char *file;
	struct stat st;
	long before;
	off_t at;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", name);
	file = map(st.st_size, fd);
	madvise((void *)file, st.st_size, MADV_RANDOM);
	for (at = 0; at < st.st_size; at += PAGE)
		(void)file[at];
	before = major_faults();
	tell(done);
	do {
		for (at = 0; at < st.st_size; at += PAGE)
			(void)file[at];
		usleep(200000);
	} while (stat(stop, &(struct stat){}));
	printf("%ld\n", major_faults() - before);
	return 0;
}

/* Pages that are not in memory, which touching them brings back. */
static size_t touch_again(volatile char *at, size_t nr)
{
	unsigned char in_core[nr];
	size_t i, gone = 0;

	if (mincore((void *)at, nr * PAGE, in_core))
		err(1, "mincore");
	forget_translations();
	for (i = 0; i < nr; i++) {
		gone += !(in_core[i] & 1);
		at[i * PAGE]++;
	}
	return gone;
}

static int beside(const char *who, const char *what)
{
	static char buffer[16 * PAGE];
	volatile char *hot = map(10 * PER_MIB, -1), *once = buffer;
	int fd = open(what, O_RDONLY);
	size_t nr = fd < 0 ? atol(what) * PER_MIB / sizeof(buffer) : 0;
	size_t gone = 0, i;

	if (fd < 0)
		once = map(nr * sizeof(buffer), -1);
	touch_again(hot, 10 * PER_MIB / PAGE);
	while (fd < 0 ? nr-- : read(fd, buffer, sizeof(buffer)) > 0) {
		for (i = 0; fd < 0 && i < sizeof(buffer); i += PAGE)
			*once = 1, once += PAGE;
		gone += touch_again(hot, 10 * PER_MIB / PAGE);
	}
	printf("beside %s %zu\n", who, gone);
	return 0;
}

/* Anonymous memory and files, by a memory.stat; which no limit and no peak has a say in. */
static long held(int stat)
{
	static char text[8192];
	ssize_t len = pread(stat, text, sizeof(text) - 1, 0);
	long anon, file;

	if (len < 0)
		err(1, "memory.stat");
	text[len] = 0;
	if (sscanf(text, "anon %ld file %ld", &anon, &file) != 2)
		errx(1, "memory.stat does not begin with anon and file");
	return anon + file;
}

static size_t cached(const char *name)
{
	int fd = open(name, O_RDONLY);
	unsigned char *in_core;
	size_t i, nr, in = 0;
	struct stat st;
	char *at;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", name);
	nr = (st.st_size + PAGE - 1) / PAGE;
	in_core = malloc(nr);
	at = map(st.st_size, fd);
	if (mincore(at, st.st_size, in_core))
		err(1, "mincore");
	for (i = 0; i < nr; i++)
		in += in_core[i] & 1;
	return in * PAGE;
}

static int most(const char *group, const char *name, const char *stop)
{
	long now, most = 0, looks = 0;
	struct stat st;
	char *path;
	int fd;

	if (asprintf(&path, "%s/memory.stat", group) < 0)
		err(1, "asprintf");
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	do {
		now = held(fd);
		most = now > most ? now : most;
		looks++;
		usleep(REST_US);
	} while (stat(stop, &st));
	printf("%ld %ld %zu\n", most, looks, cached(name));
	return 0;
}

static int keep(size_t nr, const char *go, const char *done)
{
	unsigned long *at = (unsigned long *)map(nr * PAGE, -1);
	size_t i, words = nr * PAGE / sizeof(*at);

	for (i = 0; i < words; i++)
		at[i] = i * 2654435761UL;
	tell(done);
	await(go);
	for (i = 0; i < words; i++)
		if (at[i] != i * 2654435761UL)
			errx(1, "page %zu is not what it was", i * sizeof(*at) / PAGE);
	puts("intact");
	return 0;
}

/* --- what is protected, and what presses -------------------------------------- */

static int victim(const char *who, size_t nr, const char *go, const char *done)
{
	volatile char *at = map(nr * PAGE, -1);
	double begun;
	long faults;
	size_t i;

	for (i = 0; i < nr; i++)
		at[i * PAGE] = 1;
	tell(done);
	await(go);
	faults = major_faults();
	begun = now();
	for (i = 0; i < nr; i++)
		at[i * PAGE]++;
	printf("after %s %.0f %ld\n", who, (now() - begun) * 1e6, major_faults() - faults);
	return 0;
}

/* Counts of touches by how long they took: eight steps for each power of two. */
#define STEPS	8
static unsigned long took[64 * STEPS];

static void note(unsigned long ns)
{
	int power = 63 - __builtin_clzl(ns | STEPS);

	took[power * STEPS + (ns >> (power - 3)) % STEPS]++;
}

/* Nanoseconds that so many of a thousand touches did not exceed. */
static unsigned long quantile(unsigned long all, int per_mille)
{
	unsigned long seen = 0;
	int i;

	for (i = 0; i < 64 * STEPS - 1; i++) {
		seen += took[i];
		if (seen * 1000 >= all * per_mille)
			break;
	}
	return (unsigned long)(STEPS + i % STEPS + 1) << i / STEPS >> 3;
}

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = signal;
}

static void burst(volatile char *at, size_t nr, int touches)
{
	double last = now();

	while (touches--) {
		double then;

		at[next_random() % nr * PAGE]++;
		then = now();
		note((then - last) * 1e9);
		last = then;
	}
}

static int probe(const char *who, size_t nr, int rate, double seconds)
{
	unsigned long all = 0, before = 0, least = ~0UL;
	int touches = rate / (1000000 / REST_US);
	volatile char *at = map(nr * PAGE, -1);
	double begun, second;
	long faults;
	size_t i;

	signal(SIGTERM, stop);
	for (i = 0; i < nr; i++)
		at[i * PAGE] = 1;
	faults = major_faults();
	begun = second = now();
	while (second - begun < seconds && !stopped) {
		if (all / TRANSLATIONS != (all + touches) / TRANSLATIONS)
			forget_translations();
		burst(at, nr, touches);
		all += touches;
		usleep(REST_US);
		while (now() >= second + 1) {
			second++;
			if (all - before < least)
				least = all - before;
			before = all;
		}
	}
	printf("latency %s %.0f %lu %lu %lu %ld %lu\n", who, all / (now() - begun),
	       quantile(all, 500), quantile(all, 990), quantile(all, 999),
	       major_faults() - faults, least);
	return 0;
}

static int squeeze(size_t mib, size_t step, const char *name)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	size_t pos, size = step * PER_MIB, done;

	for (done = step; done <= mib; done += step) {
		char *at = map(size, -1);

		for (pos = 0; pos < size; pos += PAGE)
			at[pos] = 1;
		if (dprintf(fd, "%zu\n", done) < 0)
			err(1, "%s", name);
		usleep(100000);
	}
	return 0;
}

static size_t pages_of(const char *mib)
{
	return atol(mib) * PER_MIB / PAGE;
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	if (argc == 6 && !strcmp(argv[1], "build"))
		return build(argv[2], argv[3], atoi(argv[4]), argv[5]);
	if (argc == 4 && !strcmp(argv[1], "compile"))
		return compile(argv[2], atoi(argv[3]));
	if (argc == 5 && !strcmp(argv[1], "hot"))
		return hot(argv[2], argv[3], argv[4]);
	if (argc == 5 && !strcmp(argv[1], "most"))
		return most(argv[2], argv[3], argv[4]);
	if (argc == 5 && !strcmp(argv[1], "beside")) {
		enter(argv[4]);
		return beside(argv[2], argv[3]);
	}
	if (argc == 6 && !strcmp(argv[1], "keep")) {
		enter(argv[3]);
		return keep(pages_of(argv[2]), argv[4], argv[5]);
	}
	if (argc == 7 && !strcmp(argv[1], "victim")) {
		enter(argv[4]);
		return victim(argv[2], pages_of(argv[3]), argv[5], argv[6]);
	}
	if (argc == 7 && !strcmp(argv[1], "probe")) {
		enter(argv[6]);
		return probe(argv[2], pages_of(argv[3]), atoi(argv[4]), atof(argv[5]));
	}
	if (argc == 5 && !strcmp(argv[1], "squeeze"))
		return squeeze(atoi(argv[2]), atoi(argv[3]), argv[4]);
	if (argc == 7 && !strcmp(argv[1], "cycle")) {
		enter(argv[6]);
		return cycle(argv[2], pages_of(argv[3]), atof(argv[4]),
			     !strcmp(argv[5], "random"));
	}
	if (argc == 5 && !strcmp(argv[1], "consume"))
		return consume(pages_of(argv[2]), atoi(argv[3]), atof(argv[4]));
	if (argc == 8 && !strcmp(argv[1], "mixed")) {
		enter(argv[5]);
		return mixed(argv[2], argv[3], pages_of(argv[4]),
			     argv[6], argv[7]);
	}
	errx(2, "see the top of jobs.c");
}
