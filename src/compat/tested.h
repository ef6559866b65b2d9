/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_TESTED_H
#define COMPAT_TESTED_H

#include <linux/types.h>

bool mw_kernel_is_tested(void);
const char *mw_kernel_release(void);
const char *mw_tested_series(void);

#endif
