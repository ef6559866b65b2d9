// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of a process at its limit.
 *
 *   work run PROCS[,PROCS]... VERB ARGS...    a child joins these groups and does this; "pid PID CLOCK", and when it has
 *                                             ended, "ended OUTCOME CLOCK"
 *
 *     write FILE MIB         writes a file, and has it on the disk in the end
 *     read FILE              reads a file
 *     map FILE MIB           writes each page of a file through a mapping, and has it on the disk in the end
 *     use MIB ROUNDS         goes through so much memory, in order, and looks if it is what it was
 *     hold MIB DONE          the same once, then DONE, and sleeps
 *
 *   work trace PID SECONDS                    stops it as a debugger does, for so long; "traced"
 *   work clock                                CLOCK: milliseconds, which do not go on while the machine is suspended
 *
 * OUTCOME is done, the name of an error, killed, the name of another signal, or wrong: memory is not what it was.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define PER_MIB		(1UL << 20)
#define CHUNK		(64UL << 10)

/* Exit statuses: an error's number, or this where memory is not what it was. */
#define WRONG		250

static char chunk[CHUNK];

static long clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int open_file(const char *name, int flags)
{
	int fd = open(name, flags, 0600);

	if (fd < 0)
		exit(errno);
	return fd;
}

static int do_write(char **args)
{
	int fd = open_file(args[0], O_CREAT | O_WRONLY);
	size_t pos, size = atol(args[1]) * PER_MIB;

	memset(chunk, 'x', CHUNK);
	for (pos = 0; pos < size; pos += CHUNK)
		if (write(fd, chunk, CHUNK) != CHUNK)
			return errno ? errno : ENOSPC;
	return fsync(fd) ? errno : 0;
}

static int do_read(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	ssize_t len;

	while ((len = read(fd, chunk, CHUNK)) > 0)
		;
	return len ? errno : 0;
}

static int do_map(char **args)
{
	size_t pos, size = atol(args[1]) * PER_MIB;
	int fd = open_file(args[0], O_RDWR);
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return errno;
	for (pos = 0; pos < size; pos += PAGE)
		at[pos] = 'y';
	return msync(at, size, MS_SYNC) ? errno : 0;
}

/* What a page says in its turn. */
static unsigned long text(size_t page, int round)
{
	return page * 2654435761UL + round;
}

static int go_through(unsigned long *at, size_t nr, int round)
{
	size_t i, word = PAGE / sizeof(*at);

	for (i = 0; i < nr; i++) {
		if (round && at[i * word] != text(i, round - 1))
			return WRONG;
		at[i * word] = text(i, round);
	}
	return 0;
}

static int use(size_t mib, int rounds)
{
	size_t size = mib * PER_MIB;
	unsigned long *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int round, ret = 0;

	if (at == MAP_FAILED)
		return errno;
	madvise(at, size, MADV_NOHUGEPAGE);
	for (round = 0; round < rounds && !ret; round++)
		ret = go_through(at, size / PAGE, round);
	return ret;
}

static int do_use(char **args)
{
	return use(atol(args[0]), atoi(args[1]));
}

static int do_hold(char **args)
{
	int ret = use(atol(args[0]), 1);

	close(open_file(args[1], O_CREAT | O_WRONLY));
	while (!ret)
		pause();
	return ret;
}

static const struct {
	const char *name;
	int nr_args;
	int (*fn)(char **args);
} verbs[] = {
	{ "write", 2, do_write },
	{ "read", 1, do_read },
	{ "map", 2, do_map },
	{ "use", 2, do_use },
	{ "hold", 2, do_hold },
};

/* --- who does it, and who looks on --- */

static void join(char *groups)
{
	char *one;

	for (one = strtok(groups, ","); one; one = strtok(NULL, ",")) {
		int fd = open(one, O_WRONLY);

		if (fd < 0 || write(fd, "0", 1) != 1)
			err(1, "%s", one);
		close(fd);
	}
}

static int (*verb(const char *name, int nr_args))(char **args)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(name, verbs[i].name) && nr_args == verbs[i].nr_args)
			return verbs[i].fn;
	errx(2, "see the top of work.c");
}

static const char *outcome(int status)
{
	static char name[32];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return "killed";
	if (WIFSIGNALED(status))
		snprintf(name, sizeof(name), "SIG%s", sigabbrev_np(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == WRONG)
		return "wrong";
	else if (WEXITSTATUS(status))
		snprintf(name, sizeof(name), "%s", strerrorname_np(WEXITSTATUS(status)));
	else
		return "done";
	return name;
}

static int run(char *groups, int (*fn)(char **args), char **args)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		join(groups);
		_exit(fn(args));
	}
	printf("pid %d %ld\n", pid, clock_ms());
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			err(1, "waitpid");
	printf("ended %s %ld\n", outcome(status), clock_ms());
	return 0;
}

static int trace(pid_t pid, int seconds)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		err(1, "ptrace");
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		errx(1, "it did not stop");
	puts("traced");
	sleep(seconds);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	if (argc > 4 && !strcmp(argv[1], "run"))
		return run(argv[2], verb(argv[3], argc - 4), argv + 4);
	if (argc == 4 && !strcmp(argv[1], "trace"))
		return trace(atoi(argv[2]), atoi(argv[3]));
	if (argc == 2 && !strcmp(argv[1], "clock"))
		return printf("%ld\n", clock_ms()) < 0;
	errx(2, "see the top of work.c");
}
