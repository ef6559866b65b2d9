// SPDX-License-Identifier: GPL-2.0
/*
 * The files that hold a limit, or count how often one was in the way.
 *
 * DOC: A row says where in struct mw_group its value is, and what sets it.
 */
#include <linux/mm.h>

#include <core/group/protection.h>
#include <core/limit/resize.h>
#include <core/reclaim/soft.h>
#include <fs/fs.h>
#include <pure/parse.h>

/**
 * mw_parse_limit() - a limit as it is written to a file
 * @text:  bytes, with a suffix or not, or "max"
 * @pages: whole pages of it; MW_COUNTER_MAX for "max"
 *
 * Return: 0, or -EINVAL with @pages unchanged, see mw_parse_pages().
 */
int mw_parse_limit(const char *text, unsigned long *pages)
{
	return mw_parse_pages(text, PAGE_SHIFT, MW_COUNTER_MAX, pages);
}

/* --- limits --- */

static unsigned long *value_of(struct mw_open *open)
{
	return (void *)open->group + open->row->offset;
}

static int show_limit(struct seq_file *seq, struct mw_open *open)
{
	unsigned long pages = READ_ONCE(*value_of(open));

	if (pages == MW_COUNTER_MAX)
		seq_puts(seq, "max\n");
	else
		mw_print_bytes(seq, pages);
	return 0;
}

static int write_limit(struct mw_open *open, const char *text)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	return ret ?: open->row->set(open, pages);
}

static int set_min(struct mw_open *open, unsigned long pages)
{
	mw_protection_set(open->group, MW_PROTECTION_MIN, pages);
	return 0;
}

static int set_low(struct mw_open *open, unsigned long pages)
{
	mw_protection_set(open->group, MW_PROTECTION_LOW, pages);
	return 0;
}

/* O_NONBLOCK: set it and leave the reclaiming to those who charge */
static bool may_shrink(struct mw_open *open)
{
	return !(open->file->f_flags & O_NONBLOCK);
}

static int set_high(struct mw_open *open, unsigned long pages)
{
	mw_limit_set_high(open->group, pages, may_shrink(open));
	return 0;
}

static int set_max(struct mw_open *open, unsigned long pages)
{
	mw_limit_set_max(open->group, pages, may_shrink(open));
	return 0;
}

/* v1: a limit that cannot be kept is refused */
static int resize(struct mw_open *open, unsigned long pages)
{
	return mw_limit_resize(open->group, pages);
}

static int resize_memsw(struct mw_open *open, unsigned long pages)
{
	return mw_limit_resize_memsw(open->group, pages);
}

static int set_soft(struct mw_open *open, unsigned long pages)
{
	mw_soft_set(open->group, pages);
	return 0;
}

/* Limits of swap stop what is to come; what is there stays. */
static int set_swap(struct mw_open *open, unsigned long pages)
{
	WRITE_ONCE(*value_of(open), pages);
	return 0;
}

/* --- how often --- */

static int show_count(struct seq_file *seq, struct mw_open *open)
{
	atomic_long_t *count = (void *)open->group + open->row->offset;

	seq_printf(seq, "%ld\n", atomic_long_read(count));
	return 0;
}

/* whatever is written, counting begins anew */
static int restart_count(struct mw_open *open, const char *text)
{
	atomic_long_t *count = (void *)open->group + open->row->offset;

	atomic_long_set(count, 0);
	return 0;
}

/* --- the rows --- */

#define PLACE(type, member)						\
	offsetof(struct mw_group, member) + BUILD_BUG_ON_ZERO(		\
		!__same_type(((struct mw_group *)NULL)->member, type))
#define LIMIT(member, setter)						\
	show_limit, write_limit, PLACE(unsigned long, member), setter
#define COUNT(member)							\
	show_count, restart_count, PLACE(atomic_long_t, member)

static const struct mw_file limit_rows[] = {
	{ MEMWARD_MEMORY_MIN, 0644, MW_IN_GROUP,
	  LIMIT(protection[MW_PROTECTION_MIN].setting, set_min) },
	{ MEMWARD_MEMORY_LOW, 0644, MW_IN_GROUP,
	  LIMIT(protection[MW_PROTECTION_LOW].setting, set_low) },
	{ MEMWARD_MEMORY_HIGH, 0644, MW_IN_GROUP, LIMIT(memory.high, set_high) },
	{ MEMWARD_MEMORY_MAX, 0644, MW_IN_GROUP, LIMIT(memory.max, set_max) },
	{ MEMWARD_MEMORY_LIMIT_IN_BYTES, 0644, MW_IN_GROUP, LIMIT(memory.max, resize) },
	{ MEMWARD_MEMORY_SOFT_LIMIT_IN_BYTES, 0644, MW_IN_GROUP, LIMIT(soft, set_soft) },
	{ MEMWARD_MEMORY_FAILCNT, 0644, MW_IN_GROUP, COUNT(failcnt) },
	{ MEMWARD_MEMORY_SWAP_HIGH, 0644, MW_IN_GROUP, LIMIT(swap.high, set_swap) },
	{ MEMWARD_MEMORY_SWAP_MAX, 0644, MW_IN_GROUP, LIMIT(swap.max, set_swap) },
	{ MEMWARD_MEMORY_MEMSW_LIMIT_IN_BYTES, 0644, MW_IN_GROUP,
	  LIMIT(memsw_max, resize_memsw) },
	{ MEMWARD_MEMORY_MEMSW_FAILCNT, 0644, MW_IN_GROUP, COUNT(memsw_failcnt) },
};
const struct mw_file_table mw_limit_files = {
	limit_rows, ARRAY_SIZE(limit_rows),
};
