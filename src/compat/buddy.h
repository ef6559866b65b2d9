/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_BUDDY_H
#define COMPAT_BUDDY_H

#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/nodemask.h>
#include <linux/types.h>

void mw_drain_free_pages(void);
bool mw_page_is_free(struct page *page);
int mw_buddy_compat_init(void);
bool mw_order_is_asked_for(void);
nodemask_t mw_zonelist_nodes(struct zonelist *zonelist, gfp_t gfp);
bool mw_zonelist_has_room(struct zonelist *zonelist, int order, gfp_t gfp,
			  const nodemask_t *nodes);

#endif
