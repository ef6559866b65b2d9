/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An operation: something that one process does with a few system calls.  A
 * line of text each, so that a sequence can be printed, cut, and run again.
 */
#ifndef MODEL_OP_H
#define MODEL_OP_H

#include <stdbool.h>
#include <stdio.h>

enum op_type {
	/* what only a clerk does, from the root */
	OP_MKDIR, OP_RMDIR, OP_MOVE, OP_KILL, OP_KILL_GROUP, OP_HIGH, OP_MAX,
	OP_MIN, OP_LOW, OP_REMOUNT, OP_COMPACT, OP_RECLAIM,
	/* the same, with --bindings */
	OP_CGROUP_MKDIR, OP_CGROUP_RMDIR, OP_CGROUP_MOVE, OP_BIND, OP_UNBIND,
	OP_ADOPT,
	/* processes */
	OP_FORK, OP_JOIN, OP_EXIT, OP_CGROUP_JOIN, OP_ADOPT_SELF,
	/* address space */
	OP_MAP, OP_UNMAP, OP_REMAP, OP_TOUCH, OP_PEEK, OP_DROP,
	/* files */
	OP_CREATE, OP_UNLINK, OP_WRITE, OP_READ, OP_TRUNCATE, OP_PUNCH,
	OP_FORGET,
	NR_OPS
};

#define OP_ARGS	4

/* Room for what is written to a file, if it is no number. */
#define TEXT	48

/**
 * struct op - an operation
 * @by:   process that does it
 * @type: what
 * @arg:  what the table in op.c says
 */
struct op {
	int by;
	enum op_type type;
	int arg[OP_ARGS];
};

void op_print(FILE *out, const struct op *op);
bool op_is_of_bindings(enum op_type type);
bool op_parse(const char *line, struct op *op);

#endif
