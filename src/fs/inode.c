// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a directory.
 *
 * DOC: A file costs nothing until somebody looks at it: its dentry and its inode are
 * made at look-up and may be reclaimed.  A file whose owner or mode was changed,
 * however, is held until the directory goes, or the change would be forgotten.
 *
 * pins_mutex protects the lists of held files; it is innermost.
 */
#include <linux/dcache.h>
#include <linux/slab.h>

#include <compat/vfs.h>
#include <fs/fs.h>

/**
 * struct pin - a file that is held
 * @node:   in the list of its directory
 * @dentry: the file
 */
struct pin {
	struct list_head node;
	struct dentry *dentry;
};

static DEFINE_MUTEX(pins_mutex);

static const struct inode_operations file_iops;

static void file_inode_setup(struct inode *inode, struct mw_group *group,
			     const struct mw_file *row)
{
	struct mw_dir *dir = group->fs;

	mw_group_get(group);
	inode->i_private = group;
	inode->i_mode = S_IFREG | row->mode;
	inode->i_uid = dir->maker.uid;
	inode->i_gid = dir->maker.gid;
	inode->i_op = &file_iops;
	inode->i_fop = &mw_file_fops;
	simple_inode_init_ts(inode);
}

static struct inode *file_inode_get(struct inode *parent, unsigned int nr)
{
	struct mw_group *group = mw_inode_group(parent);
	struct inode *inode;

	inode = iget_locked(parent->i_sb, mw_inode_number(group, nr + 1));
	if (inode && mw_inode_is_new(inode)) {
		file_inode_setup(inode, group, mw_file_row(nr));
		unlock_new_inode(inode);
	}
	return inode;
}

static int file_find(const struct mw_group *group, const struct qstr *name)
{
	const struct mw_file *row;
	unsigned int nr;

	for (nr = 0; (row = mw_file_row(nr)); nr++)
		if (mw_file_exists(row, group) &&
		    strlen(row->name) == name->len &&
		    !memcmp(row->name, name->name, name->len))
			return nr;
	return -ENOENT;
}

/** mw_inode_is_file() - is this the name of one of a group's files? */
bool mw_inode_is_file(const struct mw_group *group, const char *name)
{
	struct qstr qstr = QSTR_INIT(name, strlen(name));

	return file_find(group, &qstr) >= 0;
}

/** mw_inode_lookup() - the lookup operation of a directory */
struct dentry *mw_inode_lookup(struct inode *parent, struct dentry *dentry,
			       unsigned int flags)
{
	struct inode *inode = NULL;
	int nr;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	nr = file_find(mw_inode_group(parent), &dentry->d_name);
	if (nr >= 0) {
		inode = file_inode_get(parent, nr);
		if (!inode)
			return ERR_PTR(-ENOMEM);
	}
	/* where directories come by themselves nobody remembers that one is not there */
	if (!inode && mw_mirror_exists())
		return NULL;
	d_add(dentry, inode);
	return NULL;
}

static int pin_locked(struct mw_dir *dir, struct dentry *dentry)
{
	struct pin *pin;

	list_for_each_entry(pin, &dir->pins, node)
		if (pin->dentry == dentry)
			return 0;
	pin = kmalloc(sizeof(*pin), GFP_KERNEL_ACCOUNT);
	if (!pin)
		return -ENOMEM;
	pin->dentry = dget(dentry);
	list_add(&pin->node, &dir->pins);
	return 0;
}

static int file_pin(struct dentry *dentry)
{
	struct mw_group *group = mw_inode_group(d_inode(dentry));
	int ret;

	mutex_lock(&pins_mutex);
	/* if it dies just now, mw_inode_unpin() is still to come */
	ret = READ_ONCE(group->dead) ? -ENODEV : pin_locked(group->fs, dentry);
	mutex_unlock(&pins_mutex);
	return ret;
}

/**
 * mw_inode_unpin() - let go of the files of a directory that goes
 * @dir: its group is dead, or the superblock is going
 *
 * Context: process, may sleep.
 */
void mw_inode_unpin(struct mw_dir *dir)
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
	static const struct qstr name = QSTR_INIT(MEMWARD_CGROUP_PROCS, sizeof(MEMWARD_CGROUP_PROCS) - 1);
	struct mw_dir *dir = group->fs;
	struct inode *inode;
	int ret;

	inode = file_inode_get(d_inode(dir->dentry), file_find(group, &name));
	if (!inode)
		return -ENOMEM;
	ret = mw_inode_permission(inode, MAY_WRITE);
	iput(inode);
	return ret;
}

/*
 * Is nobody to find this name again, whose last user goes?  That of a file which somebody had open as
 * its directory went would keep that, with the group and who watches it, until memory is short; and so
 * long would the negative one that rmdir leaves of each group.
 */
static int is_gone(const struct dentry *dentry)
{
	return d_is_negative(dentry) || READ_ONCE(d_inode(dentry->d_parent)->i_flags) & S_DEAD;
}

const struct dentry_operations mw_dentry_ops = { .d_delete = is_gone };

/** mw_inode_evict() - an inode goes, with its reference on the group */
void mw_inode_evict(struct inode *inode)
{
	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	if (inode->i_private)
		mw_group_put(inode->i_private);
}
