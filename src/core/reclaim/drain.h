/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DRAIN_H
#define MEMWARD_DRAIN_H

/* what a busy CPU that switches tasks needs, and more */
#define MW_DRAIN_MS		100
/* somebody has asked for as much as can be had */
#define MW_DRAIN_ASKED_MS	1000

int mw_drain_init(void);
void mw_drain_exit(void);
void mw_drain_wait(unsigned int ms);

#endif
