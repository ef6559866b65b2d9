/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_ADOPTION_H
#define MODEL_ADOPTION_H

#include "model.h"

bool adopts_of_file(const struct model *m, const struct proc *proc);
int do_adopt(struct model *m, struct proc *proc, int group);

#endif
