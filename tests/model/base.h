/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_BASE_H
#define MODEL_BASE_H

#include "model.h"

void base_pay(struct model *m);

#endif
