// SPDX-License-Identifier: GPL-2.0
/*
 * The directories of the mirror, which nobody makes or removes but the kernel.
 *
 * DOC: See core/life/mirror.c, which has one at a time made or removed.  A name that was not there
 * is not remembered (inode.c), so what is made is seen at once.
 */
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fsnotify.h>
#include <linux/jiffies.h>
#include <linux/stringhash.h>

#include <core/life/lifecycle.h>
#include <core/life/mirror.h>
#include <fs/fs.h>
#include <hooks/hooks.h>

/* Context: the parent's directory is locked for writing. */
static struct mw_group *make_at(struct mw_group *parent, struct dentry *dentry,
				const struct mw_maker *maker)
{
	struct mw_group *group = mw_group_create(parent);
	int ret;

	if (IS_ERR(group))
		return group;
	ret = mw_dir_attach(dentry, group, 0755, maker);
	if (ret) {
		mw_group_dissolve(group);
		return ERR_PTR(ret);
	}
	d_rehash(dentry);
	fsnotify_mkdir(d_inode(dentry->d_parent), dentry);
	return group;
}

/* Who reads a directory has it locked for as long as the memory that he reads into keeps him waiting. */
static int lock_dir(struct inode *inode, unsigned long until)
{
	while (!inode_trylock(inode)) {
		if (time_after_eq(jiffies, until))
			return -EBUSY;
		usleep_range(50, 100);
	}
	return 0;
}

/* The kernel has fewer files, and a cgroup may have the name of one of memward's. */
static bool is_taken(struct mw_group *parent, const char *name)
{
	struct mw_dir *dir = parent->fs;
	struct qstr qstr = QSTR_INIT(name, strlen(name));
	struct dentry *dentry;

	if (mw_inode_is_file(parent, name))
		return true;
	qstr.hash = full_name_hash(dir->dentry, name, qstr.len);
	dentry = d_lookup(dir->dentry, &qstr);
	if (!dentry)
		return false;
	dput(dentry);
	return true;
}

static struct mw_group *make_dir(struct mw_group *parent, const char *name,
				 const struct mw_maker *maker, unsigned long until)
{
	struct mw_dir *dir = parent->fs;
	struct inode *inode = d_inode(dir->dentry);
	struct mw_group *group;
	struct dentry *dentry;
	int ret;

	if (is_taken(parent, name))
		return ERR_PTR(-EEXIST);
	ret = lock_dir(inode, until);
	if (ret)
		return ERR_PTR(ret);
	dentry = d_alloc_name(dir->dentry, name);
	group = dentry ? make_at(parent, dentry, maker) : ERR_PTR(-ENOMEM);
	inode_unlock(inode);
	dput(dentry);
	return group;
}

/* Context: both directories are locked for writing. */
static void remove_at(struct mw_group *group)
{
	mw_group_dissolve(group);
	mw_dir_detach(group);
}

static int remove_dir(struct mw_group *group, unsigned long until)
{
	struct mw_dir *dir = group->fs;
	struct dentry *dentry = dget(dir->dentry);
	struct inode *parent = d_inode(dentry->d_parent);
	int ret = lock_dir(parent, until);

	if (!ret) {
		ret = lock_dir(d_inode(dentry), until);
		if (!ret) {
			remove_at(group);
			inode_unlock(d_inode(dentry));
		}
		inode_unlock(parent);
	}
	if (!ret) {
		/* what is mounted there is unmounted, as where somebody removes a directory */
		d_invalidate(dentry);
		fsnotify_rmdir(parent, dentry);
	}
	dput(dentry);
	return ret;
}

static const struct mw_mirror_dirs dirs = { make_dir, remove_dir };

/**
 * mw_mirror_dirs_start() - make the tree a mirror of the kernel's own cgroups
 * @path: of the cgroup that is the root
 *
 * Context: process, may sleep; at the first mount.
 * Return: 0; -EOPNOTSUPP if the kernel does not tell of its cgroups; or as mw_mirror_start().
 */
int mw_mirror_dirs_start(const char *path)
{
	int ret = mw_hooks_want_cgroups() ?: mw_mirror_start(path, &dirs);

	if (ret)
		mw_hooks_leave_cgroups();
	return ret;
}

/**
 * mw_mirror_dirs_stop() - undo mw_mirror_dirs_start(), if it was
 *
 * Context: process, may sleep; nobody has anything of the file system open.
 */
void mw_mirror_dirs_stop(void)
{
	if (!mw_mirror_exists())
		return;
	mw_hooks_leave_cgroups();
	mw_mirror_stop();
}
