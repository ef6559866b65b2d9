// SPDX-License-Identifier: GPL-2.0
/* Where a group is. */
#include <linux/dcache.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <fs/fs.h>

/**
 * mw_group_path() - print where a group is, seen from the root
 * @seq:   where to print
 * @group: the group
 *
 * Context: process, tree mutex held, so that the directory stays.
 */
void mw_group_path(struct seq_file *seq, struct mw_group *group)
{
	struct mw_dir *dir = group->fs;

	mw_tree_assert_held();
	if (dir)
		seq_dentry(seq, dir->dentry, "\n");
	else
		seq_puts(seq, "(removed)");
}

/**
 * mw_path_name() - the same as text, for the log and for trace events
 * @group: the group, referenced
 * @buf:   for the text, which is terminated
 * @size:  of @buf
 *
 * Context: any but interrupts, with no lock of a dentry held.  Sleeps for nothing, and takes no lock but
 * rename_lock, and that only if something is renamed meanwhile: others may hold one and wait for memory.
 */
void mw_path_name(struct mw_group *group, char *buf, size_t size)
{
	const char *path = NULL;
	struct mw_dir *dir;

	rcu_read_lock();
	dir = smp_load_acquire(&group->fs);
	if (dir)
		path = dentry_path_raw(dir->dentry, buf, size);
	if (IS_ERR_OR_NULL(path))
		strscpy(buf, dir ? "(a long name)" : "(removed)", size);
	else
		memmove(buf, path, strlen(path) + 1);
	rcu_read_unlock();
}
