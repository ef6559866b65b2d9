/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_ROTA_H
#define MEMWARD_ROTA_H

#include <linux/types.h>

#define MW_ROTA_PLACES	3

/**
 * struct mw_rota - which of many have one of a few places, from one round to the next
 * @id:    who has it; 0: nobody
 * @seen:  he was met in this round
 * @stays: he is not to make room for another
 * @last:  who was brought in last, in a round before
 * @next:  the place that is given to another next
 * @given: one more than the place that was, in this round; 0: none
 *
 * Zeroed before the first round.
 */
struct mw_rota {
	u64 id[MW_ROTA_PLACES];
	bool seen[MW_ROTA_PLACES];
	bool stays[MW_ROTA_PLACES];
	u64 last;
	unsigned int next;
	unsigned int given;
};

void mw_rota_begin(struct mw_rota *rota);
int mw_rota_meet(struct mw_rota *rota, u64 id);

#endif
