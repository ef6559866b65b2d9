// SPDX-License-Identifier: GPL-2.0
/* Uses memory in the ways that programs use it, one way a verb. */
#include "common.h"

#include <dirent.h>
#include <sys/uio.h>

#include <linux/mempolicy.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

#define CHUNK	(64UL << 10)

static char buffer[CHUNK] __attribute__((aligned(4096)));

/*
 * A huge page of which a part is unmapped stays charged as a whole until memory
 * is short: not for verbs that unmap parts, nor for those whose pages have to
 * stay as they are.
 */
static void only_small_pages(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		die("prctl");
}

static int do_anon(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	if (args[1])
		only_small_pages();
	touch(map, size);
	step("touched");
	munmap(map, size);
	step("freed");
	return 0;
}

/* Twice, so that what was swapped out comes back. */
static int do_swapped(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	touch(map, size);
	step("touched");
	touch(map, size);
	step("touched again");
	return 0;
}

/* Each page gets a text of its own, so that a page that is lost or mixed up shows. */
static void fill(char *map, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += PAGE)
		*(size_t *)(map + at) = at ^ 0x5a5a5a5a;
}

static void check(const char *map, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += PAGE)
		if (*(const size_t *)(map + at) != (at ^ 0x5a5a5a5a))
			die("the page at %zu is not what it was", at);
}

static int check_pattern(char *map, size_t size)
{
	fill(map, size);
	step("filled");
	check(map, size);
	step("checked");
	return 0;
}

static int do_pattern(char **args)
{
	size_t size = size_arg(args[0]);

	return check_pattern(map_anon(size), size);
}

/* No huge pages, which khugepaged would charge to the group of that moment. */
static int do_smallpattern(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	madvise(map, size, MADV_NOHUGEPAGE);
	return check_pattern(map, size);
}

#define HUGE	(2UL << 20)
#define BIG	(64UL << 10)

/* A processor takes swap slots in order, one behind the other. */
static void stay_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		die("sched_setaffinity");
}

/* The slot that a page goes to; those after it go to the next ones. */
static size_t slot_taken(void)
{
	char *map = map_anon(PAGE);
	int fd = open_file("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	*map = 1;
	if (madvise(map, PAGE, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	if (pread(fd, &entry, sizeof(entry), (uintptr_t)map / PAGE * sizeof(entry)) != sizeof(entry))
		die("pagemap");
	close(fd);
	return (entry & ((1ULL << 55) - 1)) >> 5;
}

/*
 * What goes to swap may come back as folios of 64K: of each second one the last page is
 * wanted, then all are.  With a second word they are small pages first, and the process
 * goes into that group when it has touched the first of each 16.  A folio comes back only
 * if its slots are aligned as its addresses are.
 */
static int do_bigback(char **args)
{
	size_t at, begin, size = size_arg(args[0]);
	char *map = map_anon(size + HUGE);

	map += -(uintptr_t)map % HUGE;
	stay_here();
	if (args[1]) {
		only_small_pages();
		for (at = 0; at < size; at += BIG)
			map[at] = 1;
		write_text(args[1], "0");
	}
	begin = (slot_taken() + 1) * PAGE % BIG;
	touch(map + begin, size - begin);
	step("filled");
	if (madvise(map + begin, size - begin, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	step("out");
	if (prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0))
		die("prctl");
	for (at = BIG - PAGE; at < size; at += 2 * BIG)
		map[at] = 2;
	step("half");
	touch(map + begin, size - begin);
	step("back");
	return 0;
}

static int do_pageout(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	touch(map, size);
	step("filled");
	if (madvise(map, size, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	step("out");
	return 0;
}

/* Out and back, as it was read; then out again if that is asked of its group, and back. */
static int do_back(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	fill(map, size);
	step("filled");
	if (madvise(map, size, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	step("out");
	check(map, size);
	step("back");
	check(map, size);
	step("checked");
	return 0;
}

/* So much, then more at lower addresses. */
static int do_below(char **args)
{
	size_t size = size_arg(args[0]), more = size_arg(args[1]);
	char *map = map_anon(size), *lower;

	only_small_pages();
	touch(map, size);
	step("touched");
	lower = map_anon(more);
	if (lower > map)
		die("the second one is not below the first");
	touch(lower, more);
	step("below");
	return 0;
}

/* Locked in memory, then no longer; or so much of it, at its end. */
static int do_mlock(char **args)
{
	size_t size = size_arg(args[0]);
	size_t part = args[1] ? size_arg(args[1]) : size;
	char *map = map_anon(size);

	if (args[1])
		only_small_pages();
	touch(map, size);
	if (mlock(map, size))
		die("mlock");
	step("locked");
	munlock(map + size - part, part);
	step("unlocked");
	return 0;
}

static char *map_small(size_t size)
{
	char *map = map_anon(size);

	madvise(map, size, MADV_NOHUGEPAGE);
	return map;
}

/* Pages that are not in memory. */
static size_t count_gone(char *map, size_t size)
{
	unsigned char in_core[size / PAGE];
	size_t i, gone = 0;

	if (mincore(map, size, in_core))
		die("mincore");
	for (i = 0; i < size / PAGE; i++)
		gone += !(in_core[i] & 1);
	return gone;
}

static char *map_bound_to(unsigned int node, size_t size)
{
	unsigned long mask = 1UL << node;
	char *map = map_anon(size);

	if (syscall(SYS_mbind, map, size, MPOL_BIND, &mask, 3UL, 0))
		die("mbind");
	return map;
}

static char *map_on(unsigned int node, size_t size)
{
	char *map = map_bound_to(node, size);

	touch(map, size);
	return map;
}

/* So much on a node, or on any (-); locked in memory perhaps. */
static int do_bound(char **args)
{
	size_t size = size_arg(args[1]);
	char *map = strcmp(args[0], "-") ? map_bound_to(atoi(args[0]), size) : map_anon(size);

	only_small_pages();
	if (args[2] && mlock(map, size))
		die("mlock");
	touch(map, size);
	step("touched");
	return 0;
}

/* So much on a node, then as much on the other one, then more: how many pages of each has that pushed out? */
static int do_nodewise(char **args)
{
	size_t size = size_arg(args[1]), more = size_arg(args[2]);
	unsigned int node = atoi(args[0]);
	char *older, *newer;

	only_small_pages();
	older = map_on(node, size);
	newer = map_on(!node, size);
	touch(map_anon(more), more);
	step("pushed out %zu %zu", count_gone(older, size), count_gone(newer, size));
	return 0;
}

/*
 * Touch what is in use, so that its page tables say so.  A processor sets an accessed
 * bit when it has to look the page up, and QEMU forgets no translation unless it is
 * told to: what one process uses and nobody else interrupts would look unused.
 */
static void use(char *map, size_t size)
{
	if (mprotect(map, size, PROT_READ) ||
	    mprotect(map, size, PROT_READ | PROT_WRITE))
		die("mprotect");
	touch(map, size);
}

/* Between two uses of the set so much of something else is used. */
#define BETWEEN	(4 * CHUNK)

static bool read_some(int fd, size_t size)
{
	for (; size; size -= CHUNK)
		if (read(fd, buffer, CHUNK) <= 0)
			return false;
	return true;
}

/* A set that is used all the time, and beside it a file that is read once: how many pages of the set had to come back? */
static int do_hot(char **args)
{
	size_t size = size_arg(args[0]), gone = 0;
	int fd = open_file(args[1], O_RDONLY);
	char *map = map_small(size);

	touch(map, size);
	while (read_some(fd, BETWEEN)) {
		gone += count_gone(map, size);
		use(map, size);
	}
	step("%zu", gone);
	return 0;
}

/* Likewise, beside memory that is used once. */
static int do_hotcold(char **args)
{
	size_t size = size_arg(args[0]), cold_size = size_arg(args[1]), gone = 0, done;
	char *map = map_small(size), *cold = map_small(cold_size);

	touch(map, size);
	for (done = 0; done < cold_size; done += BETWEEN) {
		touch(cold + done, BETWEEN);
		gone += count_gone(map, size);
		use(map, size);
	}
	step("%zu", gone);
	return 0;
}

/* In one entry into the kernel. */
static int do_populate(char **args)
{
	size_t size = size_arg(args[0]);

	if (mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
		die("mmap");
	step("populated");
	return 0;
}

/* Huge pages, then one that is split by giving half of it back. */
static int do_thp(char **args)
{
	size_t huge = 2UL << 20, size = size_arg(args[0]);
	char *map = args[2] ? map_bound_to(atoi(args[2]), size + huge) : map_anon(size + huge);

	map += huge - (uintptr_t)map % huge;
	if (madvise(map, size, MADV_HUGEPAGE))
		die("madvise");
	touch(map, size);
	step("touched");
	if (madvise(map, huge / 2, MADV_DONTNEED))
		die("madvise");
	step("split");
	return 0;
}

static void read_all(int fd)
{
	ssize_t len;

	while ((len = read(fd, buffer, CHUNK)) > 0)
		;
	if (len < 0)
		die("read");
}

static void write_all(int fd, size_t size)
{
	for (; size; size -= CHUNK)
		if (write(fd, buffer, CHUNK) != (ssize_t)CHUNK)
			die("write");
}

static int do_read(char **args)
{
	read_all(open_file(args[0], O_RDONLY));
	step("read");
	return 0;
}

/* Microseconds. */
static int do_stream(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	uint64_t start = now_us();

	read_all(fd);
	printf("%llu\n", (unsigned long long)(now_us() - start));
	return 0;
}

/* So often from its beginning. */
static int do_reread(char **args)
{
	int fd = open_file(args[0], O_RDONLY), times = atoi(args[1]);
	uint64_t start = now_us();

	for (; times; times--) {
		if (lseek(fd, 0, SEEK_SET))
			die("lseek %s", args[0]);
		read_all(fd);
	}
	printf("%llu\n", (unsigned long long)(now_us() - start));
	return 0;
}

static int do_list(char **args)
{
	DIR *dir = opendir(args[0]);
	uint64_t start = now_us();

	if (!dir)
		die("opendir %s", args[0]);
	while (readdir(dir))
		;
	printf("%llu\n", (unsigned long long)(now_us() - start));
	closedir(dir);
	return 0;
}

/* To write a line so often, whatever comes of it. */
static int do_rewrite(char **args)
{
	int fd = open_file(args[0], O_WRONLY), times = atoi(args[2]);
	uint64_t start = now_us();

	while (times--)
		if (pwrite(fd, args[1], strlen(args[1]), 0) < 0 && errno != EAGAIN)
			die("write %s", args[0]);
	printf("%llu\n", (unsigned long long)(now_us() - start));
	return 0;
}

/* A page of the file each time. */
static int do_read_pages(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	char page[4096];
	off_t at;

	if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		die("fadvise");
	step("opened");
	for (at = 0; pread(fd, page, sizeof(page), at) > 0; at += sizeof(page))
		step("read");
	return 0;
}

static int do_read_later(char **args)
{
	int fd = open_file(args[0], O_RDONLY);

	step("opened");
	read_all(fd);
	step("read");
	return 0;
}

static int do_write(char **args)
{
	write_all(open_file(args[0], O_RDWR | O_CREAT | O_TRUNC),
		  size_arg(args[1]));
	step("written");
	return 0;
}

/* The program itself is there before; what it needs from then on is for the file. */
static int do_write_later(char **args)
{
	int fd = open_file(args[0], O_RDWR | O_CREAT | O_TRUNC);

	step("opened");
	write_all(fd, size_arg(args[1]));
	step("written");
	return 0;
}

/* Dirties a page each so many microseconds, and has it written at once, for ever: so a slow disk is through with one by one. */
static int do_trickle(char **args)
{
	int fd = open_file(args[0], O_RDWR | O_CREAT);
	off_t size = size_arg(args[1]), at;
	char page[4096] = "";

	for (at = 0;; at = (at + 4096) % size) {
		if (pwrite(fd, page, sizeof(page), at) != sizeof(page) ||
		    sync_file_range(fd, at, sizeof(page), SYNC_FILE_RANGE_WRITE))
			die(args[0]);
		usleep(atoi(args[2]));
	}
}

/* More after a while, in small pages. */
static int do_grow(char **args)
{
	size_t size = size_arg(args[0]), more = size_arg(args[1]);
	char *map = map_anon(size + more);

	only_small_pages();
	touch(map, size);
	step("touched");
	touch(map + size, more);
	step("grown");
	return 0;
}

static int do_direct(char **args)
{
	int fd = open_file(args[0], O_RDWR | O_CREAT | O_TRUNC | O_DIRECT);

	write_all(fd, size_arg(args[1]));
	fsync(fd);
	step("written");
	lseek(fd, 0, SEEK_SET);
	read_all(fd);
	step("read");
	return 0;
}

static int do_shared(char **args)
{
	int fd = open_file(args[0], O_RDWR | O_CREAT);
	size_t size = size_arg(args[1]);
	char *map;

	/* khugepaged unmaps the clean pages of a file to collapse them (7.2) */
	only_small_pages();
	if (ftruncate(fd, size))
		die("ftruncate");
	map = map_file(fd, size, MAP_SHARED);
	touch(map, size);
	step("touched");
	if (msync(map, size, MS_SYNC))
		die("msync");
	step("synced");
	munmap(map, size);
	step("unmapped");
	return 0;
}

static size_t sum_of(const char *map, size_t size)
{
	size_t pos, sum = 0;

	for (pos = 0; pos < size; pos += PAGE)
		sum += ((volatile const char *)map)[pos];
	return sum;
}

static int do_private(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	size_t size = file_size(fd);
	char *map = map_file(fd, size, MAP_PRIVATE);

	sum_of(map, size);
	step("read");
	touch(map, size);
	step("copied");
	munmap(map, size);
	step("unmapped");
	return 0;
}

static int do_shmanon(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_file(-1, size, MAP_SHARED | MAP_ANONYMOUS);

	touch(map, size);
	step("touched");
	munmap(map, size);
	step("unmapped");
	return 0;
}

static int do_forkcow(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);
	pid_t child;

	only_small_pages();
	touch(map, size);
	step("touched");
	child = fork_or_die();
	if (!child) {
		touch(map, size / 2);
		step("copied");
		_exit(0);
	}
	wait_for(child);
	step("reaped");
	return 0;
}

static char *remap(char *map, size_t from, size_t to, int flags, void *where)
{
	map = mremap(map, from, to, flags, where);
	if (map == MAP_FAILED)
		die("mremap");
	return map;
}

static int do_mremap(char **args)
{
	size_t size = size_arg(args[0]);
	char *place = map_anon(4 * size);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	step("touched");
	map = remap(map, size, 2 * size, MREMAP_MAYMOVE, NULL);
	touch(map, 2 * size);
	step("grown");
	map = remap(map, 2 * size, 2 * size, MREMAP_MAYMOVE | MREMAP_FIXED,
		    place + size);
	step("moved");
	remap(map, 2 * size, size / 2, 0, NULL);
	step("shrunk");
	return 0;
}

static int do_dontneed(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	step("touched");
	if (madvise(map, size / 2, MADV_DONTNEED))
		die("madvise");
	step("dropped");
	touch(map, size);
	step("touched again");
	return 0;
}

/* What is freed lazily need not be kept; the same process wants more then. */
static int do_lazyfree(char **args)
{
	size_t size = size_arg(args[0]), more = size_arg(args[1]);
	char *map = map_anon(size);

	only_small_pages();
	touch(map, size);
	step("touched");
	if (madvise(map, size, MADV_FREE))
		die("madvise");
	step("freed");
	touch(map_anon(more), more);
	step("more");
	return 0;
}

/* The same small pages, taken and dropped so often. */
static int do_churn(char **args)
{
	size_t size = size_arg(args[0]), rounds = atoi(args[1]);
	char *map = map_anon(size);

	only_small_pages();
	while (rounds--) {
		touch(map, size);
		if (madvise(map, size, MADV_DONTNEED))
			die("madvise");
		round_done();
	}
	return 0;
}

/* The same pages, one after the other, so often: each is read, and keeps its place in swap, and is changed then. */
static int do_again(char **args)
{
	size_t size = size_arg(args[0]), rounds = atoi(args[1]), i;
	volatile char *map = map_small(size);

	while (rounds--)
		for (i = 0; i < size; i += PAGE)
			map[i] = map[i] + 1;
	step("touched");
	return 0;
}

static int do_truncate(char **args)
{
	int fd = open_file(args[0], O_RDWR | O_CREAT | O_TRUNC);
	size_t size = size_arg(args[1]);

	write_all(fd, size);
	step("written");
	if (ftruncate(fd, args[2] ? size_arg(args[2]) : size / 2))
		die("ftruncate");
	step("halved");
	if (ftruncate(fd, 0))
		die("ftruncate");
	step("emptied");
	return 0;
}

static void splice_all(int from, int to, unsigned int flags)
{
	ssize_t len;

	while ((len = splice(from, NULL, to, NULL, CHUNK, flags)) > 0)
		;
	if (len < 0)
		die("splice");
}

static int do_splice(char **args)
{
	int from = open_file(args[0], O_RDONLY);
	int to = open_file(args[1], O_WRONLY | O_CREAT | O_TRUNC);
	int pipes[2];
	pid_t child;

	if (pipe(pipes))
		die("pipe");
	child = fork_or_die();
	if (!child) {
		close(pipes[1]);
		splice_all(pipes[0], to, SPLICE_F_MOVE);
		_exit(0);
	}
	splice_all(from, pipes[1], SPLICE_F_MOVE);
	close(pipes[1]);
	close(pipes[0]);
	wait_for(child);
	step("spliced");
	return 0;
}

/* A file's pages are in a pipe, and so nobody can reclaim them. */
static int do_held(char **args)
{
	size_t size = size_arg(args[1]);
	int from = open_file(args[0], O_RDONLY);
	int pipes[2];

	if (pipe(pipes) || splice(from, NULL, pipes[1], NULL, size, 0) != (ssize_t)size)
		die("splice");
	step("held");
	close(pipes[1]);
	close(pipes[0]);
	step("let go");
	return 0;
}

/* The user's own pages in a pipe, and gone from the address space meanwhile. */
static int do_vmsplice(char **args)
{
	size_t size = 16 * PAGE;
	struct iovec iov = { map_anon(size), size };
	int pipes[2];

	touch(iov.iov_base, size);
	if (pipe(pipes) || vmsplice(pipes[1], &iov, 1, SPLICE_F_GIFT) != (ssize_t)size)
		die("vmsplice");
	munmap(iov.iov_base, size);
	step("in the pipe");
	close(pipes[1]);
	splice_all(pipes[0], open_file(args[0], O_WRONLY | O_CREAT | O_TRUNC),
		   SPLICE_F_MOVE);
	step("in the file");
	return 0;
}

/* So much of its own, of what it shares, and a file, all mapped; what the file has is not looked at. */
static int do_had(char **args)
{
	size_t size = size_arg(args[0]);
	int fd = open_file(args[1], O_RDONLY);
	char *own, *shared, *file;

	only_small_pages();
	own = map_anon(size);
	shared = map_file(-1, size, MAP_SHARED | MAP_ANONYMOUS);
	file = map_file(fd, file_size(fd), MAP_PRIVATE);
	fill(own, size);
	fill(shared, size);
	sum_of(file, file_size(fd));
	step("mapped");
	check(own, size);
	check(shared, size);
	step("checked");
	return 0;
}

/* Has so much, and children that copy half of it and end, while itself drops some and touches it again. */
static int do_forking(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);
	pid_t child;

	only_small_pages();
	touch(map, size);
	for (;;) {
		child = fork_or_die();
		if (!child) {
			touch(map, size / 2);
			_exit(0);
		}
		if (madvise(map + size / 2, size / 4, MADV_DONTNEED))
			die("madvise");
		touch(map, size);
		wait_for(child);
		round_done();
	}
}

/* File pages charged to whom writes them, while others map them. */
static int do_memfd(char **args)
{
	size_t size = size_arg(args[0]);
	int fd = memfd_create("test", 0);

	if (fd < 0)
		die("memfd_create");
	write_all(fd, size);
	step("written");
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size / 2))
		die("fallocate");
	step("punched");
	close(fd);
	step("closed");
	return 0;
}

static unsigned long number_in(const char *dir, const char *file)
{
	char path[256], text[64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	read_text(path, text, sizeof(text));
	return strtoul(text, NULL, 10);
}

/* One megabyte at a time; each line: bytes before, bytes after, microseconds. */
static int do_curve(char **args)
{
	size_t mb = 1UL << 20, nr = size_arg(args[1]) / mb;
	unsigned long before, after;
	uint64_t start;

	while (nr--) {
		char *map = map_anon(mb);

		before = number_in(args[0], "memory.current");
		start = now_us();
		touch(map, mb);
		start = now_us() - start;
		after = number_in(args[0], "memory.current");
		printf("%lu %lu %llu\n", before, after, (unsigned long long)start);
		fflush(stdout);
	}
	return 0;
}

static uint64_t frame_of(int pagemap, const char *at)
{
	uint64_t entry;

	if (pread(pagemap, &entry, sizeof(entry), (uintptr_t)at / PAGE *
		  sizeof(entry)) != sizeof(entry))
		die("read pagemap");
	/* none while it is on the way, or in swap */
	return entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
}

/*
 * Of so many pages in a row keep one.
 *
 * Not of two: where a block has no free page, compaction looks at every second frame of the next block, then at every
 * fourth, ..., and if all holes are at odd frames it finds none of them, however often it is asked.
 */
#define KEPT	12

/**
 * struct kept - pages with holes between them
 * @map:     where they are
 * @nr:      pages and holes
 * @pagemap: of this process
 * @frames:  where each was in the beginning
 */
struct kept {
	char *map;
	size_t nr;
	int pagemap;
	uint64_t *frames;
};

static void make_holes(struct kept *kept, int advice)
{
	size_t i;

	for (i = 0; i < kept->nr; i++) {
		char *at = kept->map + i * PAGE;

		if (i % KEPT)
			continue;
		*(size_t *)at = i ^ 0x5a5a5a5a;
		kept->frames[i] = frame_of(kept->pagemap, at);
		if (madvise(at + PAGE, (KEPT - 1) * PAGE, advice))
			die("madvise");
	}
}

/* All there at once, in small pages. */
static char *map_full(size_t size, int flags)
{
	char *map;

	only_small_pages();
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (map == MAP_FAILED)
		die("mmap of %zu bytes", size);
	return map;
}

static size_t count_moved(const struct kept *kept)
{
	size_t i, moved = 0;

	for (i = 0; i < kept->nr; i += KEPT) {
		uint64_t frame = frame_of(kept->pagemap, kept->map + i * PAGE);

		moved += frame && frame != kept->frames[i];
	}
	return moved;
}

/* How many have another frame afterwards, until it is MOVED of them? Of anonymous memory, or of a file. */
static int do_frames(char **args)
{
	size_t size = size_arg(args[0]) / (KEPT * PAGE) * (KEPT * PAGE), i, moved;
	struct kept kept = {
		.map = map_full(size, args[2] ? MAP_SHARED : MAP_PRIVATE), .nr = size / PAGE,
		.pagemap = open_file("/proc/self/pagemap", O_RDONLY),
		.frames = calloc(size / PAGE, sizeof(uint64_t)),
	};

	make_holes(&kept, args[2] ? MADV_REMOVE : MADV_DONTNEED);
	step("touched");
	do {
		moved = count_moved(&kept);
		step("moved %zu", moved);
	} while (moved < (size_t)atol(args[1]));
	for (i = 0; i < kept.nr; i += KEPT)
		if (*(size_t *)(kept.map + i * PAGE) != (i ^ 0x5a5a5a5a))
			die("page %zu is not what it was", i);
	step("checked");
	return 0;
}

/* One byte in each of so many places for huge pages, in a new mapping each time. */
static int do_hugespots(char **args)
{
	size_t huge = 2UL << 20, nr = atoi(args[0]), rounds = atoi(args[1]), i;
	char *map, *spots;

	for (;;) {
		map = map_anon((nr + 1) * huge);
		spots = map + huge - (uintptr_t)map % huge;
		if (madvise(spots, nr * huge, MADV_HUGEPAGE))
			die("madvise");
		for (i = 0; i < nr; i++)
			spots[i * huge] = 1;
		round_done();
		if (!--rounds)
			break;
		munmap(map, (nr + 1) * huge);
	}
	step("touched");
	return 0;
}

/* Of each huge page all but a small one is given back, which the kernel keeps until it is split; then more in small ones. */
static int do_holes(char **args)
{
	size_t huge = 2UL << 20, size = size_arg(args[0]), more = size_arg(args[1]), i;
	char *map = args[2] ? map_bound_to(atoi(args[2]), size + huge) : map_anon(size + huge);

	map += huge - (uintptr_t)map % huge;
	if (madvise(map, size, MADV_HUGEPAGE))
		die("madvise");
	touch(map, size);
	for (i = 0; i < size; i += huge)
		if (madvise(map + i + PAGE, huge - PAGE, MADV_DONTNEED))
			die("madvise");
	step("touched");
	touch(map_small(more), more);
	step("grown");
	return 0;
}

/* A child that goes into another group fills memory of its parent's. */
static int do_remote(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size), *from = map_anon(size);
	struct iovec to = { map, size }, local = { from, size };
	pid_t parent = getpid(), child = fork_or_die();

	if (!child) {
		write_text(args[1], "0");
		if (process_vm_writev(parent, &local, 1, &to, 1, 0) != (ssize_t)size)
			die("process_vm_writev");
		_exit(0);
	}
	wait_for(child);
	step("written");
	return 0;
}

static const struct verb verbs[] = {
	{ "anon", "SIZE [small]", 1, do_anon },
	{ "swapped", "SIZE", 1, do_swapped },
	{ "frames", "SIZE MOVED [shared]", 2, do_frames },
	{ "hugespots", "NUMBER ROUNDS", 2, do_hugespots },
	{ "holes", "SIZE MORE [NODE]", 2, do_holes },
	{ "remote", "SIZE PROCS", 2, do_remote },
	{ "pattern", "SIZE", 1, do_pattern },
	{ "smallpattern", "SIZE", 1, do_smallpattern },
	{ "bigback", "SIZE [PROCS]", 1, do_bigback },
	{ "bound", "NODE SIZE [locked]", 2, do_bound },
	{ "nodewise", "NODE SIZE MORE", 3, do_nodewise },
	{ "pageout", "SIZE", 1, do_pageout },
	{ "back", "SIZE", 1, do_back },
	{ "below", "SIZE MORE", 2, do_below },
	{ "mlock", "SIZE", 1, do_mlock },
	{ "hot", "SIZE FILE", 2, do_hot },
	{ "hotcold", "SIZE COLD", 2, do_hotcold },
	{ "populate", "SIZE", 1, do_populate },
	{ "thp", "SIZE", 1, do_thp },
	{ "held", "FILE SIZE", 2, do_held },
	{ "read", "FILE", 1, do_read },
	{ "stream", "FILE", 1, do_stream },
	{ "reread", "FILE TIMES", 2, do_reread },
	{ "list", "DIRECTORY", 1, do_list },
	{ "rewrite", "FILE LINE TIMES", 3, do_rewrite },
	{ "read_pages", "FILE", 1, do_read_pages },
	{ "read_later", "FILE", 1, do_read_later },
	{ "write", "FILE SIZE", 2, do_write },
	{ "write_later", "FILE SIZE", 2, do_write_later },
	{ "trickle", "FILE SIZE US", 3, do_trickle },
	{ "grow", "SIZE MORE", 2, do_grow },
	{ "direct", "FILE SIZE", 2, do_direct },
	{ "shared", "FILE SIZE", 2, do_shared },
	{ "private", "FILE", 1, do_private },
	{ "shmanon", "SIZE", 1, do_shmanon },
	{ "memfd", "SIZE", 1, do_memfd },
	{ "had", "SIZE FILE", 2, do_had },
	{ "forking", "SIZE", 1, do_forking },
	{ "forkcow", "SIZE", 1, do_forkcow },
	{ "mremap", "SIZE", 1, do_mremap },
	{ "dontneed", "SIZE", 1, do_dontneed },
	{ "lazyfree", "SIZE MORE", 2, do_lazyfree },
	{ "churn", "SIZE ROUNDS", 2, do_churn },
	{ "again", "SIZE ROUNDS", 2, do_again },
	{ "truncate", "FILE SIZE [REST]", 2, do_truncate },
	{ "splice", "FROM TO", 2, do_splice },
	{ "vmsplice", "TO", 1, do_vmsplice },
	{ "curve", "GROUP SIZE", 2, do_curve },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
