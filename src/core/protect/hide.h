/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_HIDE_H
#define MEMWARD_HIDE_H

#include <linux/nodemask.h>

struct folio;
struct mw_group;

void mw_hide(struct mw_group *group, struct folio *folio, bool locked);
bool mw_hide_show(struct folio *folio, unsigned long pfn, unsigned int nr_pages);
void mw_hide_hand_over(struct mw_group *from, struct mw_group *to);
void mw_hide_show_on(const nodemask_t *nodes, unsigned long *nr_shown);
bool mw_hide_is_below(unsigned int bit);
void mw_hide_show_below(const unsigned long *memcgs);
int mw_hide_start(void);
void mw_hide_stop(void);
int mw_hide_init(void);
void mw_hide_exit(void);

#endif
