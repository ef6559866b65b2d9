/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_THROTTLE_H
#define MEMWARD_THROTTLE_H

#include <linux/gfp.h>

void mw_throttle_charge(unsigned int nr_pages, gfp_t gfp);
unsigned long mw_throttle_missed(void);
void mw_throttle_stop(void);

#endif
