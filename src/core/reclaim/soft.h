/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SOFT_H
#define MEMWARD_SOFT_H

struct mw_group;

void mw_soft_set(struct mw_group *group, unsigned long pages);
int mw_soft_start(void);
void mw_soft_stop(void);
int mw_soft_init(void);
void mw_soft_exit(void);

#endif
