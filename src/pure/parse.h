/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PARSE_H
#define MEMWARD_PARSE_H

#include <linux/types.h>

/** mw_is_blank() - is this a blank?  Of ASCII: those of Latin-1 are parts of letters in UTF-8 */
static inline bool mw_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char *mw_parse_strip(char *text);
int mw_parse_pages(const char *text, unsigned int page_shift,
		   unsigned long max, unsigned long *pages);
int mw_parse_reclaim(const char *text, unsigned int page_shift,
		     unsigned long max, unsigned long *pages, int *swappiness);
int mw_parse_bound(const char *text, unsigned long max, unsigned long *bound);
int mw_parse_number(const char *text, unsigned long max, unsigned long *number);
int mw_parse_path(const char *text, char *path, size_t size);
bool mw_parse_is(const char *text, const char *word);

#endif
