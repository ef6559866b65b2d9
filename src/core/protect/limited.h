/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROTECT_LIMITED_H
#define PROTECT_LIMITED_H

#include <linux/types.h>

struct mem_cgroup;

bool mw_limited_wants(struct mem_cgroup *memcg);
bool mw_limited_show(struct mem_cgroup *memcg);
void mw_limited_stop(void);
int mw_limited_init(void);
void mw_limited_exit(void);

#endif
