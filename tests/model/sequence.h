/* SPDX-License-Identifier: GPL-2.0 */
/* Operations in the order of a run, batch by batch. */
#ifndef MODEL_SEQUENCE_H
#define MODEL_SEQUENCE_H

#include "execute.h"

/* A line of a file of operations: the base is to be paid for, though none of them may bind or adopt. */
#define SEQUENCE_BINDS	"# --bindings"

/**
 * struct item - an operation of a sequence
 * @op:    what
 * @batch: in which batch
 */
struct item {
	struct op op;
	int batch;
};

/**
 * struct sequence - all of them
 * @nr:    how many
 * @room:  for so many
 * @binds: it was read from a file that says it is of --bindings
 * @item:  they
 */
struct sequence {
	int nr;
	int room;
	bool binds;
	struct item *item;
};

void sequence_add(struct sequence *seq, const struct op *op, int batch);
void sequence_print(const struct sequence *seq);
bool sequence_read(struct sequence *seq, const char *path);
bool sequence_binds(const struct sequence *seq);
int sequence_replay(struct sequence *seq);

#endif
