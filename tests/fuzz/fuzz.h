/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz targets share: input taken apart, and statements about what must hold. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct input - what libFuzzer offers
 * @data: the rest of it
 * @size: how much that is
 */
struct input {
	const uint8_t *data;
	size_t size;
};

/* Zero where there is no more. */
static inline uint8_t take(struct input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

static inline uint64_t take_word(struct input *in)
{
	uint64_t word = 0;
	int i;

	for (i = 0; i < 8; i++)
		word = word << 8 | take(in);
	return word;
}

/* libFuzzer keeps the input of an abort. */
#define MUST(cond, ...) do {						\
		if (cond)						\
			break;						\
		fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond); \
		fprintf(stderr, __VA_ARGS__);				\
		fputc('\n', stderr);					\
		abort();						\
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
