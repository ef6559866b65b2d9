// SPDX-License-Identifier: GPL-2.0
/*
 * The file system type: mounting attaches memward, the last unmount with no
 * group left detaches it.
 *
 * DOC: There is one superblock, so every mount shows the same tree.  Each group
 * holds it (see dir.c), so it goes when nothing is mounted and only the root is
 * left, and everything that costs something goes with it.  The groups of a mirror
 * do not, and go with the last mount.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

#include <compat/vfs.h>
#include <core/group/protection.h>
#include <fs/fs.h>
#include <fs/super.h>
#include <hooks/hooks.h>
#include <parts.h>

static bool running;
static bool untested;	/* what the mount that attached was given */
static DECLARE_WAIT_QUEUE_HEAD(stopped);

/*
 * Before 6.6 a new superblock can be made while the last one is still being
 * killed, so wait until that one has stopped what this one is to start.
 */
static int start(bool allow_untested)
{
	int ret = wait_event_killable(stopped, !READ_ONCE(running));

	if (ret)
		return ret;
	mw_hooks_allow_untested(allow_untested);
	ret = mw_parts_start();
	if (ret)
		return ret;
	untested = allow_untested;
	WRITE_ONCE(running, true);
	return 0;
}

/* What is still charged belongs to the root and is forgotten. */
static void stop(void)
{
	mw_parts_stop();
	WRITE_ONCE(running, false);
	wake_up(&stopped);
}

/* Not to be kept without a dentry: it holds a group, which may be removed. */
static int drop_inode(struct inode *inode)
{
	return true;
}

static void show_mirror(struct seq_file *seq, const char *path)
{
	if (strcmp(path, "/"))
		seq_show_option(seq, MEMWARD_MIRROR, path);
	else
		seq_puts(seq, "," MEMWARD_MIRROR);
}

static int show_options(struct seq_file *seq, struct dentry *root)
{
	if (!mw_protection_is_recursive())
		seq_puts(seq, ",no" MEMWARD_MEMORY_RECURSIVEPROT);
	if (untested)
		seq_puts(seq, "," MEMWARD_UNTESTED);
	if (mw_mirror_exists())
		show_mirror(seq, mw_mirror_path());
	return 0;
}

static const struct super_operations super_ops = {
	.show_options = show_options,
	.statfs = simple_statfs,
	.drop_inode = drop_inode,
	.evict_inode = mw_inode_evict,
};

/**
 * struct options - what was asked for
 * @recursive_given: this was:
 * @recursive:       "memory_recursiveprot", or not: "nomemory_recursiveprot"
 * @untested:        on a kernel that memward was not tested on, too
 * @mirror:          path of the cgroup that is to be mirrored, NULL for none
 */
struct options {
	bool recursive_given;
	bool recursive;
	bool untested;
	char *mirror;
};

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	const struct options *options = fc->fs_private;
	int ret;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = MEMWARD_SUPER_MAGIC;
	sb->s_op = &super_ops;
	mw_set_default_d_op(sb, &mw_dentry_ops);
	sb->s_time_gran = 1;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	ret = start(options->untested);
	if (ret)
		return ret;
	sb->s_fs_info = &running;	/* kill_sb() is to stop it */
	sb->s_root = mw_dir_make_root(sb);
	if (!sb->s_root)
		return -ENOMEM;
	return options->mirror ? mw_mirror_dirs_start(options->mirror) : 0;
}

/* --- mount options --- */

enum { OPT_RECURSIVE, OPT_UNTESTED, OPT_MIRROR };

static const struct fs_parameter_spec parameters[] = {
	fsparam_flag_no(MEMWARD_MEMORY_RECURSIVEPROT, OPT_RECURSIVE),
	fsparam_flag(MEMWARD_UNTESTED, OPT_UNTESTED),
	fsparam_flag(MEMWARD_MIRROR, OPT_MIRROR),
	fsparam_string(MEMWARD_MIRROR, OPT_MIRROR),
	{}
};

/* Without a path it is all that the mounter sees. */
static int parse_mirror(struct options *options, const char *text)
{
	int ret;

	/* who may mount nothing may prepare to, and learn which cgroups there are */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!options->mirror)
		options->mirror = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!options->mirror)
		return -ENOMEM;
	ret = mw_bind_path(text, options->mirror, PATH_MAX);
	if (ret) {
		kfree(options->mirror);
		options->mirror = NULL;
	}
	return ret;
}

static int parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct options *options = fc->fs_private;
	struct fs_parse_result result;
	int opt = fs_parse(fc, parameters, param, &result);

	switch (opt) {
	case OPT_RECURSIVE:
		options->recursive_given = true;
		options->recursive = !result.negated;
		return 0;
	case OPT_UNTESTED:
		options->untested = true;
		return 0;
	case OPT_MIRROR:
		return parse_mirror(options, param->type == fs_value_is_string ? param->string : "/");
	default:
		return opt;
	}
}

/* A tree is somebody's own, or that of one part of the kernel's. */
static int check_mirror(struct fs_context *fc, const char *path)
{
	if (!path || (mw_mirror_exists() && !strcmp(path, mw_mirror_path())))
		return 0;
	errorfc(fc, "mounted already, as %s%s",
		mw_mirror_exists() ? "a mirror of " : "a tree of its own",
		mw_mirror_path() ?: "");
	return -EBUSY;
}

/* There is one tree: what is not mentioned stays as whoever came before wanted it. */
static int apply_options(struct fs_context *fc)
{
	const struct options *options = fc->fs_private;
	int ret = check_mirror(fc, options->mirror);

	if (!ret && options->recursive_given)
		mw_protection_set_recursive(options->recursive);
	return ret;
}

static void put_tree(struct fs_context *fc)
{
	struct super_block *sb = fc->root->d_sb;

	dput(fc->root);
	fc->root = NULL;
	deactivate_locked_super(sb);
}

static int get_tree(struct fs_context *fc)
{
	int ret = get_tree_single(fc, fill_super);

	if (ret)
		return ret;
	ret = apply_options(fc);
	if (ret)
		put_tree(fc);
	return ret;
}

static void free_context(struct fs_context *fc)
{
	struct options *options = fc->fs_private;

	if (options)
		kfree(options->mirror);
	kfree(options);
}

static const struct fs_context_operations context_ops = {
	.parse_param = parse_param,
	.get_tree = get_tree,
	.reconfigure = apply_options,
	.free = free_context,
};

static int init_fs_context(struct fs_context *fc)
{
	fc->fs_private = kzalloc(sizeof(struct options), GFP_KERNEL);
	if (!fc->fs_private)
		return -ENOMEM;
	fc->ops = &context_ops;
	return 0;
}

static void kill_sb(struct super_block *sb)
{
	bool started = sb->s_fs_info;

	if (started) {
		mw_mirror_dirs_stop();
		mw_dir_drop_root();
	}
	kill_anon_super(sb);
	if (started)
		stop();
}

static struct file_system_type memward_fs = {
	.owner = THIS_MODULE,
	.name = MEMWARD_FS_TYPE,
	.init_fs_context = init_fs_context,
	.parameters = parameters,
	.kill_sb = kill_sb,
};

/**
 * mw_fs_init() - make the file system known, and a place to mount it
 *
 * Context: module load.
 * Return: 0 or an error with nothing left behind.
 */
int mw_fs_init(void)
{
	int ret;

	mw_group_set_namer(mw_path_name);
	ret = sysfs_create_mount_point(fs_kobj, "memward");
	if (ret)
		return ret;
	ret = register_filesystem(&memward_fs);
	if (ret)
		sysfs_remove_mount_point(fs_kobj, "memward");
	return ret;
}

/** mw_fs_exit() - undo mw_fs_init() */
void mw_fs_exit(void)
{
	unregister_filesystem(&memward_fs);
	sysfs_remove_mount_point(fs_kobj, "memward");
}
