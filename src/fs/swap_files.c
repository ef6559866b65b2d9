// SPDX-License-Identifier: GPL-2.0
/* memory.swap.* and memory.memsw.*: swap alone, and memory and swap together. */
#include <linux/mm.h>

#include <core/group/events.h>
#include <core/group/memsw.h>
#include <fs/fs.h>

static int show_swap_current(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_counter_read(&open->group->swap));
	return 0;
}

static int show_swap_peak(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_peak_read(open->group, &open->peak,
					 &open->group->swap));
	return 0;
}

/* as memory.peak */
static int write_swap_peak(struct mw_open *open, const char *text)
{
	mw_peak_restart(open->group, &open->peak, &open->group->swap,
			mw_counter_read(&open->group->swap));
	return 0;
}

static int show_swap_events(struct seq_file *seq, struct mw_open *open)
{
	atomic_long_t *events = open->group->events;

	seq_printf(seq, "high %ld\n", atomic_long_read(&events[MW_EVENT_SWAP_HIGH]));
	seq_printf(seq, "max %ld\n", atomic_long_read(&events[MW_EVENT_SWAP_MAX]));
	seq_printf(seq, "fail %ld\n", atomic_long_read(&events[MW_EVENT_SWAP_FAIL]));
	return 0;
}

static int show_memsw(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_memsw_usage(open->group));
	return 0;
}

static int show_memsw_peak(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, READ_ONCE(open->group->memsw_watermark));
	return 0;
}

/* whatever is written, the peak begins now */
static int write_memsw_peak(struct mw_open *open, const char *text)
{
	WRITE_ONCE(open->group->memsw_watermark, mw_memsw_usage(open->group));
	return 0;
}

static const struct mw_file swap_rows[] = {
	{ MEMWARD_MEMORY_SWAP_CURRENT, 0444, MW_IN_GROUP, show_swap_current },
	{ MEMWARD_MEMORY_SWAP_PEAK, 0644, MW_IN_GROUP, show_swap_peak,
	  write_swap_peak },
	{ MEMWARD_MEMORY_SWAP_EVENTS, 0444, MW_IN_GROUP, show_swap_events },
	{ MEMWARD_MEMORY_MEMSW_USAGE_IN_BYTES, 0444, MW_IN_GROUP, show_memsw },
	{ MEMWARD_MEMORY_MEMSW_MAX_USAGE_IN_BYTES, 0644, MW_IN_GROUP,
	  show_memsw_peak, write_memsw_peak },
};
const struct mw_file_table mw_swap_files = {
	swap_rows, ARRAY_SIZE(swap_rows),
};
