/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MIGRATION_H
#define MEMWARD_MIGRATION_H

#include <linux/types.h>

struct cgroup;
struct task_struct;

void mw_migration_catch_up(struct task_struct *task);
void mw_migration_catch_up_in_v1(struct task_struct *task);
void mw_migration_note_in_v1(struct task_struct *task);
void mw_migration_seen(struct task_struct *task, struct cgroup *cgrp, bool threadgroup);
void mw_migration_note_all(void);
void mw_migration_note_all_in_v1(void);

#endif
