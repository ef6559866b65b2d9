// SPDX-License-Identifier: GPL-2.0
#include "sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "check.h"

/** sequence_add() - one more operation */
void sequence_add(struct sequence *seq, const struct op *op, int batch)
{
	if (seq->nr == seq->room) {
		seq->room = 2 * seq->room + 256;
		seq->item = realloc(seq->item, seq->room * sizeof(*seq->item));
		if (!seq->item)
			abort();
	}
	seq->item[seq->nr++] = (struct item){ *op, batch };
}

/** sequence_print() - as text that sequence_read() takes */
void sequence_print(const struct sequence *seq)
{
	int i;

	for (i = 0; i < seq->nr; i++) {
		if (i && seq->item[i].batch != seq->item[i - 1].batch)
			printf("--\n");
		op_print(stdout, &seq->item[i].op);
	}
}

/** sequence_read() - from a file; lines that begin with # do not count, but for one */
bool sequence_read(struct sequence *seq, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	int batch = 0;
	struct op op;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\r\n")] = 0;
		if (!strcmp(line, "--"))
			batch++;
		else if (!strcmp(line, SEQUENCE_BINDS))
			seq->binds = true;
		else if (op_parse(line, &op))
			sequence_add(seq, &op, batch);
		else if (*line && *line != '#')
			printf("# not an operation: %s\n", line);
	}
	fclose(file);
	return true;
}

/** sequence_binds() - is it of --bindings? */
bool sequence_binds(const struct sequence *seq)
{
	int i;

	if (seq->binds)
		return true;
	for (i = 0; i < seq->nr; i++)
		if (op_is_of_bindings(seq->item[i].op.type))
			return true;
	return false;
}

/* From item @from on, the items of one batch; returns the first of the next. */
static int fill_batch(struct model *m, struct batch *batch,
		      struct sequence *seq, int from, struct sequence *done)
{
	int i;

	batch->nr = 0;
	for (i = from; i < seq->nr && seq->item[i].batch == seq->item[from].batch; i++)
		if (batch_add(m, batch, &seq->item[i].op))
			sequence_add(done, &seq->item[i].op, seq->item[i].batch);
	return i;
}

/**
 * sequence_replay() - run it from the beginning
 * @seq: what; afterwards without what made no sense, or came after a failure
 *
 * Return: the number of things that went wrong.
 */
int sequence_replay(struct sequence *seq)
{
	static struct model m;
	static struct batch batch;
	struct sequence done = {};
	int pos = 0, wrong = 0;

	execute_reset();
	model_init(&m);
	base_pay(&m);
	while (pos < seq->nr && !wrong) {
		model_begin_batch(&m);
		pos = fill_batch(&m, &batch, seq, pos, &done);
		if (!batch.nr)
			continue;
		wrong = execute_batch(&m, &batch);
		model_end_batch(&m);
		base_pay(&m);
		if (!wrong)
			wrong = check(&m);
	}
	free(seq->item);
	*seq = done;
	return wrong;
}
