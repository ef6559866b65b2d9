/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DIRTY_LIMIT_H
#define MEMWARD_DIRTY_LIMIT_H

#include <linux/types.h>

struct mw_group;

bool mw_dirty_limit_is_near(struct mw_group *group);
u64 mw_dirty_limit_us(struct mw_group *group, unsigned int nr_pages, bool exact);

#endif
