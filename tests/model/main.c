// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on memward, compared with a model.  See docs/testing.md.
 * All that it prints beside operations begins with "#".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "check.h"
#include "execute.h"
#include "generate.h"
#include "sequence.h"
#include "shrink.h"

#define DISK	"/dev/loop7"
#define DISK_SIZE	(16UL << 20)

/* So often everything ends, and memward is unmounted with no group left. */
#define OPS_A_LIFE	3000

static struct {
	uint64_t seed;
	int ops;
	int workers;
	const char *replay;
	bool bindings;
	bool shrink;
	bool print;
} option = { .seed = 1, .ops = 10000, .workers = 4, .shrink = true };

static int usage(void)
{
	fprintf(stderr, "options: [--seed N] [--ops N] [--workers N] [--bindings] [--replay FILE] [--no-shrink] [--print]\n");
	return 2;
}

static bool parse_args(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--no-shrink"))
			option.shrink = false;
		else if (!strcmp(argv[i], "--print"))
			option.print = true;
		else if (!strcmp(argv[i], "--bindings"))
			option.bindings = true;
		else if (i + 1 == argc)
			return false;
		else if (!strcmp(argv[i], "--seed"))
			option.seed = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--ops"))
			option.ops = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--workers"))
			option.workers = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--replay"))
			option.replay = argv[++i];
		else
			return false;
	}
	return true;
}

/*
 * The disk's metadata is in the page cache of its device, charged to whom needs
 * it first.  Keep all of it there from the beginning.
 */
static void hold_disk(void)
{
	int fd = open(DISK, O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, DISK_SIZE, PROT_READ, MAP_SHARED, fd, 0);

	if (fd < 0 || map == MAP_FAILED || mlock(map, DISK_SIZE) ||
	    madvise(map, DISK_SIZE, MADV_DONTFORK)) {
		perror("hold " DISK);
		exit(99);
	}
}

/* What a group has in swap it still has: other numbers are expected then. */
static bool there_is_swap(void)
{
	char text[4096];

	return read_text("/proc/swaps", text, sizeof(text)) &&
	       strchr(text, '\n') && strchr(text, '\n')[1];
}

/* Pages that were swapped out since the machine was started. */
static long swapped_out(void)
{
	static char text[32768];
	const char *pos;

	if (!read_text("/proc/vmstat", text, sizeof(text)))
		return 0;
	pos = strstr(text, "\npswpout ");
	return pos ? atol(pos + strlen("\npswpout ")) : 0;
}

static void record(struct sequence *seq, const struct batch *batch, int number)
{
	int i;

	for (i = 0; i < batch->nr; i++)
		sequence_add(seq, &batch->step[i].op, number);
}

static bool no_group(const struct model *m)
{
	return group_below(m, ROOT) == BIT(ROOT);
}

/*
 * Nothing of this life goes on.  With bindings memward has to be mounted again for that, which
 * forgets what is bound to the root and who was moved there.
 */
static bool is_over(const struct model *m)
{
	return model_binds ? m->unpaid : no_group(m);
}

static void print_tally(const struct tally *tally)
{
	if (model_binds)
		printf("# %d adoptions that charged, %d births before a move, %d entries made void, %d remounts with no group, %d of bindings forgotten\n",
		       tally->adopted, tally->begun_before, tally->voided,
		       tally->remounts, tally->forgotten);
}

static void print_last(const struct sequence *seq, int nr)
{
	struct sequence last = { .nr = nr, .item = seq->item + seq->nr - nr };

	printf("--\n");
	sequence_print(&last);
	fflush(stdout);
}

static int run(struct sequence *seq)
{
	static struct model m;
	static struct batch batch;
	int number = 0, lives = 1, wrong = 0;
	bool over;
	uint64_t seed = option.seed;
	long swapped = swapped_out();

	execute_reset();
	model_init(&m);
	base_pay(&m);
	while (seq->nr < option.ops && !wrong) {
		model_begin_batch(&m);
		batch.nr = 0;
		generate(&m, &batch, &seed, option.workers,
			 seq->nr > lives * OPS_A_LIFE);
		record(seq, &batch, ++number);
		if (option.print)
			print_last(seq, batch.nr);
		wrong = execute_batch(&m, &batch);
		model_end_batch(&m);
		over = is_over(&m);
		base_pay(&m);
		if (!wrong)
			wrong = check(&m);
		if (seq->nr > lives * OPS_A_LIFE && over)
			lives++;
	}
	if (wrong && !option.print)
		print_last(seq, batch.nr);
	printf("# seed %llu: %d operations in %d batches; %ld numbers compared exactly, %ld with bounds, %ld pages swapped out\n",
	       (unsigned long long)option.seed, seq->nr, number, check_exact,
	       check_bounded, swapped_out() - swapped);
	print_tally(&m.tally);
	return wrong;
}

/* The C library would have the kernel write to a page of each process (rseq). */
static void without_rseq(char **argv)
{
	if (getenv("GLIBC_TUNABLES"))
		return;
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execv("/proc/self/exe", argv);
	perror("exec");
	exit(99);
}

int main(int argc, char **argv)
{
	struct sequence seq = {};
	int wrong;

	if (!parse_args(argc, argv))
		return usage();
	without_rseq(argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	hold_disk();
	execute_init();
	model_swaps = there_is_swap();
	model_binds = option.bindings;
	if (option.replay) {
		if (!sequence_read(&seq, option.replay)) {
			perror(option.replay);
			return 99;
		}
		model_binds |= sequence_binds(&seq);
		printf("# replaying %d operations%s\n", seq.nr,
		       model_binds ? ", bindings" : "");
		wrong = sequence_replay(&seq);
		printf("# %d of them made sense\n", seq.nr);
	} else {
		printf("# seed %llu, %d operations, %d workers%s%s\n",
		       (unsigned long long)option.seed, option.ops,
		       option.workers, model_swaps ? ", swap" : "",
		       model_binds ? ", bindings" : "");
		if (model_binds)
			puts(SEQUENCE_BINDS);
		wrong = run(&seq);
	}
	if (!wrong) {
		execute_reset();
		printf("# the model and memward agree\n");
		return 0;
	}
	printf("# FAILED: %d differences after the last of %d operations\n",
	       wrong, seq.nr);
	if (option.shrink)
		shrink(&seq);
	execute_reset();
	return 1;
}
