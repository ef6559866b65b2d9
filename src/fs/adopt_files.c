// SPDX-License-Identifier: GPL-2.0
/* memward.adopt: what a process had before it came to its group. */
#include <linux/capability.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>

#include <core/group/task.h>
#include <core/limit/adoption.h>
#include <fs/fs.h>
#include <pure/parse.h>

/* Kernel threads, and those that have ended, have no memory. */
static int adopt(struct mw_open *open, struct task_struct *task)
{
	struct mm_struct *mm = mw_task_mm_grab(task);
	int ret;

	if (!mm)
		return READ_ONCE(task->flags) & PF_KTHREAD ? -EINVAL : -ESRCH;
	ret = mw_adopt(mm, open->group);
	mmdrop(mm);
	return ret;
}

static int write_adopt(struct mw_open *open, const char *text)
{
	struct task_struct *task;
	unsigned long nr;
	int ret;

	/* what he maps others may have brought into memory, and may be using: it is his group's to reclaim then */
	if (!file_ns_capable(open->file, &init_user_ns, CAP_SYS_ADMIN))
		return -EPERM;
	ret = mw_parse_number(text, INT_MAX, &nr);
	if (ret)
		return ret;
	if (READ_ONCE(open->group->dead))
		return -ENODEV;
	task = mw_task_find_get(nr);
	if (!task)
		return -ESRCH;
	ret = adopt(open, task);
	put_task_struct(task);
	return ret;
}

static const struct mw_file adopt_rows[] = {
	{ MEMWARD_ADOPT, 0200, MW_EVERYWHERE, NULL, write_adopt },
};
const struct mw_file_table mw_adopt_files = { adopt_rows, ARRAY_SIZE(adopt_rows) };
