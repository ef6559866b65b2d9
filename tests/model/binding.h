/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_BINDING_H
#define MODEL_BINDING_H

#include "model.h"

void cgroup_path(int cgroup, char *path, int room);
int cgroup_parent(int cgroup);
bool cgroup_is_below(int cgroup, int top);

int group_by_cgroup(const struct model *m, int cgroup);
uint32_t groups_by_entries(const struct model *m, const struct proc *proc);
int entry_by_hand(const struct model *m, const struct proc *proc, int group);
bool birth_will_show(const struct model *m, const struct proc *parent);
void bindings_drop(struct model *m, int group);
void bindings_forget(struct model *m);

bool is_cgroup(const struct model *m, int cgroup);
bool admits_cgroup(const struct model *m, const struct op *op);
int do_cgroup_mkdir(struct model *m, int cgroup);
int do_cgroup_rmdir(struct model *m, int cgroup);
int do_cgroup_move(struct model *m, struct proc *proc, int cgroup, bool itself);
int do_bind(struct model *m, int group, int cgroup);
int do_unbind(struct model *m, int group, int cgroup);

#endif
