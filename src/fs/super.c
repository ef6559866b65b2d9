// SPDX-License-Identifier: GPL-2.0
/*
 * The file system type: mounting attaches memward, the last unmount with no
 * group left detaches it.
 *
 * DOC: There is one superblock, so every mount shows the same tree.  Each group
 * holds it (see dir.c), so it goes when nothing is mounted and only the root is
 * left, and everything that costs something goes with it.
 */
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

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

static int show_options(struct seq_file *seq, struct dentry *root)
{
	if (!mw_protection_is_recursive())
		seq_puts(seq, ",no" MEMWARD_MEMORY_RECURSIVEPROT);
	if (untested)
		seq_puts(seq, "," MEMWARD_UNTESTED);
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
 */
struct options {
	bool recursive_given;
	bool recursive;
	bool untested;
};

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	const struct options *options = fc->fs_private;
	int ret;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = MEMWARD_SUPER_MAGIC;
	sb->s_op = &super_ops;
	sb->s_time_gran = 1;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	ret = start(options->untested);
	if (ret)
		return ret;
	sb->s_fs_info = &running;	/* kill_sb() is to stop it */
	sb->s_root = mw_dir_make_root(sb);
	return sb->s_root ? 0 : -ENOMEM;
}

/* --- mount options --- */

enum { OPT_RECURSIVE, OPT_UNTESTED };

static const struct fs_parameter_spec parameters[] = {
	fsparam_flag_no(MEMWARD_MEMORY_RECURSIVEPROT, OPT_RECURSIVE),
	fsparam_flag(MEMWARD_UNTESTED, OPT_UNTESTED),
	{}
};

static int parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct options *options = fc->fs_private;
	struct fs_parse_result result;
	int opt;

	opt = fs_parse(fc, parameters, param, &result);
	if (opt < 0)
		return opt;
	if (opt == OPT_UNTESTED) {
		options->untested = true;
		return 0;
	}
	options->recursive_given = true;
	options->recursive = !result.negated;
	return 0;
}

/* There is one tree: what is not mentioned stays as whoever came before wanted it. */
static int apply_options(struct fs_context *fc)
{
	const struct options *options = fc->fs_private;

	if (options->recursive_given)
		mw_protection_set_recursive(options->recursive);
	return 0;
}

static int get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, fill_super) ?: apply_options(fc);
}

static void free_context(struct fs_context *fc)
{
	kfree(fc->fs_private);
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

	if (started)
		mw_dir_drop_root();
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
