/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_LIFECYCLE_H
#define MEMWARD_LIFECYCLE_H

struct mw_group;

struct mw_group *mw_group_create(struct mw_group *parent);
int mw_group_remove(struct mw_group *group);
void mw_group_dissolve(struct mw_group *group);
void mw_groups_flush(void);

void mw_lifecycle_stop(void);
int mw_lifecycle_init(void);
void mw_lifecycle_exit(void);

#endif
