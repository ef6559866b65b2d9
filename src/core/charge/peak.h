/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PEAK_H
#define MEMWARD_PEAK_H

#include <linux/list.h>

struct mw_counter;
struct mw_group;

/**
 * struct mw_peak - a reader's own view of the highest usage
 * @node:    in the group's peaks, if the reader has restarted it
 * @counter: of what, then
 * @value:   highest usage in pages since then, up to the last restart by another
 *         reader
 */
struct mw_peak {
	struct list_head node;
	struct mw_counter *counter;
	unsigned long value;
};

void mw_peak_open(struct mw_peak *peak);
void mw_peak_close(struct mw_group *group, struct mw_peak *peak);
void mw_peak_restart(struct mw_group *group, struct mw_peak *peak,
		     struct mw_counter *counter, unsigned long usage);
unsigned long mw_peak_read(struct mw_group *group, struct mw_peak *peak,
			   struct mw_counter *counter);
void mw_peak_reset(struct mw_group *group);

#endif
