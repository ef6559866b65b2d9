/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_BTF_H
#define MEMWARD_BTF_H

#include <linux/types.h>

/**
 * struct mw_btf - type data, opened for looking things up
 * @types:     the type section
 * @types_len: its length in bytes
 * @strs:      the string section, ended by a zero
 * @strs_len:  its length in bytes
 * @offset:    where each type begins in @types, by type id; the caller's
 * @nr:        number of types, id 0 ("void") included
 */
struct mw_btf {
	const unsigned char *types;
	u32 types_len;
	const char *strs;
	u32 strs_len;
	u32 *offset;
	u32 nr;
};

int mw_btf_open(struct mw_btf *btf, const void *data, unsigned long size);
int mw_btf_index(struct mw_btf *btf, u32 *offset);
int mw_btf_func_proto(const struct mw_btf *btf, const char *name, char *buf,
		      unsigned int size);
u32 mw_btf_struct_size(const struct mw_btf *btf, const char *name);
int mw_btf_trace_proto(const struct mw_btf *btf, const char *name, char *buf,
		       unsigned int size);

#endif
