// SPDX-License-Identifier: GPL-2.0
/*
 * Delta debugging: what can be left out so that it still fails?  All operations
 * of a type or of a process first, then halves, quarters, at last single ones,
 * each time from a clean state.  What makes no sense without what was left out goes as well.
 */
#include "shrink.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* Then what is left is short enough, or will not get shorter. */
#define MAX_REPLAYS	400
#define MAX_SECONDS	400

static time_t began;

static bool is_time_left(int replays)
{
	return replays < MAX_REPLAYS && time(NULL) - began < MAX_SECONDS;
}
#define TIMES_AT_LAST	5

/* What goes wrong on the way is not for the reader. */
static int replay_quietly(struct sequence *seq)
{
	int out, null = open("/dev/null", O_WRONLY | O_CLOEXEC), wrong;

	fflush(stdout);
	out = dup(STDOUT_FILENO);
	dup2(null, STDOUT_FILENO);
	wrong = sequence_replay(seq);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(null);
	return wrong;
}

static struct sequence without(const struct sequence *seq, int from, int nr)
{
	struct sequence rest = {};
	int i;

	for (i = 0; i < seq->nr; i++)
		if (i < from || i >= from + nr)
			sequence_add(&rest, &seq->item[i].op, seq->item[i].batch);
	return rest;
}

static bool take_if_it_fails(struct sequence *seq, struct sequence less)
{
	bool fails = less.nr && replay_quietly(&less);

	if (fails) {
		free(seq->item);
		*seq = less;
	} else {
		free(less.item);
	}
	return fails;
}

/* All of one type, or all that one process does. */
static struct sequence without_all(const struct sequence *seq, int type, int by)
{
	struct sequence rest = {};
	int i;

	for (i = 0; i < seq->nr; i++)
		if ((int)seq->item[i].op.type != type && seq->item[i].op.by != by)
			sequence_add(&rest, &seq->item[i].op, seq->item[i].batch);
	return rest;
}

static void leave_out_alike(struct sequence *seq, int type, int by, int *replays)
{
	struct sequence less = without_all(seq, type, by);

	if (less.nr == seq->nr || !is_time_left(*replays)) {
		free(less.item);
		return;
	}
	++*replays;
	take_if_it_fails(seq, less);
}

static void leave_out_kinds(struct sequence *seq, int *replays)
{
	int i;

	for (i = NR_OPS - 1; i >= 0; i--)
		leave_out_alike(seq, i, -1, replays);
	for (i = 0; i < MAX_PROCS; i++)
		leave_out_alike(seq, -1, i, replays);
	printf("# %d operations after %d replays\n", seq->nr, *replays);
}

/* The operation that fails comes late, so what is before it goes first. */
static bool leave_out(struct sequence *seq, int chunk, int *replays)
{
	bool progress = false;
	int from = 0;

	while (from < seq->nr && is_time_left(*replays)) {
		++*replays;
		if (take_if_it_fails(seq, without(seq, from, chunk)))
			progress = true;
		else
			from += chunk;
	}
	return progress;
}

static bool fails_again(const struct sequence *seq)
{
	bool fails = false;
	int i;

	for (i = 0; i < TIMES_AT_LAST && !fails; i++) {
		struct sequence copy = without(seq, 0, 0);

		fails = replay_quietly(&copy);
		free(copy.item);
	}
	return fails;
}

static void say_how_often(struct sequence *seq)
{
	int i, failed = 0;

	for (i = 0; i < TIMES_AT_LAST; i++) {
		struct sequence copy = without(seq, 0, 0);

		failed += replay_quietly(&copy) > 0;
		free(copy.item);
	}
	printf("# it fails %d times out of %d\n", failed, TIMES_AT_LAST);
}

/** shrink() - a failing sequence, made short and printed */
void shrink(struct sequence *seq)
{
	int chunk, replays = 0, before = seq->nr;
	struct sequence last;

	began = time(NULL);
	printf("# shrinking %d operations\n", before);
	/* the failure is there and stays; a replay should be quick */
	check_tries = 3;
	if (!fails_again(seq)) {
		printf("# it did not fail again in %d replays: the order within a batch matters, or chance\n",
		       TIMES_AT_LAST);
		return;
	}
	leave_out_kinds(seq, &replays);
	for (chunk = (seq->nr + 1) / 2; chunk > 1; chunk = (chunk + 1) / 2) {
		leave_out(seq, chunk, &replays);
		printf("# %d operations after %d replays\n", seq->nr, replays);
		if (chunk > seq->nr)
			chunk = seq->nr;
	}
	do
		chunk = leave_out(seq, 1, &replays);
	while (chunk);
	printf("# shrunk from %d to %d operations in %d replays; for --replay:\n",
	       before, seq->nr, replays);
	if (model_binds)
		puts(SEQUENCE_BINDS);
	sequence_print(seq);
	printf("# end of the sequence. What it shows:\n");
	last = without(seq, 0, 0);
	sequence_replay(&last);
	say_how_often(seq);
}
