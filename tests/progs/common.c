// SPDX-License-Identifier: GPL-2.0
#include "common.h"

#include <sys/prctl.h>

void die(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(99);
}

const char *errno_name(int error)
{
	const char *name = error ? strerrorname_np(error) : "ok";

	return name ? name : "unknown";
}

static bool hurry;

static void step_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
}

static void wait_for_signal(void)
{
	sigset_t set;
	int sig;

	step_signals(&set);
	sigwait(&set, &sig);
	hurry = sig == SIGUSR2;
}

/* One write for a line, without stdio's buffer: processes share the file. */
void step(const char *format, ...)
{
	char line[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[len++] = '\n';
	if (write(STDOUT_FILENO, line, len) != len)
		die("write to stdout");
	if (!hurry)
		wait_for_signal();
}

size_t size_arg(const char *text)
{
	char *end;
	size_t size = strtoull(text, &end, 10);

	switch (*end) {
	case 'G':
		size <<= 10;
		/* fall through */
	case 'M':
		size <<= 10;
		/* fall through */
	case 'K':
		size <<= 10;
	}
	return size;
}

char *map_anon(size_t size)
{
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		die("mmap of %zu bytes", size);
	return map;
}

char *map_file(int fd, size_t size, int flags)
{
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (map == MAP_FAILED)
		die("mmap of a file");
	return map;
}

void touch(char *from, size_t size)
{
	size_t pos;

	for (pos = 0; pos < size; pos += PAGE)
		((volatile char *)from)[pos] = 1;
}

int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		die("open %s", path);
	return fd;
}

size_t file_size(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		die("fstat");
	return st.st_size;
}

int try_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		error = errno;
	close(fd);
	return error;
}

void write_text(const char *path, const char *text)
{
	errno = try_write(path, text);
	if (errno)
		die("write \"%s\" to %s", text, path);
}

void read_text(const char *path, char *text, size_t room)
{
	int fd = open_file(path, O_RDONLY);
	ssize_t len = read(fd, text, room - 1);

	if (len < 0)
		die("read %s", path);
	text[len] = 0;
	close(fd);
}

uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	return pid;
}

void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			die("wait for %d", pid);
}

void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

/* A load counts its rounds in its name, where a test can see them (load in tests/vm/lib.sh). */
void round_done(void)
{
	static unsigned int rounds;
	char name[16];

	snprintf(name, sizeof(name), "load:%u", ++rounds);
	if (prctl(PR_SET_NAME, name))
		die("prctl");
}

static int usage(const struct verb *verbs, int nr, const char *program)
{
	int i;

	for (i = 0; i < nr; i++)
		fprintf(stderr, "%s %s %s\n", program, verbs[i].name,
			verbs[i].args);
	return 2;
}

/* A step waits for them, so they must not kill in the meantime. */
static void block_signals(void)
{
	sigset_t set;

	step_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int run_verb(const struct verb *verbs, int nr, int argc, char **argv)
{
	int i;

	block_signals();
	hurry = getenv("HURRY");
	for (i = 0; i < nr; i++)
		if (argc > 1 && !strcmp(argv[1], verbs[i].name) &&
		    argc - 2 >= verbs[i].min)
			return verbs[i].run(argv + 2);
	return usage(verbs, nr, argv[0]);
}
