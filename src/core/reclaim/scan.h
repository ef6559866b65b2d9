/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_SCAN_H
#define MEMWARD_SCAN_H

#include <linux/nodemask.h>
#include <linux/types.h>

struct mw_group;
struct mw_scan_control;

/* pages that are sent to swap beyond what is wanted, before anybody waits for some */
#define MW_SCAN_AHEAD		96UL
/* how weak the first look is: 2^-12 of a group's pages */
#define MW_SCAN_PRIORITIES	12

bool mw_scan_is_enough(const struct mw_scan_control *sc);
bool mw_scan_is_coming(const struct mw_scan_control *sc);
bool mw_scan_must_stop(const struct mw_scan_control *sc);
bool mw_scan_spares_anon(struct mw_group *group, const struct mw_scan_control *sc);
const nodemask_t *mw_scan_nodes(const struct mw_scan_control *sc);
void mw_scan_group(struct mw_group *group, unsigned long share, struct mw_scan_control *sc);
void mw_scan_written(struct mw_group *group, struct mw_scan_control *sc);
bool mw_scan_ahead(struct mw_group *group, struct mw_scan_control *sc);

#endif
