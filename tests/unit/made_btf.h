/* SPDX-License-Identifier: GPL-2.0 */
/* Type data made by hand, for tests of what reads it. */
#ifndef UNIT_MADE_BTF_H
#define UNIT_MADE_BTF_H

#include <linux/btf.h>
#include <linux/types.h>

#include <stdlib.h>
#include <string.h>

/* some are newer than the machine's own header */
enum {
	K_INT = 1, K_PTR, K_ARRAY, K_STRUCT, K_UNION, K_ENUM, K_FWD, K_TYPEDEF,
	K_VOLATILE, K_CONST, K_RESTRICT, K_FUNC, K_PROTO, K_VAR, K_DATASEC,
	K_FLOAT, K_DECL_TAG, K_TYPE_TAG, K_ENUM64, K_UNKNOWN = 31,
};

#define KFLAG	(1U << 31)
#define VOID	0U

static struct {
	u32 types[2048];
	u32 words;
	char strs[2048];
	u32 strs_len;
	u32 nr;
} made;

static inline void begin(void)
{
	memset(&made, 0, sizeof(made));
	made.strs_len = 1;
	made.nr = 1;
}

static inline u32 name_off(const char *name)
{
	u32 off = made.strs_len;

	if (!name[0])
		return 0;
	strcpy(made.strs + off, name);
	made.strs_len += strlen(name) + 1;
	return off;
}

static inline void word(u32 value)
{
	made.types[made.words++] = value;
}

/* A type of @kind with @vlen members to follow; @to is its size or type. */
static inline u32 type(const char *name, u32 kind, u32 vlen, u32 to)
{
	word(name_off(name));
	word((kind & 31) << 24 | (kind & KFLAG) | vlen);
	word(to);
	return made.nr++;
}

static inline u32 int_type(const char *name, u32 size)
{
	u32 id = type(name, K_INT, 0, size);

	word(size * 8);
	return id;
}

static inline u32 ptr(u32 to)
{
	return type("", K_PTR, 0, to);
}

static inline u32 pointer_to_struct(const char *name)
{
	return ptr(type(name, K_STRUCT, 0, 8));
}

static inline void param(u32 id)
{
	word(0);
	word(id);
}

static inline u32 proto1(u32 ret, u32 a)
{
	u32 id = type("", K_PROTO, 1, ret);

	param(a);
	return id;
}

static inline u32 proto2(u32 ret, u32 a, u32 b)
{
	u32 id = type("", K_PROTO, 2, ret);

	param(a);
	param(b);
	return id;
}

static inline void func(const char *name, u32 proto)
{
	type(name, K_FUNC, 1, proto);
}

/* Of exactly its size, so that reading past its end is seen. */
static inline void *blob(unsigned long *size)
{
	struct btf_header hdr = {
		.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(hdr),
		.type_len = made.words * 4, .str_off = made.words * 4,
		.str_len = made.strs_len,
	};
	char *data;

	*size = sizeof(hdr) + hdr.type_len + hdr.str_len;
	data = malloc(*size);
	memcpy(data, &hdr, sizeof(hdr));
	memcpy(data + sizeof(hdr), made.types, hdr.type_len);
	memcpy(data + sizeof(hdr) + hdr.type_len, made.strs, hdr.str_len);
	return data;
}

#endif
