/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_ADOPTION_H
#define MEMWARD_ADOPTION_H

struct mm_struct;
struct mw_group;

int mw_adopt(struct mm_struct *mm, struct mw_group *group);

#endif
