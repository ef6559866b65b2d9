// SPDX-License-Identifier: GPL-2.0
/* The files that ask for memory back: memory.reclaim and its relatives. */
#include <linux/kernel.h>
#include <linux/mm.h>

#include <core/reclaim/proactive.h>
#include <fs/fs.h>
#include <pure/parse.h>

/* cgroup v2's grammar: a size, not "max", and perhaps swappiness=N. */
static int write_reclaim(struct mw_open *open, const char *text)
{
	unsigned long pages, reclaimed;
	int swappiness, ret;

	ret = mw_parse_reclaim(text, PAGE_SHIFT, MW_COUNTER_MAX, &pages,
			       &swappiness);
	return ret ?: mw_proactive(open->group, pages, swappiness, &reclaimed);
}

static int show_swap_reclaim(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "%llu\n",
		   (u64)READ_ONCE(open->group->last_reclaim) << PAGE_SHIFT);
	return 0;
}

/* The seed's grammar: bytes or "max"; less than asked for is a success. */
static int write_swap_reclaim(struct mw_open *open, const char *text)
{
	unsigned long pages, reclaimed;
	int ret;

	ret = mw_parse_limit(text, &pages);
	if (ret)
		return ret;
	ret = mw_proactive(open->group, pages, -1, &reclaimed);
	WRITE_ONCE(open->group->last_reclaim, reclaimed);
	return ret == -EINTR && !reclaimed ? ret : 0;
}

/* cgroup v1: whatever is written, all that can be reclaimed is. */
static int write_force_empty(struct mw_open *open, const char *text)
{
	unsigned long reclaimed;
	int ret;

	ret = mw_proactive(open->group, MW_COUNTER_MAX, -1, &reclaimed);
	return ret == -EINTR ? ret : 0;
}

static const struct mw_file reclaim_rows[] = {
	{ MEMWARD_MEMORY_RECLAIM, 0200, MW_EVERYWHERE, NULL, write_reclaim },
	{ MEMWARD_MEMORY_SWAP_RECLAIM, 0644, MW_EVERYWHERE, show_swap_reclaim,
	  write_swap_reclaim },
	{ MEMWARD_MEMORY_FORCE_EMPTY, 0200, MW_EVERYWHERE, NULL,
	  write_force_empty },
};
const struct mw_file_table mw_reclaim_files = {
	reclaim_rows, ARRAY_SIZE(reclaim_rows),
};
