// SPDX-License-Identifier: GPL-2.0
/* After a batch: does memward say what the model says? */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "binding.h"
#include "execute.h"
#include "worker.h"

/* Of two that raise a mark at once, one may be lost: at most a huge page. */
#define PEAK_SLACK	HUGE_PAGES

/* Differences; printed in the last try alone. */
static int wrong;
static bool loud;

/** check_tries - how often to look before it is a difference */
int check_tries = 6;

/** check_exact, check_bounded - how many numbers were expected, and how */
long check_exact, check_bounded;

static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list args;

	wrong++;
	if (!loud)
		return;
	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static bool read_of(const struct model *m, int group, const char *file,
		    char *text, int room)
{
	char path[128];

	group_path(m, group, path, sizeof(path) - 32);
	strcat(path, file);
	if (read_text(path, text, room))
		return true;
	complain("%s cannot be read", path);
	*text = 0;
	return false;
}

static void check_range(int group, const char *what, long bytes,
			struct range want)
{
	if (want.min == want.max)
		check_exact++;
	else
		check_bounded++;
	if (bytes % (long)PAGE || bytes / (long)PAGE < want.min ||
	    bytes / (long)PAGE > want.max)
		complain("group %d: %s is %g pages, not %ld to %ld", group, what,
			 bytes / (double)PAGE, want.min, want.max);
}

static struct range sum_of(struct range a, struct range b)
{
	return (struct range){ a.min + b.min, a.max + b.max };
}

static void check_stat(const struct model *m, int group, const char *text,
		       uint32_t groups, const char *prefix)
{
	struct range anon = model_expect(m, groups, KIND_ANON);
	struct range file = model_expect(m, groups, KIND_FILE);
	struct range shmem = model_expect(m, groups, KIND_SHMEM);
	char key[32];

	snprintf(key, sizeof(key), "%srss", prefix);
	check_range(group, key, value_of(text, key), anon);
	snprintf(key, sizeof(key), "%scache", prefix);
	check_range(group, key, value_of(text, key), sum_of(file, shmem));
	if (!*prefix)
		return;
	check_range(group, "anon", value_of(text, "anon"), anon);
	check_range(group, "file", value_of(text, "file"), sum_of(file, shmem));
	check_range(group, "shmem", value_of(text, "shmem"), shmem);
}

static long number_in(const struct model *m, int group, const char *file)
{
	char text[32];

	return read_of(m, group, file, text, sizeof(text)) ?
	       strtol(text, NULL, 10) : -1;
}

static void check_limit(const struct model *m, int group)
{
	long usage = number_in(m, group, "/memory.current") / (long)PAGE;

	if (usage > m->group[group].max)
		complain("group %d: memory.current is %ld pages, memory.max %d",
			 group, usage, m->group[group].max);
}

/* A page that is in memory and in swap counts in both, and as swapcached. */
static void check_swap(const struct model *m, int group, uint32_t groups)
{
	long swap = number_in(m, group, "/memory.swap.current");
	char text[4096];

	if (read_of(m, group, "/memory.stat", text, sizeof(text)))
		check_range(group, "memory and swap",
			    swap + value_of(text, "anon") +
			    value_of(text, "shmem") -
			    value_of(text, "swapcached"),
			    model_expect_with_swap(m, groups));
}

/* --- protection --------------------------------------------------------- */

/* One of memory.min and memory.low, and what all groups use, in pages. */
struct shield {
	int setting[MAX_GROUPS];
	long usage[MAX_GROUPS];
};

static long claim_of(const struct shield *shield, int group)
{
	return shield->usage[group] < shield->setting[group] ?
	       shield->usage[group] : shield->setting[group];
}

/* From "memory.min" in the kernel's documentation of cgroup v2, with recursive protection. */
static double protected(const struct model *m, const struct shield *shield, int group)
{
	int parent = m->group[group].parent, pos;
	double has, claims = 0, claim = claim_of(shield, group), spare;

	if (parent == ROOT)
		return shield->setting[group];
	has = protected(m, shield, parent);
	for (pos = FIRST_GROUP; pos < MAX_GROUPS; pos++)
		if (m->group[pos].used && m->group[pos].parent == parent)
			claims += claim_of(shield, pos);
	if (claims > has)
		return has * claim / claims;
	spare = (has < shield->usage[parent] ? has : shield->usage[parent]) - claims;
	if (spare > 0 && shield->usage[group] > claim)
		claim += spare * (shield->usage[group] - claim) /
			 (shield->usage[parent] - claims);
	return claim;
}

/* Twice at each level pages are rounded down. */
static int rounded(const struct model *m, int group)
{
	return group == ROOT ? 0 : 2 + rounded(m, m->group[group].parent);
}

static void check_shield(const struct model *m, const struct shield *shield,
			 int group, const char *stat, const char *key)
{
	double want = protected(m, shield, group);
	long pages = value_of(stat, key) / (long)PAGE;

	check_exact++;
	if (pages > want + 0.01 || pages < want - rounded(m, group))
		complain("group %d: %s is %ld pages, not %.1f", group, key, pages, want);
}

static void check_protection(const struct model *m)
{
	struct shield min = {}, low = {};
	char text[4096];
	int group;

	for (group = FIRST_GROUP; group < MAX_GROUPS; group++)
		if (m->group[group].used) {
			min.usage[group] = low.usage[group] =
				number_in(m, group, "/memory.current") / (long)PAGE;
			min.setting[group] = m->group[group].min;
			low.setting[group] = m->group[group].low;
		}
	for (group = FIRST_GROUP; group < MAX_GROUPS; group++)
		if (m->group[group].used &&
		    read_of(m, group, "/memory.stat", text, sizeof(text))) {
			check_shield(m, &min, group, text, "protected_min");
			check_shield(m, &low, group, text, "protected_low");
		}
}

static void check_setting(const struct model *m, int group, const char *file, long pages)
{
	long bytes = number_in(m, group, file);

	if (bytes != pages * (long)PAGE)
		complain("group %d: %s is %ld, not %ld pages", group, file, bytes, pages);
}

static void check_group(const struct model *m, int group)
{
	uint32_t below = group_below(m, group);
	struct range all = model_expect_all(m, below);
	char text[4096];

	if (read_of(m, group, "/memory.stat", text, sizeof(text))) {
		check_stat(m, group, text, BIT(group), "");
		check_stat(m, group, text, below, "total_");
		if (value_of(text, "pgpgin") - value_of(text, "pgpgout") !=
		    (value_of(text, "rss") + value_of(text, "cache")) / (long)PAGE)
			complain("group %d: pgpgin less pgpgout is not what is there",
				 group);
	}
	if (group == ROOT)
		return;
	if (read_of(m, group, "/memory.current", text, sizeof(text)))
		check_range(group, "memory.current", strtol(text, NULL, 10), all);
	if (read_of(m, group, "/memory.peak", text, sizeof(text)) &&
	    strtol(text, NULL, 10) / (long)PAGE < all.min - PEAK_SLACK)
		complain("group %d: memory.peak is below the usage", group);
	/* "max" reads as 0 */
	check_setting(m, group, "/memory.high", m->group[group].high);
	check_setting(m, group, "/memory.max", m->group[group].max);
	check_setting(m, group, "/memory.min", m->group[group].min);
	check_setting(m, group, "/memory.low", m->group[group].low);
	if (m->group[group].max)
		check_limit(m, group);
	if (model_swaps)
		check_swap(m, group, below);
}

/* --- processes ---------------------------------------------------------- */

static int number_of(const struct model *m, long pid)
{
	int i;

	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		if (m->proc[i].used && desks[i].pid == pid)
			return i;
	return -1;
}

static bool may_be_in(const struct model *m, const struct proc *proc, int group)
{
	return proc->unsure ? groups_by_entries(m, proc) & BIT(group) :
			      proc->group == group;
}

/* A fork while its parent was moved: here it shows where it has come to be. */
static void found(struct model *m, int number, int group)
{
	struct proc *proc = &m->proc[number];

	if (proc->unsure) {
		proc->entry = proc->entries & BIT(group) ? group : NOBODY;
		m->tally.begun_before += proc->entry == proc->before.entry;
	}
	proc->group = group;
	proc->unsure = false;
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		if (!strncmp(text, line, len) && text[len] == '\n')
			return true;
	return false;
}

/* The kernel's own cgroup of a process; -1 for one that there should not be. */
static int cgroup_of(int number)
{
	char path[64], text[256], name[TEXT];
	int i;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", desks[number].pid);
	if (!read_text(path, text, sizeof(text)))
		return -1;
	for (i = 0; i < NR_CGROUPS; i++) {
		cgroup_path(i, name + 3, sizeof(name) - 3);
		memcpy(name, "0::", 3);
		if (has_line(text, i ? name : "0::/"))
			return i;
	}
	return -1;
}

/*
 * Its parent came to another cgroup as it was forked.  If it is where its parent was
 * it was begun before that, and its parent's entry counted.
 */
static void place(struct model *m, int number)
{
	struct proc *proc = &m->proc[number];
	int cgroup = cgroup_of(number);

	if (cgroup != proc->cgroup && cgroup != proc->before.cgroup) {
		complain("process %d is in cgroup %d, not in %d or %d", number,
			 cgroup, proc->before.cgroup, proc->cgroup);
		return;
	}
	if (cgroup != proc->cgroup) {
		proc->entry = proc->before.entry;
		m->tally.begun_before++;
	}
	proc->cgroup = cgroup;
	proc->group = proc->entry ? proc->entry : group_by_cgroup(m, cgroup);
	proc->unplaced = false;
}

static void place_all(struct model *m)
{
	int i;

	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		if (m->proc[i].used && m->proc[i].unplaced)
			place(m, i);
}

/* In the root are all others of the machine as well, clerks among them. */
static void check_members(struct model *m, int group)
{
	static char text[65536];
	char *pos = text;
	uint32_t seen = 0;
	long pid;
	int i;

	if (!read_of(m, group, "/cgroup.procs", text, sizeof(text)))
		return;
	if (strlen(text) == sizeof(text) - 1)
		complain("group %d has more processes than can be read", group);
	while ((pid = strtol(pos, &pos, 10))) {
		i = number_of(m, pid);
		if (i < 0 && group == ROOT)
			continue;
		if (i >= 0 && seen & BIT(i))
			complain("group %d has process %d twice", group, i);
		if (i < 0)
			complain("group %d has a process %ld", group, pid);
		else if (!may_be_in(m, &m->proc[i], group))
			complain("group %d has process %d, which should be in %d",
				 group, i, m->proc[i].group);
		else
			found(m, i, group);
		if (i >= 0)
			seen |= BIT(i);
	}
	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		if (m->proc[i].used && !m->proc[i].unsure &&
		    m->proc[i].group == group && !(seen & BIT(i)))
			complain("group %d has lost process %d", group, i);
}

static void check_events(const struct model *m, int group)
{
	char text[256];

	/* as in cgroup v2, the root has none */
	if (group != ROOT &&
	    read_of(m, group, "/cgroup.events", text, sizeof(text)) &&
	    value_of(text, "populated") != group_is_populated(m, group))
		complain("group %d: populated is %ld", group,
			 value_of(text, "populated"));
	if (read_of(m, group, "/cgroup.stat", text, sizeof(text)) &&
	    value_of(text, "nr_descendants") !=
		    __builtin_popcount(group_below(m, group)) - 1)
		complain("group %d: nr_descendants is %ld", group,
			 value_of(text, "nr_descendants"));
}

static int lines_of(const char *text)
{
	int nr = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		nr++;
	}
	return nr;
}

static void check_bindings(const struct model *m, int group)
{
	char text[1024], path[TEXT];
	int i, bound = 0;

	if (!read_of(m, group, "/memward.bind", text, sizeof(text)))
		return;
	for (i = 1; i < NR_CGROUPS; i++) {
		bound += m->cgroup[i].bound == group;
		cgroup_path(i, path, sizeof(path));
		if (has_line(text, path) != (m->cgroup[i].bound == group))
			complain("group %d: cgroup %d should be bound to %d", group,
				 i, m->cgroup[i].bound);
	}
	if (lines_of(text) != bound)
		complain("group %d: memward.bind has %d lines, not %d", group,
			 lines_of(text), bound);
}

/* Who is in no other group is in the root; nothing but that is known of it. */
static void settle_unsure(struct model *m)
{
	int i;

	for (i = NR_CLERKS; i < MAX_PROCS; i++) {
		if (!m->proc[i].used || !m->proc[i].unsure)
			continue;
		if (!may_be_in(m, &m->proc[i], ROOT))
			complain("process %d is in no group", i);
		found(m, i, ROOT);
	}
}

/* --- all of it ---------------------------------------------------------- */

static void check_audit(const struct model *m)
{
	struct range all = model_expect_all(m, ~BIT(NOBODY));
	long groups, pages;
	char text[4096];

	if (!read_of(m, ROOT, "/memward.audit", text, sizeof(text)))
		return;
	if (sscanf(text, "ok groups=%ld pages=%ld", &groups, &pages) != 2) {
		complain("audit: %s", text);
		return;
	}
	if (groups != __builtin_popcount(group_below(m, ROOT)))
		complain("audit: %ld groups", groups);
	check_range(ROOT, "the audit's sum", pages * PAGE, all);
}

static void check_all(struct model *m)
{
	int group;

	wrong = 0;
	check_audit(m);
	place_all(m);
	for (group = FIRST_GROUP; group < MAX_GROUPS; group++)
		if (m->group[group].used)
			check_members(m, group);
	settle_unsure(m);
	check_members(m, ROOT);
	for (group = ROOT; group < MAX_GROUPS; group++)
		if (m->group[group].used) {
			check_group(m, group);
			check_events(m, group);
			if (model_binds)
				check_bindings(m, group);
		}
	check_protection(m);
}

/* --- what is left behind ------------------------------------------------ */

/* Slots that a processor keeps until it frees them (SWAP_SLOTS_CACHE_SIZE, up to 6.12). */
#define SLOTS_KEPT	64

/*
 * A page that nobody has any more is in the swap cache: it was being written when it
 * was given up; or it had come back and was still there when it was written to, of
 * which 5.10 makes a copy and leaves the page for reclaim to find (6.1 frees it, see
 * free_swap_cache() in wp_page_copy()).  How many are there is the kernel's own
 * number, not memward's; execute_reset() begins with none.
 */
static int left_behind(void)
{
	char text[4096];
	long most = 0;

	if (read_text("/proc/meminfo", text, sizeof(text)))
		most = value_of(text, "SwapCached:") / (PAGE / 1024) +
		       SLOTS_KEPT * sysconf(_SC_NPROCESSORS_CONF);
	return most > LEFT_BEHIND ? most : LEFT_BEHIND;
}

/* --- what is missing ---------------------------------------------------- */

static void say_of_page(const struct page *page, int file, int pos)
{
	printf("# file %d: page %d is not in memory; groups %#x, came in batch %d with process %d, needed in %d%s\n",
	       file, pos, page->owners, page->born, page->by, page->used_in,
	       page->blank ? ", never written to" : "");
}

/* Return: false if it cannot be looked at. */
static bool which_are_there(int file, unsigned char there[REGION_PAGES])
{
	char path[64];
	bool known;
	void *map;
	int fd;

	file_path(file, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	map = mmap(NULL, REGION_PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return false;
	known = !mincore(map, REGION_PAGES * PAGE, there);
	munmap(map, REGION_PAGES * PAGE);
	return known;
}

/* Of what the model is sure of. */
static void say_missing_of(const struct model *m, int file)
{
	const struct file *f = &m->file[file];
	unsigned char there[REGION_PAGES];
	int i;

	if (!which_are_there(file, there)) {
		printf("# file %d cannot be looked at\n", file);
		return;
	}
	for (i = 0; i < REGION_PAGES; i++) {
		const struct page *page = &m->page[f->page[i]];

		if (f->page[i] && page->doubt == IN_MEMORY && !(there[i] & 1))
			say_of_page(page, file, i);
	}
}

static void say_missing(const struct model *m)
{
	int file;

	printf("# batch %d\n", m->batch);
	for (file = 0; file < NR_NAMED; file++)
		if (m->file[file].linked)
			say_missing_of(m, file);
}

/**
 * check() - compare, with nothing running
 * @m: the model; learns where processes are that it was not sure of
 *
 * A freed page may be held for an instant by whoever looks at it, so what
 * differs is looked at again.  What was lost or counted twice stays so.
 *
 * Return: the number of differences, which are printed.
 */
int check(struct model *m)
{
	int i;

	for (i = 1; i <= check_tries; i++) {
		execute_drain();
		m->left_behind = left_behind();
		loud = i == check_tries;
		check_all(m);
		if (!wrong)
			break;
		usleep(20000 << i);
	}
	/* what is generated must not depend on it */
	m->left_behind = LEFT_BEHIND;
	if (wrong)
		say_missing(m);
	return wrong;
}
