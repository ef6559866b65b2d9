// SPDX-License-Identifier: GPL-2.0
/*
 * helper ASKED SAID: does for a shell what it would start programs for, each of which
 * is a million instructions, and a test waits, and is cleared away after, with many.
 * Each line that comes through the pipe ASKED is answered by one through SAID
 * (ask_helper in tests/vm/lib.sh):
 *
 *   pause MILLISECONDS     an empty line, when they are over
 *   kill SESSION           the same, when each process of this session has been killed
 */
#include "common.h"

#include <ctype.h>
#include <dirent.h>

static void kill_session(pid_t session)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		die("/proc");
	while ((entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		/* who has ended meanwhile is in no session */
		if (isdigit(entry->d_name[0]) && getsid(pid) == session)
			kill(pid, SIGKILL);
	}
	closedir(proc);
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
