/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_STRING_H
#define UNIT_LINUX_STRING_H

#include <linux/ctype.h>
#include <string.h>

static inline char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return (char *)text;
}

static inline char *strim(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = 0;
	return skip_spaces(text);
}

#endif
