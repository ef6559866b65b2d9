/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_STAT_H
#define MEMWARD_STAT_H

#include <memward/kind.h>

struct mw_group;

/**
 * enum mw_stat_item - what a group counts on each CPU
 * @MW_STAT_ANON:     pages held, by kind (the order of enum mw_kind)
 * @MW_STAT_FILE:     "
 * @MW_STAT_SHMEM:    "
 * @MW_STAT_CHARGE:   pages ever charged
 * @MW_STAT_UNCHARGE: pages ever uncharged
 */
enum mw_stat_item {
	MW_STAT_ANON = MW_KIND_ANON,
	MW_STAT_FILE = MW_KIND_FILE,
	MW_STAT_SHMEM = MW_KIND_SHMEM,
	MW_STAT_CHARGE,
	MW_STAT_UNCHARGE,
	MW_NR_STATS,
};

/**
 * struct mw_stats - statistics of a group, in pages
 * @nr: by enum mw_stat_item; one CPU's share may be negative
 */
struct mw_stats {
	long nr[MW_NR_STATS];
};

void mw_stats_add_local(struct mw_stats *sum, struct mw_group *group);
void mw_stats_read(struct mw_group *group, struct mw_stats *sum);
void mw_stats_fold(struct mw_group *from, struct mw_group *to);

#endif
