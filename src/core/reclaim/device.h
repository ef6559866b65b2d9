/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DEVICE_H
#define MEMWARD_DEVICE_H

#include <linux/types.h>

struct backing_dev_info;
struct folio;

/* a group that writes to more has others to wait for */
#define MW_NR_DEVICES	3

/**
 * struct mw_devices - where a group's dirty pages are to be written to
 * @nr:      how many are known
 * @file:    whose pages were seen last, to compare it and no more
 * @bdi:     the devices, referenced
 * @written: pages that had been written to them when they were noted
 */
struct mw_devices {
	unsigned int nr;
	const void *file;
	struct backing_dev_info *bdi[MW_NR_DEVICES];
	s64 written[MW_NR_DEVICES];
};

void mw_devices_note(struct mw_devices *devices, struct folio *folio);
bool mw_devices_advance(const struct mw_devices *devices);
void mw_devices_forget(struct mw_devices *devices);

#endif
