// SPDX-License-Identifier: GPL-2.0
/*
 * Which operations may be in one batch.
 *
 * Those of one process run one after the other; those of different processes at
 * the same time.  An operation claims what its outcome depends on as shared, and
 * what it changes as sole, so that the outcome of a batch does not depend on the
 * order, apart from what the model's sets of owners express: who of several was
 * the first to bring a page, and whether a move came before or after.
 */
#include <string.h>

#include "binding.h"
#include "model.h"

struct list {
	bool ok;
	const struct claims *held;
	struct claims *take;
	int by;
};

static void claim(struct list *list, int what, bool sole)
{
	uint32_t others = ~BIT(list->by);

	if (list->held->sole[what] & others ||
	    (sole && list->held->shared[what] & others))
		list->ok = false;
	if (!list->take)
		return;
	list->take->shared[what] |= BIT(list->by);
	if (sole)
		list->take->sole[what] |= BIT(list->by);
}

static void claim_group(struct list *list, int group, bool sole)
{
	claim(list, CLAIM_MOUNT, false);
	claim(list, CLAIM_TREE + group, sole);
}

static void claim_groups(struct list *list, uint32_t groups, bool sole)
{
	int group;

	for (group = ROOT; group < MAX_GROUPS; group++)
		if (groups & BIT(group))
			claim(list, CLAIM_TREE + group, sole);
}

/* That nobody comes to a cgroup or leaves it while it is removed. */
static void claim_cgroup(struct list *list, int cgroup, bool sole)
{
	claim(list, CLAIM_CGROUP + cgroup, sole);
}

/* What a cgroup, and those above it, are bound to. */
static void claim_bindings(struct list *list, int cgroup)
{
	for (; cgroup; cgroup = cgroup_parent(cgroup))
		claim(list, CLAIM_BINDING + cgroup, false);
}

/* A group that is removed takes them along. */
static void claim_bindings_of(const struct model *m, struct list *list, int group)
{
	int i;

	for (i = 1; i < NR_CGROUPS; i++)
		if (m->cgroup[i].bound == group)
			claim(list, CLAIM_BINDING + i, true);
}

/* Whose they are changes with what is bound to their cgroup. */
static void claim_bind(const struct model *m, struct list *list, int cgroup)
{
	int i;

	claim_bindings(list, cgroup_parent(cgroup));
	claim(list, CLAIM_BINDING + cgroup, true);
	claim_groups(list, BIT(group_by_cgroup(m, cgroup_parent(cgroup))), false);
	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		if (m->proc[i].used && cgroup_is_below(m->proc[i].cgroup, cgroup))
			claim_groups(list, m->proc[i].groups, false);
}

/* Among the kernel's cgroups. */
static void claim_cgroup_move(const struct model *m, struct list *list, int proc,
			      int to)
{
	int from = m->proc[proc].cgroup;

	claim(list, CLAIM_MEMBER + proc, true);
	claim_cgroup(list, from, false);
	claim_cgroup(list, to, false);
	claim_bindings(list, from);
	claim_bindings(list, to);
	claim_groups(list, m->proc[proc].groups, false);
	claim_groups(list, BIT(group_by_cgroup(m, to)), false);
}

static void claim_maps(struct list *list, const struct proc *proc, bool sole)
{
	int i;

	for (i = 0; i < MAX_REGIONS; i++)
		if (proc->region[i].file >= 0)
			claim(list, CLAIM_FILE + proc->region[i].file, sole);
}

/* The files that a process maps: it may give up the last reference. */
static void claim_files(struct list *list, const struct proc *proc)
{
	claim_maps(list, proc, false);
}

/* What somebody has isolated or locked just then is not adopted: a page of a file that he uses, or reclaims. */
static void claim_adoption(const struct model *m, struct list *list, int proc,
			   int group)
{
	claim(list, CLAIM_PROC + proc, proc != list->by);
	claim(list, CLAIM_MEMBER + proc, false);
	claim_group(list, group, false);
	claim_groups(list, m->proc[proc].groups, false);
	claim_bindings(list, m->proc[proc].cgroup);
	claim_maps(list, &m->proc[proc], true);
	claim(list, CLAIM_LRU, true);
}

/*
 * Who is killed takes his time to die, even for the one who killed him; so it is
 * not the clerk who holds these claims but Death.
 */
#define DEATH	31

static void claim_death(const struct model *m, struct list *list, int proc)
{
	int by = list->by;

	list->by = DEATH;
	claim(list, CLAIM_MEMBER + proc, true);
	claim_groups(list, m->proc[proc].groups, false);
	claim_cgroup(list, m->proc[proc].cgroup, false);
	claim_bindings(list, m->proc[proc].cgroup);
	claim_files(list, &m->proc[proc]);
	if (by == proc)
		list->by = by;
	claim(list, CLAIM_PROC + proc, true);
	list->by = by;
}

static void claim_kill_group(const struct model *m, struct list *list, int group)
{
	uint32_t below = group_below(m, group);
	int proc;

	claim(list, CLAIM_MOUNT, false);
	claim_groups(list, below, true);
	for (proc = NR_CLERKS; proc < MAX_PROCS; proc++)
		if (m->proc[proc].used && m->proc[proc].groups & below)
			claim_death(m, list, proc);
}

static void claim_region(const struct model *m, struct list *list,
			 const struct op *op)
{
	const struct region *region = &m->proc[op->by].region[op->arg[0]];

	if (region->file >= 0)
		claim(list, CLAIM_FILE + region->file, false);
}

static void claim_write(const struct model *m, struct list *list,
			const struct op *op)
{
	bool grows = op->arg[1] + op->arg[2] > m->file[op->arg[0]].size;

	claim(list, CLAIM_FILE + op->arg[0], grows);
}

static void claim_fork(const struct model *m, struct list *list,
		       const struct op *op)
{
	const struct proc *parent = &m->proc[op->by];

	claim(list, CLAIM_PROC + op->arg[0], true);
	claim(list, CLAIM_MEMBER + op->arg[0], true);
	claim_groups(list, parent->groups, false);
	claim_cgroup(list, parent->cgroup, false);
	claim_cgroup(list, parent->before.cgroup, false);
	/* what is bound meanwhile is bound for a child of who stays */
	if (parent->comes) {
		claim_bindings(list, parent->cgroup);
		claim_bindings(list, parent->before.cgroup);
	}
	claim_files(list, parent);
}

static void claim_all(const struct model *m, struct list *list,
		      const struct op *op)
{
	claim(list, CLAIM_PROC + op->by, false);
	switch (op->type) {
	case OP_MKDIR:
		claim_group(list, op->arg[0], true);
		claim_group(list, op->arg[1], false);
		break;
	case OP_RMDIR:
		claim_group(list, op->arg[0], true);
		claim_group(list, m->group[op->arg[0]].parent, false);
		claim_bindings_of(m, list, op->arg[0]);
		break;
	case OP_MOVE:
		claim(list, CLAIM_MEMBER + op->arg[0], true);
		claim_group(list, op->arg[1], false);
		claim_groups(list, m->proc[op->arg[0]].groups, false);
		claim_bindings(list, m->proc[op->arg[0]].cgroup);
		break;
	case OP_JOIN:
		claim(list, CLAIM_MEMBER + op->by, true);
		claim_group(list, op->arg[0], false);
		claim_groups(list, m->proc[op->by].groups, false);
		claim_bindings(list, m->proc[op->by].cgroup);
		break;
	case OP_KILL:
		claim_death(m, list, op->arg[0]);
		break;
	case OP_EXIT:
		claim_death(m, list, op->by);
		break;
	case OP_KILL_GROUP:
		claim_kill_group(m, list, op->arg[0]);
		break;
	/* what reclaim holds just then is not forgotten */
	case OP_HIGH:
	case OP_MAX:
		claim_group(list, op->arg[0], false);
		claim(list, CLAIM_SETTING + op->arg[0], true);
		claim(list, CLAIM_LRU, true);
		break;
	case OP_MIN:
	case OP_LOW:
		claim_group(list, op->arg[0], false);
		claim(list, CLAIM_SETTING + op->arg[0], true);
		break;
	case OP_RECLAIM:
		claim_group(list, op->arg[0], false);
		claim(list, CLAIM_LRU, true);
		break;
	case OP_REMOUNT:
		claim(list, CLAIM_MOUNT, true);
		break;
	case OP_CGROUP_MKDIR:
	case OP_CGROUP_RMDIR:
		claim_cgroup(list, op->arg[0], true);
		claim_cgroup(list, cgroup_parent(op->arg[0]), false);
		break;
	case OP_CGROUP_MOVE:
		claim_cgroup_move(m, list, op->arg[0], op->arg[1]);
		break;
	case OP_CGROUP_JOIN:
		claim_cgroup_move(m, list, op->by, op->arg[0]);
		break;
	case OP_BIND:
	case OP_UNBIND:
		claim_group(list, op->arg[0], false);
		claim_bind(m, list, op->arg[1]);
		break;
	case OP_ADOPT:
		claim_adoption(m, list, op->arg[0], op->arg[1]);
		break;
	case OP_ADOPT_SELF:
		claim_adoption(m, list, op->by, op->arg[0]);
		break;
	case OP_FORK:
		claim_fork(m, list, op);
		break;
	case OP_MAP:
		if (op->arg[3] >= 0)
			claim(list, CLAIM_FILE + op->arg[3],
			      op->arg[1] == MAP_IS_NAMELESS);
		break;
	case OP_UNMAP:
	case OP_REMAP:
	case OP_TOUCH:
	case OP_PEEK:
	case OP_DROP:
		claim_region(m, list, op);
		break;
	case OP_WRITE:
		claim_write(m, list, op);
		break;
	case OP_READ:
		claim(list, CLAIM_FILE + op->arg[0], false);
		break;
	case OP_CREATE:
	case OP_UNLINK:
	case OP_TRUNCATE:
	case OP_PUNCH:
		claim(list, CLAIM_FILE + op->arg[0], true);
		break;
	/* what compaction holds just then is not forgotten */
	case OP_FORGET:
		claim(list, CLAIM_FILE + op->arg[0], true);
		claim(list, CLAIM_LRU, false);
		break;
	case OP_COMPACT:
		claim(list, CLAIM_LRU, true);
		break;
	case NR_OPS:
		break;
	}
}

/** claims_free() - does nobody else in this batch stand in the way? */
bool claims_free(const struct model *m, const struct op *op)
{
	struct list list = { true, &m->claims, NULL, op->by };

	claim_all(m, &list, op);
	return list.ok;
}

/** claims_take() - from now on, the operation is in the batch */
void claims_take(struct model *m, const struct op *op)
{
	struct list list = { true, &m->claims, &m->claims, op->by };

	claim_all(m, &list, op);
}
