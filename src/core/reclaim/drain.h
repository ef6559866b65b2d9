/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_DRAIN_H
#define MEMWARD_DRAIN_H

int mw_drain_init(void);
void mw_drain_exit(void);
void mw_drain_wait(void);

#endif
