// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of BTF, on type data made by hand: every kind, and every way to be
 * broken that the sanitizers can see.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/types.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pure/btf.h>

#include "check.h"
#include "made_btf.h"

/* --- looking things up --------------------------------------------------- */

typedef int (*lookup_fn)(const struct mw_btf *, const char *, char *,
			 unsigned int);

/* What a lookup in @data says; @text has room for @room characters. */
static int look(const void *data, unsigned long size, lookup_fn lookup,
		const char *name, char *text, unsigned int room)
{
	struct mw_btf btf;
	u32 *offset;
	int ret;

	ret = mw_btf_open(&btf, data, size);
	if (ret)
		return ret;
	offset = malloc(sizeof(*offset) * btf.nr);
	ret = mw_btf_index(&btf, offset);
	if (!ret)
		ret = lookup(&btf, name, text, room);
	free(offset);
	return ret;
}

static char text[256];

static int look_made(lookup_fn lookup, const char *name)
{
	unsigned long size;
	void *data = blob(&size);
	int ret;

	text[0] = 0;
	ret = look(data, size, lookup, name, text, sizeof(text));
	free(data);
	return ret;
}

#define CHECK_FUNC(name, want) do {				\
	CHECK_EQ(look_made(mw_btf_func_proto, name), 0);	\
	CHECK_STR(text, want);					\
} while (0)

#define CHECK_FUNC_FAILS(name, error) \
	CHECK_EQ(look_made(mw_btf_func_proto, name), error)

/* --- what it should read ------------------------------------------------- */

static void make_charge(void)
{
	u32 folio, mm, gfp, int_id, proto;

	begin();
	int_id = int_type("int", 4);
	folio = pointer_to_struct("folio");
	mm = pointer_to_struct("mm_struct");
	gfp = type("gfp_t", K_TYPEDEF, 0, int_id);
	proto = type("", K_PROTO, 3, int_id);
	param(folio);
	param(mm);
	param(gfp);
	func("__mem_cgroup_charge", proto);
}

TEST(charge_function)
{
	make_charge();
	CHECK_FUNC("__mem_cgroup_charge",
		   "int (struct folio *, struct mm_struct *, gfp_t)");
}

TEST(other_names_are_not_found)
{
	make_charge();
	CHECK_FUNC_FAILS("__mem_cgroup_charg", -ENOENT);
	CHECK_FUNC_FAILS("__mem_cgroup_charge_", -ENOENT);
	CHECK_FUNC_FAILS("mem_cgroup_charge", -ENOENT);
	CHECK_FUNC_FAILS("", -ENOENT);
	/* there is a type of this name, but no function */
	CHECK_FUNC_FAILS("gfp_t", -ENOENT);
	CHECK_FUNC_FAILS("folio", -ENOENT);
}

TEST(no_parameters_and_no_result)
{
	begin();
	func("quiet", type("", K_PROTO, 0, VOID));
	CHECK_FUNC("quiet", "void (void)");
}

TEST(named_types)
{
	u32 int_id, proto;

	begin();
	int_id = int_type("long unsigned int", 8);
	proto = type("", K_PROTO, 7, type("u", K_UNION, 0, 8));
	param(made.nr + 0);
	param(made.nr + 1);
	param(made.nr + 2);
	param(made.nr + 3);
	param(made.nr + 4);
	param(made.nr + 5);
	param(int_id);
	type("e", K_ENUM, 0, 4);
	type("e64", K_ENUM64, 0, 8);
	type("fs", K_FWD, 0, 0);
	type("fu", K_FWD | KFLAG, 0, 0);
	type("t", K_TYPEDEF, 0, int_id);
	type("double", K_FLOAT, 0, 8);
	func("f", proto);
	CHECK_FUNC("f", "union u (enum e, enum e64, struct fs, union fu, t, "
		   "double, long unsigned int)");
}

TEST(pointers)
{
	u32 ch;

	begin();
	ch = int_type("char", 1);
	func("one", proto1(VOID, ptr(ch)));
	func("two", proto1(VOID, ptr(ptr(ch))));
	func("three", proto1(VOID, ptr(ptr(ptr(VOID)))));
	func("result", proto1(pointer_to_struct("s"), ch));
	CHECK_FUNC("one", "void (char *)");
	CHECK_FUNC("two", "void (char **)");
	CHECK_FUNC("three", "void (void ***)");
	CHECK_FUNC("result", "struct s * (char)");
}

TEST(qualifiers)
{
	u32 ch;

	begin();
	ch = int_type("char", 1);
	func("constant", proto1(VOID, ptr(type("", K_CONST, 0, ch))));
	func("nothing", proto1(VOID, ptr(type("", K_CONST, 0, VOID))));
	func("moody", proto1(VOID, ptr(type("", K_VOLATILE, 0, ch))));
	func("own", proto1(VOID, type("", K_RESTRICT, 0, ptr(ch))));
	func("user", proto1(VOID, ptr(type("user", K_TYPE_TAG, 0, ch))));
	CHECK_FUNC("constant", "void (const char *)");
	CHECK_FUNC("nothing", "void (const void *)");
	CHECK_FUNC("moody", "void (char *)");
	CHECK_FUNC("own", "void (char *)");
	CHECK_FUNC("user", "void (char *)");
}

/* "char *const" is not "const char *". */
TEST(constant_pointers_are_not_pointers_to_constants)
{
	u32 ch;

	begin();
	ch = int_type("char", 1);
	func("f", proto1(VOID, type("", K_CONST, 0, ptr(ch))));
	CHECK_EQ(look_made(mw_btf_func_proto, "f"), 0);
	CHECK(strcmp(text, "void (const char *)"));
}

TEST(function_pointers)
{
	u32 int_id, callback;

	begin();
	int_id = int_type("int", 4);
	callback = ptr(proto2(int_id, ptr(VOID), int_id));
	func("each", proto2(int_id, callback, ptr(VOID)));
	CHECK_FUNC("each", "int (int (*)(void *, int), void *)");
}

TEST(variable_arguments)
{
	begin();
	func("print", proto2(VOID, ptr(int_type("char", 1)), VOID));
	CHECK_FUNC("print", "void (char *, ...)");
}

TEST(tracepoint_prototype)
{
	u32 int_id, page, proto;

	begin();
	int_id = int_type("unsigned int", 4);
	page = pointer_to_struct("page");
	proto = proto2(VOID, page, int_id);
	type("btf_trace_mm_page_free", K_TYPEDEF, 0, ptr(proto));
	CHECK_EQ(look_made(mw_btf_trace_proto, "mm_page_free"), 0);
	CHECK_STR(text, "void (struct page *, unsigned int)");
	CHECK_EQ(look_made(mw_btf_trace_proto, "mm_page_fre"), -ENOENT);
	CHECK_EQ(look_made(mw_btf_func_proto, "mm_page_free"), -ENOENT);
}

static int struct_size(const struct mw_btf *btf, const char *name, char *to,
		       unsigned int room)
{
	snprintf(to, room, "%u", mw_btf_struct_size(btf, name));
	return 0;
}

TEST(size_of_a_structure)
{
	begin();
	type("cluster", K_STRUCT, 0, 72);
	int_type("other", 4);
	CHECK_EQ(look_made(struct_size, "cluster"), 0);
	CHECK_STR(text, "72");
	CHECK_EQ(look_made(struct_size, "clust"), 0);
	CHECK_STR(text, "0");
	/* of this name, but no structure */
	CHECK_EQ(look_made(struct_size, "other"), 0);
	CHECK_STR(text, "0");
}

TEST(tracepoint_that_is_no_function_pointer)
{
	u32 int_id;

	begin();
	int_id = int_type("int", 4);
	type("btf_trace_a", K_TYPEDEF, 0, int_id);
	type("btf_trace_b", K_TYPEDEF, 0, ptr(int_id));
	type("btf_trace_c", K_TYPEDEF, 0, VOID);
	type("btf_trace_d", K_TYPEDEF, 0, 9999);
	CHECK_EQ(look_made(mw_btf_trace_proto, "a"), -EINVAL);
	CHECK_EQ(look_made(mw_btf_trace_proto, "b"), -EINVAL);
	CHECK_EQ(look_made(mw_btf_trace_proto, "c"), -EINVAL);
	CHECK_EQ(look_made(mw_btf_trace_proto, "d"), -EINVAL);
}

/* Each has a tail of another length; what follows must be found behind it. */
TEST(all_kinds_are_stepped_over)
{
	u32 i, int_id, proto;

	begin();
	int_id = int_type("int", 4);
	type("", K_ARRAY, 0, 0);
	for (i = 0; i < 3; i++)
		word(1);
	type("s", K_STRUCT, 2, 16);
	for (i = 0; i < 6; i++)
		word(1);
	type("u", K_UNION | KFLAG, 1, 16);
	for (i = 0; i < 3; i++)
		word(1);
	type("e", K_ENUM, 3, 4);
	for (i = 0; i < 6; i++)
		word(0);
	type("v", K_VAR, 0, int_id);
	word(1);
	type(".data", K_DATASEC, 2, 16);
	for (i = 0; i < 6; i++)
		word(1);
	type("tag", K_DECL_TAG, 0, int_id);
	word(~0U);
	type("e64", K_ENUM64, 2, 8);
	for (i = 0; i < 6; i++)
		word(0);
	type("float", K_FLOAT, 0, 4);
	type("fwd", K_FWD, 0, 0);
	type("tt", K_TYPE_TAG, 0, int_id);
	type("", K_RESTRICT, 0, int_id);
	type("", K_VOLATILE, 0, int_id);
	proto = proto1(int_id, int_id);
	func("behind", proto);
	CHECK_FUNC("behind", "int (int)");
}

/* --- what it must survive ------------------------------------------------ */

TEST(function_without_a_prototype)
{
	begin();
	func("a", VOID);
	func("b", 9999);
	func("c", int_type("int", 4));
	CHECK_FUNC_FAILS("a", -EINVAL);
	CHECK_FUNC_FAILS("b", -EINVAL);
	CHECK_FUNC_FAILS("c", -EINVAL);
}

TEST(types_that_no_parameter_has)
{
	u32 array;

	begin();
	func("unknown", proto1(VOID, 9999));
	func("function", proto1(VOID, made.nr - 1));
	array = type("", K_ARRAY, 0, 0);
	word(1);
	word(1);
	word(4);
	func("array", proto1(VOID, ptr(array)));
	CHECK_FUNC_FAILS("unknown", -EINVAL);
	CHECK_FUNC_FAILS("function", -EINVAL);
	CHECK_FUNC_FAILS("array", -EINVAL);
}

TEST(types_in_a_circle)
{
	begin();
	func("pointer", proto1(VOID, made.nr + 2));
	type("", K_PTR, 0, made.nr);
	func("constant", proto1(VOID, made.nr + 2));
	type("", K_CONST, 0, made.nr);
	CHECK_FUNC_FAILS("pointer", -EINVAL);
	CHECK_FUNC_FAILS("constant", -EINVAL);
}

/* Following every branch of this to the end would take years. */
TEST(functions_that_take_themselves)
{
	u32 i, proto;

	begin();
	proto = type("", K_PROTO, 30, VOID);
	for (i = 0; i < 30; i++)
		param(proto + 1);
	ptr(proto);
	func("f", proto);
	CHECK_FUNC_FAILS("f", -EINVAL);
}

TEST(too_little_room)
{
	unsigned long size;
	unsigned int room, need;
	void *data;

	make_charge();
	data = blob(&size);
	need = strlen("int (struct folio *, struct mm_struct *, gfp_t)") + 1;
	for (room = 0; room <= need; room++) {
		char *exact = malloc(room + !room);
		int ret = look(data, size, mw_btf_func_proto,
			       "__mem_cgroup_charge", exact, room);

		CHECK_EQ(ret, room < need ? -EINVAL : 0);
		if (room)
			CHECK(memchr(exact, 0, room));
		free(exact);
	}
	free(data);
}

TEST(too_little_room_for_the_name_of_a_tracepoint)
{
	static char name[sizeof(text)];
	u32 proto;

	memset(name, 'y', sizeof(name) - 1);
	begin();
	proto = proto1(VOID, VOID);
	type("btf_trace_x", K_TYPEDEF, 0, ptr(proto));
	CHECK_EQ(look_made(mw_btf_trace_proto, "x"), 0);
	CHECK_EQ(look_made(mw_btf_trace_proto, name), -EINVAL);
}

/* Looks everything up that make_charge() has, whatever may come of it. */
static void look_around(const void *data, unsigned long size)
{
	static const char *const names[] = { "__mem_cgroup_charge", "x", "" };
	unsigned int i;
	char out[80];

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		look(data, size, mw_btf_func_proto, names[i], out, sizeof(out));
		look(data, size, mw_btf_trace_proto, names[i], out,
		     sizeof(out));
	}
}

TEST(cut_off_anywhere)
{
	unsigned long size, len;
	struct mw_btf btf;
	void *data;

	make_charge();
	data = blob(&size);
	for (len = 0; len < size; len++) {
		void *cut = malloc(len + !len);

		memcpy(cut, data, len);
		CHECK_EQ(mw_btf_open(&btf, cut, len), -EINVAL);
		free(cut);
	}
	CHECK_EQ(mw_btf_open(&btf, data, size), 0);
	free(data);
}

/* The last type is incomplete in all these, if not cut between two. */
TEST(type_section_cut_off_anywhere)
{
	unsigned long size;
	struct btf_header *hdr;
	u32 len;

	make_charge();
	hdr = blob(&size);
	for (len = 0; len < made.words * 4; len += 4) {
		hdr->type_len = len;
		look_around(hdr, size);
	}
	free(hdr);
}

static u32 *header_field(struct btf_header *hdr, int i)
{
	return (u32 *)((char *)hdr + 4) + i;
}

TEST(absurd_offsets_in_the_header)
{
	static const u32 absurd[] = { 1, 2, 3, 12, 0x7fffffff, 0x80000000,
				      0xfffffff0, 0xffffffff };
	unsigned long size;
	struct btf_header *hdr;
	unsigned int i, j;

	make_charge();
	for (i = 0; i < 5; i++)
		for (j = 0; j < sizeof(absurd) / sizeof(absurd[0]); j++) {
			hdr = blob(&size);
			*header_field(hdr, i) = absurd[j];
			look_around(hdr, size);
			free(hdr);
		}
}

TEST(not_btf)
{
	struct btf_header *hdr;
	unsigned long size;
	struct mw_btf btf;

	make_charge();
	hdr = blob(&size);
	hdr->magic = 0x9feb;
	CHECK_EQ(mw_btf_open(&btf, hdr, size), -EINVAL);
	hdr->magic = 0;
	CHECK_EQ(mw_btf_open(&btf, hdr, size), -EINVAL);
	free(hdr);
}

TEST(strings_without_an_end)
{
	unsigned long size;
	struct mw_btf btf;
	char *data;

	make_charge();
	data = blob(&size);
	data[size - 1] = 'x';
	CHECK_EQ(mw_btf_open(&btf, data, size), -EINVAL);
	free(data);
}

TEST(no_strings)
{
	struct btf_header *hdr;
	unsigned long size;
	struct mw_btf btf;

	make_charge();
	hdr = blob(&size);
	hdr->str_len = 0;
	CHECK_EQ(mw_btf_open(&btf, hdr, size), -EINVAL);
	free(hdr);
}

TEST(kind_of_a_later_kernel)
{
	struct mw_btf btf;
	unsigned long size;
	void *data;

	begin();
	type("x", K_UNKNOWN, 0, 0);
	data = blob(&size);
	CHECK_EQ(mw_btf_open(&btf, data, size), -EINVAL);
	free(data);
}

/* Whatever it says, it ends, and the sanitizers are silent. */
TEST(any_byte_may_be_wrong)
{
	static const unsigned char wrong[] = { 0, 1, 2, 0x0d, 0x7f, 0x80, 0xff };
	unsigned long size, pos;
	unsigned char *data;
	unsigned int i;

	make_charge();
	data = blob(&size);
	for (pos = 0; pos < size; pos++)
		for (i = 0; i < sizeof(wrong); i++) {
			unsigned char right = data[pos];

			data[pos] = wrong[i];
			look_around(data, size);
			data[pos] = right;
		}
	free(data);
}
