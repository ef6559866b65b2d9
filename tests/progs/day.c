// SPDX-License-Identifier: GPL-2.0
/*
 * A day in a container host's life, shortened: groups are made, used and removed, by some at the same time, while somebody reads all
 * statistics. The same with the kernel's own memcg. Twelve times in the morning and in the evening SAMPLES gets a line of what there is.
 */
#include "common.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

enum { MOST = 1 << 20, SAMPLES = 12, FILES = 16, FILE_BYTES = 256 << 10, ANON_BYTES = 512 << 10, TMPFS_BYTES = 128 << 10 };

/* What all processes share: how many groups there were, how long they took, and how many of them are in the samples. */
static struct day {
	int stop;
	unsigned int nr;
	unsigned int sampled;
	uint64_t begun_us;
	unsigned long reads;
	uint32_t mkdir_us[MOST];
	uint32_t rmdir_us[MOST];
} *day;

static char *below(const char *dir, const char *name, const char *file)
{
	static char text[512];

	snprintf(text, sizeof(text), "%s/%s%s", dir, name, file);
	return text;
}

static void *idle(void *unused)
{
	sched_yield();
	return unused;
}

/* What it writes to a file and to a tmpfs is there longer than its group: 16 MB of all files and half as much of the tmpfs, if there are four. */
static void use_file(const char *path, size_t size)
{
	static char bytes[64 << 10];
	int fd = open_file(path, O_RDWR | O_CREAT | O_TRUNC);

	for (; size; size -= sizeof(bytes))
		if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			die("write %s", path);
	close(fd);
}

/* Every other one is killed, and has no end of its own. */
static void container(const char *group, const char *disk, int worker, unsigned int round)
{
	pthread_t threads[2];
	char path[64];
	int i;

	write_text(group, "0");
	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, idle, NULL))
			die("pthread_create");
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	touch(map_anon(ANON_BYTES), ANON_BYTES);
	snprintf(path, sizeof(path), "%s/day.%d.%u", disk, worker, round % FILES);
	use_file(path, FILE_BYTES);
	snprintf(path, sizeof(path), "/tmp/day.%d.%u", worker, round % FILES);
	use_file(path, TMPFS_BYTES);
	while (round % 2)
		pause();
	_exit(0);
}

static uint64_t make(const char *dir, const char *name)
{
	uint64_t start = now_us();

	if (mkdir(below(dir, name, ""), 0755))
		die("mkdir %s/%s", dir, name);
	return now_us() - start;
}

/* A process that has ended is in its group until it is gone. */
static uint64_t drop(const char *dir, const char *name)
{
	uint64_t start;

	for (;;) {
		start = now_us();
		if (!rmdir(below(dir, name, "")))
			return now_us() - start;
		if (errno != EBUSY)
			die("rmdir %s/%s", dir, name);
		usleep(1000);
	}
}

static int writes_to(const char *path)
{
	return !access(path, W_OK);
}

static void one_group(char **args, int worker, unsigned int round)
{
	char name[32];
	unsigned int i;
	uint64_t made, dropped;
	pid_t child;

	snprintf(name, sizeof(name), "day%d-%u", worker, round);
	made = make(args[0], name);
	child = fork_or_die();
	if (!child)
		container(below(args[0], name, "/cgroup.procs"), args[1], worker, round);
	if (round % 2) {
		usleep(2000 + round * 7919 % 30000);
		/* 5.10's memcg has no such file */
		if (writes_to(below(args[0], name, "/cgroup.kill")))
			write_text(below(args[0], name, "/cgroup.kill"), "1");
		kill(child, SIGKILL);
	}
	if (waitpid(child, NULL, 0) != child)
		die("waitpid");
	dropped = drop(args[0], name);
	i = __atomic_fetch_add(&day->nr, 1, __ATOMIC_RELAXED) % MOST;
	day->mkdir_us[i] = made;
	day->rmdir_us[i] = dropped;
}

static void read_statistics(const char *dir)
{
	static char text[1 << 16];
	struct dirent *entry;
	DIR *listing = opendir(dir);
	ssize_t len;
	int fd;

	while (listing && (entry = readdir(listing))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		fd = open(below(dir, entry->d_name, "/memory.stat"), O_RDONLY);
		/* it may be gone */
		if (fd < 0)
			continue;
		len = read(fd, text, sizeof(text));
		day->reads += len > 0;
		close(fd);
	}
	if (listing)
		closedir(listing);
	usleep(10000);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t percentile(uint32_t *us, unsigned int nr, unsigned int percent)
{
	qsort(us, nr, sizeof(*us), compare);
	return us[(uint64_t)nr * percent / 100];
}

/* Of those that were measured since then. */
static uint32_t slowest(const uint32_t *us, unsigned int from, unsigned int to)
{
	static uint32_t some[MOST];

	if (to == from)
		return 0;
	memcpy(some, us + from, (to - from) * sizeof(*us));
	return percentile(some, to - from, 99);
}

/* The number behind a word at the beginning of a line, 0 if there is none. */
static unsigned long number_of(const char *path, const char *word)
{
	char line[512], name[64];
	unsigned long number, found = 0;
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %lu", name, &number) == 2 && !strcmp(name, word))
			found = number;
	if (file)
		fclose(file);
	return found;
}

static unsigned long charged(const char *dir)
{
	char text[64] = "0";

	read_text(below(dir, "memory.current", ""), text, sizeof(text));
	return strtoul(text, NULL, 10);
}

/* What removed groups have left: memward's owners, or whole memcgs. */
static unsigned long left_behind(const char *dir)
{
	static const char memward[] = "/sys/fs/memward/";

	if (!strncmp(dir, memward, strlen(memward)))
		return number_of("/sys/fs/memward/memward.status", "orphans");
	return number_of(below(dir, "cgroup.stat", ""), "nr_dying_descendants");
}

/*
 * A line: seconds, groups since the line before, the 99th percentile of mkdir and of rmdir in microseconds, KB charged, KB of
 * slabs, KB of percpu memory, what removed groups have left, chunks.
 */
static void sample(char **args)
{
	unsigned int from = day->sampled, to = __atomic_load_n(&day->nr, __ATOMIC_RELAXED);
	FILE *samples = fopen(args[4], "a");

	if (!samples)
		die("%s", args[4]);
	to = to < MOST ? to : MOST;
	fprintf(samples, "%.0f %u %u %u %lu %lu %lu %lu %lu\n", (now_us() - day->begun_us) / 1e6, to - from,
		slowest(day->mkdir_us, from, to), slowest(day->rmdir_us, from, to), charged(args[0]) >> 10,
		number_of("/proc/meminfo", "Slab:"), number_of("/proc/meminfo", "Percpu:"), left_behind(args[0]),
		number_of("/proc/slabinfo", "memward_chunk"));
	fclose(samples);
	day->sampled = to;
}

static void start(void (*work)(char **, int), char **args, int worker)
{
	if (fork_or_die())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	work(args, worker);
	_exit(0);
}

/* In the evening there are no more files than in the morning. */
static void worker_loop(char **args, int worker)
{
	uint64_t end = now_us() + strtoull(args[2], NULL, 10) * 1000000;
	unsigned int round = 0;

	while (now_us() < end || round < FILES)
		one_group(args, worker, round++);
}

static void reader_loop(char **args, int unused)
{
	uint64_t every = strtoull(args[2], NULL, 10) * 1000000 / SAMPLES, next = now_us() + every;

	(void)unused;
	while (!__atomic_load_n(&day->stop, __ATOMIC_RELAXED)) {
		read_statistics(args[0]);
		if (args[4] && now_us() >= next) {
			sample(args);
			next += every;
		}
	}
}

static void wait_for_one(void)
{
	int status;

	if (wait(&status) < 0 || status)
		die("a part of the day has ended with %x", status);
}

static void part_of_the_day(char **args)
{
	int nr = atoi(args[3]), i;

	day->stop = 0;
	start(reader_loop, args, 0);
	for (i = 0; i < nr; i++)
		start(worker_loop, args, i);
	/* the reader is the last one to end */
	for (i = 0; i < nr; i++)
		wait_for_one();
	day->stop = 1;
	wait_for_one();
}

static void tell(const char *when)
{
	unsigned int nr = day->nr < MOST ? day->nr : MOST;

	if (!nr)
		die("no group was made");
	step("%s: %u groups, %lu statistics, mkdir %u %u us, rmdir %u %u us", when, day->nr, day->reads,
	     percentile(day->mkdir_us, nr, 50), percentile(day->mkdir_us, nr, 99),
	     percentile(day->rmdir_us, nr, 50), percentile(day->rmdir_us, nr, 99));
}

/* The morning is for what grows up to a point; after each part nobody is in a group. */
static int do_host(char **args)
{
	day = mmap(NULL, sizeof(*day), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (day == MAP_FAILED)
		die("mmap");
	day->begun_us = now_us();
	part_of_the_day(args);
	tell("morning");
	day->nr = 0;
	day->sampled = 0;
	day->reads = 0;
	part_of_the_day(args);
	tell("evening");
	return 0;
}

static const struct verb verbs[] = {
	{ "host", "GROUP DISK SECONDS WORKERS [SAMPLES]", 4, do_host },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
