/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_THROTTLE_H
#define MEMWARD_THROTTLE_H

#include <linux/gfp.h>
#include <linux/types.h>

struct backing_dev_info;
struct mw_group;
struct task_struct;

int mw_throttle_charge(unsigned int nr_pages, gfp_t gfp);
void mw_throttle_exit(struct task_struct *task);
void mw_throttle_dirtied(struct mw_group *group, unsigned int nr_pages);
bool mw_throttle_is_due(void);
void mw_throttle_write(struct backing_dev_info *disk);
unsigned long mw_throttle_missed(void);
void mw_throttle_stop(void);

#endif
