/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_ORPHAN_H
#define MEMWARD_ORPHAN_H

struct mw_owner;

void mw_orphan_add(struct mw_owner *owner);
void mw_owners_reap(void);
unsigned long mw_orphans(void);
void mw_orphan_stop(void);

#endif
