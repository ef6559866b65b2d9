/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DEVICE_H
#define MEMWARD_DEVICE_H

#include <linux/types.h>

#include <pure/rota.h>

struct backing_dev_info;
struct folio;

/**
 * struct mw_device - where a group's dirty pages are to be written to
 * @bdi:     the device, referenced; NULL: none
 * @written: pages that had been written to it when it was asked last
 */
struct mw_device {
	struct backing_dev_info *bdi;
	s64 written;
};

/**
 * struct mw_devices - a few of them, from one round to the next
 * @rota:   whose turn it is, if there are more
 * @file:   whose pages were seen last, to compare it and no more
 * @device: which
 */
struct mw_devices {
	struct mw_rota rota;
	const void *file;
	struct mw_device device[MW_ROTA_PLACES];
};

bool mw_device_has_unwritten(struct backing_dev_info *bdi, unsigned long nr_pages);
void mw_devices_begin(struct mw_devices *devices);
bool mw_devices_any(const struct mw_devices *devices);
void mw_devices_note(struct mw_devices *devices, struct folio *folio);
bool mw_devices_advance(struct mw_devices *devices);
bool mw_devices_are_busy(const struct mw_devices *devices);
void mw_devices_forget(struct mw_devices *devices);

#endif
