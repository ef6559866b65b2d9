/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_FS_H
#define MEMWARD_FS_H

int mw_fs_init(void);
void mw_fs_exit(void);

#endif
