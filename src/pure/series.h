/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PURE_SERIES_H
#define PURE_SERIES_H

#include <linux/types.h>

bool mw_series_has(const char *list, const char *release);

#endif
