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

/**
 * struct mw_group_sample - samples of a group
 * @walk:  the walk that @found is of
 * @found: what it has found so far, of the group alone
 * @below: what the last walk that has ended found, with all groups below
 */
struct mw_group_sample {
	unsigned long walk;
	struct mw_sample found;
	struct mw_sample below;
};

void mw_sample_read(struct mw_group *group, struct mw_sample *below);
void mw_sample_stop(void);
int mw_sample_init(void);
void mw_sample_exit(void);

#endif
