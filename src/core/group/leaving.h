/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_LEAVING_H
#define MEMWARD_LEAVING_H

struct mw_group;

void mw_leaving_add(struct mw_group *group, long pages);
unsigned long mw_leaving_read(struct mw_group *group);

#endif
