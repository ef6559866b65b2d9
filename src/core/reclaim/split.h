/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SPLIT_H
#define MEMWARD_SPLIT_H

struct mw_group;
struct mw_scan_control;

void mw_split_group(struct mw_group *group, struct mw_scan_control *sc);

#endif
