/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_SLAB_H
#define UNIT_LINUX_SLAB_H

#include <stdlib.h>

#define kfree	free

#endif
