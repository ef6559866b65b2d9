/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_NAME_H
#define MEMWARD_NAME_H

#include <linux/types.h>

struct mw_group;

u64 mw_group_ino(const struct mw_group *group);
void mw_group_name(struct mw_group *group, char *buf, size_t size);
void mw_group_set_namer(void (*namer)(struct mw_group *group, char *buf,
				      size_t size));

#endif
