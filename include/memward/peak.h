/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PEAK_H
#define MEMWARD_PEAK_H

#include <linux/list.h>

struct mw_group;

/**
 * struct mw_peak - a reader's own view of the highest usage
 * @node:  in the group's peaks, if the reader has restarted it
 * @value: highest usage in pages since then, up to the last restart by another
 *         reader
 */
struct mw_peak {
	struct list_head node;
	unsigned long value;
};

void mw_peak_open(struct mw_peak *peak);
void mw_peak_close(struct mw_group *group, struct mw_peak *peak);
void mw_peak_restart(struct mw_group *group, struct mw_peak *peak);
unsigned long mw_peak_read(struct mw_group *group, struct mw_peak *peak);
void mw_peak_reset(struct mw_group *group);

#endif
