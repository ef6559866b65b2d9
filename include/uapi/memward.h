/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef _UAPI_MEMWARD_H
#define _UAPI_MEMWARD_H

/*
 * What programs see of memward: how to know its file system, and the names in it.
 * What each file takes and says is in docs/files.md.
 */

/* the type for mount(2), and statfs.f_type of what is mounted: "memw" */
#define MEMWARD_FS_TYPE			"memward"
#define MEMWARD_SUPER_MAGIC		0x6d656d77

/*
 * A group's number, which is never used twice, is st_ino of its directory shifted so
 * far to the right; below it is the number of the file, 0 for the directory itself.
 */
#define MEMWARD_INO_FILE_BITS		8

/* options of mount */
#define MEMWARD_MIRROR			"mirror"
#define MEMWARD_UNTESTED		"untested"
#define MEMWARD_MEMORY_RECURSIVEPROT	"memory_recursiveprot"

/* files */
#define MEMWARD_CGROUP_PROCS		"cgroup.procs"
#define MEMWARD_TASKS			"tasks"
#define MEMWARD_CGROUP_CONTROLLERS	"cgroup.controllers"
#define MEMWARD_CGROUP_SUBTREE_CONTROL	"cgroup.subtree_control"
#define MEMWARD_CGROUP_EVENTS		"cgroup.events"
#define MEMWARD_CGROUP_STAT		"cgroup.stat"
#define MEMWARD_CGROUP_MAX_DEPTH	"cgroup.max.depth"
#define MEMWARD_CGROUP_MAX_DESCENDANTS	"cgroup.max.descendants"
#define MEMWARD_CGROUP_TYPE		"cgroup.type"
#define MEMWARD_CGROUP_KILL		"cgroup.kill"

#define MEMWARD_MEMORY_CURRENT		"memory.current"
#define MEMWARD_MEMORY_USAGE_IN_BYTES	"memory.usage_in_bytes"
#define MEMWARD_MEMORY_PEAK		"memory.peak"
#define MEMWARD_MEMORY_MAX_USAGE_IN_BYTES	"memory.max_usage_in_bytes"
#define MEMWARD_MEMORY_HIGH_STALL_MAX	"memory.high.stall_max"
#define MEMWARD_MEMORY_HIGH_STALL_ACTION	"memory.high.stall_action"
#define MEMWARD_MEMORY_OOM_GROUP	"memory.oom.group"
#define MEMWARD_MEMORY_DIRTY_RATIO	"memory.dirty_ratio"
#define MEMWARD_MEMORY_SWAPPINESS	"memory.swappiness"

#define MEMWARD_MEMORY_MIN		"memory.min"
#define MEMWARD_MEMORY_LOW		"memory.low"
#define MEMWARD_MEMORY_HIGH		"memory.high"
#define MEMWARD_MEMORY_MAX		"memory.max"
#define MEMWARD_MEMORY_LIMIT_IN_BYTES	"memory.limit_in_bytes"
#define MEMWARD_MEMORY_SOFT_LIMIT_IN_BYTES	"memory.soft_limit_in_bytes"
#define MEMWARD_MEMORY_FAILCNT		"memory.failcnt"
#define MEMWARD_MEMORY_SWAP_HIGH	"memory.swap.high"
#define MEMWARD_MEMORY_SWAP_MAX		"memory.swap.max"
#define MEMWARD_MEMORY_MEMSW_LIMIT_IN_BYTES	"memory.memsw.limit_in_bytes"
#define MEMWARD_MEMORY_MEMSW_FAILCNT	"memory.memsw.failcnt"

#define MEMWARD_MEMORY_EVENTS		"memory.events"
#define MEMWARD_MEMORY_EVENTS_LOCAL	"memory.events.local"
#define MEMWARD_MEMORY_STAT		"memory.stat"

#define MEMWARD_MEMORY_SWAP_CURRENT	"memory.swap.current"
#define MEMWARD_MEMORY_SWAP_PEAK	"memory.swap.peak"
#define MEMWARD_MEMORY_SWAP_EVENTS	"memory.swap.events"
#define MEMWARD_MEMORY_MEMSW_USAGE_IN_BYTES	"memory.memsw.usage_in_bytes"
#define MEMWARD_MEMORY_MEMSW_MAX_USAGE_IN_BYTES	"memory.memsw.max_usage_in_bytes"

#define MEMWARD_MEMORY_RECLAIM		"memory.reclaim"
#define MEMWARD_MEMORY_SWAP_RECLAIM	"memory.swap.reclaim"
#define MEMWARD_MEMORY_FORCE_EMPTY	"memory.force_empty"

#define MEMWARD_BIND		"memward.bind"
#define MEMWARD_ADOPT		"memward.adopt"
#define MEMWARD_VERSION		"memward.version"
#define MEMWARD_STATUS		"memward.status"
#define MEMWARD_AUDIT		"memward.audit"

/*
 * Trace events: see include/trace/events/memward.h.
 */

/* bytes of a group's path; one that does not fit is "(a long name)" */
#define MEMWARD_TRACE_PATH		256

/* why: what reclaim is done for */
#define MEMWARD_RECLAIM_LIMIT		0
#define MEMWARD_RECLAIM_BACKGROUND	1
#define MEMWARD_RECLAIM_PROACTIVE	2

/* round: what came of it */
#define MEMWARD_ROUND_PROGRESS		0
#define MEMWARD_ROUND_WAITED		1
#define MEMWARD_ROUND_VAIN		2

/* why: what a task was held back for */
#define MEMWARD_THROTTLE_HIGH		0
#define MEMWARD_THROTTLE_DIRTY		1

#endif
