// SPDX-License-Identifier: GPL-2.0
/*
 * Directories: one is one group.
 *
 * DOC: A group's directory has its dentry held for as long as the group lives.  Its
 * files are in inode.c.
 */
#include <linux/dcache.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <trace/events/memward.h>

#include <compat/vfs.h>
#include <core/charge/member.h>
#include <core/life/lifecycle.h>
#include <fs/fs.h>

static const struct inode_operations dir_iops;
static const struct file_operations dir_fops;

static struct inode *dir_inode(struct super_block *sb, struct mw_group *group,
			       umode_t mode, const struct mw_maker *maker)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	mw_group_get(group);
	inode->i_private = group;
	inode->i_ino = mw_group_ino(group);
	inode->i_mode = S_IFDIR | mode;
	inode->i_uid = maker->uid;
	inode->i_gid = maker->gid;
	inode->i_op = &dir_iops;
	inode->i_fop = &dir_fops;
	set_nlink(inode, 2);
	simple_inode_init_ts(inode);
	return inode;
}

static struct mw_dir *dir_alloc(struct dentry *dentry, const struct mw_maker *maker)
{
	struct mw_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL_ACCOUNT);

	if (!dir)
		return NULL;
	dir->dentry = dentry;
	dir->maker = *maker;
	INIT_LIST_HEAD(&dir->pins);
	return dir;
}

/**
 * mw_dir_attach() - give a group its directory
 * @dentry: negative, in a directory whose lock is held for writing
 * @group:  the group
 * @mode:   permissions
 * @maker:  whose it is
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mw_dir_attach(struct dentry *dentry, struct mw_group *group, umode_t mode,
		  const struct mw_maker *maker)
{
	struct mw_dir *dir = dir_alloc(dentry, maker);
	struct inode *inode;

	if (!dir)
		return -ENOMEM;
	inode = dir_inode(dentry->d_sb, group, mode, maker);
	if (!inode) {
		kfree(dir);
		return -ENOMEM;
	}
	/* for mw_path_name() */
	smp_store_release(&group->fs, dir);
	d_instantiate(dentry, inode);
	dget(dentry);
	inc_nlink(d_inode(dentry->d_parent));
	trace_memward_group_create(group);
	return 0;
}

/**
 * mw_dir_detach() - take a group's directory away
 * @group: removed just now; its parent's directory is locked for writing
 *
 * Context: process, may sleep; takes the tree mutex.
 */
void mw_dir_detach(struct mw_group *group)
{
	struct mw_dir *dir = group->fs;
	struct dentry *dentry = dir->dentry;

	trace_memward_group_remove(group);
	mw_inode_unpin(dir);
	/* who prints a path, or lists the parent, holds the mutex */
	mw_tree_lock();
	WRITE_ONCE(group->fs, NULL);
	mw_tree_unlock();
	kfree_rcu(dir, rcu);
	/* before the names of its files are dropped that nobody uses: see is_gone() */
	inode_set_flags(d_inode(dentry), S_DEAD, S_DEAD);
	clear_nlink(d_inode(dentry));
	drop_nlink(d_inode(dentry->d_parent));
	dput(dentry);
}

/*
 * The superblock lives as long as there is a group, mounted or not, as cgroup
 * v1's does; the module cannot be unloaded meanwhile.
 */
static void sb_hold(struct super_block *sb)
{
	atomic_inc(&sb->s_active);
}

static void sb_drop(struct super_block *sb)
{
	deactivate_super(sb);
}

/* A newline in a name would break every file that prints a path a line. */
static int check_name(const struct qstr *name)
{
	return memchr(name->name, '\n', name->len) ? -EINVAL : 0;
}

static struct dentry *dir_mkdir(struct inode *parent, struct dentry *dentry,
				umode_t mode)
{
	struct mw_maker maker = { current_fsuid(), current_fsgid() };
	struct mw_group *group;
	int ret;

	if (mw_mirror_exists())
		return ERR_PTR(-EPERM);
	ret = check_name(&dentry->d_name);
	if (ret)
		return ERR_PTR(ret);
	group = mw_group_create(mw_inode_group(parent));
	if (IS_ERR(group))
		return ERR_CAST(group);
	ret = mw_dir_attach(dentry, group, mode, &maker);
	if (ret) {
		mw_group_remove(group);
		return ERR_PTR(ret);
	}
	sb_hold(parent->i_sb);
	return NULL;
}

static int dir_rmdir(struct inode *parent, struct dentry *dentry)
{
	struct mw_group *group = mw_inode_group(d_inode(dentry));
	int ret;

	if (mw_mirror_exists())
		return -EPERM;
	ret = mw_group_remove(group);
	if (ret)
		return ret;
	mw_dir_detach(group);
	mw_bind_settle();
	sb_drop(parent->i_sb);
	return 0;
}

/* so many groups are looked up while the tree is held still */
#define LISTED_AT_ONCE	32

/**
 * struct listed - groups that are about to be listed
 * @nr:     how many
 * @index:  where they are among their siblings
 * @dentry: referenced
 */
struct listed {
	unsigned int nr;
	u32 index[LISTED_AT_ONCE];
	struct dentry *dentry[LISTED_AT_ONCE];
};

static void list_some(struct mw_group *group, u64 from, struct listed *listed)
{
	struct mw_group *child;

	listed->nr = 0;
	mw_tree_lock();
	for (child = mw_group_child(group, from);
	     child && listed->nr < LISTED_AT_ONCE;
	     child = mw_group_child(group, child->index + 1UL)) {
		struct mw_dir *dir = child->fs;

		if (child->dead || !dir)
			continue;
		listed->index[listed->nr] = child->index;
		listed->dentry[listed->nr++] = dget(dir->dentry);
	}
	mw_tree_unlock();
}

static bool emit_files(struct dir_context *ctx, struct mw_group *group)
{
	while (ctx->pos - 2 < mw_file_count()) {
		unsigned int nr = ctx->pos - 2;
		const struct mw_file *row = mw_file_row(nr);

		if (mw_file_exists(row, group) &&
		    !dir_emit(ctx, row->name, strlen(row->name),
			      mw_inode_number(group, nr + 1), DT_REG))
			return false;
		ctx->pos++;
	}
	return true;
}

/* The position behind the files is where to look for the next group. */
static bool emit_listed(struct dir_context *ctx, struct listed *listed, loff_t base)
{
	bool more = true;
	unsigned int i;

	for (i = 0; i < listed->nr; i++) {
		struct dentry *dentry = listed->dentry[i];

		more = more && dir_emit(ctx, dentry->d_name.name,
					dentry->d_name.len,
					d_inode(dentry)->i_ino, DT_DIR);
		if (more)
			ctx->pos = base + listed->index[i] + 1;
		dput(dentry);
	}
	return more;
}

static void emit_children(struct dir_context *ctx, struct mw_group *group)
{
	const loff_t base = 2 + mw_file_count();
	struct listed listed;

	do {
		list_some(group, ctx->pos - base, &listed);
	} while (listed.nr && emit_listed(ctx, &listed, base));
}

static int dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct mw_group *group = mw_inode_group(file_inode(file));

	if (dir_emit_dots(file, ctx) && emit_files(ctx, group))
		emit_children(ctx, group);
	return 0;
}

static int dir_setattr(struct dentry *dentry, struct iattr *attr)
{
	return mw_simple_setattr(dentry, attr);
}

MW_ADAPT_MKDIR(dir_mkdir_op, dir_mkdir)
MW_ADAPT_SETATTR(dir_setattr_op, dir_setattr)

static const struct inode_operations dir_iops = {
	.lookup = mw_inode_lookup,
	.mkdir = dir_mkdir_op,
	.rmdir = dir_rmdir,
	.setattr = dir_setattr_op,
};

static const struct file_operations dir_fops = {
	.owner = THIS_MODULE,
	.read = generic_read_dir,
	.iterate_shared = dir_iterate,
	.llseek = generic_file_llseek,
};

/**
 * mw_dir_make_root() - the directory of the root group
 * @sb: the superblock
 *
 * Return: its dentry, NULL without memory.
 */
struct dentry *mw_dir_make_root(struct super_block *sb)
{
	struct mw_maker maker = { current_fsuid(), current_fsgid() };
	struct inode *inode;
	struct dentry *dentry;

	inode = dir_inode(sb, &mw_root, 0755, &maker);
	if (!inode)
		return NULL;
	dentry = d_make_root(inode);
	if (!dentry)
		return NULL;
	mw_root.fs = dir_alloc(dentry, &maker);
	if (!mw_root.fs) {
		dput(dentry);
		return NULL;
	}
	return dentry;
}

/** mw_dir_drop_root() - before the superblock goes */
void mw_dir_drop_root(void)
{
	struct mw_dir *dir = mw_root.fs;

	if (!dir)
		return;
	mw_inode_unpin(dir);
	WRITE_ONCE(mw_root.fs, NULL);
	kfree_rcu(dir, rcu);
}
