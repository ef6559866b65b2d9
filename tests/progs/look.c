// SPDX-License-Identifier: GPL-2.0
/* Holds files open, waits for what they announce, reads them oddly. */
#include "common.h"

#include <poll.h>
#include <sys/inotify.h>

#define PATIENCE_MS	3000

/* What a read from the beginning says: a number, or the name of an error. */
static const char *say(int fd, char *text, size_t room)
{
	ssize_t len = pread(fd, text, room - 1, 0);

	if (len < 0)
		return errno_name(errno);
	text[len] = 0;
	text[strcspn(text, "\n")] = 0;
	return text;
}

/* Opened before, read after: what a removed group's files say. */
static int do_held(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	char before[256], after[256];

	say(fd, before, sizeof(before));
	step("open");
	step("read %s", say(fd, after, sizeof(after)));
	return 0;
}

static int do_heldwrite(char **args)
{
	int fd = open_file(args[0], O_WRONLY);
	ssize_t ret;

	step("open");
	ret = write(fd, args[1], strlen(args[1]));
	step("write %s", errno_name(ret < 0 ? errno : 0));
	return 0;
}

static void say_peaks(const char *when, int a, int b)
{
	char text_a[64], text_b[64];

	step("%s %s %s", when, say(a, text_a, sizeof(text_a)),
	     say(b, text_b, sizeof(text_b)));
}

/* Two readers of one memory.peak; the first restarts its own. */
static int do_peaks(char **args)
{
	int a = open_file(args[0], O_RDWR), b = open_file(args[0], O_RDWR);

	say_peaks("opened", a, b);
	if (write(a, "reset", 5) != 5)
		die("write %s", args[0]);
	say_peaks("reset", a, b);
	say_peaks("later", a, b);
	return 0;
}

static int do_poll(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	struct pollfd poll_fd = { .fd = fd, .events = POLLPRI };
	char text[256];
	int ret;

	say(fd, text, sizeof(text));
	/* nothing new since the read */
	ret = poll(&poll_fd, 1, 0);
	step("waiting %s", ret ? "at once" : "");
	ret = poll(&poll_fd, 1, PATIENCE_MS);
	step("%s", ret == 1 && poll_fd.revents & POLLPRI ? "event" : "none");
	return 0;
}

static int wait_for_mask(int fd, uint32_t mask)
{
	char events[4096] __attribute__((aligned(8)));
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct inotify_event *event;
	ssize_t len, pos;

	while (poll(&poll_fd, 1, PATIENCE_MS) == 1) {
		len = read(fd, events, sizeof(events));
		for (pos = 0; pos < len; pos += sizeof(*event) + event->len) {
			event = (void *)(events + pos);
			if (event->mask & mask)
				return 1;
		}
	}
	return 0;
}

static int do_inotify(char **args)
{
	uint32_t mask = strcmp(args[1], "delete") ? IN_MODIFY : IN_DELETE_SELF;
	int fd = inotify_init1(IN_CLOEXEC);

	if (fd < 0 || inotify_add_watch(fd, args[0], mask) < 0)
		die("inotify on %s", args[0]);
	step("waiting");
	step("%s", wait_for_mask(fd, mask) ? "event" : "none");
	return 0;
}

/* Byte by byte, and once more after going back: twice what one read says. */
static int do_reread(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	char once[8192], slow[8192];
	ssize_t len = read(fd, once, sizeof(once));
	ssize_t pos = 0;

	if (len <= 0)
		die("read %s", args[0]);
	if (read(fd, slow, sizeof(slow)) != 0)
		die("no end of %s", args[0]);
	if (lseek(fd, 0, SEEK_SET))
		die("lseek");
	while (pos < (ssize_t)sizeof(slow) && read(fd, slow + pos, 1) == 1)
		pos++;
	if (pos != len || memcmp(once, slow, len)) {
		puts("differs");
		return 1;
	}
	puts("same");
	return 0;
}

static const struct verb verbs[] = {
	{ "held", "FILE", 1, do_held },
	{ "heldwrite", "FILE TEXT", 2, do_heldwrite },
	{ "peaks", "FILE", 1, do_peaks },
	{ "poll", "FILE", 1, do_poll },
	{ "inotify", "FILE modify|delete", 2, do_inotify },
	{ "reread", "FILE", 1, do_reread },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
