/* SPDX-License-Identifier: GPL-2.0 */
/* The C library's own <limits.h> comes through here, too. */
#ifndef UNIT_LINUX_LIMITS_H
#define UNIT_LINUX_LIMITS_H

#include_next <linux/limits.h>
#include <limits.h>

#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)

#endif
