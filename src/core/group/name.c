// SPDX-License-Identifier: GPL-2.0
/* What a group is called outside: in the log, in trace events, and by stat(1). */
#include <core/group/group.h>
#include <core/group/name.h>
#include <uapi/memward.h>

static void (*group_namer)(struct mw_group *group, char *buf, size_t size);

/**
 * mw_group_ino() - the inode number of a group's directory
 * @group: the group, alive under RCU or referenced
 *
 * Context: any.
 * Return: the number; those of its files follow it.
 */
u64 mw_group_ino(const struct mw_group *group)
{
	return (group->id + 1) << MEMWARD_INO_FILE_BITS;
}

/**
 * mw_group_name() - where a group is, seen from the root
 * @group: the group, alive under RCU or referenced
 * @buf:   for the path, terminated
 * @size:  of @buf
 *
 * Context: any but interrupts, with no lock of a dentry held; does not sleep.
 */
void mw_group_name(struct mw_group *group, char *buf, size_t size)
{
	group_namer(group, buf, size);
}

/**
 * mw_group_set_namer() - say who knows the paths of groups
 * @namer: writes one, terminated; is called from wherever memory is charged, and waits
 *         for nobody who may wait for memory
 *
 * Context: module load, before anything is charged.
 */
void mw_group_set_namer(void (*namer)(struct mw_group *group, char *buf,
				      size_t size))
{
	group_namer = namer;
}
