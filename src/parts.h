/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PARTS_H
#define MEMWARD_PARTS_H

int mw_parts_init(void);
void mw_parts_exit(void);
int mw_parts_start(void);
void mw_parts_stop(void);

#endif
