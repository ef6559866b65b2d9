/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FS_FS_H
#define FS_FS_H

#include <linux/fs.h>
#include <linux/seq_file.h>

#include <core/charge/peak.h>
#include <core/group/group.h>
#include <core/group/tree.h>

/* where a file is */
#define MW_IN_ROOT	1
#define MW_IN_GROUP	2
#define MW_EVERYWHERE	(MW_IN_ROOT | MW_IN_GROUP)

struct mw_open;

/**
 * struct mw_file - a row of the table of files
 * @name:  its name
 * @mode:  permissions of a new one
 * @where: MW_IN_ROOT, MW_IN_GROUP
 * @show:  writes its text; NULL if it cannot be read
 * @write: takes what was written, blanks at the end cut off; NULL if it cannot
 *         be written.  Return: 0 or a negative error, then nothing has changed.
 */
struct mw_file {
	const char *name;
	umode_t mode;
	unsigned int where;
	int (*show)(struct seq_file *seq, struct mw_open *open);
	int (*write)(struct mw_open *open, const char *text);
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

extern const struct mw_file mw_files[];
extern const unsigned int mw_nr_files;
extern const struct file_operations mw_file_fops;

/* inode numbers: a group's number, and below it the number of the file */
#define MW_INO_FILE_BITS	8

static inline bool mw_file_exists(const struct mw_file *row,
				  const struct mw_group *group)
{
	return row->where & (group == &mw_root ? MW_IN_ROOT : MW_IN_GROUP);
}

struct dentry *mw_dir_make_root(struct super_block *sb);
void mw_dir_drop_root(void);
void mw_inode_evict(struct inode *inode);
int mw_procs_may_write(struct mw_group *group);

void mw_print_bytes(struct seq_file *seq, unsigned long pages);
void mw_print_limit(struct seq_file *seq, unsigned long pages);
void mw_print_count(struct seq_file *seq, atomic_long_t *count);
int mw_parse_limit(const char *text, unsigned long *pages);
void mw_group_path(struct seq_file *seq, struct mw_group *group);
void mw_group_name(struct mw_group *group, char *buf, size_t size);

int mw_show_procs(struct seq_file *seq, struct mw_open *open);
int mw_write_procs(struct mw_open *open, const char *text);
int mw_show_controllers(struct seq_file *seq, struct mw_open *open);
int mw_write_subtree_control(struct mw_open *open, const char *text);
int mw_show_cgroup_events(struct seq_file *seq, struct mw_open *open);
int mw_show_cgroup_stat(struct seq_file *seq, struct mw_open *open);
int mw_show_type(struct seq_file *seq, struct mw_open *open);
int mw_write_type(struct mw_open *open, const char *text);
int mw_write_kill(struct mw_open *open, const char *text);

int mw_show_min(struct seq_file *seq, struct mw_open *open);
int mw_write_min(struct mw_open *open, const char *text);
int mw_show_low(struct seq_file *seq, struct mw_open *open);
int mw_write_low(struct mw_open *open, const char *text);
int mw_show_current(struct seq_file *seq, struct mw_open *open);
int mw_show_peak(struct seq_file *seq, struct mw_open *open);
int mw_write_peak(struct mw_open *open, const char *text);
int mw_write_max_usage(struct mw_open *open, const char *text);
int mw_show_high(struct seq_file *seq, struct mw_open *open);
int mw_write_high(struct mw_open *open, const char *text);
int mw_show_stall_max(struct seq_file *seq, struct mw_open *open);
int mw_write_stall_max(struct mw_open *open, const char *text);
int mw_show_stall_action(struct seq_file *seq, struct mw_open *open);
int mw_write_stall_action(struct mw_open *open, const char *text);
int mw_show_max(struct seq_file *seq, struct mw_open *open);
int mw_write_max(struct mw_open *open, const char *text);
int mw_write_limit(struct mw_open *open, const char *text);
int mw_show_soft_limit(struct seq_file *seq, struct mw_open *open);
int mw_write_soft_limit(struct mw_open *open, const char *text);
int mw_show_failcnt(struct seq_file *seq, struct mw_open *open);
int mw_write_failcnt(struct mw_open *open, const char *text);
int mw_show_oom_group(struct seq_file *seq, struct mw_open *open);
int mw_write_oom_group(struct mw_open *open, const char *text);
int mw_show_swappiness(struct seq_file *seq, struct mw_open *open);
int mw_write_swappiness(struct mw_open *open, const char *text);
int mw_write_reclaim(struct mw_open *open, const char *text);
int mw_show_swap_reclaim(struct seq_file *seq, struct mw_open *open);
int mw_write_swap_reclaim(struct mw_open *open, const char *text);
int mw_write_force_empty(struct mw_open *open, const char *text);
int mw_show_events(struct seq_file *seq, struct mw_open *open);
int mw_show_events_local(struct seq_file *seq, struct mw_open *open);
int mw_show_stat(struct seq_file *seq, struct mw_open *open);

int mw_show_swap_current(struct seq_file *seq, struct mw_open *open);
int mw_show_swap_peak(struct seq_file *seq, struct mw_open *open);
int mw_write_swap_peak(struct mw_open *open, const char *text);
int mw_show_swap_high(struct seq_file *seq, struct mw_open *open);
int mw_write_swap_high(struct mw_open *open, const char *text);
int mw_show_swap_max(struct seq_file *seq, struct mw_open *open);
int mw_write_swap_max(struct mw_open *open, const char *text);
int mw_show_swap_events(struct seq_file *seq, struct mw_open *open);
int mw_show_memsw(struct seq_file *seq, struct mw_open *open);
int mw_show_memsw_peak(struct seq_file *seq, struct mw_open *open);
int mw_write_memsw_peak(struct mw_open *open, const char *text);
int mw_show_memsw_limit(struct seq_file *seq, struct mw_open *open);
int mw_write_memsw_limit(struct mw_open *open, const char *text);
int mw_show_memsw_failcnt(struct seq_file *seq, struct mw_open *open);
int mw_write_memsw_failcnt(struct mw_open *open, const char *text);

int mw_show_version(struct seq_file *seq, struct mw_open *open);
int mw_show_status(struct seq_file *seq, struct mw_open *open);
int mw_show_audit(struct seq_file *seq, struct mw_open *open);

#endif
