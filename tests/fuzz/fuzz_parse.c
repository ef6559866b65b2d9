// SPDX-License-Identifier: GPL-2.0
/* Sizes and numbers: accepted, and taken for what, exactly as by a second reading of the same grammar. */
#include <linux/errno.h>
#include <linux/types.h>

#include <pure/parse.h>

#include "fuzz.h"

#define UNTOUCHED	0xdeadbeefUL

static const char *const words[] = {
	"max", "-1", "0", "1", "4095", "4096", "18446744073709551615",
	"18446744073709551616", "9223372036854775807", "99999999999999999999",
	"17592186044416", "K", "k", "m", "G", "t", "P", "e", "E", " ", "\t", "\n",
	"\v", "\f", "\r", "0x", "1e", "+", "-", ".", "maxx", "Max", "B", "16777216",
	"18014398509481984", "18014398509481983", "16", "15",
};

/* Bytes above 127 are words, so that what is nearly right is tried often. */
static char *make_text(struct input *in)
{
	char *text = malloc(in->size * 24 + 1);
	size_t len = 0;

	while (in->size) {
		uint8_t byte = take(in);

		if (byte < 128 && byte)
			text[len++] = byte;
		else
			len += sprintf(text + len, "%s",
				       words[byte % (sizeof(words) / sizeof(*words))]);
	}
	text[len] = 0;
	/* of exactly its length, so that reading on is seen */
	return realloc(text, len + 1);
}

/* The words between blanks, of which there must be one. Return: its length, 0 for none or several. */
static size_t only_word(const char *text, const char **word)
{
	static const char blanks[] = " \t\n\v\f\r";
	size_t len;

	*word = text + strspn(text, blanks);
	len = strcspn(*word, blanks);
	return (*word)[len + strspn(*word + len, blanks)] ? 0 : len;
}

static bool is(const char *word, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(word, want, len);
}

/* Return: false for anything but digits, or more than 2^64 - 1. */
static bool number(const char *word, size_t len, unsigned __int128 *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < len; i++) {
		if (!strchr("0123456789", word[i]))
			return false;
		*value = *value * 10 + (word[i] - '0');
		if (*value >> 64)
			return false;
	}
	return len;
}

static int size_of_text(const char *text, unsigned int page_shift,
			unsigned long max, unsigned long *pages)
{
	static const char suffixes[] = "kmgtpeKMGTPE";
	unsigned __int128 value;
	const char *word, *suffix;
	size_t len = only_word(text, &word);

	if (is(word, len, "max") || is(word, len, "-1")) {
		*pages = max;
		return 0;
	}
	suffix = len ? strchr(suffixes, word[len - 1]) : NULL;
	if (!number(word, len - !!suffix, &value))
		return -EINVAL;
	if (suffix)
		value <<= 10 * ((suffix - suffixes) % 6 + 1);
	if (value >> 64)
		return -EINVAL;
	value >>= page_shift;
	*pages = value < max ? (unsigned long)value : max;
	return 0;
}

static int number_of_text(const char *text, unsigned long max,
			  unsigned long *result)
{
	unsigned __int128 value;
	const char *word;
	size_t len = only_word(text, &word);

	if (!number(word, len, &value) || value > max)
		return -EINVAL;
	*result = value;
	return 0;
}

static void check_pages(const char *text, unsigned int page_shift,
			unsigned long max)
{
	unsigned long got = UNTOUCHED, want = UNTOUCHED;
	int ret = mw_parse_pages(text, page_shift, max, &got);
	int expected = size_of_text(text, page_shift, max, &want);

	MUST(ret == expected && got == want,
	     "'%s' >> %u, max %#lx: %d %#lx, not %d %#lx", text, page_shift, max,
	     ret, got, expected, want);
}

static void check_number(const char *text, unsigned long max)
{
	unsigned long got = UNTOUCHED, want = UNTOUCHED;
	int ret = mw_parse_number(text, max, &got);
	int expected = number_of_text(text, max, &want);

	MUST(ret == expected && got == want,
	     "'%s', max %#lx: %d %#lx, not %d %#lx", text, max, ret, got,
	     expected, want);
}

/* Shortest already: what comes of a path is itself again; and it fits exactly. */
static void check_path(const char *text)
{
	size_t len;
	char *path = malloc(strlen(text) + 2), *again, *less;

	MUST(path, "no memory");
	if (!mw_parse_path(text, path, strlen(text) + 2)) {
		len = strlen(path);
		MUST(*path == '/' && !strstr(path, "//") && !strchr(path, '\n'),
		     "'%s' is '%s'", text, path);
		MUST(len == 1 || path[len - 1] != '/', "'%s' is '%s'", text, path);
		again = malloc(len + 1);
		less = malloc(len);
		MUST(again && less, "no memory");
		MUST(!mw_parse_path(path, again, len + 1) && !strcmp(path, again),
		     "'%s' again is '%s'", path, again);
		MUST(mw_parse_path(path, less, len) == -ENAMETOOLONG,
		     "'%s' fits where it has no room", path);
		free(again);
		free(less);
	}
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned long limits[] = {
		1, 0x7fffffff, ~0UL >> 13, ~0UL >> 1, ~0UL, 0, 4194304, 100,
	};
	struct input in = { data, size };
	unsigned long max = limits[take(&in) % 8];
	unsigned int page_shift = take(&in) % 4 ? 12 : 16;
	char *text = make_text(&in);

	check_pages(text, page_shift, max);
	check_number(text, max);
	check_path(text);
	free(text);
	return 0;
}
