/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_CREDIT_H
#define MEMWARD_CREDIT_H

#include <linux/types.h>

/* credit for one page: who has few of many gets a small part of a page each time */
#define MW_CREDIT_PAGE		4096

unsigned long mw_credit_wanted(unsigned long nr_pages, unsigned long nr_groups);
s64 mw_credit_quantum(unsigned long pages, unsigned long total, unsigned long wanted,
		      unsigned int priority);
s64 mw_credit_price(unsigned long pages);
unsigned long mw_credit_share(s64 credit);
s64 mw_credit_left(s64 credit, unsigned long pages, unsigned long total);
s64 mw_credit_first(u64 id);

#endif
