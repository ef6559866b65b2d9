// SPDX-License-Identifier: GPL-2.0
/*
 * Reading prototypes out of BTF, the kernel's own type data.
 *
 * DOC: A prototype is written out as C would declare it without names, such as
 * "int (struct folio *, struct mm_struct *, gfp_t)", and compared as a string:
 * what is refused can then be shown to a person as it is.
 */
#include <uapi/linux/btf.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>

#include <pure/btf.h>

/* newer than some of the headers that this is built with */
#define KIND_FLOAT	16
#define KIND_DECL_TAG	17
#define KIND_TYPE_TAG	18
#define KIND_ENUM64	19

/* deeper nesting than any prototype has: the data is not what it seems */
#define MAX_DEPTH	16

/**
 * struct out - a bounded string under construction
 * @buf:  the string, always ended by a zero
 * @size: room in @buf
 * @len:  length so far
 * @bad:  it did not fit, or the data made no sense
 */
struct out {
	char *buf;
	unsigned int size;
	unsigned int len;
	bool bad;
};

static void emit(struct out *out, const char *text)
{
	unsigned int len = strlen(text);

	if (out->len + len >= out->size) {
		out->bad = true;
		return;
	}
	memcpy(out->buf + out->len, text, len + 1);
	out->len += len;
}

static u32 kind_of(const struct btf_type *type)
{
	return (type->info >> 24) & 0x1f;
}

static u32 vlen_of(const struct btf_type *type)
{
	return type->info & 0xffff;
}

/* Bytes after struct btf_type, or a negative error for an unknown kind. */
static long extra_size(const struct btf_type *type)
{
	switch (kind_of(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return 12;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case KIND_ENUM64:
		return 12L * vlen_of(type);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8L * vlen_of(type);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case KIND_FLOAT:
	case KIND_TYPE_TAG:
		return 0;
	}
	return -EINVAL;
}

/* Calls for each type are cheap enough: there are some 10^5 of them. */
static int walk(const struct mw_btf *btf, u32 *offset, u32 *nr)
{
	u32 pos = 0, id = 1;

	while (pos < btf->types_len) {
		const struct btf_type *type = (const void *)(btf->types + pos);
		long extra;

		if (btf->types_len - pos < sizeof(*type))
			return -EINVAL;
		extra = extra_size(type);
		if (extra < 0 || extra > btf->types_len - pos - sizeof(*type))
			return -EINVAL;
		if (offset)
			offset[id] = pos;
		pos += sizeof(*type) + extra;
		id++;
	}
	*nr = id;
	return 0;
}

static bool inside(unsigned long size, unsigned long off, unsigned long len)
{
	return off <= size && len <= size - off;
}

/**
 * mw_btf_open() - check type data and count its types
 * @btf:  filled in, but for the index
 * @data: the data; stays the caller's and must outlive @btf
 * @size: its length in bytes
 *
 * Return: 0, or -EINVAL if this is not BTF of a known form.
 */
int mw_btf_open(struct mw_btf *btf, const void *data, unsigned long size)
{
	const struct btf_header *hdr = data;
	const unsigned char *body;

	if (size < sizeof(*hdr) || hdr->magic != BTF_MAGIC ||
	    !inside(size, hdr->hdr_len, 0) ||
	    ((hdr->hdr_len | hdr->type_off) & 3))
		return -EINVAL;
	body = (const unsigned char *)data + hdr->hdr_len;
	size -= hdr->hdr_len;
	if (!inside(size, hdr->type_off, hdr->type_len) ||
	    !inside(size, hdr->str_off, hdr->str_len) || !hdr->str_len ||
	    body[hdr->str_off + hdr->str_len - 1])
		return -EINVAL;
	btf->types = body + hdr->type_off;
	btf->types_len = hdr->type_len;
	btf->strs = (const char *)body + hdr->str_off;
	btf->strs_len = hdr->str_len;
	btf->offset = NULL;
	return walk(btf, NULL, &btf->nr);
}

/**
 * mw_btf_index() - note where each type begins
 * @btf:    opened
 * @offset: room for @btf->nr numbers; stays the caller's
 *
 * Return: 0 or -EINVAL.
 */
int mw_btf_index(struct mw_btf *btf, u32 *offset)
{
	u32 nr;

	btf->offset = offset;
	return walk(btf, offset, &nr);
}

static const struct btf_type *type_at(const struct mw_btf *btf, u32 id)
{
	if (!id || id >= btf->nr)
		return NULL;
	return (const void *)(btf->types + btf->offset[id]);
}

static const char *string_at(const struct mw_btf *btf, u32 off)
{
	return off < btf->strs_len ? btf->strs + off : "";
}

static void emit_type(const struct mw_btf *btf, struct out *out, u32 id,
		      int depth);

static void emit_params(const struct mw_btf *btf, struct out *out,
			const struct btf_type *proto, int depth)
{
	const struct btf_param *param = (const void *)(proto + 1);
	u32 i, nr = vlen_of(proto);

	emit(out, "(");
	for (i = 0; i < nr; i++) {
		if (i)
			emit(out, ", ");
		if (!param[i].type && i == nr - 1)
			emit(out, "...");
		else
			emit_type(btf, out, param[i].type, depth);
	}
	emit(out, nr ? ")" : "void)");
}

static void emit_proto(const struct mw_btf *btf, struct out *out,
		       const struct btf_type *proto, const char *declarator,
		       int depth)
{
	emit_type(btf, out, proto->type, depth);
	emit(out, " ");
	emit(out, declarator);
	emit_params(btf, out, proto, depth);
}

static void emit_pointer(const struct mw_btf *btf, struct out *out, u32 id,
			 int depth)
{
	const struct btf_type *to = type_at(btf, id);

	if (to && kind_of(to) == BTF_KIND_FUNC_PROTO) {
		emit_proto(btf, out, to, "(*)", depth);
		return;
	}
	emit_type(btf, out, id, depth);
	emit(out, out->len && out->buf[out->len - 1] == '*' ? "*" : " *");
}

/* "const char *" points to what is constant, "char * const" is constant itself. */
static void emit_const(const struct mw_btf *btf, struct out *out, u32 id,
		       int depth)
{
	const struct btf_type *of = type_at(btf, id);

	if (of && kind_of(of) == BTF_KIND_PTR) {
		emit_type(btf, out, id, depth);
		emit(out, " const");
		return;
	}
	emit(out, "const ");
	emit_type(btf, out, id, depth);
}

static void emit_named(const struct mw_btf *btf, struct out *out,
		       const struct btf_type *type)
{
	switch (kind_of(type)) {
	case BTF_KIND_STRUCT:
		emit(out, "struct ");
		break;
	case BTF_KIND_UNION:
		emit(out, "union ");
		break;
	case BTF_KIND_FWD:
		emit(out, type->info >> 31 ? "union " : "struct ");
		break;
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		emit(out, "enum ");
		break;
	case BTF_KIND_INT:
	case BTF_KIND_TYPEDEF:
	case KIND_FLOAT:
		break;
	default:
		out->bad = true;
	}
	emit(out, string_at(btf, type->name_off));
}

static void emit_type(const struct mw_btf *btf, struct out *out, u32 id,
		      int depth)
{
	const struct btf_type *type = type_at(btf, id);

	/* what does not fit bounds the work on types that contain themselves */
	if (out->bad)
		return;
	if (!type || !depth) {
		emit(out, "void");
		out->bad |= id || !depth;
		return;
	}
	switch (kind_of(type)) {
	case BTF_KIND_PTR:
		emit_pointer(btf, out, type->type, depth - 1);
		break;
	case BTF_KIND_CONST:
		emit_const(btf, out, type->type, depth - 1);
		break;
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case KIND_TYPE_TAG:
		emit_type(btf, out, type->type, depth - 1);
		break;
	default:
		emit_named(btf, out, type);
	}
}

/* First type of this kind and name: functions have one, typedefs that matter
 * here too.
 */
static const struct btf_type *find(const struct mw_btf *btf, u32 kind,
				   const char *name)
{
	u32 id;

	for (id = 1; id < btf->nr; id++) {
		const struct btf_type *type = type_at(btf, id);

		if (kind_of(type) == kind &&
		    !strcmp(string_at(btf, type->name_off), name))
			return type;
	}
	return NULL;
}

static int render(const struct mw_btf *btf, const struct btf_type *proto,
		  char *buf, unsigned int size)
{
	struct out out = { .buf = buf, .size = size };

	if (!proto || kind_of(proto) != BTF_KIND_FUNC_PROTO)
		return -EINVAL;
	emit_proto(btf, &out, proto, "", MAX_DEPTH);
	return out.bad ? -EINVAL : 0;
}

/**
 * mw_btf_func_proto() - prototype of a function
 * @btf:  opened and indexed
 * @name: the function
 * @buf:  where to write it
 * @size: room there
 *
 * Return: 0; -ENOENT if there is no such function; -EINVAL if the data makes no
 * sense or @buf is too small.
 */
int mw_btf_func_proto(const struct mw_btf *btf, const char *name, char *buf,
		      unsigned int size)
{
	const struct btf_type *func = find(btf, BTF_KIND_FUNC, name);

	if (!func)
		return -ENOENT;
	return render(btf, type_at(btf, func->type), buf, size);
}

/**
 * mw_btf_struct_size() - how large is a structure?
 * @btf:  indexed
 * @name: without "struct"
 *
 * Return: bytes, 0 if there is no such structure.
 */
u32 mw_btf_struct_size(const struct mw_btf *btf, const char *name)
{
	const struct btf_type *type = find(btf, BTF_KIND_STRUCT, name);

	return type ? type->size : 0;
}

/**
 * mw_btf_trace_proto() - prototype of a tracepoint's probes
 * @btf:  opened and indexed
 * @name: the tracepoint
 * @buf:  where to write it
 * @size: room there
 *
 * The kernel has a typedef btf_trace_<name> for each, a pointer to function.
 *
 * Return: as mw_btf_func_proto().
 */
int mw_btf_trace_proto(const struct mw_btf *btf, const char *name, char *buf,
		       unsigned int size)
{
	static const char prefix[] = "btf_trace_";
	const struct btf_type *type;
	struct out out = { .buf = buf, .size = size };

	emit(&out, prefix);
	emit(&out, name);
	if (out.bad)
		return -EINVAL;
	type = find(btf, BTF_KIND_TYPEDEF, buf);
	if (!type)
		return -ENOENT;
	type = type_at(btf, type->type);
	if (!type || kind_of(type) != BTF_KIND_PTR)
		return -EINVAL;
	return render(btf, type_at(btf, type->type), buf, size);
}
