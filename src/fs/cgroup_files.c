// SPDX-License-Identifier: GPL-2.0
/* The cgroup.* files: who is in a group, and what the group is. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <compat/cred.h>
#include <core/charge/member.h>
#include <core/charge/members.h>
#include <core/group/task.h>
#include <fs/fs.h>
#include <pure/parse.h>

/* --- cgroup.procs --- */

/**
 * struct listing - pids being printed
 * @seq: where
 * @ns:  the reader's pid namespace
 */
struct listing {
	struct seq_file *seq;
	struct pid_namespace *ns;
};

static bool print_pid(struct pid *tgid, struct mw_group *group, void *data)
{
	struct listing *listing = data;
	pid_t nr = pid_nr_ns(tgid, listing->ns);

	if (nr)
		seq_printf(listing->seq, "%d\n", nr);
	return true;
}

static int show_procs(struct seq_file *seq, struct mw_open *open)
{
	struct listing listing = { seq, task_active_pid_ns(current) };

	mw_members_walk(open->group, print_pid, &listing);
	return 0;
}

/* As in cgroup v2: who may write the procs file of the lowest group above both. */
static int may_move(struct mw_open *open, struct mw_group *from)
{
	const struct cred *saved = mw_override_creds(open->file->f_cred);
	int ret;

	ret = mw_procs_may_write(mw_group_common_ancestor(from, open->group));
	mw_revert_creds(saved);
	return ret;
}

static int move(struct mw_open *open, struct task_struct *task)
{
	struct mw_group *from;
	int ret;

	mw_tree_lock();
	from = mw_member_group_get(task);
	ret = open->group->dead ? -ENODEV : may_move(open, from);
	if (!ret)
		ret = mw_member_attach(task, open->group);
	mw_group_put(from);
	mw_tree_unlock();
	return ret;
}

static int write_procs(struct mw_open *open, const char *text)
{
	struct task_struct *task;
	unsigned long nr;
	int ret;

	/* who is where the kernel says */
	if (mw_mirror_exists())
		return -EOPNOTSUPP;
	ret = mw_parse_number(text, INT_MAX, &nr);
	if (ret)
		return ret;
	/* any thread's will do; 0 is the writer */
	task = mw_task_find_get(nr);
	if (!task)
		return -ESRCH;
	ret = move(open, task);
	put_task_struct(task);
	return ret;
}

/* --- what a group is --- */

static int show_controllers(struct seq_file *seq, struct mw_open *open)
{
	seq_puts(seq, "memory\n");
	return 0;
}

/* Memory is controlled everywhere: enabling it is no news, disabling is none. */
static int write_controller(const char *word)
{
	if (!strcmp(word, "+memory"))
		return 0;
	return strcmp(word, "-memory") ? -EINVAL : -EOPNOTSUPP;
}

static int write_subtree_control(struct mw_open *open, const char *text)
{
	char *rest = (char *)text;
	int ret = *text ? 0 : -EINVAL;

	while (!ret && rest) {
		char *word = strsep(&rest, " \t\n");

		if (*word)
			ret = write_controller(word);
	}
	return ret;
}

static int show_cgroup_events(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "populated %d\nfrozen 0\n", mw_members_populated(open->group));
	return 0;
}

static int show_cgroup_stat(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "nr_descendants %u\nnr_dying_descendants 0\n",
		   READ_ONCE(open->group->nr_descendants));
	return 0;
}

static int show_type(struct seq_file *seq, struct mw_open *open)
{
	seq_puts(seq, "domain\n");
	return 0;
}

/* Memory belongs to processes, so there is no threaded type. */
static int write_type(struct mw_open *open, const char *text)
{
	if (!strcmp(text, "domain"))
		return 0;
	return strcmp(text, "threaded") ? -EINVAL : -EOPNOTSUPP;
}

static int write_kill(struct mw_open *open, const char *text)
{
	unsigned long one;
	int ret;

	ret = mw_parse_number(text, 1, &one);
	if (ret)
		return ret;
	if (!one)
		return -ERANGE;
	mw_tree_lock();
	mw_members_kill(open->group);
	mw_tree_unlock();
	return 0;
}

/* --- bounds of the tree --- */

static void print_bound(struct seq_file *seq, unsigned int bound)
{
	if (bound == MW_BOUND_NONE)
		seq_puts(seq, "max\n");
	else
		seq_printf(seq, "%u\n", bound);
}

/* It holds for what is made from now on. */
static int write_bound(const char *text, unsigned int *bound)
{
	unsigned long value;
	int ret = mw_parse_bound(text, MW_BOUND_NONE, &value);

	if (!ret)
		WRITE_ONCE(*bound, value);
	return ret;
}

static int show_max_depth(struct seq_file *seq, struct mw_open *open)
{
	print_bound(seq, READ_ONCE(open->group->max_depth));
	return 0;
}

static int write_max_depth(struct mw_open *open, const char *text)
{
	return write_bound(text, &open->group->max_depth);
}

static int show_max_descendants(struct seq_file *seq, struct mw_open *open)
{
	print_bound(seq, READ_ONCE(open->group->max_descendants));
	return 0;
}

static int write_max_descendants(struct mw_open *open, const char *text)
{
	return write_bound(text, &open->group->max_descendants);
}

static const struct mw_file cgroup_rows[] = {
	{ MEMWARD_CGROUP_PROCS, 0644, MW_EVERYWHERE, show_procs, write_procs },
	{ MEMWARD_TASKS, 0644, MW_EVERYWHERE, show_procs, write_procs },
	{ MEMWARD_CGROUP_CONTROLLERS, 0444, MW_EVERYWHERE, show_controllers },
	{ MEMWARD_CGROUP_SUBTREE_CONTROL, 0644, MW_EVERYWHERE, show_controllers,
	  write_subtree_control },
	{ MEMWARD_CGROUP_EVENTS, 0444, MW_IN_GROUP, show_cgroup_events },
	{ MEMWARD_CGROUP_STAT, 0444, MW_EVERYWHERE, show_cgroup_stat },
	{ MEMWARD_CGROUP_MAX_DEPTH, 0644, MW_EVERYWHERE, show_max_depth, write_max_depth },
	{ MEMWARD_CGROUP_MAX_DESCENDANTS, 0644, MW_EVERYWHERE, show_max_descendants,
	  write_max_descendants },
	{ MEMWARD_CGROUP_TYPE, 0644, MW_IN_GROUP, show_type, write_type },
	{ MEMWARD_CGROUP_KILL, 0200, MW_IN_GROUP, NULL, write_kill },
};
const struct mw_file_table mw_cgroup_files = {
	cgroup_rows, ARRAY_SIZE(cgroup_rows),
};
