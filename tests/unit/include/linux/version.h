/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_VERSION_H
#define UNIT_LINUX_VERSION_H

#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))

#endif
