// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program of two instructions at the entry of a kernel function, as
 * bpftrace's fentry (kfunc) probes and many monitoring tools have them.
 */
#include "common.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/syscall.h>

/* newer than some of the headers that this is built with */
#define KIND_DECL_TAG	17
#define KIND_ENUM64	19

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static char *read_all(const char *path)
{
	size_t room = 64 << 20, len = 0;
	char *data = map_anon(room);
	int fd = open_file(path, O_RDONLY);
	ssize_t ret;

	while ((ret = read(fd, data + len, room - len)) > 0)
		len += ret;
	close(fd);
	if (!len)
		die("read %s", path);
	return data;
}

static size_t extra_size(const struct btf_type *type)
{
	size_t vlen = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
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
		return 12 * vlen;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8 * vlen;
	}
	return 0;
}

/* The number by which the kernel's type data knows a function. */
static int btf_id(const char *function)
{
	const char *data = read_all("/sys/kernel/btf/vmlinux");
	const struct btf_header *hdr = (const void *)data;
	const char *types = data + hdr->hdr_len + hdr->type_off;
	const char *strs = data + hdr->hdr_len + hdr->str_off;
	size_t pos = 0;
	int id;

	for (id = 1; pos < hdr->type_len; id++) {
		const struct btf_type *type = (const void *)(types + pos);

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(strs + type->name_off, function))
			return id;
		pos += sizeof(*type) + extra_size(type);
	}
	errno = ENOENT;
	die("type of %s", function);
}

static int load(const char *function)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_FENTRY,
		.insns = (uintptr_t)code,
		.insn_cnt = ARRAY_SIZE(code),
		.license = (uintptr_t)"GPL",
		.attach_btf_id = btf_id(function),
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		die("load");
	return fd;
}

static int attach(int prog)
{
	union bpf_attr attr = { .raw_tracepoint.prog_fd = prog };

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static unsigned long long runs(int prog)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = {
		.info = {
			.bpf_fd = prog,
			.info_len = sizeof(info),
			.info = (uintptr_t)&info,
		},
	};

	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		die("ask for the program's counts");
	return info.run_cnt;
}

/* The count is kept while sysctl kernel.bpf_stats_enabled is on. */
static int do_on(char **args)
{
	int prog = load(args[0]);

	if (attach(prog) < 0) {
		step("refused %s", errno_name(errno));
		return 0;
	}
	step("attached");
	step("runs %llu", runs(prog));
	return 0;
}

static const struct verb verbs[] = {
	{ "on", "FUNCTION", 1, do_on },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
