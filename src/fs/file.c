// SPDX-License-Identifier: GPL-2.0
/*
 * Opening, reading and writing the files of a group.
 *
 * DOC: A write is one call with the whole value, at whatever offset; a read is
 * the text as it is now.  After rmdir an open file answers ENODEV.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <compat/vfs.h>
#include <fs/fs.h>
#include <pure/parse.h>

/* longer than any value: more is not a value */
#define WRITE_MAX	PAGE_SIZE

static int check_alive(struct mw_open *open)
{
	return READ_ONCE(open->group->dead) ? -ENODEV : 0;
}

static int show(struct seq_file *seq, void *unused)
{
	struct mw_open *open = seq->private;

	return check_alive(open) ?: open->row->show(seq, open);
}

/* The superuser too learns at open that a file cannot be read or written. */
static int check_mode(struct file *file, const struct mw_file *row)
{
	if ((file->f_mode & FMODE_READ) && !row->show)
		return -EACCES;
	if ((file->f_mode & FMODE_WRITE) && !row->write)
		return -EACCES;
	return 0;
}

static int file_open(struct inode *inode, struct file *file)
{
	unsigned int nr = inode->i_ino & ((1 << MEMWARD_INO_FILE_BITS) - 1);
	const struct mw_file *row = mw_file_row(nr - 1);
	struct mw_open *open;
	int ret;

	ret = check_mode(file, row);
	if (ret)
		return ret;
	open = kzalloc(sizeof(*open), GFP_KERNEL);
	if (!open)
		return -ENOMEM;
	open->group = inode->i_private;
	open->row = row;
	open->file = file;
	mw_peak_open(&open->peak);
	ret = check_alive(open) ?: single_open(file, show, open);
	if (ret) {
		kfree(open);
		return ret;
	}
	/* seq_open() takes it away from files that know nothing of offsets */
	if (file->f_mode & FMODE_WRITE)
		file->f_mode |= FMODE_PWRITE;
	mw_group_get(open->group);
	return 0;
}

static int file_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;
	struct mw_open *open = seq->private;

	mw_peak_close(open->group, &open->peak);
	mw_group_put(open->group);
	kfree(open);
	return single_release(inode, file);
}

static ssize_t file_write(struct file *file, const char __user *from,
			  size_t len, loff_t *pos)
{
	struct seq_file *seq = file->private_data;
	struct mw_open *open = seq->private;
	char *text;
	int ret;

	if (!len || len > WRITE_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = strlen(text) == len ? check_alive(open) : -EINVAL;
	if (!ret)
		ret = open->row->write(open, mw_parse_strip(text));
	kfree(text);
	return ret ?: len;
}

const struct file_operations mw_file_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.read_iter = seq_read_iter,
	.splice_read = mw_splice_read,
	.write = file_write,
	.llseek = seq_lseek,
};
