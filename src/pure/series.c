// SPDX-License-Identifier: GPL-2.0
/* Series of kernels: 6.1 is the series of 6.1.0-56-cloud-amd64, and not of 6.12. */
#include <linux/string.h>

#include <pure/series.h>

static bool is_of(const char *release, const char *series, size_t len)
{
	return len && !strncmp(release, series, len) &&
	       (!release[len] || strchr(".+-", release[len]));
}

/**
 * mw_series_has() - is a kernel of one of these series?
 * @list:    series, with blanks between them: "5.10 6.1"
 * @release: what the kernel calls itself
 */
bool mw_series_has(const char *list, const char *release)
{
	size_t len;

	for (; *list; list += len) {
		while (*list == ' ')
			list++;
		len = strcspn(list, " ");
		if (is_of(release, list, len))
			return true;
	}
	return false;
}
