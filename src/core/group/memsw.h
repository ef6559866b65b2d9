/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MEMSW_H
#define MEMWARD_MEMSW_H

#include <linux/types.h>

struct mw_group;

unsigned long mw_memsw_usage(struct mw_group *group);
struct mw_group *mw_memsw_full(struct mw_group *group, unsigned int nr_pages);
bool mw_memsw_has_room(struct mw_group *group, unsigned int nr_pages);
bool mw_memsw_is_above(struct mw_group *group, unsigned long by);
bool mw_memsw_can_swap(struct mw_group *group);
void mw_memsw_raise(struct mw_group *group);

#endif
