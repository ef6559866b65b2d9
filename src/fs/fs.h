/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FS_FS_H
#define FS_FS_H

#include <linux/fs.h>
#include <linux/seq_file.h>

#include <core/charge/peak.h>
#include <core/group/group.h>
#include <core/group/name.h>
#include <core/group/tree.h>
#include <core/life/mirror.h>
#include <uapi/memward.h>

/* where a file is */
#define MW_IN_ROOT	1
#define MW_IN_GROUP	2
#define MW_EVERYWHERE	(MW_IN_ROOT | MW_IN_GROUP)

struct mw_open;

/**
 * struct mw_file - a row of the table of files
 * @name:   its name
 * @mode:   permissions of a new one
 * @where:  MW_IN_ROOT, MW_IN_GROUP
 * @show:   writes its text; NULL if it cannot be read
 * @write:  takes what was written, blanks at the end cut off; NULL if it cannot
 *          be written.  Return: 0 or a negative error, then nothing has changed.
 * @offset: for @show and @write that several rows share: where in struct mw_group
 *          the value is
 * @set:    for a limit: sets it, in pages.  Return: as @write.
 */
struct mw_file {
	const char *name;
	umode_t mode;
	unsigned int where;
	int (*show)(struct seq_file *seq, struct mw_open *open);
	int (*write)(struct mw_open *open, const char *text);
	size_t offset;
	int (*set)(struct mw_open *open, unsigned long pages);
};

/**
 * struct mw_file_table - the rows of one source file
 * @rows: the rows
 * @nr:   how many
 */
struct mw_file_table {
	const struct mw_file *rows;
	unsigned int nr;
};

/**
 * struct mw_open - an open file
 * @group: whose file, referenced
 * @row:   which file
 * @file:  the kernel's own
 * @peak:  for memory.peak and memory.swap.peak
 */
struct mw_open {
	struct mw_group *group;
	const struct mw_file *row;
	struct file *file;
	struct mw_peak peak;
};

/**
 * struct mw_dir - what the file system keeps of a group, as its @fs
 * @dentry: its directory, held
 * @maker:  who made it; owns its files at first
 * @pins:   files that are held
 * @rcu:    whoever writes a name into the log takes no lock
 */
struct mw_dir {
	struct dentry *dentry;
	struct mw_maker maker;
	struct list_head pins;
	struct rcu_head rcu;
};

static inline struct mw_group *mw_inode_group(const struct inode *inode)
{
	return inode->i_private;
}

/* of file @nr, counted from 1 */
static inline u64 mw_inode_number(const struct mw_group *group, unsigned int nr)
{
	return mw_group_ino(group) + nr;
}

static inline bool mw_file_exists(const struct mw_file *row,
				  const struct mw_group *group)
{
	return row->where & (group == &mw_root ? MW_IN_ROOT : MW_IN_GROUP);
}

/* path.c */
void mw_group_path(struct seq_file *seq, struct mw_group *group);
void mw_path_name(struct mw_group *group, char *buf, size_t size);

/* dir.c */
int mw_dir_attach(struct dentry *dentry, struct mw_group *group, umode_t mode,
		  const struct mw_maker *maker);
void mw_dir_detach(struct mw_group *group);
struct dentry *mw_dir_make_root(struct super_block *sb);
void mw_dir_drop_root(void);

/* inode.c */
struct dentry *mw_inode_lookup(struct inode *parent, struct dentry *dentry,
			       unsigned int flags);
bool mw_inode_is_file(const struct mw_group *group, const char *name);
void mw_inode_unpin(struct mw_dir *dir);
extern const struct dentry_operations mw_dentry_ops;
void mw_inode_evict(struct inode *inode);
int mw_procs_may_write(struct mw_group *group);

/* file.c */
extern const struct file_operations mw_file_fops;

/* mirror_dirs.c */
int mw_mirror_dirs_start(const char *path);
void mw_mirror_dirs_stop(void);

/* bind_files.c */
int mw_bind_path(const char *text, char *path, size_t size);
void mw_bind_settle(void);

/* table.c, and the rows of the files with the functions that serve them */
const struct mw_file *mw_file_row(unsigned int nr);
unsigned int mw_file_count(void);
extern const struct mw_file_table mw_cgroup_files;
extern const struct mw_file_table mw_bind_files;
extern const struct mw_file_table mw_adopt_files;
extern const struct mw_file_table mw_memory_files;
extern const struct mw_file_table mw_limit_files;
extern const struct mw_file_table mw_stat_files;
extern const struct mw_file_table mw_swap_files;
extern const struct mw_file_table mw_reclaim_files;
extern const struct mw_file_table mw_root_files;

void mw_print_bytes(struct seq_file *seq, unsigned long pages);
int mw_parse_limit(const char *text, unsigned long *pages);

#endif
