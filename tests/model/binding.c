// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own cgroups, and which of them are bound to which group.
 *
 * A process that was moved by hand is where it was moved (its entry), until it comes
 * to another cgroup that is bound, or below one.  Any other is where its cgroup, or
 * the nearest one above it, is bound; or in the root.  Of what memward keeps for it
 * the model knows nothing: an entry that does not count any more is none here.
 */
#include "binding.h"

#include <errno.h>
#include <stdio.h>

/* There are as many as are needed for one to be bound above and below another. */
static const struct {
	int parent;
	const char *name;
} table[NR_CGROUPS] = {
	[1] = { 0, "a" },
	[2] = { 1, "b" },
	[3] = { 2, "c" },
	[4] = { 1, "d" },
	[5] = { 0, "e" },
};

/** cgroup_parent() - the one above it; 0 for the root */
int cgroup_parent(int cgroup)
{
	return table[cgroup].parent;
}

/** cgroup_is_below() - is it the other one, or below it? */
bool cgroup_is_below(int cgroup, int top)
{
	while (cgroup && cgroup != top)
		cgroup = cgroup_parent(cgroup);
	return cgroup == top;
}

/** cgroup_path() - as memward.bind has it; "" for the root */
void cgroup_path(int cgroup, char *path, int room)
{
	char above[16] = "";

	*path = 0;
	if (!cgroup)
		return;
	cgroup_path(cgroup_parent(cgroup), above, sizeof(above));
	snprintf(path, room, "%s/%s", above, table[cgroup].name);
}

/* --- whose a process is -------------------------------------------------- */

static int binding_of(const struct model *m, int cgroup)
{
	while (cgroup && !m->cgroup[cgroup].bound)
		cgroup = cgroup_parent(cgroup);
	return m->cgroup[cgroup].bound;
}

/** group_by_cgroup() - where a process is that was not moved by hand */
int group_by_cgroup(const struct model *m, int cgroup)
{
	int bound = binding_of(m, cgroup);

	return bound ? bound : ROOT;
}

/** groups_by_entries() - where a process may be, with what may be its entry */
uint32_t groups_by_entries(const struct model *m, const struct proc *proc)
{
	uint32_t groups = proc->entries & ~BIT(NOBODY);

	if (proc->entries & BIT(NOBODY))
		groups |= BIT(group_by_cgroup(m, proc->cgroup));
	return groups;
}

/** entry_by_hand() - what a process has that is moved: who is in the root anyway has nothing */
int entry_by_hand(const struct model *m, const struct proc *proc, int group)
{
	return group == ROOT && group_by_cgroup(m, proc->cgroup) == ROOT ?
	       NOBODY : group;
}

/**
 * birth_will_show() - can it be told afterwards what became of a child?
 * @m:      the model
 * @parent: what is done to it in this batch has been applied
 *
 * If it comes to another cgroup meanwhile the child is in one of the two, which tells.
 * If it is moved by hand the group that the child is in must tell what entry it has.
 */
bool birth_will_show(const struct model *m, const struct proc *parent)
{
	if (parent->comes)
		return parent->comes == 1 && !parent->moves;
	return !(parent->entries & BIT(NOBODY)) ||
	       !(parent->entries & BIT(group_by_cgroup(m, parent->cgroup)));
}

/* --- cgroups ------------------------------------------------------------- */

/** is_cgroup() - is there such a cgroup? */
bool is_cgroup(const struct model *m, int cgroup)
{
	return cgroup >= 0 && cgroup < NR_CGROUPS && m->cgroup[cgroup].exists;
}

static bool is_empty(const struct model *m, int cgroup)
{
	int i;

	for (i = 1; i < NR_CGROUPS; i++)
		if (m->cgroup[i].exists && cgroup_parent(i) == cgroup)
			return false;
	for (i = 0; i < MAX_PROCS; i++)
		if (m->proc[i].used && m->proc[i].cgroup == cgroup)
			return false;
	return true;
}

/** admits_cgroup() - can it be made, or removed?  What the kernel refuses is not tried. */
bool admits_cgroup(const struct model *m, const struct op *op)
{
	int cgroup = op->arg[0];

	if (cgroup < 1 || cgroup >= NR_CGROUPS)
		return false;
	if (op->type == OP_CGROUP_MKDIR)
		return !m->cgroup[cgroup].exists &&
		       m->cgroup[cgroup_parent(cgroup)].exists;
	return m->cgroup[cgroup].exists && is_empty(m, cgroup);
}

/** do_cgroup_mkdir() - it may be bound already */
int do_cgroup_mkdir(struct model *m, int cgroup)
{
	m->cgroup[cgroup].exists = true;
	return 0;
}

/** do_cgroup_rmdir() - it stays bound */
int do_cgroup_rmdir(struct model *m, int cgroup)
{
	m->cgroup[cgroup].exists = false;
	return 0;
}

/** do_cgroup_move() - another cgroup that is bound ends what was done by hand */
int do_cgroup_move(struct model *m, struct proc *proc, int cgroup, bool itself)
{
	if (cgroup != proc->cgroup && binding_of(m, cgroup)) {
		m->tally.voided += proc->entry != NOBODY;
		proc->entry = NOBODY;
	}
	proc->entries = itself ? BIT(proc->entry) :
				 proc->entries | BIT(proc->entry);
	proc->cgroup = cgroup;
	proc->comes += !itself;
	proc_come(proc, proc->entry ? proc->entry : group_by_cgroup(m, cgroup),
		  itself);
	return 0;
}

/* --- bindings ------------------------------------------------------------ */

/* Who is there by a cgroup is where that is bound now. */
static void follow(struct model *m, int cgroup)
{
	int i, group;

	for (i = NR_CLERKS; i < MAX_PROCS; i++) {
		struct proc *proc = &m->proc[i];

		if (!proc->used || proc->entry ||
		    !cgroup_is_below(proc->cgroup, cgroup))
			continue;
		group = group_by_cgroup(m, proc->cgroup);
		if (group != proc->group)
			proc_come(proc, group, false);
	}
}

/** do_bind() - a cgroup, whether it is there or not */
int do_bind(struct model *m, int group, int cgroup)
{
	int *bound = &m->cgroup[cgroup].bound;

	if (*bound)
		return *bound == group ? 0 : -EBUSY;
	*bound = group;
	follow(m, cgroup);
	return 0;
}

/** do_unbind() - whoever is there by it is where the one above is bound */
int do_unbind(struct model *m, int group, int cgroup)
{
	if (m->cgroup[cgroup].bound != group)
		return -ENOENT;
	m->cgroup[cgroup].bound = NOBODY;
	follow(m, cgroup);
	return 0;
}

/** bindings_drop() - a group goes, which nobody is in */
void bindings_drop(struct model *m, int group)
{
	int i;

	for (i = 1; i < NR_CGROUPS; i++)
		if (m->cgroup[i].bound == group)
			m->cgroup[i].bound = NOBODY;
}

static bool is_anything_kept(const struct model *m)
{
	int i;

	for (i = 1; i < NR_CGROUPS; i++)
		if (m->cgroup[i].bound)
			return true;
	for (i = 0; i < MAX_PROCS; i++)
		if (m->proc[i].used && m->proc[i].entry)
			return true;
	return false;
}

/** bindings_forget() - with the last group gone, so are the root's, and who was moved there */
void bindings_forget(struct model *m)
{
	int i;

	m->tally.forgotten += is_anything_kept(m);
	bindings_drop(m, ROOT);
	for (i = 0; i < MAX_PROCS; i++) {
		m->proc[i].entry = NOBODY;
		m->proc[i].entries = BIT(NOBODY);
	}
}
