// SPDX-License-Identifier: GPL-2.0
/*
 * Type data: what the input describes is written both as type data and as C,
 * and must be read as that C.  Then some of its bytes are changed, or the input
 * itself is taken for type data: whatever comes of that, nothing outside is
 * read or written, and the answer is one of those that there are.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/types.h>

#include <pure/btf.h>

#include "fuzz.h"

enum {
	K_INT = 1, K_PTR, K_ARRAY, K_STRUCT, K_UNION, K_ENUM, K_FWD, K_TYPEDEF,
	K_VOLATILE, K_CONST, K_RESTRICT, K_FUNC, K_PROTO, K_VAR, K_DATASEC,
	K_FLOAT, K_DECL_TAG, K_TYPE_TAG, K_ENUM64,
};

#define KFLAG		(1U << 31)
#define MAX_WORDS	4096
#define TEXT_MAX	8192

/* --- writing type data and the C that it stands for -------------------------- */

static uint32_t words[MAX_WORDS];
static uint32_t nr_words, nr_types;
static char strs[MAX_WORDS];
static uint32_t strs_len;

/**
 * struct type - a type that was made
 * @id:   its number; 0 is void
 * @kind: its kind
 * @text: as C, without a name
 */
struct type {
	uint32_t id;
	uint32_t kind;
	char text[TEXT_MAX];
};

static uint32_t name(const char *text)
{
	uint32_t off = strs_len;

	if (!*text)
		return 0;
	strcpy(strs + off, text);
	strs_len += strlen(text) + 1;
	return off;
}

static bool is_full(void)
{
	return nr_words > MAX_WORDS - 64 || strs_len > MAX_WORDS - 64;
}

static uint32_t add(uint32_t kind, uint32_t flag, uint32_t vlen,
		    const char *called, uint32_t type)
{
	words[nr_words++] = name(called);
	words[nr_words++] = kind << 24 | flag | vlen;
	words[nr_words++] = type;
	return nr_types++;
}

static void add_words(uint32_t nr)
{
	while (nr--)
		words[nr_words++] = 0;
}

static void make_type(struct input *in, struct type *type, int depth);

static void make_named(struct input *in, struct type *type)
{
	static const struct {
		uint32_t kind, flag, vlen, extra;
		const char *prefix;
	} kinds[] = {
		{ K_INT, 0, 0, 1, "" },
		{ K_STRUCT, 0, 2, 6, "struct " },
		{ K_UNION, 0, 1, 3, "union " },
		{ K_ENUM, 0, 2, 4, "enum " },
		{ K_ENUM64, 0, 1, 3, "enum " },
		{ K_FWD, 0, 0, 0, "struct " },
		{ K_FWD, KFLAG, 0, 0, "union " },
		{ K_FLOAT, 0, 0, 0, "" },
		{ K_TYPEDEF, 0, 0, 0, "" },
	};
	uint8_t pick = take(in);
	char called[16];

	sprintf(called, "n%u", pick / 9 % 8);
	type->kind = kinds[pick % 9].kind;
	type->id = add(type->kind, kinds[pick % 9].flag, kinds[pick % 9].vlen,
		       called, 0);
	add_words(kinds[pick % 9].extra);
	sprintf(type->text, "%s%s", kinds[pick % 9].prefix, called);
}

/* "RETURNS DECLARATOR(PARAMETERS)" */
static void make_proto(struct input *in, struct type *type,
		       const char *declarator, int depth)
{
	struct type *part = malloc(sizeof(*part));
	uint32_t ids[4], i, nr = take(in) % 4;
	bool dots = nr && take(in) % 4 == 0;
	char *at = type->text;

	make_type(in, part, depth - 1);
	type->kind = K_PROTO;
	type->id = part->id;
	at += sprintf(at, "%s %s(", part->text, declarator);
	for (i = 0; i < nr; i++) {
		make_type(in, part, depth - 1);
		/* void at the end is how "..." is written */
		if (!part->id && (i == nr - 1))
			dots = true;
		ids[i] = dots && i == nr - 1 ? 0 : part->id;
		at += sprintf(at, "%s%s", i ? ", " : "",
			      ids[i] || i < nr - 1 ? part->text : "...");
	}
	sprintf(at, nr ? ")" : "void)");
	i = type->id;
	type->id = add(K_PROTO, 0, nr, "", i);
	for (i = 0; i < nr; i++) {
		words[nr_words++] = 0;
		words[nr_words++] = ids[i];
	}
	free(part);
}

static void make_type(struct input *in, struct type *type, int depth)
{
	struct type *to;
	size_t len;

	if (depth <= 0 || is_full()) {
		*type = (struct type){ .text = "void" };
		return;
	}
	to = malloc(sizeof(*to));
	switch (take(in) % 8) {
	case 0:
	case 1:
		make_type(in, to, depth - 1);
		len = strlen(to->text);
		sprintf(type->text, "%s%s", to->text,
			to->text[len - 1] == '*' ? "*" : " *");
		type->kind = K_PTR;
		type->id = add(K_PTR, 0, 0, "", to->id);
		break;
	case 2:
		make_proto(in, to, "(*)", depth - 1);
		strcpy(type->text, to->text);
		type->kind = K_PTR;
		type->id = add(K_PTR, 0, 0, "", to->id);
		break;
	case 3:
		make_type(in, to, depth - 1);
		sprintf(type->text, to->kind == K_PTR ? "%s const" : "const %s",
			to->text);
		type->kind = K_CONST;
		type->id = add(K_CONST, 0, 0, "", to->id);
		break;
	case 4:
		make_type(in, to, depth - 1);
		strcpy(type->text, to->text);
		type->kind = K_VOLATILE;
		type->id = add(take(in) % 2 ? K_VOLATILE : K_TYPE_TAG, 0, 0, "tag",
			       to->id);
		break;
	case 5:
		*type = (struct type){ .text = "void" };
		break;
	default:
		make_named(in, type);
	}
	free(to);
}

/* What a function's name leads past. */
static void make_noise(struct input *in)
{
	static const struct {
		uint32_t kind, vlen, extra;
	} kinds[] = {
		{ K_ARRAY, 0, 3 }, { K_VAR, 0, 1 }, { K_DATASEC, 2, 6 },
		{ K_DECL_TAG, 0, 1 }, { K_RESTRICT, 0, 0 }, { K_ENUM64, 2, 6 },
		{ K_TYPEDEF, 0, 0 }, { K_STRUCT, 3, 9 },
	};
	uint8_t pick = take(in) % 8;

	if (is_full())
		return;
	/* of the same name, but no function */
	add(kinds[pick].kind, 0, kinds[pick].vlen, take(in) % 2 ? "wanted" : "", 0);
	add_words(kinds[pick].extra);
}

static uint8_t *make_data(size_t *size)
{
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof(hdr),
		.type_len = 4 * nr_words,
		.str_off = 4 * nr_words,
		.str_len = strs_len,
	};
	uint8_t *data;

	*size = sizeof(hdr) + 4 * nr_words + strs_len;
	data = malloc(*size);
	memcpy(data, &hdr, sizeof(hdr));
	memcpy(data + sizeof(hdr), words, 4 * nr_words);
	memcpy(data + sizeof(hdr) + 4 * nr_words, strs, strs_len);
	return data;
}

/* --- reading it ---------------------------------------------------------------- */

/* In room of exactly this size. */
static int ask(const struct mw_btf *btf, bool trace, const char *called,
	       char *answer, unsigned int room)
{
	char *exact = malloc(room);
	int ret;

	memset(exact, 0x5a, room);
	ret = trace ? mw_btf_trace_proto(btf, called, exact, room) :
		      mw_btf_func_proto(btf, called, exact, room);
	MUST(!ret || ret == -ENOENT || ret == -EINVAL, "%d", ret);
	if (!ret) {
		MUST(strnlen(exact, room) < room, "no end");
		strcpy(answer, exact);
	}
	free(exact);
	return ret;
}

/* Whatever the data is. Return: 0 if it could be opened. */
static int read_any(const uint8_t *data, size_t size, struct mw_btf *btf,
		    uint32_t **offset)
{
	memset(btf, 0, sizeof(*btf));
	*offset = NULL;
	if (mw_btf_open(btf, data, size))
		return -1;
	MUST(btf->nr && btf->nr <= size / 12 + 1, "%u types", btf->nr);
	*offset = malloc(btf->nr * sizeof(**offset));
	MUST(!mw_btf_index(btf, *offset), "opened, but no index");
	return 0;
}

static void check_safety(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ?: 1);
	static char answer[TEXT_MAX];
	struct mw_btf btf;
	uint32_t *offset;

	memcpy(exact, data, size);
	if (!read_any(exact, size, &btf, &offset)) {
		ask(&btf, false, "wanted", answer, 200);
		ask(&btf, false, "", answer, 16);
		ask(&btf, true, "wanted", answer, 200);
		ask(&btf, true, "wanted", answer, 5);
	}
	free(offset);
	free(exact);
}

static void check_answer(const struct mw_btf *btf, bool trace, const char *want)
{
	static char answer[TEXT_MAX];
	/* the name of a tracepoint's type is put together there first */
	unsigned int len = strlen(want), least = trace ? sizeof("btf_trace_wanted") : 0;
	int ret = ask(btf, trace, "wanted", answer, TEXT_MAX);

	MUST(!ret && !strcmp(answer, want), "%d '%s', not '%s'", ret, answer, want);
	ret = ask(btf, trace, "wanted", answer, len + 1 > least ? len + 1 : least);
	MUST(!ret && !strcmp(answer, want), "%d in just enough room", ret);
	MUST(ask(btf, trace, "wanted", answer, len) == -EINVAL, "too little room");
	MUST(ask(btf, trace, "wante", answer, TEXT_MAX) == -ENOENT, "half a name");
	MUST(ask(btf, !trace, "wanted", answer, TEXT_MAX) == -ENOENT, "another kind");
}

static void check_made(struct input *in)
{
	struct type *proto = malloc(sizeof(*proto));
	bool trace = take(in) % 2;
	struct mw_btf btf;
	uint32_t *offset;
	uint8_t *data;
	size_t size;
	int i, noise = take(in) % 4;

	nr_words = 0;
	nr_types = 1;
	strs[0] = 0;
	strs_len = 1;
	for (i = 0; i < noise; i++)
		make_noise(in);
	make_proto(in, proto, "", 6);
	if (trace)
		add(K_TYPEDEF, 0, 0, "btf_trace_wanted",
		    add(K_PTR, 0, 0, "", proto->id));
	else
		add(K_FUNC, 0, 0, "wanted", proto->id);
	data = make_data(&size);
	MUST(!read_any(data, size, &btf, &offset), "refused");
	MUST(btf.nr == nr_types, "%u types, not %u", btf.nr, nr_types);
	check_answer(&btf, trace, proto->text);
	free(offset);
	/* and now with mistakes */
	while (in->size) {
		data[(take(in) << 8 | take(in)) % size] = take(in);
		check_safety(data, size);
	}
	check_safety(data, size - take(in) % size);
	free(data);
	free(proto);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	if (take(&in) % 4)
		check_made(&in);
	else
		check_safety(in.data, in.size);
	return 0;
}
