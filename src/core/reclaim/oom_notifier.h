/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_YIELD_H
#define MEMWARD_YIELD_H

int mw_yield_start(void);
void mw_yield_stop(void);
int mw_yield_init(void);
void mw_yield_exit(void);

#endif
