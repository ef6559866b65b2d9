/* SPDX-License-Identifier: GPL-2.0 */
/* Doing a batch for real. */
#ifndef MODEL_EXECUTE_H
#define MODEL_EXECUTE_H

#include "model.h"

#define MOUNT_POINT	"/sys/fs/memward"
#define CGROUP_ROOT	"/sys/fs/cgroup"

/**
 * struct step - an operation in a batch
 * @op:   what
 * @want: what it must return
 * @path: the file that it is about, when it is its turn
 * @text: what is written there, if it is no number
 */
struct step {
	struct op op;
	int want;
	char path[128];
	char text[TEXT];
};

#define MAX_STEPS	256

/**
 * struct batch - operations that run at the same time, by process in sequence
 * @nr:   how many
 * @step: the clerks' first, so that the model knows of every move
 */
struct batch {
	int nr;
	struct step step[MAX_STEPS];
};

bool batch_add(struct model *m, struct batch *batch, const struct op *op);

void execute_init(void);
void execute_drain(void);
void execute_reset(void);
int execute_batch(const struct model *m, const struct batch *batch);

void file_path(int file, char *path, int room);
bool read_text(const char *path, char *text, int room);
long value_of(const char *text, const char *key);
bool write_text(const char *path, const char *text);

#endif
