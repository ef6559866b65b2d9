// SPDX-License-Identifier: GPL-2.0
/*
 * All files.  Their rows are with the functions that show and take them; what two
 * generations of cgroups name twice is there twice.
 */
#include <linux/kernel.h>

#include <fs/fs.h>

static const struct mw_file_table *const tables[] = {
	&mw_cgroup_files,
	&mw_bind_files,
	&mw_adopt_files,
	&mw_memory_files,
	&mw_limit_files,
	&mw_stat_files,
	&mw_swap_files,
	&mw_reclaim_files,
	&mw_root_files,
};

/**
 * mw_file_row() - the row of a file
 * @nr: its number, from 0
 *
 * Return: the row, NULL behind the last one.
 */
const struct mw_file *mw_file_row(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (nr < tables[i]->nr)
			return &tables[i]->rows[nr];
		nr -= tables[i]->nr;
	}
	return NULL;
}

/** mw_file_count() - how many rows there are */
unsigned int mw_file_count(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		nr += tables[i]->nr;
	return nr;
}
