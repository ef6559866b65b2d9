// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that do the operations.
 *
 * So that the model is exact, a worker must not touch a page of its own that it
 * was not told to touch: its stack is shared memory, it keeps no variables
 * elsewhere, and it does not even let the C library set errno.  Its page tables
 * and what the kernel needs for it are not charged.
 */
#define _GNU_SOURCE
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct desk *desks;
const char *mount_options;

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long ret;

	asm volatile("syscall" : "=a"(ret)
		     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
		       "r"(r9)
		     : "rcx", "r11", "memory");
	return ret;
}

#define CALL(nr, a, b, c, d) \
	call(SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

static long open_path(const char *path, int flags)
{
	return CALL(open, path, flags | O_CLOEXEC, 0644, 0);
}

static long close_after(long fd, long ret)
{
	CALL(close, fd, 0, 0, 0);
	return ret < 0 ? ret : 0;
}

/* --- groups ------------------------------------------------------------- */

static int print_number(char *text, long number)
{
	char digits[24];
	int len = 0, nr = 0;

	do {
		digits[nr++] = '0' + number % 10;
	} while (number /= 10);
	while (nr)
		text[len++] = digits[--nr];
	return len;
}

static long write_number(const char *path, long number)
{
	char text[24];
	int len = print_number(text, number);
	long fd = open_path(path, O_WRONLY);

	if (fd < 0)
		return fd;
	return close_after(fd, CALL(write, fd, text, len, 0));
}

/* A page of a file counts only when it is on an LRU list; see execute_drain(). */
static long drain(void)
{
	void *page = NULL;
	int node = 0, status;

	return call(SYS_move_pages, 0, 0, (long)&page, (long)&node, (long)&status, 0);
}

static long adopt_once(const char *path, long pid)
{
	long ret = drain();

	return ret ? ret : write_number(path, pid);
}

/* Twice, where the kernel's threads may have had a page of a file the first time. */
static long adopt(const struct op *op, const char *path, long pid)
{
	long ret = adopt_once(path, pid);

	return ret || !op->arg[2] ? ret : adopt_once(path, pid);
}

/* Less than asked for is what happens. */
static long reclaim(const char *path, int pages)
{
	long ret = write_number(path, pages * PAGE);

	return ret == -EAGAIN ? 0 : ret;
}

static long write_line(const char *path, const char *text)
{
	long fd = open_path(path, O_WRONLY);
	int len = 0;

	while (text[len])
		len++;
	if (fd < 0)
		return fd;
	return close_after(fd, CALL(write, fd, text, len, 0));
}

static long seconds(void)
{
	struct timespec now = {};

	CALL(clock_gettime, CLOCK_MONOTONIC, &now, 0, 0);
	return now.tv_sec;
}

/* Who has ended is there for a moment yet, though he was waited for (6.19 and later).  Who stays should not be there. */
static long remove_cgroup(const char *path)
{
	long ret, end = seconds() + PATIENCE;

	while ((ret = CALL(rmdir, path, 0, 0, 0)) == -EBUSY && seconds() < end)
		CALL(sched_yield, 0, 0, 0, 0);
	return ret;
}

static long set_limit(const char *path, int pages)
{
	long fd;

	if (pages)
		return write_number(path, pages * PAGE);
	fd = open_path(path, O_WRONLY);
	if (fd < 0)
		return fd;
	return close_after(fd, CALL(write, fd, "max", 3, 0));
}

static long remount(const char *path)
{
	long ret = CALL(umount2, path, 0, 0, 0);

	return ret ? ret : call(SYS_mount, (long)"memward", (long)path,
				(long)"memward", 0,
				(long)mount_options, 0);
}

/* --- memory ------------------------------------------------------------- */

/* Two megabytes apart, for huge pages. */
static char *place(int region)
{
	return (char *)(0x200000000000 + region * (4L << 20));
}

static long map_at(char *where, const struct op *op, int flags, long fd)
{
	long ret = call(SYS_mmap, (long)where, op->arg[2] * PAGE,
			PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);

	return ret < 0 ? ret : 0;
}

static long map_huge(char *where, const struct op *op)
{
	long ret = map_at(where, op, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (!ret)
		ret = CALL(madvise, where, HUGE_PAGES * PAGE, MADV_DONTFORK, 0);
	if (!ret)
		ret = CALL(madvise, where, HUGE_PAGES * PAGE, MADV_HUGEPAGE, 0);
	/* a kernel without them */
	return ret == -EINVAL ? 0 : ret;
}

/* MADV_RANDOM: the model does not know how far the kernel reads ahead. */
static long map_file(char *where, const struct op *op, const char *path,
		     int flags)
{
	long fd = open_path(path, O_RDWR), ret;

	if (fd < 0)
		return fd;
	ret = map_at(where, op, flags, fd);
	if (!ret)
		ret = CALL(madvise, where, op->arg[2] * PAGE, MADV_RANDOM, 0);
	return close_after(fd, ret);
}

static long map(const struct op *op, const char *path)
{
	char *where = place(op->arg[0]);

	switch (op->arg[1]) {
	case MAP_IS_ANON:
		return map_at(where, op, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	case MAP_IS_HUGE:
		return map_huge(where, op);
	case MAP_IS_NAMELESS:
		return map_at(where, op, MAP_SHARED | MAP_ANONYMOUS, -1);
	case MAP_IS_SHARED:
		return map_file(where, op, path, MAP_SHARED);
	default:
		return map_file(where, op, path, MAP_PRIVATE);
	}
}

/* The length is not known here, but it ends before the next region. */
static long unmap(int region)
{
	return CALL(munmap, place(region), HUGE_PAGES * PAGE, 0, 0);
}

static long remap(int from, int to, long pages)
{
	long ret = call(SYS_mremap, (long)place(from), pages * PAGE,
			pages * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			(long)place(to), 0);

	return ret < 0 ? ret : 0;
}

static long touch(const struct op *op)
{
	volatile char *pos = place(op->arg[0]) + op->arg[1] * PAGE;
	int i;

	for (i = 0; i < op->arg[2]; i++, pos += PAGE)
		*pos = op->by;
	return 0;
}

static long peek(const struct op *op)
{
	volatile char *pos = place(op->arg[0]) + op->arg[1] * PAGE;
	int i;

	for (i = 0; i < op->arg[2]; i++, pos += PAGE)
		(void)*pos;
	return 0;
}

static long drop(const struct op *op)
{
	return CALL(madvise, place(op->arg[0]) + op->arg[1] * PAGE,
		    op->arg[2] * PAGE, MADV_DONTNEED, 0);
}

/* --- files -------------------------------------------------------------- */

/* Page by page, or new kernels take large folios. */
static long transfer(long nr, long fd, const struct op *op, char *buffer)
{
	int i;

	for (i = 0; i < op->arg[2]; i++) {
		long ret = call(nr, fd, (long)buffer, PAGE,
				(op->arg[1] + i) * PAGE, 0, 0);

		if (ret != (long)PAGE)
			return ret < 0 ? ret : -EIO;
	}
	return 0;
}

/* Twice: kcompactd may have held a page the first time. */
static long forget(long fd)
{
	long ret = CALL(fsync, fd, 0, 0, 0);

	if (!ret)
		ret = CALL(fadvise64, fd, 0, 0, POSIX_FADV_DONTNEED);
	if (!ret)
		ret = CALL(fadvise64, fd, 0, 0, POSIX_FADV_DONTNEED);
	return ret;
}

static long work_on_file(const struct op *op, long fd, char *buffer)
{
	switch (op->type) {
	case OP_WRITE:
		return transfer(SYS_pwrite64, fd, op, buffer);
	case OP_READ:
		CALL(fadvise64, fd, 0, 0, POSIX_FADV_RANDOM);
		return transfer(SYS_pread64, fd, op, buffer);
	case OP_TRUNCATE:
		return CALL(ftruncate, fd, op->arg[1] * PAGE, 0, 0);
	case OP_PUNCH:
		return CALL(fallocate, fd,
			    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			    op->arg[1] * PAGE, op->arg[2] * PAGE);
	case OP_FORGET:
		return forget(fd);
	default:
		return 0;
	}
}

static long file_op(const struct op *op, const char *path, char *buffer)
{
	int create = op->type == OP_CREATE ? O_CREAT | O_EXCL : 0;
	long fd = open_path(path, O_RDWR | create);

	if (fd < 0)
		return fd;
	return close_after(fd, work_on_file(op, fd, buffer));
}

/* --- the process -------------------------------------------------------- */

static long work(struct desk *desk, const struct order *order)
{
	const struct op *op = &order->op;
	const char *path = order->path;

	switch (op->type) {
	case OP_MKDIR:
	case OP_CGROUP_MKDIR:
		return CALL(mkdir, path, 0755, 0, 0);
	case OP_CGROUP_RMDIR:
		return remove_cgroup(path);
	case OP_BIND:
	case OP_UNBIND:
		return write_line(path, order->text);
	case OP_ADOPT:
		return adopt(op, path, desks[op->arg[0]].pid);
	case OP_ADOPT_SELF:
		return adopt(op, path, 0);
	case OP_RMDIR:
		return CALL(rmdir, path, 0, 0, 0);
	case OP_MOVE:
	case OP_CGROUP_MOVE:
		return write_number(path, desks[op->arg[0]].pid);
	case OP_JOIN:
	case OP_CGROUP_JOIN:
		return write_number(path, 0);
	case OP_KILL:
		return CALL(kill, desks[op->arg[0]].pid, SIGKILL, 0, 0);
	case OP_KILL_GROUP:
		return write_number(path, 1);
	case OP_HIGH:
	case OP_MAX:
		return set_limit(path, op->arg[1]);
	case OP_MIN:
	case OP_LOW:
		return write_number(path, op->arg[1] * PAGE);
	case OP_RECLAIM:
		return reclaim(path, op->arg[1]);
	case OP_REMOUNT:
		return remount(path);
	case OP_COMPACT:
		return write_number(path, 1);
	case OP_FORK:
		return worker_start(op->arg[0]);
	case OP_MAP:
		return map(op, path);
	case OP_UNMAP:
		return unmap(op->arg[0]);
	case OP_REMAP:
		return remap(op->arg[0], op->arg[1], op->arg[2]);
	case OP_TOUCH:
		return touch(op);
	case OP_PEEK:
		return peek(op);
	case OP_DROP:
		return drop(op);
	case OP_UNLINK:
		return CALL(unlink, path, 0, 0, 0);
	case OP_EXIT:
	case NR_OPS:
		return 0;
	default:
		return file_op(op, path, desk->buffer);
	}
}

/* Whether it is to go on. */
static bool work_off(struct desk *desk)
{
	bool stay = true;
	int i;

	for (i = 0; i < desk->nr; i++) {
		desk->result[i] = work(desk, &desk->order[i]);
		stay = desk->order[i].op.type != OP_EXIT;
	}
	return stay;
}

static void map_range(const volatile char *from, long size)
{
	for (; size > 0; from += PAGE, size -= PAGE)
		(void)*from;
}

/* The base, see base.c: a clerk maps all that any worker may map beside what he is told to. */
static void map_base(void)
{
	long fd = open_path("/proc/self/exe", O_RDONLY);
	long size = CALL(lseek, fd, 0, SEEK_END, 0);
	long map = call(SYS_mmap, 0, size, PROT_READ, MAP_SHARED, fd, 0);

	CALL(close, fd, 0, 0, 0);
	if (map > 0)
		map_range((char *)map, size);
	map_range((char *)desks, MAX_PROCS * sizeof(*desks));
}

static int worker_main(void *arg)
{
	struct desk *desk = arg;
	char number = desk - desks;
	bool stay = true;

	if (number < NR_CLERKS && model_binds) {
		map_base();
		CALL(write, desk->done, &number, 1, 0);
	}
	while (stay) {
		char go;

		if (CALL(read, desk->wake[0], &go, 1, 0) != 1)
			break;
		stay = work_off(desk);
		CALL(write, desk->done, &number, 1, 0);
	}
	CALL(exit_group, 0, 0, 0, 0);
	return 0;
}

/**
 * worker_start() - fork a process that sits down at a desk
 * @proc: its number
 *
 * The driver starts the clerks, and clerks and workers the others; but whoever
 * forks it, the driver is its parent and waits for it.
 */
int worker_start(int proc)
{
	int flags = proc < NR_CLERKS ? SIGCHLD : SIGCHLD | CLONE_PARENT;
	struct desk *desk = &desks[proc];
	int pid = clone(worker_main, desk->stack + STACK, flags, desk);

	if (pid < 0)
		return -errno;
	desk->pid = pid;
	return 0;
}
