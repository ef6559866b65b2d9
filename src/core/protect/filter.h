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

/**
 * enum mw_kept - is a folio to be kept by global reclaim?
 * @MW_KEEP_NOT:  no
 * @MW_KEEP_NOW:  yes, but another time it may not be
 * @MW_KEEP_LONG: yes, as long as its group does not grow
 */
enum mw_kept { MW_KEEP_NOT, MW_KEEP_NOW, MW_KEEP_LONG };

void mw_keep_pass_begin(struct mw_keep_pass *pass);
void mw_keep_pass_end(struct mw_keep_pass *pass);
void mw_keep_note(int priority, unsigned long reclaimed);
enum mw_kept mw_keep(struct folio *folio, bool locked);

#endif
