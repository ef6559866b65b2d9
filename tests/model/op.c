// SPDX-License-Identifier: GPL-2.0
/* Operations as text: "4 touch region=1 from=0 pages=12". */
#include "op.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *arg[OP_ARGS];
} table[NR_OPS] = {
	[OP_MKDIR] = { "mkdir", { "group", "parent" } },
	[OP_RMDIR] = { "rmdir", { "group" } },
	[OP_MOVE] = { "move", { "process", "group" } },
	[OP_KILL] = { "kill", { "process" } },
	[OP_KILL_GROUP] = { "killgroup", { "group" } },
	[OP_HIGH] = { "high", { "group", "pages" } },
	[OP_MAX] = { "max", { "group", "pages" } },
	[OP_MIN] = { "min", { "group", "pages" } },
	[OP_LOW] = { "low", { "group", "pages" } },
	[OP_REMOUNT] = { "remount", {} },
	[OP_COMPACT] = { "compact", {} },
	[OP_RECLAIM] = { "reclaim", { "group", "pages" } },
	[OP_CGROUP_MKDIR] = { "cgmkdir", { "cgroup" } },
	[OP_CGROUP_RMDIR] = { "cgrmdir", { "cgroup" } },
	[OP_CGROUP_MOVE] = { "cgmove", { "process", "cgroup" } },
	[OP_BIND] = { "bind", { "group", "cgroup" } },
	[OP_UNBIND] = { "unbind", { "group", "cgroup" } },
	[OP_ADOPT] = { "adopt", { "process", "group" } },
	[OP_FORK] = { "fork", { "child" } },
	[OP_JOIN] = { "join", { "group" } },
	[OP_EXIT] = { "exit", {} },
	[OP_CGROUP_JOIN] = { "cgjoin", { "cgroup" } },
	[OP_ADOPT_SELF] = { "adoptself", { "group" } },
	[OP_MAP] = { "map", { "region", "kind", "pages", "file" } },
	[OP_UNMAP] = { "unmap", { "region" } },
	[OP_REMAP] = { "remap", { "region", "to" } },
	[OP_TOUCH] = { "touch", { "region", "from", "pages" } },
	[OP_PEEK] = { "peek", { "region", "from", "pages" } },
	[OP_DROP] = { "drop", { "region", "from", "pages" } },
	[OP_CREATE] = { "create", { "file" } },
	[OP_UNLINK] = { "unlink", { "file" } },
	[OP_WRITE] = { "write", { "file", "from", "pages" } },
	[OP_READ] = { "read", { "file", "from", "pages" } },
	[OP_TRUNCATE] = { "truncate", { "file", "pages" } },
	[OP_PUNCH] = { "punch", { "file", "from", "pages" } },
	[OP_FORGET] = { "forget", { "file" } },
};

/** op_is_of_bindings() - is it one of those that --bindings adds? */
bool op_is_of_bindings(enum op_type type)
{
	return type == OP_CGROUP_JOIN || type == OP_ADOPT_SELF ||
	       (type >= OP_CGROUP_MKDIR && type <= OP_ADOPT);
}

/** op_print() - write an operation as a line */
void op_print(FILE *out, const struct op *op)
{
	int i;

	fprintf(out, "%d %s", op->by, table[op->type].name);
	for (i = 0; i < OP_ARGS && table[op->type].arg[i]; i++)
		fprintf(out, " %s=%d", table[op->type].arg[i], op->arg[i]);
	fputc('\n', out);
}

static bool parse_args(const char *text, struct op *op)
{
	int i;

	for (i = 0; i < OP_ARGS && table[op->type].arg[i]; i++) {
		const char *name = table[op->type].arg[i];
		size_t len = strlen(name);

		text += strspn(text, " ");
		if (strncmp(text, name, len) || text[len] != '=')
			return false;
		op->arg[i] = strtol(text + len + 1, (char **)&text, 10);
	}
	return true;
}

/** op_parse() - read what op_print() has written */
bool op_parse(const char *line, struct op *op)
{
	char name[16];
	int type, end;

	memset(op, 0, sizeof(*op));
	if (sscanf(line, "%d %15s%n", &op->by, name, &end) != 2)
		return false;
	for (type = 0; type < NR_OPS; type++) {
		if (strcmp(name, table[type].name))
			continue;
		op->type = type;
		return parse_args(line + end, op);
	}
	return false;
}
