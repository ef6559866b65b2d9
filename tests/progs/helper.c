// SPDX-License-Identifier: GPL-2.0
/*
 * helper ASKED SAID: does for a shell what it would start programs for, each of which
 * is a million instructions, and a test waits, and is cleared away after, with many.
 * Each line that comes through the pipe ASKED is answered by one through SAID
 * (ask_helper in tests/vm/lib.sh):
 *
 *   pause MILLISECONDS     an empty line, when they are over
 *   kill SESSION           the same, when each process of this session was killed and has ended, or
 *                          20 seconds later
 */
#include "common.h"

#include <ctype.h>
#include <dirent.h>

/* Whoever has ended waits for its parent alone; but the first thread may have before the others. */
static bool is_running(const char *pid)
{
	char path[300], stat[512], *end, state;
	long threads;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	len = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (len <= 0)
		return false;
	stat[len] = 0;
	/* the third field, and the twentieth */
	end = strrchr(stat, ')');
	if (!end || sscanf(end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
			   &state, &threads) != 2)
		return false;
	return threads > 1 || (state != 'Z' && state != 'X');
}

/* Return: whether anybody is left. */
static bool kill_once(pid_t session)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	if (!proc)
		die("/proc");
	while ((entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		/* who has ended meanwhile is in no session */
		if (!isdigit(entry->d_name[0]) || getsid(pid) != session)
			continue;
		kill(pid, SIGKILL);
		found |= is_running(entry->d_name);
	}
	closedir(proc);
	return found;
}

/* Who is in the kernel when the signal comes does what it is at, in what the next test has. */
static void kill_session(pid_t session)
{
	int left = 2000;

	while (kill_once(session) && --left)
		usleep(10000);
	if (!left)
		fprintf(stderr, "helper: somebody of session %d does not end\n", session);
}

static void answer(const char *line)
{
	int number;

	if (sscanf(line, "pause %d", &number) == 1)
		usleep(number * 1000);
	else if (sscanf(line, "kill %d", &number) == 1 && number > 0)
		kill_session(number);
	else
		fprintf(stderr, "helper: nobody knows how to: %s", line);
}

/* With both ends open there is no end of file, and nobody waits to open the other. */
static FILE *open_pipe(const char *path)
{
	FILE *file = fopen(path, "r+");

	if (!file)
		die("%s", path);
	setvbuf(file, NULL, _IOLBF, 0);
	return file;
}

int main(int argc, char **argv)
{
	FILE *asked, *said;
	char line[64];

	if (argc != 3) {
		fprintf(stderr, "usage: helper ASKED SAID\n");
		return 2;
	}
	asked = open_pipe(argv[1]);
	said = open_pipe(argv[2]);
	while (fgets(line, sizeof(line), asked)) {
		answer(line);
		if (fputs("\n", said) == EOF)
			die("%s", argv[2]);
	}
	return 0;
}
