/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_ADOPTION_H
#define MODEL_ADOPTION_H

#include "model.h"

int do_adopt(struct model *m, struct proc *proc, int group);

#endif
