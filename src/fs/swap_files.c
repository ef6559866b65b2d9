// SPDX-License-Identifier: GPL-2.0
/* memory.swap.* and memory.memsw.*: swap alone, and memory and swap together. */
#include <linux/mm.h>

#include <core/group/events.h>
#include <core/group/memsw.h>
#include <core/limit/resize.h>
#include <fs/fs.h>

int mw_show_swap_current(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_counter_read(&open->group->swap));
	return 0;
}

int mw_show_swap_peak(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_peak_read(open->group, &open->peak,
					 &open->group->swap));
	return 0;
}

/* as memory.peak */
int mw_write_swap_peak(struct mw_open *open, const char *text)
{
	mw_peak_restart(open->group, &open->peak, &open->group->swap,
			mw_counter_read(&open->group->swap));
	return 0;
}

/* Limits of swap stop what is to come; what is there stays. */
static int write_limit(const char *text, unsigned long *limit)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	if (!ret)
		WRITE_ONCE(*limit, pages);
	return ret;
}

int mw_show_swap_high(struct seq_file *seq, struct mw_open *open)
{
	mw_print_limit(seq, READ_ONCE(open->group->swap.high));
	return 0;
}

int mw_write_swap_high(struct mw_open *open, const char *text)
{
	return write_limit(text, &open->group->swap.high);
}

int mw_show_swap_max(struct seq_file *seq, struct mw_open *open)
{
	mw_print_limit(seq, READ_ONCE(open->group->swap.max));
	return 0;
}

int mw_write_swap_max(struct mw_open *open, const char *text)
{
	return write_limit(text, &open->group->swap.max);
}

int mw_show_swap_events(struct seq_file *seq, struct mw_open *open)
{
	atomic_long_t *events = open->group->events;

	seq_printf(seq, "high %ld\n", atomic_long_read(&events[MW_EVENT_SWAP_HIGH]));
	seq_printf(seq, "max %ld\n", atomic_long_read(&events[MW_EVENT_SWAP_MAX]));
	seq_printf(seq, "fail %ld\n", atomic_long_read(&events[MW_EVENT_SWAP_FAIL]));
	return 0;
}

int mw_show_memsw(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_memsw_usage(open->group));
	return 0;
}

int mw_show_memsw_peak(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, READ_ONCE(open->group->memsw_watermark));
	return 0;
}

/* whatever is written, the peak begins now */
int mw_write_memsw_peak(struct mw_open *open, const char *text)
{
	WRITE_ONCE(open->group->memsw_watermark, mw_memsw_usage(open->group));
	return 0;
}

int mw_show_memsw_limit(struct seq_file *seq, struct mw_open *open)
{
	mw_print_limit(seq, READ_ONCE(open->group->memsw_max));
	return 0;
}

int mw_write_memsw_limit(struct mw_open *open, const char *text)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	return ret ?: mw_limit_resize_memsw(open->group, pages);
}

int mw_show_memsw_failcnt(struct seq_file *seq, struct mw_open *open)
{
	mw_print_count(seq, &open->group->memsw_failcnt);
	return 0;
}

/* whatever is written, counting begins anew */
int mw_write_memsw_failcnt(struct mw_open *open, const char *text)
{
	atomic_long_set(&open->group->memsw_failcnt, 0);
	return 0;
}
