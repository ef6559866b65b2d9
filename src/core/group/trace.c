// SPDX-License-Identifier: GPL-2.0
/* The trace events of memward: what they are is in include/trace/events/memward.h. */
#include <linux/string.h>

#include <core/group/group.h>
#include <core/group/name.h>
#include <uapi/memward.h>

static void mw_trace_path(struct mw_group *group, char *path)
{
	size_t length;

	mw_group_name(group, path, MEMWARD_TRACE_PATH);
	length = strlen(path);
	memset(path + length, 0, MEMWARD_TRACE_PATH - length);
}

#define CREATE_TRACE_POINTS
#include <trace/events/memward.h>
