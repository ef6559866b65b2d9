/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_VFS_H
#define COMPAT_VFS_H

#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fs.h>

#include <compat/features.h>

/*
 * The file system code is written for the newest kernel's operations; the
 * adaptors below give older kernels the prototypes that they call.
 */

/* idmapped mounts: none before 5.12, a user namespace until 6.3 */
#if !MW_HAVE_MOUNT_USER_NS
#define MW_IDMAP_PARAM
#define MW_NO_IDMAP
#elif !MW_HAVE_MNT_IDMAP
#define MW_IDMAP_PARAM		struct user_namespace *idmap,
#define MW_NO_IDMAP		&init_user_ns,
#else
#define MW_IDMAP_PARAM		struct mnt_idmap *idmap,
#define MW_NO_IDMAP		&nop_mnt_idmap,
#endif

/* mkdir returns a dentry since 6.15 */
#if !MW_HAVE_MKDIR_DENTRY
#define MW_ADAPT_MKDIR(name, fn)					\
	static int name(MW_IDMAP_PARAM struct inode *dir,		\
			struct dentry *dentry, umode_t mode)		\
	{								\
		return PTR_ERR_OR_ZERO(fn(dir, dentry, mode));		\
	}
#else
#define MW_ADAPT_MKDIR(name, fn)					\
	static struct dentry *name(MW_IDMAP_PARAM struct inode *dir,	\
				   struct dentry *dentry, umode_t mode)	\
	{								\
		return fn(dir, dentry, mode);				\
	}
#endif

#define MW_ADAPT_SETATTR(name, fn)					\
	static int name(MW_IDMAP_PARAM struct dentry *dentry,		\
			struct iattr *attr)				\
	{								\
		return fn(dentry, attr);				\
	}

static inline void mw_set_default_d_op(struct super_block *sb,
				       const struct dentry_operations *ops)
{
#if !MW_HAVE_DEFAULT_D_OP
	sb->s_d_op = ops;
#else
	set_default_d_op(sb, ops);
#endif
}

static inline int mw_simple_setattr(struct dentry *dentry, struct iattr *attr)
{
	return simple_setattr(MW_NO_IDMAP dentry, attr);
}

static inline int mw_inode_permission(struct inode *inode, int mask)
{
	return inode_permission(MW_NO_IDMAP inode, mask);
}

/* times are set through functions since 6.7; what is here is not for 6.6 */
#if !MW_HAVE_INODE_INIT_TS
static inline void simple_inode_init_ts(struct inode *inode)
{
	inode->i_atime = current_time(inode);
	inode->i_mtime = inode->i_atime;
	inode->i_ctime = inode->i_atime;
}
#endif

/* i_state became a structure with accessors in 6.19 */
#if !MW_HAVE_INODE_STATE
static inline bool mw_inode_is_new(struct inode *inode)
{
	return inode->i_state & I_NEW;
}
#else
static inline bool mw_inode_is_new(struct inode *inode)
{
	return inode_state_read_once(inode) & I_NEW;
}
#endif

#if !MW_HAVE_COPY_SPLICE_READ
#define mw_splice_read	generic_file_splice_read
#else
#define mw_splice_read	copy_splice_read
#endif

#endif
