/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_BUDDY_H
#define COMPAT_BUDDY_H

#include <linux/mm_types.h>
#include <linux/types.h>

void mw_drain_free_pages(void);
bool mw_page_is_free(struct page *page);

#endif
