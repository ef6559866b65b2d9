// SPDX-License-Identifier: GPL-2.0
/* The memory.* files that are neither limits nor statistics. */
#include <linux/mm.h>
#include <linux/string.h>

#include <compat/reclaim.h>
#include <core/charge/stock.h>
#include <core/group/unwritten.h>
#include <core/limit/stall.h>
#include <fs/fs.h>
#include <pure/parse.h>

/** mw_print_bytes() - a line with so many pages, in bytes */
void mw_print_bytes(struct seq_file *seq, unsigned long pages)
{
	seq_printf(seq, "%llu\n", (u64)pages << PAGE_SHIFT);
}

static int show_current(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_group_usage(open->group));
	return 0;
}

static int show_peak(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_peak_read(open->group, &open->peak,
					 &open->group->memory));
	return 0;
}

/* v2: whatever is written, this reader's peak begins now */
static int write_peak(struct mw_open *open, const char *text)
{
	mw_peak_restart(open->group, &open->peak, &open->group->memory,
			mw_group_usage(open->group));
	return 0;
}

/* v1: whatever is written, everybody's peak begins now */
static int write_max_usage(struct mw_open *open, const char *text)
{
	mw_peak_reset(open->group);
	return 0;
}

/* as mw_parse_bound() takes it */
static int show_bound(struct seq_file *seq, unsigned long bound, unsigned long max)
{
	if (bound == max)
		seq_puts(seq, "max\n");
	else
		seq_printf(seq, "%lu\n", bound);
	return 0;
}

static int show_stall_max(struct seq_file *seq, struct mw_open *open)
{
	return show_bound(seq, READ_ONCE(open->group->stall.max), MW_STALL_NO_MAX);
}

static int write_stall_max(struct mw_open *open, const char *text)
{
	unsigned long us;
	int ret;

	ret = mw_parse_bound(text, MW_STALL_NO_MAX, &us);
	if (!ret)
		mw_stall_set_max(open->group, us);
	return ret;
}

static const char *const stall_actions[MW_NR_STALL_ACTIONS] = {
	[MW_STALL_WAIT] = "wait",
	[MW_STALL_LIFT] = "lift",
	[MW_STALL_KILL] = "kill",
};

static int show_stall_action(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "%s\n",
		   stall_actions[READ_ONCE(open->group->stall.action)]);
	return 0;
}

static int write_stall_action(struct mw_open *open, const char *text)
{
	int action = match_string(stall_actions, MW_NR_STALL_ACTIONS, text);

	if (action < 0)
		return -EINVAL;
	WRITE_ONCE(open->group->stall.action, action);
	return 0;
}

static int show_oom_group(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "%d\n", READ_ONCE(open->group->oom_group));
	return 0;
}

static int write_oom_group(struct mw_open *open, const char *text)
{
	unsigned long value;
	int ret;

	ret = mw_parse_number(text, 1, &value);
	if (!ret)
		WRITE_ONCE(open->group->oom_group, value);
	return ret;
}

static int show_swappiness(struct seq_file *seq, struct mw_open *open)
{
	int swappiness = READ_ONCE(open->group->swappiness);

	seq_printf(seq, "%d\n", swappiness < 0 ? mw_vm_swappiness() : swappiness);
	return 0;
}

static int write_swappiness(struct mw_open *open, const char *text)
{
	unsigned long value;
	int ret;

	ret = mw_parse_number(text, 200, &value);
	if (!ret)
		WRITE_ONCE(open->group->swappiness, value);
	return ret;
}

static int show_dirty_ratio(struct seq_file *seq, struct mw_open *open)
{
	return show_bound(seq, mw_unwritten_ratio(open->group), MW_DIRTY_ANY);
}

static int write_dirty_ratio(struct mw_open *open, const char *text)
{
	unsigned long value;
	int ret;

	if (mw_parse_is(text, "default")) {
		WRITE_ONCE(open->group->dirty_ratio, MW_DIRTY_MACHINE);
		return 0;
	}
	ret = mw_parse_bound(text, MW_DIRTY_ANY, &value);
	if (!ret)
		WRITE_ONCE(open->group->dirty_ratio, value);
	return ret;
}

static const struct mw_file memory_rows[] = {
	{ MEMWARD_MEMORY_CURRENT, 0444, MW_EVERYWHERE, show_current },
	{ MEMWARD_MEMORY_USAGE_IN_BYTES, 0444, MW_EVERYWHERE, show_current },
	{ MEMWARD_MEMORY_PEAK, 0644, MW_EVERYWHERE, show_peak, write_peak },
	{ MEMWARD_MEMORY_MAX_USAGE_IN_BYTES, 0644, MW_EVERYWHERE, show_peak,
	  write_max_usage },
	{ MEMWARD_MEMORY_HIGH_STALL_MAX, 0644, MW_IN_GROUP, show_stall_max,
	  write_stall_max },
	{ MEMWARD_MEMORY_HIGH_STALL_ACTION, 0644, MW_IN_GROUP, show_stall_action,
	  write_stall_action },
	{ MEMWARD_MEMORY_OOM_GROUP, 0644, MW_IN_GROUP, show_oom_group,
	  write_oom_group },
	{ MEMWARD_MEMORY_DIRTY_RATIO, 0644, MW_IN_GROUP, show_dirty_ratio,
	  write_dirty_ratio },
	{ MEMWARD_MEMORY_SWAPPINESS, 0644, MW_EVERYWHERE, show_swappiness,
	  write_swappiness },
};
const struct mw_file_table mw_memory_files = {
	memory_rows, ARRAY_SIZE(memory_rows),
};
