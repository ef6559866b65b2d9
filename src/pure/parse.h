/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PARSE_H
#define MEMWARD_PARSE_H

#include <linux/types.h>

int mw_parse_pages(const char *text, unsigned int page_shift,
		   unsigned long max, unsigned long *pages);
int mw_parse_reclaim(const char *text, unsigned int page_shift,
		     unsigned long max, unsigned long *pages, int *swappiness);
int mw_parse_bound(const char *text, unsigned long max, unsigned long *bound);
int mw_parse_number(const char *text, unsigned long max, unsigned long *number);
int mw_parse_path(const char *text, char *path, size_t size);
bool mw_parse_is(const char *text, const char *word);

#endif
