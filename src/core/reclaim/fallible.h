/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECLAIM_FALLIBLE_H
#define RECLAIM_FALLIBLE_H

#include <linux/gfp.h>
#include <linux/nodemask.h>
#include <linux/types.h>

/**
 * struct mw_fallible - somebody who reclaims for an allocation that may fail
 * @serial: of the shortage that was the last when he came
 * @helped: has tried again
 */
struct mw_fallible {
	unsigned int serial;
	bool helped;
};

bool mw_fallible_wants(int order, gfp_t gfp);
void mw_fallible_enter(struct mw_fallible *mine);
bool mw_fallible_goes_on(struct mw_fallible *mine, struct zonelist *zonelist, int order,
			 gfp_t gfp, const nodemask_t *allowed, unsigned long nr_reclaimed);
void mw_fallible_leave(void);
void mw_fallible_stop(void);

#endif
