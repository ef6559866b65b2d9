/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIM_SHORTAGE_H
#define RECLAIM_SHORTAGE_H

#include <linux/nodemask.h>
#include <linux/types.h>

/* pages for which an allocation is tried again */
#define MW_SHORTAGE_ENOUGH	64UL

bool mw_shortage_holds(const nodemask_t *nodes);
bool mw_shortage_is_showing(void);
unsigned long mw_shortage_shown(void);
void mw_shortage_begin(const nodemask_t *nodes);
unsigned long mw_shortage_await(bool first, unsigned long shown_before);
void mw_shortage_stop(void);
int mw_shortage_init(void);
void mw_shortage_exit(void);

#endif
