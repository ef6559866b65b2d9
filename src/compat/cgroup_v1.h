/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_CGROUP_V1_H
#define COMPAT_CGROUP_V1_H

#include <linux/cgroup.h>
#include <linux/sched.h>
#include <linux/types.h>

/* room for what a hierarchy is called: all controllers that there are, and a name */
#define MW_V1_NAME_SIZE		256

/**
 * union mw_v1_root - which hierarchy of cgroup v1
 * @id:   its number, as /proc/PID/cgroup has it; no other will have it for a long time; 0 for none
 * @ssid: the number of one of its controllers, by which a css_set knows the cgroup; negative if it
 *        has none
 * @word: both, to be read at once
 */
union mw_v1_root {
	struct {
		s32 id;
		s32 ssid;
	};
	u64 word;
};

int mw_v1_prepare(void);
int mw_v1_name(const char *text, size_t len, char *name);
void mw_v1_lock(void);
void mw_v1_unlock(void);
struct cgroup_root *mw_v1_find_root(const char *name);
union mw_v1_root mw_v1_root_of(const struct cgroup_root *root);
int mw_v1_find(struct cgroup_root *root, const char *path, u64 *id);
struct cgroup *mw_v1_cgroup_of(struct task_struct *task, union mw_v1_root root);
int mw_v1_path_of_namespace(union mw_v1_root root, char *buf, size_t size);

#endif
