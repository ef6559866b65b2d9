/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model.h"

extern int check_tries;
extern long check_exact, check_bounded;

int check(struct model *m);

#endif
