/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_OOM_H
#define COMPAT_OOM_H

#include <linux/types.h>

struct mm_struct;

bool mw_oom_is_reaped(struct mm_struct *mm);
bool mw_oom_begin(void);
void mw_oom_end(void);
int mw_oom_compat_init(void);

#endif
