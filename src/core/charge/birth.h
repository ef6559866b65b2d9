/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_BIRTH_H
#define MEMWARD_BIRTH_H

struct task_struct;

void mw_birth(struct task_struct *parent, struct task_struct *child);
unsigned long mw_birth_kills(void);

#endif
