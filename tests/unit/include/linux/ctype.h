/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_CTYPE_H
#define UNIT_LINUX_CTYPE_H

#include <ctype.h>

#endif
