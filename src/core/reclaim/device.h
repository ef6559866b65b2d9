/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DEVICE_H
#define MEMWARD_DEVICE_H

#include <linux/types.h>

struct backing_dev_info;
struct folio;

/* a group that writes to more has others to wait for */
#define MW_NR_DEVICES	3

/**
 * struct mw_device - where a group's dirty pages are to be written to
 * @bdi:     the device, referenced
 * @written: pages that had been written to it when it was asked last
 * @seen:    in this round
 */
struct mw_device {
	struct backing_dev_info *bdi;
	s64 written;
	bool seen;
};

/**
 * struct mw_devices - a few of them, from one round to the next
 * @nr:       how many are known
 * @next:     the one to make room for another next
 * @replaced: one was, in this round
 * @file:     whose pages were seen last, to compare it and no more
 * @device:   which
 */
struct mw_devices {
	unsigned int nr;
	unsigned int next;
	bool replaced;
	const void *file;
	struct mw_device device[MW_NR_DEVICES];
};

unsigned long mw_device_unwritten(struct backing_dev_info *bdi);
void mw_devices_begin(struct mw_devices *devices);
void mw_devices_note(struct mw_devices *devices, struct folio *folio);
bool mw_devices_advance(struct mw_devices *devices);
bool mw_devices_are_busy(const struct mw_devices *devices);
void mw_devices_forget(struct mw_devices *devices);

#endif
