/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MEMBERS_H
#define MEMWARD_MEMBERS_H

#include <core/charge/member.h>

bool mw_members_close(struct mw_group *group);
void mw_members_dissolve(struct mw_group *group);
bool mw_members_populated(struct mw_group *group);
void mw_members_kill(struct mw_group *group);
void mw_members_walk(struct mw_group *group, mw_member_visit_fn visit,
		     void *data);
void mw_members_walk_below(struct mw_group *top, mw_member_visit_fn visit,
			   void *data);

#endif
