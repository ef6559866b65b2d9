// SPDX-License-Identifier: GPL-2.0
/* memory.stat and memory.events: what happened to a group's memory. */
#include <linux/mm.h>

#include <core/charge/stock.h>
#include <core/group/events.h>
#include <core/group/protection.h>
#include <core/group/stat.h>
#include <core/life/sample.h>
#include <core/limit/stall.h>
#include <fs/fs.h>

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

static int show_events(struct seq_file *seq, struct mw_open *open)
{
	print_events(seq, open->group->events);
	return 0;
}

static int show_events_local(struct seq_file *seq, struct mw_open *open)
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
			  atomic_long_t pages[][MW_NR_LRU_TYPES])
{
	unsigned long by_why[MW_NR_RECLAIM_WHYS];
	unsigned long sum[MW_NR_LRU_TYPES] = {};
	int why;

	for (why = 0; why < MW_NR_RECLAIM_WHYS; why++) {
		unsigned long anon = atomic_long_read(&pages[why][MW_LRU_ANON]);
		unsigned long file = atomic_long_read(&pages[why][MW_LRU_FILE]);

		by_why[why] = anon + file;
		sum[MW_LRU_ANON] += anon;
		sum[MW_LRU_FILE] += file;
	}
	seq_printf(seq, "%s %lu\n", key, sum[MW_LRU_ANON] + sum[MW_LRU_FILE]);
	for (why = 0; why < MW_NR_RECLAIM_WHYS; why++)
		seq_printf(seq, "%s_%s %lu\n", key, why_names[why], by_why[why]);
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
	seq_printf(seq, "protected_kept %lu\n", stats->pages[MW_STAT_KEPT]);
	seq_printf(seq, "protected_offered %lu\n", stats->pages[MW_STAT_OFFERED]);
	seq_printf(seq, "protected_given_up %lu\n",
		   stats->pages[MW_STAT_GIVEN_UP]);
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
	print_stat(seq, "", "file_unwritten",
		   mw_stats_unwritten(stats));
	print_stat(seq, "", "swapcached", mw_counter_read(&group->swapcached));
	print_reclaim(seq, "pgscan", group->scanned);
	print_reclaim(seq, "pgsteal", group->stolen);
	seq_printf(seq, "workingset_refault_anon %lu\n",
		   stats->pages[MW_STAT_REFAULTED + MW_LRU_ANON]);
	seq_printf(seq, "workingset_refault_file %lu\n",
		   stats->pages[MW_STAT_REFAULTED + MW_LRU_FILE]);
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

static int show_stat(struct seq_file *seq, struct mw_open *open)
{
	struct mw_stats own, below;
	struct mw_sample sample;

	mw_sample_read(open->group, &sample);
	mw_stats_read(open->group, &own, &below);
	print_v2(seq, open->group, &below, &sample);
	print_v1(seq, "", &own);
	print_v1(seq, "total_", &below);
	print_stat(seq, "total_", "swap", mw_counter_read(&open->group->swap));
	return 0;
}

static const struct mw_file stat_rows[] = {
	{ MEMWARD_MEMORY_EVENTS, 0444, MW_EVERYWHERE, show_events },
	{ MEMWARD_MEMORY_EVENTS_LOCAL, 0444, MW_EVERYWHERE, show_events_local },
	{ MEMWARD_MEMORY_STAT, 0444, MW_EVERYWHERE, show_stat },
};
const struct mw_file_table mw_stat_files = {
	stat_rows, ARRAY_SIZE(stat_rows),
};
