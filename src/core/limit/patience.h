/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PATIENCE_H
#define MEMWARD_PATIENCE_H

#include <linux/types.h>

struct mw_scan_control;

/**
 * struct mw_patience - how long to wait for a disk
 * @ms:    in the next round
 * @since: when anything was reclaimed last, or when it began; jiffies
 */
struct mw_patience {
	unsigned int ms;
	u64 since;
};

void mw_patience_begin(struct mw_patience *patience);
void mw_patience_note(struct mw_patience *patience, unsigned long reclaimed);
void mw_patience_lend(const struct mw_patience *patience,
		      struct mw_scan_control *sc);

#endif
