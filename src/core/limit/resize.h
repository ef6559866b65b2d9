/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_RESIZE_H
#define MEMWARD_RESIZE_H

#include <linux/types.h>

struct mw_group;

void mw_limit_set_max(struct mw_group *group, unsigned long pages, bool shrink);
bool mw_limit_make_room(struct mw_group *full, unsigned long nr_pages);
void mw_limit_obey_high(struct mw_group *group);
int mw_limit_resize(struct mw_group *group, unsigned long pages);
int mw_limit_resize_memsw(struct mw_group *group, unsigned long pages);
void mw_limit_set_high(struct mw_group *group, unsigned long pages,
		       bool shrink);

#endif
