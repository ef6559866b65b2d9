/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SAMPLE_H
#define MEMWARD_SAMPLE_H

struct mw_group;

/**
 * struct mw_sample - what is known of a group's pages only by looking at them
 * @mapped:    file and shared pages that are mapped
 * @dirty:     file pages that are dirty
 * @writeback: file pages that are being written
 */
struct mw_sample {
	unsigned long mapped;
	unsigned long dirty;
	unsigned long writeback;
};

void mw_sample_read(struct mw_group *group, struct mw_sample *sum);

#endif
