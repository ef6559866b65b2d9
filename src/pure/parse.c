// SPDX-License-Identifier: GPL-2.0
/* What people and programs write into the files. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#include <pure/parse.h>

static const char *skip_blanks(const char *text)
{
	while (mw_is_blank(*text))
		text++;
	return text;
}

/**
 * mw_parse_strip() - take blanks from both ends of a text
 * @text: it is cut at its end
 *
 * Return: where it begins.
 */
char *mw_parse_strip(char *text)
{
	size_t len = strlen(text);

	while (len && mw_is_blank(text[len - 1]))
		len--;
	text[len] = '\0';
	return (char *)skip_blanks(text);
}

static bool at_end(const char *text)
{
	return !*skip_blanks(text);
}

static bool is_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(text, word, len) && at_end(text + len);
}

/* Decimal digits only: "0x10", "1e9" and "+5" end or begin where they must not. */
static int parse_digits(const char **text, u64 *value)
{
	const char *pos = *text;
	u64 sum = 0;

	if (!isdigit((unsigned char)*pos))
		return -EINVAL;
	for (; isdigit((unsigned char)*pos); pos++) {
		u64 digit = *pos - '0';

		if (sum > (U64_MAX - digit) / 10)
			return -EINVAL;
		sum = sum * 10 + digit;
	}
	*text = pos;
	*value = sum;
	return 0;
}

/* Return: log2 of what a suffix stands for, 0 for none of those known. */
static unsigned int suffix_shift(char suffix)
{
	switch (tolower((unsigned char)suffix)) {
	case 'k':
		return 10;
	case 'm':
		return 20;
	case 'g':
		return 30;
	case 't':
		return 40;
	case 'p':
		return 50;
	case 'e':
		return 60;
	}
	return 0;
}

/* Decimal bytes with an optional suffix; leaves @text behind it. */
static int parse_bytes(const char **text, u64 *bytes)
{
	unsigned int shift;

	if (parse_digits(text, bytes))
		return -EINVAL;
	shift = suffix_shift(**text);
	if (!shift)
		return 0;
	++*text;
	if (*bytes > U64_MAX >> shift)
		return -EINVAL;
	*bytes <<= shift;
	return 0;
}

static unsigned long to_pages(u64 bytes, unsigned int page_shift,
			      unsigned long max)
{
	bytes >>= page_shift;
	return bytes < max ? bytes : max;
}

/**
 * mw_parse_pages() - a memory size
 * @text:       "max", cgroup v1's "-1", or decimal bytes with an optional suffix
 *              K, M, G, T, P or E, in either case; blanks around it are ignored
 * @page_shift: log2 of the page size
 * @max:        stands for no limit, in pages; larger values are cut to it
 * @pages:      the size in pages, rounded down; unchanged on error
 *
 * Return: 0, or -EINVAL for anything else, and for 2^64 bytes or more.
 */
int mw_parse_pages(const char *text, unsigned int page_shift,
		   unsigned long max, unsigned long *pages)
{
	u64 bytes;

	text = skip_blanks(text);
	if (is_word(text, "max") || is_word(text, "-1")) {
		*pages = max;
		return 0;
	}
	if (parse_bytes(&text, &bytes) || !at_end(text))
		return -EINVAL;
	*pages = to_pages(bytes, page_shift, max);
	return 0;
}

/* "swappiness=" and 0 to 200, or "max", which is 200 and nothing but swap. */
static int parse_swappiness(const char *text, int *swappiness)
{
	static const char key[] = "swappiness=";
	u64 value;

	if (strncmp(text, key, sizeof(key) - 1))
		return -EINVAL;
	text += sizeof(key) - 1;
	if (is_word(text, "max")) {
		*swappiness = 200;
		return 0;
	}
	if (parse_digits(&text, &value) || !at_end(text) || value > 200)
		return -EINVAL;
	*swappiness = value;
	return 0;
}

/**
 * mw_parse_reclaim() - what cgroup v2's memory.reclaim takes
 * @text:       decimal bytes with an optional suffix, and perhaps
 *              "swappiness=" with 0 to 200 or "max" behind it
 * @page_shift: log2 of the page size
 * @max:        larger sizes, in pages, are cut to it
 * @pages:      the size in pages, rounded down; unchanged on error
 * @swappiness: the swappiness, -1 if none was given; unchanged on error
 *
 * Return: 0 or -EINVAL.
 */
int mw_parse_reclaim(const char *text, unsigned int page_shift,
		     unsigned long max, unsigned long *pages, int *swappiness)
{
	int given = -1;
	u64 bytes;

	text = skip_blanks(text);
	if (parse_bytes(&text, &bytes))
		return -EINVAL;
	if (!at_end(text)) {
		if (!mw_is_blank(*text) ||
		    parse_swappiness(skip_blanks(text), &given))
			return -EINVAL;
	}
	*pages = to_pages(bytes, page_shift, max);
	*swappiness = given;
	return 0;
}

/**
 * mw_parse_number() - a plain number, such as a pid
 * @text:   decimal digits; blanks around them are ignored
 * @max:    the largest that is allowed
 * @number: the number; unchanged on error
 *
 * Return: 0, or -EINVAL.
 */
int mw_parse_number(const char *text, unsigned long max, unsigned long *number)
{
	u64 value;

	text = skip_blanks(text);
	if (parse_digits(&text, &value) || !at_end(text) || value > max)
		return -EINVAL;
	*number = value;
	return 0;
}
/**
 * mw_parse_bound() - a plain number, or "max"
 * @text:  blanks around it are ignored
 * @max:   stands for "max"; numbers are below
 * @bound: the number; unchanged on error
 *
 * Return: 0, or -EINVAL.
 */
int mw_parse_bound(const char *text, unsigned long max, unsigned long *bound)
{
	if (!is_word(skip_blanks(text), "max"))
		return mw_parse_number(text, max - 1, bound);
	*bound = max;
	return 0;
}

/**
 * mw_parse_is() - is it this word, and nothing else?
 * @text: blanks around it are ignored
 * @word: the word
 */
bool mw_parse_is(const char *text, const char *word)
{
	return is_word(skip_blanks(text), word);
}

static bool is_dots(const char *name, size_t len)
{
	return (len == 1 || len == 2) && !memcmp(name, "..", len);
}

/**
 * mw_parse_path() - an absolute path, in its shortest form
 * @text: what was written
 * @path: the path: without slashes at its end, or more than one in a row; "/" for the root
 * @size: of @path
 *
 * Return: 0; -EINVAL if it does not begin with a slash, or "." or ".." is a part of it, or a
 * newline; -ENAMETOOLONG.  What is in @path after an error says nothing.
 */
int mw_parse_path(const char *text, char *path, size_t size)
{
	size_t at = 0, len;

	if (*text != '/' || strchr(text, '\n'))
		return -EINVAL;
	if (size < 2)
		return -ENAMETOOLONG;
	while (*(text += strspn(text, "/"))) {
		len = strcspn(text, "/");
		if (is_dots(text, len))
			return -EINVAL;
		if (len > NAME_MAX || at + 1 + len >= size)
			return -ENAMETOOLONG;
		path[at++] = '/';
		memcpy(path + at, text, len);
		at += len;
		text += len;
	}
	if (!at)
		path[at++] = '/';
	path[at] = '\0';
	return 0;
}
