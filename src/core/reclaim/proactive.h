/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PROACTIVE_H
#define MEMWARD_PROACTIVE_H

struct mw_group;

int mw_proactive(struct mw_group *group, unsigned long pages, int swappiness,
		 unsigned long *reclaimed);

#endif
