/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PENDING_H
#define MEMWARD_PENDING_H

#include <linux/types.h>

struct mw_group;

void mw_pending_set(struct mw_group *group);
bool mw_pending_clear(struct mw_group *group);

#endif
