/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIM_SHORTAGE_H
#define RECLAIM_SHORTAGE_H

#include <linux/nodemask.h>
#include <linux/types.h>

/* pages for which an allocation is tried again */
#define MW_SHORTAGE_ENOUGH	64UL

/**
 * struct mw_shortage_mark - how far it was once
 * @serial:    how many had begun
 * @shown:     pages that had been shown
 * @reclaimed: pages that had been reclaimed
 */
struct mw_shortage_mark {
	unsigned int serial;
	unsigned long shown;
	unsigned long reclaimed;
};

bool mw_shortage_is_showing(void);
unsigned int mw_shortage_times(int nid);
struct mw_shortage_mark mw_shortage_look(void);
void mw_shortage_begin(const nodemask_t *nodes);
bool mw_shortage_begin_first(const nodemask_t *nodes);
unsigned long mw_shortage_await(bool first, const struct mw_shortage_mark *before);
void mw_shortage_stop(void);
int mw_shortage_init(void);
void mw_shortage_exit(void);

#endif
