/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_KEEP_H
#define MEMWARD_KEEP_H

#include <linux/list.h>
#include <linux/types.h>

struct folio;
struct task_struct;

/**
 * struct mw_keep_pass - a task that reclaims for memward: it has asked already
 * @node: in a table
 * @task: it
 */
struct mw_keep_pass {
	struct hlist_node node;
	struct task_struct *task;
};

void mw_keep_pass_begin(struct mw_keep_pass *pass);
void mw_keep_pass_end(struct mw_keep_pass *pass);
void mw_keep_note(int priority, unsigned long reclaimed);
bool mw_keep(struct folio *folio);

#endif
