/* SPDX-License-Identifier: GPL-2.0 */
/* The C library's own <errno.h> comes through here, too. */
#ifndef UNIT_LINUX_ERRNO_H
#define UNIT_LINUX_ERRNO_H

#include <asm/errno.h>

#endif
