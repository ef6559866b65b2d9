// SPDX-License-Identifier: GPL-2.0
/* Memory that is come by, held, moved or changed in unusual ways, one a verb. */
#include "common.h"

#include <linux/if_xdp.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif
#define HUGE		(2UL << 20)

/* What this kernel lacks: the test is skipped. */
static int lacking(const char *what)
{
	step("lacking %s: %s", what, strerror(errno));
	return 0;
}

static void only_small_pages(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		die("prctl");
}

/* Begins where a huge page can. */
static char *map_aligned(size_t size)
{
	char *map = map_anon(size + HUGE);

	return map + HUGE - (uintptr_t)map % HUGE;
}

/* Pages of the same content: the kernel may make one of them. */
static int do_same(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	if (madvise(map, size, MADV_MERGEABLE))
		return lacking("KSM");
	memset(map, 'm', size);
	step("touched");
	touch(map, size);
	step("touched again");
	if (madvise(map, size, MADV_UNMERGEABLE))
		die("madvise");
	munmap(map, size);
	step("freed");
	return 0;
}

static int do_locked(char **args)
{
	size_t size = size_arg(args[0]);
	char *map;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	map = map_anon(size);
	step("locked");
	munlockall();
	munmap(map, size);
	step("freed");
	return 0;
}

static int do_locked_later(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	step("touched");
	if (mlock(map, size))
		die("mlock");
	step("locked");
	munlock(map, size);
	step("unlocked");
	return 0;
}

/* None was used lately; every other page may be freed without being written. */
static int do_half_lazy(char **args)
{
	size_t at, size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	if (madvise(map, size, MADV_COLD))
		die("madvise");
	for (at = 0; at < size; at += 2 * PAGE)
		if (madvise(map + at, PAGE, MADV_FREE))
			die("madvise");
	step("cold");
	munmap(map, size);
	return 0;
}

/* In turn a copied page, a page of zeroes that is written to, and nothing. */
static void fill(int fd, char *to, char *from, size_t pos)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)to, .src = (uintptr_t)from, .len = PAGE,
	};
	struct uffdio_zeropage zero = {
		.range = { .start = (uintptr_t)to, .len = PAGE },
	};

	if (pos / PAGE % 2) {
		if (ioctl(fd, UFFDIO_ZEROPAGE, &zero))
			die("UFFDIO_ZEROPAGE");
	} else if (ioctl(fd, UFFDIO_COPY, &copy)) {
		die("UFFDIO_COPY");
	}
}

/**
 * struct filler - who fills the memory of another
 * @fd:   the userfaultfd
 * @from: a page to copy
 */
struct filler {
	int fd;
	char *from;
};

static void *fill_faults(void *data)
{
	struct filler *filler = data;
	struct uffd_msg msg;

	while (read(filler->fd, &msg, sizeof(msg)) == sizeof(msg))
		fill(filler->fd,
		     (char *)(msg.arg.pagefault.address & ~(PAGE - 1)),
		     filler->from, msg.arg.pagefault.address);
	return NULL;
}

/* Return: a userfaultfd of this memory; negative if there is none. */
static int watch_faults(char *map, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		return -1;
	range.range.start = (uintptr_t)map;
	range.range.len = size;
	if (ioctl(fd, UFFDIO_REGISTER, &range))
		die("UFFDIO_REGISTER");
	return fd;
}

static int do_userfault(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);
	struct filler filler;
	pthread_t thread;

	filler.fd = watch_faults(map, size);
	if (filler.fd < 0)
		return lacking("userfaultfd");
	filler.from = map_anon(PAGE);
	touch(filler.from, PAGE);
	if (pthread_create(&thread, NULL, fill_faults, &filler))
		die("pthread_create");
	touch(map, size);
	step("filled");
	munmap(map, size);
	step("freed");
	return 0;
}

/**
 * struct reader - who reads a directory into memory that is not there yet
 * @fd:  the directory
 * @map: the memory, a page
 */
struct reader {
	int fd;
	char *map;
};

static void *read_dir(void *data)
{
	struct reader *reader = data;

	if (syscall(SYS_getdents64, reader->fd, reader->map, PAGE) <= 0)
		die("getdents64");
	return NULL;
}

static int do_slow_list(char **args)
{
	struct reader reader = { open_file(args[0], O_RDONLY | O_DIRECTORY), map_anon(PAGE) };
	int fd = watch_faults(reader.map, PAGE);
	char *from = map_anon(PAGE);
	struct uffd_msg msg;
	pthread_t thread;

	if (fd < 0)
		return lacking("userfaultfd");
	touch(from, PAGE);
	if (pthread_create(&thread, NULL, read_dir, &reader))
		die("pthread_create");
	if (read(fd, &msg, sizeof(msg)) != sizeof(msg))
		die("nobody has come to the page");
	step("waiting");
	fill(fd, reader.map, from, msg.arg.pagefault.address);
	pthread_join(thread, NULL);
	step("listed");
	return 0;
}

/* A ring's buffers: pinned, and not mapped any more. */
static int do_ring(char **args)
{
	struct io_uring_params params = {};
	size_t size = size_arg(args[0]);
	struct iovec iov = { map_anon(size), size };
	int fd = syscall(SYS_io_uring_setup, 4, &params);

	if (fd < 0)
		return lacking("io_uring");
	touch(iov.iov_base, size);
	if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &iov, 1))
		die("IORING_REGISTER_BUFFERS");
	munmap(iov.iov_base, size);
	step("pinned");
	if (syscall(SYS_io_uring_register, fd, IORING_UNREGISTER_BUFFERS, NULL, 0))
		die("IORING_UNREGISTER_BUFFERS");
	step("unpinned");
	return 0;
}

/* The packet memory of an AF_XDP socket: pinned, and not mapped any more. */
static int do_packets(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);
	struct xdp_umem_reg umem = {
		.addr = (uintptr_t)map, .len = size, .chunk_size = PAGE,
	};
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return lacking("AF_XDP");
	touch(map, size);
	if (setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)))
		die("XDP_UMEM_REG");
	munmap(map, size);
	step("pinned");
	close(fd);
	step("unpinned");
	return 0;
}

/* Pages of a pool that memward has nothing to do with. */
static char *map_hugetlb(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
}

static int do_hugetlb(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_hugetlb(size);
	pid_t child;

	if (map == MAP_FAILED)
		return lacking("huge pages in the pool");
	touch(map, size / 2);
	step("touched");
	child = fork_or_die();
	if (!child) {
		touch(map, HUGE);
		_exit(0);
	}
	wait_for(child);
	munmap(map, size);
	step("freed");
	return 0;
}

/* Small pages first; huge ones of the same memory when it is asked for. */
/* Does the kernel know the call at all? Asked to collapse nothing, who knows it has nothing against it. */
static bool can_collapse(void)
{
	return !madvise(NULL, 0, MADV_COLLAPSE);
}

/*
 * Somebody may just be at a page, or have all memory in pieces: that is tried again.
 *
 * Return: 0 or the error that stays.
 */
static int collapse(char *map, size_t size)
{
	int error, tries = 10;

	do {
		error = madvise(map, size, MADV_COLLAPSE) ? errno : 0;
		if (error == ENOMEM)
			write_text("/proc/sys/vm/compact_memory", "1");
	} while ((error == EAGAIN || error == ENOMEM) && tries--);
	return error;
}

static int do_collapse(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_aligned(size);

	if (madvise(map, size, MADV_NOHUGEPAGE))
		return lacking("huge pages");
	touch(map, size);
	step("small");
	if (madvise(map, size, MADV_HUGEPAGE))
		die("madvise");
	/* who has no such call has a daemon */
	step("may be huge: %s", can_collapse() ?
	     errno_name(collapse(map, size)) : "no such call");
	touch(map, size);
	if (madvise(map + HUGE / 4, HUGE / 2, MADV_DONTNEED))
		die("madvise");
	step("split");
	munmap(map, size);
	step("freed");
	return 0;
}

/* The text of a program, or any file that is mapped, in huge pages. */
static int do_collapse_file(char **args)
{
	size_t size = size_arg(args[1]);
	int error, fd = open_file(args[0], O_RDWR | O_CREAT | O_TRUNC);
	char *map;

	if (ftruncate(fd, size))
		die("ftruncate");
	map = mmap(map_aligned(size), size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_FIXED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	touch(map, size);
	/* only what is clean can be collapsed */
	if (msync(map, size, MS_SYNC))
		die("msync");
	step("small");
	error = collapse(map, size);
	errno = error;
	/* not of such a file, or not at all */
	if (error == EINVAL)
		return lacking("MADV_COLLAPSE");
	if (error)
		die("madvise");
	step("huge");
	munmap(map, size);
	unlink(args[0]);
	close(fd);
	step("freed");
	return 0;
}

/* How many pages are on this node?  Without memory of its own, which would be charged. */
static size_t count_on(int node, char *map, size_t size)
{
	static void *pages[64];
	static int nodes[64];
	size_t i, on = 0, nr = ARRAY_SIZE(pages);
	char *at;

	for (at = map; at < map + size; at += nr * PAGE) {
		for (i = 0; i < nr; i++)
			pages[i] = at + i * PAGE;
		if (syscall(SYS_move_pages, 0, nr, pages, NULL, nodes, 0))
			die("move_pages");
		for (i = 0; i < nr; i++)
			on += nodes[i] == node;
	}
	return on;
}

/* Return: how many pages have gone to the other of two nodes, -1 if the kernel has no such call. */
static long change_node(int to, char *map, size_t size)
{
	unsigned long from_mask = 1UL << !to, to_mask = 1UL << to;
	size_t before = count_on(to, map, size);

	if (syscall(SYS_migrate_pages, 0, 3UL, &from_mask, &to_mask) < 0)
		return -1;
	return count_on(to, map, size) - before;
}

/* All pages of a process from one node to another, and back; says how many have moved. */
static int do_nodes(char **args)
{
	size_t size = size_arg(args[0]);
	int i, rounds = atoi(args[1]);
	char *map = map_anon(size);
	long moved = 0, once;

	touch(map, size);
	count_on(0, map, size);
	step("touched");
	for (i = 0; i < rounds; i++) {
		once = change_node(!(i & 1), map, size);
		if (once < 0)
			return lacking("migrate_pages");
		moved += once;
	}
	step("migrated %ld", moved);
	munmap(map, size);
	step("freed");
	return 0;
}

/* Pages of that pool from the node of the first processor to the other one; says how many have moved. */
static int do_hugetlb_nodes(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_hugetlb(size);
	long moved;

	if (map == MAP_FAILED)
		return lacking("huge pages in the pool");
	run_on(0);
	touch(map, size);
	step("touched");
	moved = change_node(1, map, size);
	if (moved < 0)
		return lacking("migrate_pages");
	step("migrated %ld", moved);
	munmap(map, size);
	step("freed");
	return 0;
}

/* Has a reference on one of its parent's pages now and then, without a fault. */
static void look_at(pid_t parent, const char *map, size_t size)
{
	static char buffer[PAGE];
	char path[32];
	off_t at;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(path, sizeof(path), "/proc/%d/mem", parent);
	fd = open_file(path, O_RDONLY);
	for (at = 0;; at = (at + HUGE) % size)
		if (pread(fd, buffer, PAGE, (off_t)(uintptr_t)map + at) != PAGE)
			_exit(1);
}

/*
 * Huge pages that are used on one processor, then on another one, whose nodes differ, so that NUMA balancing
 * moves them, or tries to: somebody else looks at them all the time.
 */
static int do_balanced(char **args)
{
	size_t at, size = size_arg(args[0]);
	uint64_t turn, end = now_us() + atoi(args[1]) * 1000000ull;
	int cpus[] = { atoi(args[2]), atoi(args[3]) };
	char *map = map_aligned(size);
	pid_t parent = getpid(), children[3];
	int i, status, turns = 0;

	if (madvise(map, size, MADV_HUGEPAGE))
		return lacking("huge pages");
	/* or their children's part in them would have them split */
	if (madvise(map, size, MADV_DONTFORK))
		die("madvise");
	run_on(cpus[0]);
	for (at = 0; at < size; at += HUGE)
		map[at] = 1;
	step("touched");
	for (i = 0; i < 3; i++) {
		children[i] = fork_or_die();
		if (!children[i])
			look_at(parent, map, size);
	}
	while (now_us() < end) {
		run_on(cpus[turns++ % 2]);
		for (turn = now_us() + 100000; now_us() < turn;)
			for (at = 0; at < size; at += PAGE)
				((volatile char *)map)[at]++;
	}
	for (i = 0; i < 3; i++) {
		kill(children[i], SIGKILL);
		if (waitpid(children[i], &status, 0) < 0 || !WIFSIGNALED(status))
			die("nobody has looked at the pages");
	}
	step("balanced");
	munmap(map, size);
	step("freed");
	return 0;
}

/* Every second page is taken out of service as if its memory were failing. */
static int do_offline(char **args)
{
	size_t pos, size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	step("touched");
	for (pos = 0; pos < size; pos += 2 * PAGE)
		if (madvise(map + pos, PAGE, MADV_SOFT_OFFLINE))
			return lacking("MADV_SOFT_OFFLINE");
	step("moved");
	munmap(map, size);
	step("freed");
	return 0;
}

/* Out to the swap disk at once. */
static int do_pageout(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	step("touched");
	if (madvise(map, size, MADV_PAGEOUT))
		return lacking("MADV_PAGEOUT");
	step("out");
	touch(map, size);
	step("touched again");
	munmap(map, size);
	step("freed");
	return 0;
}

/* A megabyte of a file in a pipe: reclaim finds its pages, and cannot have them. */
static int do_piped(char **args)
{
	size_t size = 1 << 20, done = 0;
	int file = open_file(args[0], O_RDONLY), pipes[2];
	ssize_t len;

	if (pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, size) < 0)
		die("pipe");
	for (; done < size; done += len) {
		len = splice(file, NULL, pipes[1], NULL, size - done, 0);
		if (len <= 0)
			die("splice");
	}
	step("piped");
	return 0;
}

/* --- batches of pages on their way to the LRU lists ------------------------- */

/*
 * Pages that CPUs have gathered for the LRU lists go there, on all CPUs, as before any
 * migration: also of no page at all, which is one of the cheapest ways to ask for it.
 */
static void drain(void)
{
	void *page = NULL;
	int node = 0, status;

	if (syscall(SYS_move_pages, 0, 0UL, &page, &node, &status, 0))
		die("move_pages");
}

static int do_drain(char **args)
{
	(void)args;
	drain();
	return 0;
}

/* Pages of anonymous memory that a group has, by its memory.stat. */
static long anon_in(int stat)
{
	char text[64];

	if (pread(stat, text, sizeof(text), 0) < 0 || strncmp(text, "anon ", 5))
		die("memory.stat does not begin with anon");
	return atol(text + 5) / (long)PAGE;
}

#define BATCHED	8

/*
 * Fewer pages than a batch are touched on one CPU and unmapped on another, which does not
 * have that batch.  How many pages are still there?
 */
static long unmap_elsewhere(int stat, long before)
{
	char *map = map_anon(BATCHED * PAGE);

	run_on(1);
	touch(map, BATCHED * PAGE);
	run_on(0);
	munmap(map, BATCHED * PAGE);
	return anon_in(stat) - before;
}

/* Says how often all were still there, and how many in all after drain(). */
static int do_batched(char **args)
{
	int stat = open_file(args[0], O_RDONLY), tries = atoi(args[1]), held = 0;
	long before, left = 0;

	only_small_pages();
	unmap_elsewhere(stat, 0);
	while (tries--) {
		drain();
		before = anon_in(stat);
		held += unmap_elsewhere(stat, before) == BATCHED;
		drain();
		left += anon_in(stat) - before;
	}
	step("held %d left %ld", held, left);
	return 0;
}

/* --- all of it, over and over ---------------------------------------------- */

static void mix_once(char *map, size_t size, unsigned int turn)
{
	static const int advice[] = {
		MADV_HUGEPAGE, MADV_DONTNEED, MADV_PAGEOUT, MADV_NOHUGEPAGE,
		MADV_MERGEABLE, MADV_COLLAPSE, MADV_COLD, MADV_FREE,
		MADV_UNMERGEABLE,
	};
	size_t from = (turn * 7919UL * PAGE) % (size / 2);

	memset(map + from, turn % 3, size / 4);
	/* each where this kernel has it */
	madvise(map + from / HUGE * HUGE, size / 2,
		advice[turn % ARRAY_SIZE(advice)]);
	touch(map + from, size / 8);
}

static void mix_fork(char *map, size_t size)
{
	pid_t child = fork_or_die();

	if (!child) {
		touch(map, size / 4);
		_exit(0);
	}
	wait_for(child);
}

static bool is_told_to_stop(void)
{
	struct timespec at_once = {};
	sigset_t enough;

	sigemptyset(&enough);
	sigaddset(&enough, SIGUSR1);
	return sigtimedwait(&enough, NULL, &at_once) == SIGUSR1;
}

/* So many rounds of everything that can be done to one piece of memory, or until SIGUSR1. */
static int do_mix(char **args)
{
	size_t size = size_arg(args[0]);
	unsigned int turn, rounds = atoi(args[1]);
	unsigned long nodes[2] = { 1, 2 };
	char *map = map_aligned(size);

	for (turn = 0; turn < rounds && !is_told_to_stop(); turn++) {
		mix_once(map, size, turn);
		if (turn % 5 == 0)
			mix_fork(map, size);
		if (turn % 4 == 0)
			syscall(SYS_migrate_pages, 0, 3UL, &nodes[turn / 4 % 2],
				&nodes[!(turn / 4 % 2)]);
		round_done();
	}
	munmap(map, size);
	return 0;
}

/* So many blocks of a file, none beside another: each has an extent of its own. */
static int do_fragments(char **args)
{
	int fd = open_file(args[0], O_WRONLY | O_CREAT | O_TRUNC);
	static const char block[4096] = "x";
	off_t i;

	for (i = 0; i < atol(args[1]); i++)
		if (pwrite(fd, block, sizeof(block), 2 * i * sizeof(block)) != sizeof(block))
			die("pwrite");
	return fsync(fd);
}

static const struct verb verbs[] = {
	{ "same", "SIZE", 1, do_same },
	{ "piped", "FILE", 1, do_piped },
	{ "locked", "SIZE", 1, do_locked },
	{ "locked_later", "SIZE", 1, do_locked_later },
	{ "half_lazy", "SIZE", 1, do_half_lazy },
	{ "userfault", "SIZE", 1, do_userfault },
	{ "slow_list", "DIR", 1, do_slow_list },
	{ "ring", "SIZE", 1, do_ring },
	{ "packets", "SIZE", 1, do_packets },
	{ "hugetlb", "SIZE", 1, do_hugetlb },
	{ "hugetlb_nodes", "SIZE", 1, do_hugetlb_nodes },
	{ "collapse", "SIZE", 1, do_collapse },
	{ "collapse_file", "FILE SIZE", 2, do_collapse_file },
	{ "nodes", "SIZE ROUNDS", 2, do_nodes },
	{ "balanced", "SIZE SECONDS CPU CPU", 4, do_balanced },
	{ "offline", "SIZE", 1, do_offline },
	{ "pageout", "SIZE", 1, do_pageout },
	{ "drain", "", 0, do_drain },
	{ "batched", "STAT TRIES", 2, do_batched },
	{ "mix", "SIZE ROUNDS", 2, do_mix },
	{ "fragments", "FILE BLOCKS", 2, do_fragments },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
