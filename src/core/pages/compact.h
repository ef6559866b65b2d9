/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_COMPACT_H
#define MEMWARD_COMPACT_H

struct mw_group;

void mw_compact_look(struct mw_group *group, long nr_chunks);
void mw_compact_look_at_all(struct mw_group *group);
void mw_compact_setup(struct mw_group *group);
void mw_compact_stop(void);
int mw_compact_init(void);
void mw_compact_exit(void);

#endif
