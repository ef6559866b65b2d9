// SPDX-License-Identifier: GPL-2.0
/*
 * Writes and reads all files of groups and of the root in random ways, several
 * processes at once, and knows what must come of it: which text is refused with
 * which error, what a file may say, which limits were ever written.  What each
 * process does follows from the seed and its number alone.
 */
#include "common.h"

#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#define NR_GROUPS	3
#define TEXT_MAX	20000
/* no limit, in pages: larger ones are cut to it, and "max" is said */
#define MAX_PAGES	((~0UL >> 1) / PAGE)
#define SET_SIZE	(1 << 16)

/* --- random numbers ------------------------------------------------------- */

static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL;
}

/* Anew for each operation: how much is drawn in one depends on what others do meanwhile. */
static void seed_it(uint64_t seed, unsigned int worker, unsigned int op)
{
	int i;

	state = (seed + 1) * 0x9e3779b97f4a7c15ULL ^ (worker + 1) * 0xbf58476d1ce4e5b9ULL ^
		(op + 1) * 0x94d049bb133111ebULL;
	for (i = 0; i < 8; i++)
		rnd();
}

static unsigned int below(unsigned int limit)
{
	return (rnd() >> 33) % limit;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

#define PICK(array)	((array)[below(ARRAY_SIZE(array))])

/* --- what all processes share --------------------------------------------- */

#define NR_LIMITS 8
/* the first of those that are nothing at first */
#define FIRST_PROTECTION 6

/**
 * struct shared - known to all workers
 * @limit: values in pages, plus one, that somebody wrote to a limit
 */
static struct shared {
	uint64_t limit[NR_LIMITS][NR_GROUPS + 1][SET_SIZE];
} *shared;

static void note_limit(int limit, int group, uint64_t pages)
{
	uint64_t *set = shared->limit[limit][group], want = pages + 1;
	size_t i;

	for (i = pages * 0x9e3779b97f4a7c15ULL >> 48;; i = (i + 1) % SET_SIZE) {
		uint64_t empty = 0;

		if (__atomic_compare_exchange_n(&set[i], &empty, want, false,
						__ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    empty == want)
			return;
	}
}

static bool was_noted(int limit, int group, uint64_t pages)
{
	uint64_t *set = shared->limit[limit][group], want = pages + 1, found;
	size_t i;

	for (i = pages * 0x9e3779b97f4a7c15ULL >> 48;; i = (i + 1) % SET_SIZE) {
		found = __atomic_load_n(&set[i], __ATOMIC_SEQ_CST);
		if (!found || found == want)
			return found;
	}
}

/* --- where a process is ---------------------------------------------------- */

static const char *top;
static int worker, op;
static pid_t dummy;

static void wrong(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

static void wrong(const char *format, ...)
{
	char line[1024];
	va_list args;
	int len;

	va_start(args, format);
	len = snprintf(line, sizeof(line), "wrong: worker %d operation %d: ",
		       worker, op);
	len += vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	va_end(args);
	if (len > (int)sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	if (write(STDOUT_FILENO, line, len) != len)
		perror("stdout");
	exit(1);
}

/* A text as a C programmer would write it, cut. */
static const char *shown(const char *text, size_t len)
{
	static char buf[256];
	size_t i, at = 0;

	for (i = 0; i < len && at < sizeof(buf) - 8; i++)
		at += isprint((unsigned char)text[i]) ?
		      sprintf(buf + at, "%c", text[i]) :
		      sprintf(buf + at, "\\x%02x", (unsigned char)text[i]);
	buf[at] = 0;
	return buf;
}

/* --- what a text means: the same grammar, written down once more ------------- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void strip(const char **text, size_t *len)
{
	while (*len && is_blank((*text)[*len - 1]))
		--*len;
	while (*len && is_blank(**text)) {
		++*text;
		--*len;
	}
}

static bool equals(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

static bool digits(const char *text, size_t len, unsigned __int128 *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (*value < (unsigned __int128)1 << 100)
			*value = *value * 10 + (text[i] - '0');
	}
	return len;
}

static int mean_size(const char *text, size_t len, uint64_t *pages)
{
	static const char suffixes[] = "kmgtpe";
	unsigned __int128 value;
	int shift = 0;

	strip(&text, &len);
	if (equals(text, len, "max") || equals(text, len, "-1")) {
		*pages = MAX_PAGES;
		return 0;
	}
	if (len && strchr(suffixes, tolower((unsigned char)text[len - 1])))
		shift = 10 * (strchr(suffixes, tolower((unsigned char)text[--len])) -
			      suffixes + 1);
	if (!digits(text, len, &value) || value >> 64 || value << shift >> 64)
		return EINVAL;
	*pages = (uint64_t)(value << shift) / PAGE;
	if (*pages > MAX_PAGES)
		*pages = MAX_PAGES;
	return 0;
}

static int mean_number(const char *text, size_t len, uint64_t max,
		       uint64_t *number)
{
	unsigned __int128 value;

	strip(&text, &len);
	if (!digits(text, len, &value) || value > max)
		return EINVAL;
	*number = value;
	return 0;
}

static int mean_bound(const char *text, size_t len, uint64_t most)
{
	uint64_t number;

	strip(&text, &len);
	return equals(text, len, "max") ? 0 :
	       mean_number(text, len, most, &number);
}

static int mean_action(const char *text, size_t len)
{
	strip(&text, &len);
	return equals(text, len, "wait") || equals(text, len, "lift") ||
	       equals(text, len, "kill") ? 0 : EINVAL;
}

/* Of memory.reclaim: a size, not "max", and perhaps swappiness=N behind a blank. */
static int mean_reclaim(const char *text, size_t len, uint64_t *pages)
{
	static const char key[] = "swappiness=";
	const char *at = text;
	uint64_t value;
	size_t size;

	strip(&text, &len);
	at = text;
	while (at < text + len && !is_blank(*at))
		at++;
	size = at - text;
	if (equals(text, size, "max") || equals(text, size, "-1") ||
	    mean_size(text, size, pages))
		return EINVAL;
	len -= size;
	strip(&at, &len);
	if (!len)
		return 0;
	if (len < sizeof(key) || memcmp(at, key, sizeof(key) - 1))
		return EINVAL;
	at += sizeof(key) - 1;
	len -= sizeof(key) - 1;
	if (equals(at, len, "max"))
		return 0;
	return is_blank(*at) ? EINVAL : mean_number(at, len, 200, &value);
}

static int mean_controllers(const char *text, size_t len)
{
	strip(&text, &len);
	if (!len)
		return EINVAL;
	while (len) {
		size_t word = 0;

		while (word < len && !strchr(" \t\n", text[word]))
			word++;
		if (equals(text, word, "-memory"))
			return EOPNOTSUPP;
		if (word && !equals(text, word, "+memory"))
			return EINVAL;
		word += word < len;
		text += word;
		len -= word;
	}
	return 0;
}

static int mean_type(const char *text, size_t len)
{
	while (len && is_blank(text[len - 1]))
		len--;
	/* blanks before a word are only skipped where a number is expected */
	while (len && is_blank(*text)) {
		text++;
		len--;
	}
	if (equals(text, len, "domain"))
		return 0;
	return equals(text, len, "threaded") ? EOPNOTSUPP : EINVAL;
}

static bool are_dots(const char *text, size_t len)
{
	return equals(text, len, ".") || equals(text, len, "..");
}

/*
 * Nothing that is there is bound: the whole machine would be in a group.  A number may be
 * that of a cgroup.
 */
static int mean_path(const char *text, size_t len)
{
	bool is_root = true;
	size_t part;

	strip(&text, &len);
	if (len && *text == '-') {
		text++;
		len--;
		/* a number may have blanks before it, but a path is none then */
		if (len && is_blank(*text)) {
			strip(&text, &len);
			return len && *text >= '0' && *text <= '9' ? -2 : EINVAL;
		}
	}
	if (!len || *text != '/')
		return len && *text >= '0' && *text <= '9' ? -2 : EINVAL;
	if (memchr(text, '\n', len))
		return EINVAL;
	while (len) {
		for (part = 0; part < len && text[part] != '/'; part++)
			;
		if (are_dots(text, part))
			return EINVAL;
		if (part > 255)
			return ENAMETOOLONG;
		is_root &= !part;
		part += part < len;
		text += part;
		len -= part;
	}
	return is_root ? -2 : -1;
}

/* --- the files ------------------------------------------------------------- */

enum says { NUMBER, LIMIT, COUNT, BOUND, ACTION, PIDS, PATHS, KEYS, WORD, LINES, NOTHING };
enum takes {
	REFUSED, SIZE, ORDERED, US, PERCENT, BOUND_OF_TREE, WHAT_TO_DO, FLAG, TO_200, RECLAIM, PID, ADOPTED, PATH, CONTROLLERS, TYPE, KILL,
	ANYTHING
};

static const struct file {
	const char *name;
	enum says says;
	enum takes takes;
	const char *word;	/* of WORD: all of it; of KEYS and LINES: how it begins */
	bool in_root, in_group;
} files[] = {
	{ "cgroup.procs", PIDS, PID, NULL, true, true },
	{ "tasks", PIDS, PID, NULL, true, true },
	{ "cgroup.controllers", WORD, REFUSED, "memory\n", true, true },
	{ "cgroup.subtree_control", WORD, CONTROLLERS, "memory\n", true, true },
	{ "cgroup.events", KEYS, REFUSED, "populated ", false, true },
	{ "cgroup.stat", KEYS, REFUSED, "nr_descendants ", true, true },
	{ "cgroup.max.depth", BOUND, BOUND_OF_TREE, NULL, true, true },
	{ "cgroup.max.descendants", BOUND, BOUND_OF_TREE, NULL, true, true },
	{ "cgroup.type", WORD, TYPE, "domain\n", false, true },
	{ "cgroup.kill", NOTHING, KILL, NULL, false, true },
	{ "memward.bind", PATHS, PATH, NULL, true, true },
	{ "memward.adopt", NOTHING, ADOPTED, NULL, true, true },
	{ "memory.current", NUMBER, REFUSED, NULL, true, true },
	{ "memory.usage_in_bytes", NUMBER, REFUSED, NULL, true, true },
	{ "memory.peak", NUMBER, ANYTHING, NULL, true, true },
	{ "memory.max_usage_in_bytes", NUMBER, ANYTHING, NULL, true, true },
	{ "memory.min", LIMIT, SIZE, NULL, false, true },
	{ "memory.low", LIMIT, SIZE, NULL, false, true },
	{ "memory.high", LIMIT, SIZE, NULL, false, true },
	{ "memory.max", LIMIT, SIZE, NULL, false, true },
	{ "memory.limit_in_bytes", LIMIT, ORDERED, NULL, false, true },
	{ "memory.high.stall_max", BOUND, US, NULL, false, true },
	{ "memory.high.stall_action", ACTION, WHAT_TO_DO, NULL, false, true },
	{ "memory.soft_limit_in_bytes", LIMIT, SIZE, NULL, false, true },
	{ "memory.swap.current", NUMBER, REFUSED, NULL, false, true },
	{ "memory.swap.peak", NUMBER, ANYTHING, NULL, false, true },
	{ "memory.swap.high", LIMIT, SIZE, NULL, false, true },
	{ "memory.swap.max", LIMIT, SIZE, NULL, false, true },
	{ "memory.swap.events", KEYS, REFUSED, "high ", false, true },
	{ "memory.memsw.usage_in_bytes", NUMBER, REFUSED, NULL, false, true },
	{ "memory.memsw.max_usage_in_bytes", NUMBER, ANYTHING, NULL, false, true },
	{ "memory.memsw.limit_in_bytes", LIMIT, ORDERED, NULL, false, true },
	{ "memory.memsw.failcnt", COUNT, ANYTHING, NULL, false, true },
	{ "memory.failcnt", COUNT, ANYTHING, NULL, false, true },
	{ "memory.dirty_ratio", BOUND, PERCENT, NULL, false, true },
	{ "memory.oom.group", COUNT, FLAG, NULL, false, true },
	{ "memory.swappiness", COUNT, TO_200, NULL, true, true },
	{ "memory.reclaim", NOTHING, RECLAIM, NULL, true, true },
	{ "memory.swap.reclaim", NUMBER, SIZE, NULL, true, true },
	{ "memory.force_empty", NOTHING, ANYTHING, NULL, true, true },
	{ "memory.events", KEYS, REFUSED, "low ", true, true },
	{ "memory.events.local", KEYS, REFUSED, "low ", true, true },
	{ "memory.stat", KEYS, REFUSED, "anon ", true, true },
	{ "memward.version", LINES, REFUSED, "", true, false },
	{ "memward.status", LINES, REFUSED, "feature ", true, false },
	{ "memward.audit", LINES, REFUSED, "ok ", true, false },
};

/* Which limit a file is about: memory.max has two names, the others one. */
static int limit_of(const struct file *file)
{
	static const char *const names[NR_LIMITS] = {
		"memory.max", "memory.high", "memory.soft_limit_in_bytes",
		"memory.swap.high", "memory.swap.max",
		"memory.memsw.limit_in_bytes",
		"memory.min", "memory.low",
	};
	int i;

	for (i = 0; i < NR_LIMITS; i++)
		if (!strcmp(file->name, names[i]))
			return i;
	return 0;
}

/* A group's number, or NR_GROUPS for the root. */
static const char *path_of(int group, const char *name)
{
	static char path[512];

	if (group == NR_GROUPS)
		snprintf(path, sizeof(path), "%s/../%s", top, name);
	else
		snprintf(path, sizeof(path), "%s/f%d/%s", top, group, name);
	return path;
}

static const struct file *pick_file(int group)
{
	for (;;) {
		const struct file *file = &PICK(files);

		/* they walk all of memory */
		if (!strcmp(file->name, "memward.audit") && !one_in(20))
			continue;
		if (group == NR_GROUPS ? file->in_root : file->in_group)
			return file;
	}
}

static int open_it(int group, const struct file *file, int flags)
{
	int fd = open(path_of(group, file->name), flags | O_CLOEXEC, 0644);

	if (fd < 0)
		wrong("open %s with %#x: %s", path_of(group, file->name), flags,
		      errno_name(errno));
	return fd;
}

/* --- what a file may say ----------------------------------------------------- */

static void check_count(const char *what, const char *text, size_t len)
{
	unsigned __int128 value;

	if (!len || text[len - 1] != '\n' || !digits(text, len - 1, &value) ||
	    value >> 64)
		wrong("%s says '%s'", what, shown(text, len));
}

static void check_number(const struct file *file, const char *text, size_t len,
			 int group)
{
	bool limit = file->says == LIMIT;
	const char *what = file->name;
	unsigned __int128 value;
	uint64_t pages = MAX_PAGES;

	if (!len || text[len - 1] != '\n')
		wrong("%s says '%s'", what, shown(text, len));
	len--;
	if (!limit || !equals(text, len, "max")) {
		if (!digits(text, len, &value) || value % PAGE || value >> 64)
			wrong("%s says '%s'", what, shown(text, len));
		pages = value / PAGE;
	}
	if (limit && !was_noted(limit_of(file), group, pages))
		wrong("%s says '%s', which nobody wrote", what, shown(text, len));
}

/* Lines of a key and a number, no key twice in a row. */
static bool are_keys(const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		const char *blank = end ? memchr(text, ' ', end - text) : NULL;
		unsigned __int128 value;

		if (!blank || blank == text ||
		    !digits(blank + 1, end - blank - 1, &value) || value >> 64)
			return false;
		len -= end + 1 - text;
		text = end + 1;
	}
	return true;
}

static bool are_pids(const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		unsigned __int128 value;

		if (!end || !digits(text, end - text, &value) || !value ||
		    value > 4 << 20)
			return false;
		len -= end + 1 - text;
		text = end + 1;
	}
	return true;
}

static bool are_paths(const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);

		if (!end || *text != '/' || end[-1] == '/')
			return false;
		len -= end + 1 - text;
		text = end + 1;
	}
	return true;
}

static void check_text(const struct file *file, int group, const char *text,
		       size_t len)
{
	bool ok = true;

	switch (file->says) {
	case NUMBER:
	case LIMIT:
		check_number(file, text, len, group);
		break;
	case BOUND:
		if (equals(text, len, "max\n"))
			break;
		/* fall through */
	case COUNT:
		check_count(file->name, text, len);
		break;
	case ACTION:
		ok = equals(text, len, "wait\n") || equals(text, len, "lift\n") ||
		     equals(text, len, "kill\n");
		break;
	case PIDS:
		ok = are_pids(text, len);
		break;
	case PATHS:
		/* there may be more than there is room for here */
		ok = len + PAGE > TEXT_MAX || are_paths(text, len);
		break;
	case KEYS:
		ok = are_keys(text, len);
		/* fall through */
	case LINES:
		ok = ok && len && text[len - 1] == '\n' &&
		     !strncmp(text, file->word, strlen(file->word));
		break;
	case WORD:
		ok = equals(text, len, file->word);
		break;
	case NOTHING:
		break;
	}
	if (!ok)
		wrong("%s says '%s'", file->name, shown(text, len));
}

/* --- reading ---------------------------------------------------------------- */

static char text[TEXT_MAX + 1], again[TEXT_MAX + 1];

/* To the end, in pieces of up to so many bytes. */
static size_t read_all(int fd, const char *name, char *to, unsigned int piece)
{
	size_t len = 0;
	ssize_t ret;

	do {
		ret = read(fd, to + len, piece ? 1 + below(piece) : TEXT_MAX - len);
		if (ret < 0)
			wrong("read %s: %s", name, errno_name(errno));
		len += ret;
	} while (ret && len + piece < TEXT_MAX);
	to[len] = 0;
	return len;
}

static void read_once(int group, const struct file *file)
{
	static const unsigned int pieces[] = { 0, 1, 3, 17, 100, 5000 };
	int fd = open_it(group, file, O_RDONLY);
	unsigned int piece = PICK(pieces);

	check_text(file, group, text, read_all(fd, file->name, text, piece));
	if (one_in(2)) {
		if (lseek(fd, 0, SEEK_SET))
			wrong("lseek %s", file->name);
		check_text(file, group, text, read_all(fd, file->name, text, piece));
	}
	close(fd);
}

static const long long odd_offsets[] = {
	0, 1, 2, 7, 4095, 4096, 4097, 1 << 20, 0x7fffffff, 0xffffffffLL,
	0x7ffffffffffff000LL, 0x7fffffffffffffffLL, -1, -4096,
	-0x7fffffffffffffffLL - 1,
};

static void no_such_thing(const char *name, const char *what, long ret, int want)
{
	if (ret >= 0 || errno != want)
		wrong("%s of %s: %s", what, name, errno_name(ret < 0 ? errno : 0));
}

/* Whatever was done to the file, from its beginning it says what it may say. */
static void read_oddly(int group, const struct file *file)
{
	int fd = open_it(group, file, O_RDONLY), i;
	ssize_t ret;

	for (i = 0; i < 6; i++) {
		long long offset = PICK(odd_offsets);

		switch (below(3)) {
		case 0:
			ret = pread(fd, again, below(TEXT_MAX), offset);
			if (offset < 0 && ret >= 0)
				wrong("pread of %s at %lld", file->name, offset);
			break;
		case 1:
			lseek(fd, offset, below(3));
			break;
		case 2:
			ret = read(fd, again, below(64));
			break;
		}
	}
	if (lseek(fd, 0, SEEK_SET))
		wrong("lseek %s", file->name);
	check_text(file, group, text, read_all(fd, file->name, text, 0));
	close(fd);
}

static void read_through_pipe(int group, const struct file *file)
{
	int fd = open_it(group, file, O_RDONLY), ends[2];
	off_t offset = 0;
	ssize_t ret;

	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC))
		die("pipe");
	if (one_in(2))
		ret = sendfile(ends[1], fd, one_in(2) ? &offset : NULL, 1 + below(9000));
	else
		ret = splice(fd, NULL, ends[1], NULL, 1 + below(9000), 0);
	if (ret < 0 && errno != EAGAIN)
		wrong("sendfile or splice of %s: %s", file->name, errno_name(errno));
	/* all of it, if there was room for all */
	if (ret > 0 && read(ends[0], text, TEXT_MAX) != ret)
		wrong("%zd bytes of %s are not in the pipe", ret, file->name);
	if (ret > 0 && text[ret - 1] == '\n' && file->says != KEYS &&
	    file->says != LINES && file->says != PIDS)
		check_text(file, group, text, ret);
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void misuse(int group, const struct file *file)
{
	int fd = open_it(group, file, O_RDONLY);
	struct pollfd pollfd = { .fd = fd, .events = POLLIN | POLLPRI };
	void *volatile nowhere = (void *)8;

	switch (below(8)) {
	case 0:
		no_such_thing(file->name, "mmap",
			      (long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0),
			      ENODEV);
		break;
	case 1:
		no_such_thing(file->name, "ioctl", ioctl(fd, rnd(), text), ENOTTY);
		break;
	case 2:
		no_such_thing(file->name, "write", write(fd, "1", 1), EBADF);
		break;
	case 3:
		no_such_thing(file->name, "ftruncate", ftruncate(fd, 0), EINVAL);
		break;
	case 4:
		poll(&pollfd, 1, 0);
		break;
	case 5:
		no_such_thing(file->name, "getdents", getdents64(fd, text, 4096),
			      ENOTDIR);
		break;
	case 6:
		no_such_thing(file->name, "fsync", fsync(fd), EINVAL);
		break;
	case 7:
		/* a list may be empty */
		if (file->says == PIDS || file->says == PATHS)
			break;
		no_such_thing(file->name, "read to nowhere",
			      read(fd, nowhere, 4096) ?: 1, EFAULT);
		break;
	}
	close(fd);
}

/* --- making texts ----------------------------------------------------------- */

static const char *const words[] = {
	"max", "-1", "MAX", "maxx", "ma", "0", "1", "00000", "4095", "4096",
	"4097", "9223372036854775807", "9223372036854775808",
	"18446744073709551615", "18446744073709551616", "99999999999999999999999",
	"0x10", "1e3", "+5", "-5", "1.5", "K", "k", "M", "g", "T", "p", "E", "B",
	"KB", " ", "\t", "\n", "\v", "\r", "\xa0", ",", "+memory", "-memory",
	"+cpu", "memory", "+", "wait", "lift", "kill", "domain", "threaded", "Domain", "\xff", "%s%n", "/", "/fuzz", "/a b", "-/", "//", "/.", "/..", "...",
	"999999999", "2147483647", "2147483648", "4294967296", "4194305",
};

static size_t make_text(char *to)
{
	size_t len = 0, i, parts = below(5);

	switch (below(10)) {
	case 0:	/* bytes */
		len = below(40);
		for (i = 0; i < len; i++)
			to[i] = rnd();
		break;
	case 1:	/* long */
		len = one_in(2) ? 4090 + below(12) : below(TEXT_MAX);
		memset(to, PICK(words)[0], len);
		break;
	case 2:	/* a number, with a suffix or without */
		len = sprintf(to, "%llu%c", (unsigned long long)rnd() >> below(64),
			      "kKmMgGtTpPeE  \nx"[below(16)]);
		break;
	case 3:	/* this worker's own child */
		len = sprintf(to, "%d%s", dummy, one_in(2) ? "\n" : "");
		break;
	default:
		for (i = 0; i <= parts; i++)
			len += sprintf(to + len, "%s", PICK(words));
	}
	/* a byte anywhere, zero included */
	if (len && one_in(8))
		to[below(len)] = one_in(2) ? 0 : rnd();
	return len;
}

/* --- writing ---------------------------------------------------------------- */

static bool is_listed(int group)
{
	int fd = open(path_of(group, "cgroup.procs"), O_RDONLY | O_CLOEXEC);
	char line[16], *at;
	size_t len;

	len = read_all(fd, "cgroup.procs", again, 0);
	close(fd);
	again[len] = 0;
	sprintf(line, "%d\n", dummy);
	at = strstr(again, line);
	return at && (at == again || at[-1] == '\n');
}

/* What the file will answer, -1 if that is not known, -2 if it must not be written. */
static int expected(const struct file *file, int group, const char *from,
		    size_t len)
{
	uint64_t number;
	int error;

	if (!len || len > PAGE || memchr(from, 0, len))
		return EINVAL;
	switch (file->takes) {
	case REFUSED:
		return EACCES;
	case ANYTHING:
		return 0;
	case CONTROLLERS:
		return mean_controllers(from, len);
	case TYPE:
		return mean_type(from, len);
	case KILL:
		error = mean_number(from, len, 1, &number);
		return error ?: number ? -2 : ERANGE;
	case SIZE:
	case ORDERED:
		error = mean_size(from, len, &number);
		if (!error && file->says == LIMIT)
			note_limit(limit_of(file), group, number);
		/* memory.max and its like for memory and swap must be in order */
		return !error && file->takes == ORDERED ? -1 : error;
	case US:
		return mean_bound(from, len, UINT64_MAX - 1);
	case PERCENT:
		return mean_bound(from, len, 100);
	case BOUND_OF_TREE:
		return mean_bound(from, len, INT32_MAX - 1);
	case WHAT_TO_DO:
		return mean_action(from, len);
	case FLAG:
		return mean_number(from, len, 1, &number);
	case TO_200:
		return mean_number(from, len, 200, &number);
	case RECLAIM:
		error = mean_reclaim(from, len, &number);
		/* there is nothing to be reclaimed; or there is */
		return error ?: number ? -1 : 0;
	case PATH:
		/* what is bound to the root stays */
		return group == NR_GROUPS ? -2 : mean_path(from, len);
	case PID:
		error = mean_number(from, len, 0x7fffffff, &number);
		if (error || (pid_t)number == dummy)
			return error;
		/* nobody else's process; above what there can be is nobody */
		return number > 4 << 20 ? ESRCH : -2;
	case ADOPTED:
		error = mean_number(from, len, 0x7fffffff, &number);
		if (error || number > 4 << 20)
			return error ?: ESRCH;
		/* who is exempt from being killed, as the child is, is to have nothing */
		return -2;
	}
	return -1;
}

static void write_once(int group, const struct file *file)
{
	static const int flags[] = { O_WRONLY, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND,
				     O_WRONLY | O_CREAT, O_RDWR };
	size_t len = make_text(text);
	int want = expected(file, group, text, len), fd;
	ssize_t ret;

	if (want == -2 || file->takes == REFUSED)
		return;
	fd = open_it(group, file, file->says == NOTHING ? O_WRONLY : PICK(flags));
	if (one_in(2))
		ret = write(fd, text, len);
	else
		ret = pwrite(fd, text, len, below(1 << 20));
	if (want < 0 ? false : want ? ret >= 0 || errno != want : ret != (ssize_t)len)
		wrong("'%s' (%zu bytes) to %s/%s: %zd %s, not %s", shown(text, len),
		      len, path_of(group, ""), file->name, ret,
		      errno_name(ret < 0 ? errno : 0), errno_name(want));
	close(fd);
	if (file->takes == PID && !want && !is_listed(group))
		wrong("%d is not in %s", dummy, path_of(group, file->name));
}

/* From memory that ends in the middle: nothing may have changed. */
static void write_fault(int group, const struct file *file)
{
	static char *two_pages;
	size_t len;
	int fd;

	if (file->takes == REFUSED)
		return;
	if (!two_pages) {
		two_pages = map_anon(2 * PAGE);
		if (mprotect(two_pages + PAGE, PAGE, PROT_NONE))
			die("mprotect");
		memset(two_pages, '1', PAGE);
	}
	len = 1 + below(20);
	fd = open_it(group, file, O_WRONLY);
	if (write(fd, two_pages + PAGE - below(len), len) >= 0 || errno != EFAULT)
		wrong("write from nowhere to %s", file->name);
	close(fd);
}

static void write_refused(int group, const struct file *file)
{
	int fd;

	if (file->takes != REFUSED)
		return;
	fd = open(path_of(group, file->name), one_in(2) ? O_WRONLY : O_RDWR);
	if (fd >= 0 || errno != EACCES)
		wrong("open %s for writing", file->name);
}

static void send_to(int group, const struct file *file)
{
	int from = open_it(group, &files[2], O_RDONLY);
	int fd;

	if (file->takes == REFUSED) {
		close(from);
		return;
	}
	/* "memory\n", which is nobody's value; files without splice_write refuse */
	fd = open_it(group, file, O_WRONLY);
	if (file->takes != ANYTHING && sendfile(fd, from, NULL, 100) >= 0)
		wrong("sendfile to %s", file->name);
	close(fd);
	close(from);
}

/* --- groups that go ----------------------------------------------------------- */

static void dying_group(void)
{
	const struct file *file;
	char dir[256], path[512];
	int fd, want;

	do
		file = pick_file(0);
	while (file->takes == REFUSED && file->says == NOTHING);
	snprintf(dir, sizeof(dir), "%s/f%d/w%d", top, below(NR_GROUPS), worker);
	if (mkdir(dir, 0755)) {
		/* a bound that was written */
		if (errno == EAGAIN)
			return;
		wrong("mkdir %s: %s", dir, errno_name(errno));
	}
	snprintf(path, sizeof(path), "%s/%s", dir, file->name);
	fd = open(path, file->takes == REFUSED ? O_RDONLY : O_WRONLY);
	if (fd < 0)
		wrong("open %s: %s", path, errno_name(errno));
	if (rmdir(dir))
		wrong("rmdir %s: %s", dir, errno_name(errno));
	if (file->takes == REFUSED) {
		no_such_thing(path, "read", read(fd, text, 100) ?: 1, ENODEV);
	} else {
		size_t len = make_text(text);

		want = !len || len > PAGE || memchr(text, 0, len) ? EINVAL : ENODEV;
		no_such_thing(path, "write", write(fd, text, len), want);
	}
	close(fd);
}

static void list_dir(int group)
{
	DIR *dir = opendir(path_of(group, ""));
	struct dirent *entry;
	int nr = 0, want = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		want += group == NR_GROUPS ? files[i].in_root : files[i].in_group;
	if (!dir)
		wrong("opendir %s", path_of(group, ""));
	while ((entry = readdir(dir)))
		nr += entry->d_type == DT_REG;
	if (nr != want)
		wrong("%d files in %s", nr, path_of(group, ""));
	seekdir(dir, PICK(odd_offsets));
	readdir(dir);
	lseek(dirfd(dir), PICK(odd_offsets), below(3));
	while (readdir(dir) && one_in(2))
		;
	closedir(dir);
}

/* --- the workers ------------------------------------------------------------- */

static void one_operation(void)
{
	int group = below(NR_GROUPS + 1);
	const struct file *file = pick_file(group);

	switch (below(20)) {
	case 0:
		write_fault(group, file);
		return;
	case 1:
		write_refused(group, file);
		return;
	case 2:
		send_to(group, file);
		return;
	case 3:
		dying_group();
		return;
	case 4:
		list_dir(group);
		return;
	case 5 ... 12:
		write_once(group, file);
		return;
	}
	if (file->says == NOTHING)
		return;
	switch (below(6)) {
	case 0:
		read_oddly(group, file);
		break;
	case 1:
		read_through_pipe(group, file);
		break;
	case 2:
		misuse(group, file);
		break;
	default:
		read_once(group, file);
	}
}

/*
 * It is stopped before it is moved anywhere: what it touches on its way would be a group's
 * memory, which a limit of nothing finds nobody to kill for.
 */
static void start_dummy(void)
{
	int status;

	dummy = fork_or_die();
	if (!dummy) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			raise(SIGSTOP);
	}
	if (waitpid(dummy, &status, WUNTRACED) != dummy || !WIFSTOPPED(status))
		die("the child that is to be moved");
}

static void work(int nr, uint64_t seed, int ops)
{
	worker = nr;
	start_dummy();
	for (op = 0; op < ops; op++) {
		seed_it(seed, nr, op);
		one_operation();
	}
	kill(dummy, SIGKILL);
	wait_for(dummy);
	exit(0);
}

static void make_groups(void)
{
	char path[512];
	int i, limit;

	for (i = 0; i < NR_GROUPS; i++) {
		snprintf(path, sizeof(path), "%s/f%d", top, i);
		if (mkdir(path, 0755))
			die("mkdir %s", path);
		for (limit = 0; limit < NR_LIMITS; limit++)
			note_limit(limit, i, limit < FIRST_PROTECTION ?
						     MAX_PAGES : 0);
	}
}

/* At rest, every file once more. */
static int check_all(void)
{
	size_t i;
	int group;

	worker = -1;
	for (group = 0; group <= NR_GROUPS; group++)
		for (i = 0; i < ARRAY_SIZE(files); i++) {
			const struct file *file = &files[i];

			if (file->says == NOTHING ||
			    !(group == NR_GROUPS ? file->in_root : file->in_group))
				continue;
			read_once(group, file);
		}
	return 0;
}

static int do_run(char **args)
{
	uint64_t seed = strtoull(args[1], NULL, 10);
	int nr = atoi(args[2]), ops = atoi(args[3]), failed = 0, i, status;

	top = args[0];
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	/* limits of next to nothing are written too, and nobody is to die of them */
	write_text("/proc/self/oom_score_adj", "-1000");
	make_groups();
	for (i = 0; i < nr; i++)
		if (!fork_or_die())
			work(i, seed, ops);
	while (wait(&status) > 0)
		failed += !WIFEXITED(status) || WEXITSTATUS(status);
	if (!failed)
		failed = check_all();
	printf("seed %llu: %d workers, %d operations each, %d failed\n",
	       (unsigned long long)seed, nr, ops, failed);
	return !!failed;
}

static const struct verb verbs[] = {
	{ "run", "GROUP SEED WORKERS OPERATIONS", 4, do_run },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
