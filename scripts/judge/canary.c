// SPDX-License-Identifier: GPL-2.0
/*
 * canary MAJOR.MINOR.PATCH DIRECTORY [VARIABLE]...
 *
 * What the module would find out about a kernel before it attaches anything, of one
 * that does not run: the module's own tables and its own judgement (src/pure/judge.c),
 * with the type data and the symbols that scripts/judge/extract has put into the
 * directory.  A variable is one that the module looks up by name.
 *
 * Prints a line "attach FEATURE FUNCTION HOW" for each feature, and a line "wrong ..."
 * for everything that is not as expected.  Exit status: 0 if the module would attach,
 * 1 if not, 2 if the files cannot be read.
 */
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/types.h>

#include <pure/judge.h>

/* what LINUX_VERSION_CODE stands for here: a program for all kernels */
static unsigned int canary_version;

/* Debian has both switched on in all of its kernels */
#define CONFIG_TRANSPARENT_HUGEPAGE	1
#define CONFIG_MMU_NOTIFIER		1
#include <compat/features.h>

#define MW_HOOK(feature, symbol, proto, how, required, ...)		\
	{ feature, symbol, proto, how, required },
static const struct mw_hook hooks[] = {
#include <hooks/rows.h>
};

#define NR_HOOKS	ARRAY_SIZE(hooks)
#define MAX_CALLS	100
#define MAX_SIZES	10
#define MAX_NAMES	(NR_HOOKS + MAX_CALLS + 100)

static struct mw_call calls[MAX_CALLS];
static struct mw_size sizes[MAX_SIZES];
static unsigned int nr_calls, nr_sizes, size_found;

static struct mw_sym syms[MAX_NAMES];
static bool traced[MAX_NAMES];
static unsigned int nr_syms;
static struct mw_hook_row rows[NR_HOOKS];

/* the module's pr_err() */
int pr_err(const char *fmt, ...)
{
	va_list args;
	int ret;

	printf("wrong ");
	va_start(args, fmt);
	ret = vprintf(fmt + strlen("memward: "), args);
	va_end(args);
	return ret;
}

/* --- the tables, for the kernel in question --- */

static void add_call(const char *symbol, const char *proto, bool needed)
{
	if (nr_calls == MAX_CALLS)
		errx(2, "too many calls");
	calls[nr_calls++] = (struct mw_call){ symbol, proto, NULL, needed };
}

static void add_size(const char *name, bool needed)
{
	if (nr_sizes == MAX_SIZES)
		errx(2, "too many structures");
	sizes[nr_sizes++] = (struct mw_size){ name, &size_found, needed };
}

static void make_tables(void)
{
#define MW_CALL_IF(needed, name, symbol, proto, ret, params, args)	\
	add_call(symbol, proto, needed);
#define MW_ADDRESS(name, symbol, proto)	add_call(symbol, proto, true);
#define MW_SIZE_IF(needed, type)	add_size(#type, needed);
#include <compat/calls.h>
}

/* --- the kernel's type data and symbols --- */

static char *read_file(const char *dir, const char *name, size_t *size)
{
	char path[4096];
	char *data;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END))
		err(2, "%s", path);
	*size = ftell(file);
	rewind(file);
	data = calloc(1, *size + 1);
	if (!data || fread(data, 1, *size, file) != *size)
		err(2, "%s", path);
	fclose(file);
	return data;
}

static void open_btf(struct mw_btf *btf, const char *dir)
{
	size_t size;
	char *data = read_file(dir, "btf", &size);

	if (mw_btf_open(btf, data, size))
		errx(2, "the type data cannot be read");
	btf->offset = calloc(btf->nr, sizeof(*btf->offset));
	if (!btf->offset || mw_btf_index(btf, btf->offset))
		errx(2, "the type data cannot be read");
}

static void want(const char *name)
{
	if (nr_syms == MAX_NAMES)
		errx(2, "too many names");
	syms[nr_syms++].name = name;
}

/* The kernel has a variable for each tracepoint. */
static void want_hook(const struct mw_hook *hook)
{
	char *name;

	if (asprintf(&name, "%s%s",
		     mw_is_at_tracepoint(hook->how) ? "__tracepoint_" : "",
		     hook->symbol) < 0)
		err(2, "no memory");
	want(name);
}

static void match_line(char *line)
{
	char *mark = strchr(line, ' ');
	unsigned int i;

	if (mark)
		*mark = '\0';
	for (i = 0; i < nr_syms; i++) {
		unsigned int before = syms[i].nr;

		mw_sym_match(&syms[i], line, 0);
		if (syms[i].nr > before)
			traced[i] = mark;
	}
}

/* syms: first those of the hooks, then those of the calls, then the variables. */
static void find_symbols(const char *dir, char **variables)
{
	unsigned int i;
	size_t size;
	char *line, *rest = read_file(dir, "symbols", &size);

	for (i = 0; i < NR_HOOKS; i++)
		want_hook(&hooks[i]);
	for (i = 0; i < nr_calls; i++)
		want(calls[i].symbol);
	while (*variables)
		want(*variables++);
	while ((line = strsep(&rest, "\n")))
		match_line(line);
}

/* --- the judgement --- */

/* The module asks a kprobe, here the kernel's list of such places tells. */
static int find_entry(unsigned int row)
{
	return traced[row] ? 0 : -ENOENT;
}

static unsigned int missing_variables(void)
{
	unsigned int i, bad = 0;

	for (i = NR_HOOKS + nr_calls; i < nr_syms; i++) {
		if (syms[i].nr)
			continue;
		pr_err("memward: the kernel has no %s\n", syms[i].name);
		bad++;
	}
	return bad;
}

static void print_hooks(void)
{
	static const char *const ways[] = {
		[MW_BY_LIVEPATCH] = "livepatch",
		[MW_BY_FTRACE] = "ftrace",
		[MW_BY_DIVERSION] = "diversion",
		[MW_BY_TRACEPOINT] = "tracepoint",
		[MW_BY_DEMAND] = "tracepoint",
		[MW_BY_DEMAND_V1] = "tracepoint",
		[MW_COVERED] = "covered",
	};
	unsigned int i;

	for (i = 0; i < NR_HOOKS; i++)
		if (rows[i].state == MW_HOOK_READY)
			printf("attach %s %s %s\n", hooks[i].feature,
			       hooks[i].symbol, ways[hooks[i].how]);
}

static unsigned int judge(const struct mw_btf *btf)
{
	const struct mw_judge judge = {
		.btf = btf,
		.hooks = hooks,
		.hook_syms = syms,
		.rows = rows,
		.nr_hooks = NR_HOOKS,
		.calls = calls,
		.call_syms = syms + NR_HOOKS,
		.nr_calls = nr_calls,
		.sizes = sizes,
		.nr_sizes = nr_sizes,
	};
	unsigned int bad;

	bad = missing_variables();
	bad += mw_judge_calls(&judge);
	bad += mw_judge_sizes(&judge);
	mw_judge_hooks(&judge);
	mw_judge_entries(&judge, find_entry);
	bad += mw_judge_report(&judge);
	print_hooks();
	return bad;
}

int main(int argc, char **argv)
{
	unsigned int major, minor, patch;
	struct mw_btf btf = {};

	if (argc < 3 || sscanf(argv[1], "%u.%u.%u", &major, &minor, &patch) != 3)
		errx(2, "usage: canary MAJOR.MINOR.PATCH DIRECTORY [VARIABLE]...");
	/* KERNEL_VERSION() has eight bits for the last */
	canary_version = KERNEL_VERSION(major, minor, min(patch, 255U));
	make_tables();
	open_btf(&btf, argv[2]);
	find_symbols(argv[2], argv + 3);
	return judge(&btf) ? 1 : 0;
}
