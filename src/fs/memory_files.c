// SPDX-License-Identifier: GPL-2.0
/* The memory.* files. */
#include <linux/mm.h>
#include <linux/string.h>

#include <compat/reclaim.h>
#include <core/charge/stock.h>
#include <core/group/events.h>
#include <core/group/stat.h>
#include <core/limit/resize.h>
#include <core/reclaim/soft.h>
#include <fs/fs.h>
#include <pure/parse.h>

/** mw_print_bytes() - a line with so many pages, in bytes */
void mw_print_bytes(struct seq_file *seq, unsigned long pages)
{
	seq_printf(seq, "%llu\n", (u64)pages << PAGE_SHIFT);
}

/** mw_print_limit() - the same for a limit, of which there may be none */
void mw_print_limit(struct seq_file *seq, unsigned long pages)
{
	if (pages == MW_COUNTER_MAX)
		seq_puts(seq, "max\n");
	else
		mw_print_bytes(seq, pages);
}

/** mw_print_count() - a line with how often something happened */
void mw_print_count(struct seq_file *seq, atomic_long_t *count)
{
	seq_printf(seq, "%ld\n", atomic_long_read(count));
}

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

int mw_show_current(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_group_usage(open->group));
	return 0;
}

int mw_show_peak(struct seq_file *seq, struct mw_open *open)
{
	mw_print_bytes(seq, mw_peak_read(open->group, &open->peak,
					 &open->group->memory));
	return 0;
}

/* v2: whatever is written, this reader's peak begins now */
int mw_write_peak(struct mw_open *open, const char *text)
{
	mw_peak_restart(open->group, &open->peak, &open->group->memory,
			mw_group_usage(open->group));
	return 0;
}

/* v1: whatever is written, everybody's peak begins now */
int mw_write_max_usage(struct mw_open *open, const char *text)
{
	mw_peak_reset(open->group);
	return 0;
}

static void show_protection(struct seq_file *seq, struct mw_open *open,
			enum mw_protection_kind kind)
{
	mw_print_limit(seq, READ_ONCE(open->group->protection[kind].setting));
}

static int write_protection(struct mw_open *open, const char *text,
			enum mw_protection_kind kind)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	if (!ret)
		mw_protection_set(open->group, kind, pages);
	return ret;
}

int mw_show_min(struct seq_file *seq, struct mw_open *open)
{
	show_protection(seq, open, MW_PROTECTION_MIN);
	return 0;
}

int mw_write_min(struct mw_open *open, const char *text)
{
	return write_protection(open, text, MW_PROTECTION_MIN);
}

int mw_show_low(struct seq_file *seq, struct mw_open *open)
{
	show_protection(seq, open, MW_PROTECTION_LOW);
	return 0;
}

int mw_write_low(struct mw_open *open, const char *text)
{
	return write_protection(open, text, MW_PROTECTION_LOW);
}

int mw_show_high(struct seq_file *seq, struct mw_open *open)
{
	mw_print_limit(seq, READ_ONCE(open->group->memory.high));
	return 0;
}

/* O_NONBLOCK: set it and leave the reclaiming to those who charge */
static bool may_shrink(struct mw_open *open)
{
	return !(open->file->f_flags & O_NONBLOCK);
}

int mw_write_high(struct mw_open *open, const char *text)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	if (!ret)
		mw_limit_set_high(open->group, pages, may_shrink(open));
	return ret;
}

int mw_show_stall_max(struct seq_file *seq, struct mw_open *open)
{
	unsigned long us = READ_ONCE(open->group->stall.max);

	if (us == MW_STALL_NO_MAX)
		seq_puts(seq, "max\n");
	else
		seq_printf(seq, "%lu\n", us);
	return 0;
}

int mw_write_stall_max(struct mw_open *open, const char *text)
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

int mw_show_stall_action(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "%s\n",
		   stall_actions[READ_ONCE(open->group->stall.action)]);
	return 0;
}

int mw_write_stall_action(struct mw_open *open, const char *text)
{
	int action = match_string(stall_actions, MW_NR_STALL_ACTIONS,
				  skip_spaces(text));

	if (action < 0)
		return -EINVAL;
	WRITE_ONCE(open->group->stall.action, action);
	return 0;
}

int mw_show_max(struct seq_file *seq, struct mw_open *open)
{
	mw_print_limit(seq, READ_ONCE(open->group->memory.max));
	return 0;
}

int mw_write_max(struct mw_open *open, const char *text)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	if (!ret)
		mw_limit_set_max(open->group, pages, may_shrink(open));
	return ret;
}

int mw_write_limit(struct mw_open *open, const char *text)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	return ret ?: mw_limit_resize(open->group, pages);
}

int mw_show_soft_limit(struct seq_file *seq, struct mw_open *open)
{
	mw_print_limit(seq, READ_ONCE(open->group->soft));
	return 0;
}

int mw_write_soft_limit(struct mw_open *open, const char *text)
{
	unsigned long pages;
	int ret;

	ret = mw_parse_limit(text, &pages);
	if (!ret)
		mw_soft_set(open->group, pages);
	return ret;
}

int mw_show_failcnt(struct seq_file *seq, struct mw_open *open)
{
	mw_print_count(seq, &open->group->failcnt);
	return 0;
}

/* whatever is written, counting begins anew */
int mw_write_failcnt(struct mw_open *open, const char *text)
{
	atomic_long_set(&open->group->failcnt, 0);
	return 0;
}

int mw_show_oom_group(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "%d\n", READ_ONCE(open->group->oom_group));
	return 0;
}

int mw_write_oom_group(struct mw_open *open, const char *text)
{
	unsigned long value;
	int ret;

	ret = mw_parse_number(text, 1, &value);
	if (!ret)
		WRITE_ONCE(open->group->oom_group, value);
	return ret;
}

int mw_show_swappiness(struct seq_file *seq, struct mw_open *open)
{
	int swappiness = READ_ONCE(open->group->swappiness);

	seq_printf(seq, "%d\n", swappiness < 0 ? mw_vm_swappiness() : swappiness);
	return 0;
}

int mw_write_swappiness(struct mw_open *open, const char *text)
{
	unsigned long value;
	int ret;

	ret = mw_parse_number(text, 200, &value);
	if (!ret)
		WRITE_ONCE(open->group->swappiness, value);
	return ret;
}

static const char *const event_names[MW_NR_MEMORY_EVENTS] = {
	[MW_EVENT_LOW] = "low",
	[MW_EVENT_HIGH] = "high",
	[MW_EVENT_MAX] = "max",
	[MW_EVENT_OOM] = "oom",
	[MW_EVENT_OOM_KILL] = "oom_kill",
	[MW_EVENT_OOM_GROUP_KILL] = "oom_group_kill",
	[MW_EVENT_HIGH_STALL] = "high_stall",
};

static void print_events(struct seq_file *seq, atomic_long_t *events)
{
	int i;

	for (i = 0; i < MW_NR_MEMORY_EVENTS; i++)
		seq_printf(seq, "%s %ld\n", event_names[i],
			   atomic_long_read(&events[i]));
}

int mw_show_events(struct seq_file *seq, struct mw_open *open)
{
	print_events(seq, open->group->events);
	return 0;
}

int mw_show_events_local(struct seq_file *seq, struct mw_open *open)
{
	print_events(seq, open->group->events_local);
	return 0;
}

static void print_stat(struct seq_file *seq, const char *prefix,
		       const char *key, long pages)
{
	/* while pages move between CPUs a sum may be seen just below zero */
	seq_printf(seq, "%s%s %llu\n", prefix, key,
		   (u64)max(pages, 0L) << PAGE_SHIFT);
}

/* v2's "file" and v1's "cache" include shared memory. */
static long cache_pages(const struct mw_stats *stats)
{
	return mw_stats_held(stats, MW_KIND_FILE) +
	       mw_stats_held(stats, MW_KIND_SHMEM);
}

static const char *const why_names[MW_NR_RECLAIM_WHYS] = {
	[MW_RECLAIM_LIMIT] = "direct",
	[MW_RECLAIM_BACKGROUND] = "background",
	[MW_RECLAIM_PROACTIVE] = "proactive",
};

/* The sum, then by what it was for, then by type: pages, not bytes. */
static void print_reclaim(struct seq_file *seq, const char *key,
			  const unsigned long pages[][MW_NR_LRU_TYPES])
{
	unsigned long sum[MW_NR_LRU_TYPES] = {};
	int why;

	for (why = 0; why < MW_NR_RECLAIM_WHYS; why++) {
		sum[MW_LRU_ANON] += pages[why][MW_LRU_ANON];
		sum[MW_LRU_FILE] += pages[why][MW_LRU_FILE];
	}
	seq_printf(seq, "%s %lu\n", key, sum[MW_LRU_ANON] + sum[MW_LRU_FILE]);
	for (why = 0; why < MW_NR_RECLAIM_WHYS; why++)
		seq_printf(seq, "%s_%s %lu\n", key, why_names[why],
			   pages[why][MW_LRU_ANON] + pages[why][MW_LRU_FILE]);
	seq_printf(seq, "%s_anon %lu\n", key, sum[MW_LRU_ANON]);
	seq_printf(seq, "%s_file %lu\n", key, sum[MW_LRU_FILE]);
}

/* What holds against everybody else, and in pages what came of it. */
static void print_protection(struct seq_file *seq, struct mw_group *group,
			     const struct mw_stats *stats)
{
	print_stat(seq, "", "protected_min",
		   mw_protection_effective(group, &mw_root, MW_PROTECTION_MIN));
	print_stat(seq, "", "protected_low",
		   mw_protection_effective(group, &mw_root, MW_PROTECTION_LOW));
	seq_printf(seq, "protected_kept %lu\n", stats->kept);
	seq_printf(seq, "protected_offered %lu\n", stats->offered);
	seq_printf(seq, "protected_given_up %lu\n", stats->given_up);
}

static void print_v2(struct seq_file *seq, struct mw_group *group,
		     const struct mw_stats *stats,
		     const struct mw_sample *sample)
{
	print_stat(seq, "", "anon", mw_stats_held(stats, MW_KIND_ANON));
	print_stat(seq, "", "file", cache_pages(stats));
	print_stat(seq, "", "shmem", mw_stats_held(stats, MW_KIND_SHMEM));
	print_stat(seq, "", "file_mapped", sample->mapped);
	print_stat(seq, "", "file_dirty", sample->dirty);
	print_stat(seq, "", "file_writeback", sample->writeback);
	print_stat(seq, "", "swapcached", mw_counter_read(&group->swapcached));
	print_reclaim(seq, "pgscan", stats->scanned);
	print_reclaim(seq, "pgsteal", stats->stolen);
	seq_printf(seq, "workingset_refault_anon %lu\n",
		   stats->refaulted[MW_LRU_ANON]);
	seq_printf(seq, "workingset_refault_file %lu\n",
		   stats->refaulted[MW_LRU_FILE]);
	seq_printf(seq, "high_stall_usec %llu\n", mw_stall_total(group));
	print_protection(seq, group, stats);
}

static void print_v1(struct seq_file *seq, const char *prefix,
		     const struct mw_stats *stats)
{
	print_stat(seq, prefix, "cache", cache_pages(stats));
	print_stat(seq, prefix, "rss", mw_stats_held(stats, MW_KIND_ANON));
	seq_printf(seq, "%spgpgin %lu\n", prefix, mw_stats_charged(stats));
	seq_printf(seq, "%spgpgout %lu\n", prefix, mw_stats_uncharged(stats));
}

int mw_show_stat(struct seq_file *seq, struct mw_open *open)
{
	struct mw_stats local, below;
	struct mw_sample sample;

	mw_tree_lock();
	mw_sample_read(open->group, &sample);
	mw_stats_read(open->group, &below);
	mw_stats_read_local(open->group, &local);
	mw_tree_unlock();
	print_v2(seq, open->group, &below, &sample);
	print_v1(seq, "", &local);
	print_v1(seq, "total_", &below);
	print_stat(seq, "total_", "swap", mw_counter_read(&open->group->swap));
	return 0;
}
