// SPDX-License-Identifier: GPL-2.0
/*
 * held CGROUP.PROCS LAST DELAY_MS COMMAND...
 *
 * Runs a command in a group and passes its output on. DELAY_MS after a line that begins with a number of at least
 * LAST, which is when a throttled program should be asleep, prints what memory pressure there is, kills it, and
 * prints
 *	killed MICROSECONDS STATE SIGNAL
 * the time from kill() until waitpid() had it, its state before that (D: killable sleep), and what it died of.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void join(const char *procs)
{
	int fd = open(procs, O_WRONLY);

	if (fd < 0 || write(fd, "0\n", 2) != 2)
		err(1, "%s", procs);
	close(fd);
}

/* Starts the command in the group and returns where its output can be read. */
static FILE *start(const char *procs, char **command, pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) || (*pid = fork()) < 0)
		err(1, "start");
	if (*pid == 0) {
		join(procs);
		dup2(ends[1], STDOUT_FILENO);
		execvp(command[0], command);
		err(1, "%s", command[0]);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

static void print_pressure(void)
{
	char line[256];
	FILE *f = fopen("/proc/pressure/memory", "r");

	while (f && fgets(line, sizeof(line), f))
		printf("pressure %s", line);
	if (f)
		fclose(f);
}

static char state_of(pid_t pid)
{
	char name[64], line[512] = "", *p;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	f = fopen(name, "r");
	p = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (f)
		fclose(f);
	return p ? p[2] : '?';
}

static void finish(pid_t pid)
{
	char state = state_of(pid);
	long start = now_us();
	int status;

	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	printf("killed %ld %c %d\n", now_us() - start, state, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(int argc, char **argv)
{
	char line[256];
	pid_t pid;
	FILE *out;

	if (argc < 5)
		errx(2, "usage: held CGROUP.PROCS LAST DELAY_MS COMMAND...");
	setlinebuf(stdout);
	out = start(argv[1], argv + 4, &pid);
	while (fgets(line, sizeof(line), out)) {
		fputs(line, stdout);
		if (atoi(line) >= atoi(argv[2])) {
			usleep(atoi(argv[3]) * 1000);
			print_pressure();
			finish(pid);
			return 0;
		}
	}
	errx(1, "the command ended by itself");
}
