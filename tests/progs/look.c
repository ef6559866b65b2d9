// SPDX-License-Identifier: GPL-2.0
/* Holds files open, and reads them oddly. */
#include <sys/inotify.h>

#include "common.h"

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

static void nothing(int sig)
{
	(void)sig;
}

/* SIGHUP interrupts it. */
static int do_heldwrite(char **args)
{
	int fd = open_file(args[0], O_WRONLY);
	ssize_t ret;

	signal(SIGHUP, nothing);
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

/* Bytes of a file that are in the page cache. */
static int do_cached(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	size_t size = lseek(fd, 0, SEEK_END), nr = (size + PAGE - 1) / PAGE, i;
	unsigned char *in = malloc(nr + 1);
	size_t cached = 0;
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED || mincore(map, size, in))
		die("mincore of %s", args[0]);
	for (i = 0; i < nr; i++)
		cached += in[i] & 1;
	printf("%zu\n", cached * PAGE);
	return 0;
}

static long value_of(const char *text, const char *key)
{
	const char *at = text;
	size_t len = strlen(key);

	while (at && (strncmp(at, key, len) || at[len] != ' ')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		die("no %s", key);
	return strtol(at + len, NULL, 10);
}

static const char *read_again(int fd)
{
	static char text[8192];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len < 0)
		die("read");
	text[len] = 0;
	return text;
}

/**
 * struct most - of what a group has at a time, the most that was seen
 * @memory: bytes in memory
 * @both:   the same with what is in swap
 * @looks:  how often it was looked at
 */
struct most {
	long memory, both, looks;
};

static void look_at(struct most *most, int stat, int swap)
{
	long before = atol(read_again(swap)), after, memory, cached;
	const char *text = read_again(stat);

	memory = value_of(text, "anon") + value_of(text, "file");
	cached = value_of(text, "swapcached");
	after = atol(read_again(swap));
	most->looks++;
	if (memory > most->memory)
		most->memory = memory;
	/* not while much goes from one to the other */
	if (labs(after - before) > 16 * (long)PAGE)
		return;
	if (memory + before - cached > most->both)
		most->both = memory + before - cached;
}

/*
 * Looks every half a millisecond or so until SIGUSR1: at what the pages come to, one by one,
 * which no limit and no batch has a say in.
 */
static int do_most(char **args)
{
	struct timespec rest = { .tv_nsec = 500000 };
	struct most most = {};
	char path[256];
	sigset_t enough;
	int stat, swap;

	snprintf(path, sizeof(path), "%s/memory.stat", args[0]);
	stat = open_file(path, O_RDONLY);
	snprintf(path, sizeof(path), "%s/memory.swap.current", args[0]);
	swap = open_file(path, O_RDONLY);
	puts("looking");
	fflush(stdout);
	sigemptyset(&enough);
	sigaddset(&enough, SIGUSR1);
	do
		look_at(&most, stat, swap);
	while (sigtimedwait(&enough, NULL, &rest) < 0);
	printf("%ld %ld %ld\n", most.memory, most.both, most.looks);
	return 0;
}

/* What was made (+) and removed (-) in a directory, as inotify(7) tells of it. */
static int do_told(char **args)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	int fd = inotify_init1(IN_NONBLOCK);
	char text[512] = "";
	ssize_t len, at;

	if (fd < 0 || inotify_add_watch(fd, args[0], IN_CREATE | IN_DELETE) < 0)
		die("inotify");
	step("watching");
	len = read(fd, events, sizeof(events));
	for (at = 0; at < len;) {
		const struct inotify_event *event = (void *)(events + at);
		size_t end = strlen(text);

		snprintf(text + end, sizeof(text) - end, " %c%s%s", event->mask & IN_CREATE ? '+' : '-',
			 event->name, event->mask & IN_ISDIR ? "/" : "");
		at += sizeof(*event) + event->len;
	}
	step("told%s", text);
	return 0;
}

static const struct verb verbs[] = {
	{ "cached", "FILE", 1, do_cached },
	{ "most", "GROUP", 1, do_most },
	{ "held", "FILE", 1, do_held },
	{ "heldwrite", "FILE TEXT", 2, do_heldwrite },
	{ "peaks", "FILE", 1, do_peaks },
	{ "reread", "FILE", 1, do_reread },
	{ "told", "DIR", 1, do_told },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
