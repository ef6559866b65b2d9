/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_UNWRITTEN_H
#define MEMWARD_UNWRITTEN_H

/* not limited; as the machine, by vm.dirty_ratio; otherwise percent of a limit that may be unwritten */
#define MW_DIRTY_ANY		101
#define MW_DIRTY_MACHINE	102

struct mw_group;
struct mw_stats;

void mw_unwritten_add(struct mw_group *group, long nr_pages);
unsigned int mw_unwritten_ratio(struct mw_group *group);
unsigned long mw_unwritten_share(struct mw_group *group);
void mw_unwritten_fold(struct mw_group *group);
unsigned long mw_unwritten_read(struct mw_group *group);
unsigned long mw_unwritten_exact(struct mw_group *group);
long mw_unwritten_sum(struct mw_group *group);

#endif
