// SPDX-License-Identifier: GPL-2.0
/*
 * term COLUMNS LINES PROGRAM [ARG]...: runs a program at a terminal of this size, and says
 * what it writes there.  Each line of its own input is something that happens at the
 * terminal:
 *
 *   type TEXT       this is typed, without a newline; \r, \e and \xNN are what printf(1) makes of them
 *   size COLUMNS LINES
 *
 * It ends as the program does.
 */
#include "common.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>

static void set_size(int terminal, unsigned int columns, unsigned int lines)
{
	struct winsize size = { .ws_col = columns, .ws_row = lines };

	if (ioctl(terminal, TIOCSWINSZ, &size))
		die("size");
}

/* One character of what is to be typed; moves on to the next. */
static char next_char(const char **text)
{
	const char *at = *text;
	unsigned int code;

	*text += 1;
	if (*at != '\\')
		return *at;
	*text += 1;
	switch (at[1]) {
	case 'r':
		return '\r';
	case 'e':
		return '\033';
	case 'x':
		if (sscanf(at + 2, "%2x", &code) != 1)
			die("no character: %s", at);
		*text += 2;
		return code;
	default:
		return at[1];
	}
}

static void type(int terminal, const char *text)
{
	char typed[200];
	size_t len = 0;

	while (*text && len < sizeof(typed))
		typed[len++] = next_char(&text);
	if (write(terminal, typed, len) != (ssize_t)len)
		die("typing");
}

static void happen(int terminal, char *line)
{
	unsigned int columns, lines;

	line[strcspn(line, "\n")] = 0;
	if (!strncmp(line, "type ", 5))
		type(terminal, line + 5);
	else if (sscanf(line, "size %u %u", &columns, &lines) == 2)
		set_size(terminal, columns, lines);
	else
		die("what is '%s'?", line);
}

/* Return: false when the program, and whoever else had the terminal, is gone. */
static bool relay(int terminal)
{
	char said[4096];
	ssize_t len = read(terminal, said, sizeof(said));

	if (len <= 0)
		return false;
	if (write(STDOUT_FILENO, said, len) != len)
		die("output");
	return true;
}

static void serve(int terminal)
{
	struct pollfd from[] = { { .fd = terminal, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
	char line[300];

	for (;;) {
		if (poll(from, ARRAY_SIZE(from), -1) < 0)
			die("poll");
		if (from[0].revents && !relay(terminal))
			return;
		if (!from[1].revents)
			continue;
		if (fgets(line, sizeof(line), stdin))
			happen(terminal, line);
		else
			from[1].fd = -1;
	}
}

int main(int argc, char **argv)
{
	struct winsize size;
	int terminal, status;
	pid_t pid;

	if (argc < 4)
		die("usage: term COLUMNS LINES PROGRAM [ARG]...");
	/* one line at a time is seen by poll() */
	setvbuf(stdin, NULL, _IONBF, 0);
	size = (struct winsize){ .ws_col = atoi(argv[1]), .ws_row = atoi(argv[2]) };
	pid = forkpty(&terminal, NULL, NULL, &size);
	if (pid < 0)
		die("forkpty");
	if (!pid) {
		/* a shell has what it runs beside itself ignore these */
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		execvp(argv[3], argv + 3);
		die("exec %s", argv[3]);
	}
	serve(terminal);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
