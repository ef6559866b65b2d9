// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the kernel run out of memory on purpose, once at each allocation that an
 * operation makes, one after the other (/proc/self/fail-nth).
 */
#include "common.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int fail_nth = -1;

static void arm(int nth)
{
	char text[16];
	int len = sprintf(text, "%d", nth);

	if (pwrite(fail_nth, text, len, 0) != len)
		die("write %d to fail-nth", nth);
}

/* Return: how many allocations were still to come. */
static int disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		die("read fail-nth");
	arm(0);
	return atoi(text);
}

/**
 * struct operation - what is to fail
 * @name:  of it
 * @args:  for people
 * @run:   does it once. Return: 0 or the error
 * @after: with nothing failing any more, undoes what run() did, which returned
 *         @error, and checks it
 */
struct operation {
	const char *name;
	const char *args;
	int (*run)(char **args);
	void (*after)(char **args, int error);
};

static int error_of(long ret)
{
	return ret < 0 ? errno : 0;
}

static int run_mount(char **args)
{
	return error_of(mount("none", args[0], "memward", 0,
			      getenv("MW_MOUNT_OPTIONS")));
}

static void after_mount(char **args, int error)
{
	if (!error && umount(args[0]))
		die("umount %s", args[0]);
}

static int load(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), error;

	if (fd < 0)
		return errno;
	error = error_of(syscall(SYS_finit_module, fd, "", 0));
	close(fd);
	return error;
}

static void unload(void)
{
	if (syscall(SYS_delete_module, "memward", 0))
		die("unload memward");
}

static int run_load(char **args)
{
	return load(args[0]);
}

static void after_load(char **args, int error)
{
	(void)args;
	if (!error)
		unload();
}

/* The first mount of a module looks at the kernel; so it is another each time. */
static void after_first(char **args, int error)
{
	after_mount(args, error);
	unload();
	errno = load(args[1]);
	if (errno)
		die("load %s", args[1]);
}

static int run_mkdir(char **args)
{
	return error_of(mkdir(args[0], 0755));
}

static void after_mkdir(char **args, int error)
{
	/* what was not made is not there */
	if (!rmdir(args[0]) == !!error)
		die("mkdir said %s, rmdir afterwards", errno_name(error));
}

static int run_rmdir(char **args)
{
	return error_of(rmdir(args[0]));
}

static void after_rmdir(char **args, int error)
{
	if (!error && mkdir(args[0], 0755))
		die("mkdir %s", args[0]);
}

static int run_read(char **args)
{
	static char text[64 << 10];
	int fd = open(args[0], O_RDONLY), error;

	if (fd < 0)
		return errno;
	error = error_of(read(fd, text, sizeof(text)));
	close(fd);
	return error;
}

static int run_write(char **args)
{
	int fd = open(args[0], O_WRONLY), error;

	if (fd < 0)
		return errno;
	error = error_of(write(fd, args[1], strlen(args[1])));
	close(fd);
	return error;
}

static int run_list(char **args)
{
	DIR *dir = opendir(args[0]);
	struct dirent *entry;

	if (!dir)
		return errno;
	errno = 0;
	while ((entry = readdir(dir)))
		errno = 0;
	closedir(dir);
	return errno;
}

static int run_chmod(char **args)
{
	return error_of(chmod(args[0], 0600));
}

static pid_t child;

/* The child waits until its parent has looked where it is. */
static int run_fork(char **args)
{
	(void)args;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return error_of(child);
}

static void after_fork(char **args, int error)
{
	char text[4096], mine[16];

	if (error)
		return;
	sprintf(mine, "%d\n", child);
	read_text(args[0], text, sizeof(text));
	if (!strstr(text, mine))
		die("the child is not in %s", args[0]);
	kill(child, SIGKILL);
	wait_for(child);
}

static char *map;
#define TOUCHED		(40 * PAGE)

/* A fault that finds no memory is repeated by the kernel. */
static int run_touch(char **args)
{
	(void)args;
	map = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return errno;
	touch(map, TOUCHED);
	return 0;
}

static void after_touch(char **args, int error)
{
	(void)args;
	if (!error)
		munmap(map, TOUCHED);
}

static char block[64 << 10];

static int run_file(char **args)
{
	int fd = open(args[0], O_RDWR | O_CREAT | O_TRUNC, 0644), error;

	if (fd < 0)
		return errno;
	error = error_of(write(fd, block, sizeof(block)));
	close(fd);
	return error;
}

static void after_file(char **args, int error)
{
	(void)error;
	unlink(args[0]);
}

static const struct operation operations[] = {
	{ "mount", "DIR", run_mount, after_mount },
	{ "first", "DIR MODULE", run_mount, after_first },
	{ "load", "MODULE", run_load, after_load },
	{ "mkdir", "DIR", run_mkdir, after_mkdir },
	{ "rmdir", "DIR", run_rmdir, after_rmdir },
	{ "read", "FILE", run_read, NULL },
	{ "write", "FILE TEXT", run_write, NULL },
	{ "list", "DIR", run_list, NULL },
	{ "chmod", "FILE", run_chmod, NULL },
	{ "fork", "PROCS", run_fork, after_fork },
	{ "touch", "NOTHING", run_touch, after_touch },
	{ "file", "FILE", run_file, after_file },
};

/* What the kernel has for it; fork() and tmpfs have errors of their own. */
static bool is_want_of_memory(const struct operation *op, int error)
{
	return !error || error == ENOMEM ||
	       (error == EAGAIN && op->run == run_fork) ||
	       (error == ENOSPC && op->run == run_file);
}

/* STRIDE in the environment: only every so many-th, for what takes long. */
static int fail_each(const struct operation *op, char **args)
{
	int nth, left = 0, error, tries = 0, quiet = 0, wrong = 0;
	int stride = getenv("STRIDE") ? atoi(getenv("STRIDE")) : 1;

	/* what is only allocated the first time, and the program's own pages */
	error = op->run(args);
	if (error)
		die("%s: %s", op->name, errno_name(error));
	if (op->after)
		op->after(args, 0);
	for (nth = 1; !left; nth += stride, tries++) {
		arm(nth);
		error = op->run(args);
		left = disarm();
		if (!left && !error)
			quiet++;
		if (!is_want_of_memory(op, error)) {
			wrong++;
			printf("%s, allocation %d: %s\n", op->name, nth,
			       errno_name(error));
		}
		if (op->after)
			op->after(args, error);
	}
	/* the last try was one too many; if it was the only one, nothing can be made to fail here */
	wrong += tries == 1;
	printf("%s: %d allocations, %d tried, %d made it fail, %d wrong\n",
	       op->name, nth - stride - left, tries - 1, tries - 1 - quiet,
	       wrong);
	return !!wrong;
}

static const struct operation *operation(const char *name)
{
	unsigned int i;

	fail_nth = open_file("/proc/thread-self/fail-nth", O_RDWR);
	for (i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strcmp(name, operations[i].name))
			return &operations[i];
	errno = EINVAL;
	die("no operation %s", name);
}

/* Lets each allocation of an operation fail in turn. */
static int do_each(char **args)
{
	return fail_each(operation(args[0]), args + 1);
}

/* Lets one of them fail. */
static int do_nth(char **args)
{
	const struct operation *op = operation(args[1]);
	int error;

	arm(atoi(args[0]));
	error = op->run(args + 2);
	disarm();
	puts(errno_name(error));
	return !!error;
}

static void fork_who_stay(int nr)
{
	while (nr--)
		if (!fork_or_die()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
}

/* So many children at once, so many times. */
static int do_forks(char **args)
{
	int times = atoi(args[1]);

	step("ready");
	while (times--) {
		fork_who_stay(atoi(args[0]));
		step("born");
	}
	return 0;
}

static const struct verb verbs[] = {
	{ "each", "OPERATION [ARG]...", 2, do_each },
	{ "nth", "ALLOCATION OPERATION [ARG]...", 3, do_nth },
	{ "forks", "NUMBER TIMES", 2, do_forks },
};

/*
 * The C library has the kernel write to each thread's memory when it is preempted
 * (rseq).  If the page for that cannot be had, after a fork say, the thread is killed:
 * the kernel's way, and nothing to do with memward.
 */
static void without_rseq(char **argv)
{
	if (getenv("GLIBC_TUNABLES"))
		return;
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execv("/proc/self/exe", argv);
	die("exec");
}

int main(int argc, char **argv)
{
	without_rseq(argv);
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
