/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_OOM_H
#define MEMWARD_OOM_H

#include <linux/types.h>

struct mw_group;

bool mw_oom(struct mw_group *top);
bool mw_oom_wait(struct mw_group *top);
bool mw_oom_kill_all(struct mw_group *top, const char *why);
void mw_oom_forget(struct mw_group *group);

#endif
