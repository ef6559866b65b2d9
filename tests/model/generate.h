/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include <stdint.h>

#include "execute.h"

void generate(struct model *m, struct batch *batch, uint64_t *seed, int workers,
	      bool closing);

#endif
