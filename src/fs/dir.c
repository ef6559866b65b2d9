// SPDX-License-Identifier: GPL-2.0
/*
 * Directories: one is one group.
 *
 * DOC: A group's directory has its dentry held for as long as the group lives.
 * Its files cost nothing until somebody looks at them: their dentries and
 * inodes are made at look-up and may be reclaimed.  A file whose owner or mode
 * was changed, however, is held until the directory goes, or the change would
 * be forgotten.
 *
 * pins_mutex protects the lists of held files; it is innermost.
 */
#include <linux/dcache.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <compat/vfs.h>
#include <core/charge/member.h>
#include <core/life/lifecycle.h>
#include <fs/fs.h>

/**
 * struct dir - what the file system keeps of a group
 * @dentry: its directory, held
 * @uid:    who made it; owns its files at first
 * @gid:    "
 * @pins:   files that are held
 * @rcu:    whoever writes a name into the log takes no lock
 */
struct dir {
	struct dentry *dentry;
	kuid_t uid;
	kgid_t gid;
	struct list_head pins;
	struct rcu_head rcu;
};

struct pin {
	struct list_head node;
	struct dentry *dentry;
};

static DEFINE_MUTEX(pins_mutex);

static const struct inode_operations file_iops;
static const struct inode_operations dir_iops;
static const struct file_operations dir_fops;

static struct mw_group *group_of(const struct inode *inode)
{
	return inode->i_private;
}

static u64 ino_of(const struct mw_group *group, unsigned int file_nr)
{
	return ((group->id + 1) << MW_INO_FILE_BITS) + file_nr;
}

/* --- files --- */

static void file_inode_setup(struct inode *inode, struct mw_group *group,
			     const struct mw_file *row)
{
	struct dir *dir = group->fs;

	mw_group_get(group);
	inode->i_private = group;
	inode->i_mode = S_IFREG | row->mode;
	inode->i_uid = dir->uid;
	inode->i_gid = dir->gid;
	inode->i_op = &file_iops;
	inode->i_fop = &mw_file_fops;
	simple_inode_init_ts(inode);
}

static struct inode *file_inode_get(struct inode *parent, unsigned int nr)
{
	struct mw_group *group = group_of(parent);
	struct inode *inode;

	inode = iget_locked(parent->i_sb, ino_of(group, nr + 1));
	if (inode && mw_inode_is_new(inode)) {
		file_inode_setup(inode, group, &mw_files[nr]);
		unlock_new_inode(inode);
	}
	return inode;
}

static int file_find(const struct mw_group *group, const struct qstr *name)
{
	unsigned int i;

	for (i = 0; i < mw_nr_files; i++)
		if (mw_file_exists(&mw_files[i], group) &&
		    strlen(mw_files[i].name) == name->len &&
		    !memcmp(mw_files[i].name, name->name, name->len))
			return i;
	return -ENOENT;
}

static struct dentry *dir_lookup(struct inode *parent, struct dentry *dentry,
				 unsigned int flags)
{
	struct inode *inode = NULL;
	int nr;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	nr = file_find(group_of(parent), &dentry->d_name);
	if (nr >= 0) {
		inode = file_inode_get(parent, nr);
		if (!inode)
			return ERR_PTR(-ENOMEM);
	}
	d_add(dentry, inode);
	return NULL;
}

static int pin_locked(struct dir *dir, struct dentry *dentry)
{
	struct pin *pin;

	list_for_each_entry(pin, &dir->pins, node)
		if (pin->dentry == dentry)
			return 0;
	pin = kmalloc(sizeof(*pin), GFP_KERNEL);
	if (!pin)
		return -ENOMEM;
	pin->dentry = dget(dentry);
	list_add(&pin->node, &dir->pins);
	return 0;
}

static int file_pin(struct dentry *dentry)
{
	struct mw_group *group = group_of(d_inode(dentry));
	int ret;

	mutex_lock(&pins_mutex);
	/* if it dies just now, dir_unpin() is still to come */
	ret = READ_ONCE(group->dead) ? -ENODEV : pin_locked(group->fs, dentry);
	mutex_unlock(&pins_mutex);
	return ret;
}

static void dir_unpin(struct dir *dir)
{
	struct pin *pin, *next;
	LIST_HEAD(pins);

	mutex_lock(&pins_mutex);
	list_splice_init(&dir->pins, &pins);
	mutex_unlock(&pins_mutex);
	list_for_each_entry_safe(pin, next, &pins, node) {
		dput(pin->dentry);
		kfree(pin);
	}
}

/* Opening with O_TRUNC, as shells do, asks for a size: there is none to set. */
static int file_setattr(struct dentry *dentry, struct iattr *attr)
{
	int ret;

	attr->ia_valid &= ~ATTR_SIZE;
	if (attr->ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID)) {
		ret = file_pin(dentry);
		if (ret)
			return ret;
	}
	return mw_simple_setattr(dentry, attr);
}

MW_ADAPT_SETATTR(file_setattr_op, file_setattr)

static const struct inode_operations file_iops = {
	.setattr = file_setattr_op,
};

/**
 * mw_procs_may_write() - may the current credentials move processes there?
 * @group: a group
 *
 * Return: 0 if they may write the group's cgroup.procs, else -EACCES and the
 * like.
 */
int mw_procs_may_write(struct mw_group *group)
{
	static const struct qstr name = QSTR_INIT("cgroup.procs", 12);
	struct dir *dir = group->fs;
	struct inode *inode;
	int ret;

	inode = file_inode_get(d_inode(dir->dentry), file_find(group, &name));
	if (!inode)
		return -ENOMEM;
	ret = mw_inode_permission(inode, MAY_WRITE);
	iput(inode);
	return ret;
}

/* --- directories --- */

static struct inode *dir_inode(struct super_block *sb, struct mw_group *group,
			       umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	mw_group_get(group);
	inode->i_private = group;
	inode->i_ino = ino_of(group, 0);
	inode->i_mode = S_IFDIR | mode;
	inode->i_uid = current_fsuid();
	inode->i_gid = current_fsgid();
	inode->i_op = &dir_iops;
	inode->i_fop = &dir_fops;
	set_nlink(inode, 2);
	simple_inode_init_ts(inode);
	return inode;
}

static struct dir *dir_alloc(struct dentry *dentry)
{
	struct dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	dir->dentry = dentry;
	dir->uid = current_fsuid();
	dir->gid = current_fsgid();
	INIT_LIST_HEAD(&dir->pins);
	return dir;
}

static int dir_attach(struct dentry *dentry, struct mw_group *group,
		      umode_t mode)
{
	struct inode *inode;

	struct dir *dir = dir_alloc(dentry);

	if (!dir)
		return -ENOMEM;
	inode = dir_inode(dentry->d_sb, group, mode);
	if (!inode) {
		kfree(dir);
		return -ENOMEM;
	}
	/* for mw_group_name() */
	smp_store_release(&group->fs, dir);
	d_instantiate(dentry, inode);
	dget(dentry);
	return 0;
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
	struct mw_group *group;
	int ret;

	ret = check_name(&dentry->d_name);
	if (ret)
		return ERR_PTR(ret);
	group = mw_group_create(group_of(parent));
	if (IS_ERR(group))
		return ERR_CAST(group);
	ret = dir_attach(dentry, group, mode);
	if (ret) {
		mw_group_remove(group);
		return ERR_PTR(ret);
	}
	inc_nlink(parent);
	sb_hold(parent->i_sb);
	return NULL;
}

static int dir_rmdir(struct inode *parent, struct dentry *dentry)
{
	struct mw_group *group = group_of(d_inode(dentry));
	struct dir *dir = group->fs;
	int ret;

	ret = mw_group_remove(group);
	if (ret)
		return ret;
	dir_unpin(dir);
	/* who prints a path, or lists the parent, holds the mutex */
	mw_tree_lock();
	WRITE_ONCE(group->fs, NULL);
	mw_tree_unlock();
	kfree_rcu(dir, rcu);
	clear_nlink(d_inode(dentry));
	drop_nlink(parent);
	dput(dentry);
	sb_drop(parent->i_sb);
	return 0;
}

/* Groups are numbered upwards and listed in that order. */
static struct mw_group *child_from(struct mw_group *group, u64 id)
{
	struct mw_group *child;

	list_for_each_entry(child, &group->children, sibling)
		if (child->id >= id && !child->dead && child->fs)
			return child;
	return NULL;
}

static struct dentry *child_dentry(struct mw_group *group, u64 from, u64 *id)
{
	struct dentry *dentry = NULL;
	struct mw_group *child;

	mw_tree_lock();
	child = child_from(group, from);
	if (child) {
		*id = child->id;
		dentry = dget(((struct dir *)child->fs)->dentry);
	}
	mw_tree_unlock();
	return dentry;
}

static bool emit_files(struct dir_context *ctx, struct mw_group *group)
{
	while (ctx->pos - 2 < mw_nr_files) {
		unsigned int nr = ctx->pos - 2;
		const char *name = mw_files[nr].name;

		if (mw_file_exists(&mw_files[nr], group) &&
		    !dir_emit(ctx, name, strlen(name), ino_of(group, nr + 1),
			      DT_REG))
			return false;
		ctx->pos++;
	}
	return true;
}

/* The position behind the files is the number of the next group to look for. */
static void emit_children(struct dir_context *ctx, struct mw_group *group)
{
	const loff_t base = 2 + mw_nr_files;
	struct dentry *dentry;
	u64 id;

	while ((dentry = child_dentry(group, ctx->pos - base, &id))) {
		bool more = dir_emit(ctx, dentry->d_name.name,
				     dentry->d_name.len,
				     d_inode(dentry)->i_ino, DT_DIR);

		dput(dentry);
		if (!more)
			break;
		ctx->pos = base + id + 1;
	}
}

static int dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct mw_group *group = group_of(file_inode(file));

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
	.lookup = dir_lookup,
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
	struct inode *inode;
	struct dentry *dentry;

	inode = dir_inode(sb, &mw_root, 0755);
	if (!inode)
		return NULL;
	dentry = d_make_root(inode);
	if (!dentry)
		return NULL;
	mw_root.fs = dir_alloc(dentry);
	if (!mw_root.fs) {
		dput(dentry);
		return NULL;
	}
	return dentry;
}

/** mw_dir_drop_root() - before the superblock goes */
void mw_dir_drop_root(void)
{
	struct dir *dir = mw_root.fs;

	if (!dir)
		return;
	dir_unpin(dir);
	WRITE_ONCE(mw_root.fs, NULL);
	kfree_rcu(dir, rcu);
}

/** mw_inode_evict() - an inode goes, with its reference on the group */
void mw_inode_evict(struct inode *inode)
{
	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	if (inode->i_private)
		mw_group_put(inode->i_private);
}

/**
 * mw_group_path() - print where a group is, seen from the root
 * @seq:   where to print
 * @group: the group
 *
 * Context: process, tree mutex held, so that the directory stays.
 */
void mw_group_path(struct seq_file *seq, struct mw_group *group)
{
	struct dir *dir = group->fs;

	mw_tree_assert_held();
	if (dir)
		seq_dentry(seq, dir->dentry, "\n");
	else
		seq_puts(seq, "(removed)");
}

/**
 * mw_group_name() - the same as text, from wherever a group runs out of memory
 * @group: the group, referenced
 * @buf:   for the text, which is terminated
 * @size:  of @buf
 *
 * Context: any; takes no lock, as others may hold one and wait for memory.
 */
void mw_group_name(struct mw_group *group, char *buf, size_t size)
{
	const char *path = NULL;
	struct dir *dir;

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
