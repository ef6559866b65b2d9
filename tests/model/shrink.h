/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_SHRINK_H
#define MODEL_SHRINK_H

#include "sequence.h"

void shrink(struct sequence *seq);

#endif
