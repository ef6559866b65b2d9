/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PATIENCE_H
#define MEMWARD_PATIENCE_H

#include <linux/types.h>

#include <core/reclaim/device.h>
#include <uapi/memward.h>

struct mw_scan_control;

/**
 * enum mw_round - what came of a round of reclaim
 * @MW_ROUND_PROGRESS: there is more room, or a disk gets on: a new start
 * @MW_ROUND_WAITED:   something may come yet, and it is not too long since the last of it came
 * @MW_ROUND_VAIN:     nothing, and nothing to wait for any longer: a try is used up
 */
enum mw_round {
	MW_ROUND_PROGRESS = MEMWARD_ROUND_PROGRESS,
	MW_ROUND_WAITED = MEMWARD_ROUND_WAITED,
	MW_ROUND_VAIN = MEMWARD_ROUND_VAIN,
};

/**
 * struct mw_patience - how long to wait for a disk
 * @ms:       in the next round
 * @since:    when anything was reclaimed last, or when it began; jiffies
 * @advanced: when a disk has got on last, or that
 * @pinned:   when a round found nothing else to wait for than what somebody has a reference to, the first
 *            since @since; 0 if none has
 * @devices:  which disks
 */
struct mw_patience {
	unsigned int ms;
	u64 since;
	u64 advanced;
	u64 pinned;
	struct mw_devices devices;
};

void mw_patience_begin(struct mw_patience *patience);
void mw_patience_lend(struct mw_patience *patience, struct mw_scan_control *sc);
enum mw_round mw_patience_note(struct mw_patience *patience,
			       const struct mw_scan_control *sc);
void mw_patience_end(struct mw_patience *patience);

#endif
