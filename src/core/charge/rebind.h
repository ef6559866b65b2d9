/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_REBIND_H
#define MEMWARD_REBIND_H

struct cgroup;

int mw_rebind(const char *path);
void mw_rebind_soon(void);
void mw_rebind_below(struct cgroup *cgrp);
void mw_rebind_stop(void);

#endif
