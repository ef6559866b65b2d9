/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memward

#if !defined(_TRACE_MEMWARD_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MEMWARD_H

#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <trace/events/mmflags.h>

#include <uapi/memward.h>

/*
 * A group is named twice: by the inode number of its directory, which stat(1) tells and
 * which is never used again, and by its path below the mount, which a person reads.  What is
 * behind the path is zero, so a tool that takes the whole array for a key finds one for each group.
 */

struct mw_group;

/* what the formats below are made with; numbers, as there are kernels that would not resolve enums of this module */
#define memward_show_why(why)						\
	__print_symbolic(why,						\
		{ MEMWARD_RECLAIM_LIMIT,	"limit" },		\
		{ MEMWARD_RECLAIM_BACKGROUND,	"background" },		\
		{ MEMWARD_RECLAIM_PROACTIVE,	"proactive" })
#define memward_show_round(round)					\
	__print_symbolic(round,						\
		{ MEMWARD_ROUND_PROGRESS,	"progress" },		\
		{ MEMWARD_ROUND_WAITED,		"waited" },		\
		{ MEMWARD_ROUND_VAIN,		"vain" })
#define memward_show_throttle(why)					\
	__print_symbolic(why,						\
		{ MEMWARD_THROTTLE_HIGH,	"high" },		\
		{ MEMWARD_THROTTLE_DIRTY,	"dirty" })

DECLARE_EVENT_CLASS(memward_group,

	TP_PROTO(struct mw_group *group),

	TP_ARGS(group),

	TP_STRUCT__entry(
		__field(u64, ino)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s", __entry->ino, __entry->path)
);

/* A directory was made. */
DEFINE_EVENT(memward_group, memward_group_create,
	TP_PROTO(struct mw_group *group),
	TP_ARGS(group)
);

/* One was removed; what it paid for is its parent's. */
DEFINE_EVENT(memward_group, memward_group_remove,
	TP_PROTO(struct mw_group *group),
	TP_ARGS(group)
);

/* So many pages of a group and of those below it are wanted. */
TRACE_EVENT(memward_reclaim_begin,

	TP_PROTO(struct mw_group *group, unsigned int why,
		 unsigned long nr_to_reclaim, unsigned int gfp_flags),

	TP_ARGS(group, why, nr_to_reclaim, gfp_flags),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(unsigned long, nr_to_reclaim)
		__field(unsigned long, gfp_flags)
		__field(unsigned int, why)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->nr_to_reclaim = nr_to_reclaim;
		__entry->gfp_flags = gfp_flags;
		__entry->why = why;
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s why=%s nr_to_reclaim=%lu gfp_flags=%s",
		  __entry->ino, __entry->path, memward_show_why(__entry->why),
		  __entry->nr_to_reclaim, show_gfp_flags(__entry->gfp_flags))
);

/*
 * What came of it.  priority: the last round looked at 2^-priority of each group's pages.
 * waited_us: until what was being written or dirty, or in somebody's hands, was looked at
 * for the last time.  What was seen and could not be taken: dirty, under writeback, tried in vain.
 */
TRACE_EVENT(memward_reclaim_end,

	TP_PROTO(struct mw_group *group, unsigned int why, unsigned int priority,
		 unsigned long nr_scanned, unsigned long nr_reclaimed, u64 waited_us,
		 unsigned long nr_dirty, unsigned long nr_writeback, unsigned long nr_held),

	TP_ARGS(group, why, priority, nr_scanned, nr_reclaimed, waited_us,
		nr_dirty, nr_writeback, nr_held),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(u64, waited_us)
		__field(unsigned long, nr_scanned)
		__field(unsigned long, nr_reclaimed)
		__field(unsigned long, nr_dirty)
		__field(unsigned long, nr_writeback)
		__field(unsigned long, nr_held)
		__field(unsigned int, why)
		__field(unsigned int, priority)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->waited_us = waited_us;
		__entry->nr_scanned = nr_scanned;
		__entry->nr_reclaimed = nr_reclaimed;
		__entry->nr_dirty = nr_dirty;
		__entry->nr_writeback = nr_writeback;
		__entry->nr_held = nr_held;
		__entry->why = why;
		__entry->priority = priority;
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s why=%s priority=%u nr_scanned=%lu nr_reclaimed=%lu waited_us=%llu nr_dirty=%lu nr_writeback=%lu nr_held=%lu",
		  __entry->ino, __entry->path, memward_show_why(__entry->why),
		  __entry->priority, __entry->nr_scanned, __entry->nr_reclaimed,
		  __entry->waited_us, __entry->nr_dirty, __entry->nr_writeback,
		  __entry->nr_held)
);

/* A limit was in the way of a charge: that of memory, or of memory and swap together. */
TRACE_EVENT(memward_limit,

	TP_PROTO(struct mw_group *group, unsigned int nr_pages, bool memsw,
		 unsigned int gfp_flags),

	TP_ARGS(group, nr_pages, memsw, gfp_flags),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(unsigned long, gfp_flags)
		__field(unsigned int, nr_pages)
		__field(bool, memsw)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->gfp_flags = gfp_flags;
		__entry->nr_pages = nr_pages;
		__entry->memsw = memsw;
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s nr_pages=%u memsw=%d gfp_flags=%s",
		  __entry->ino, __entry->path, __entry->nr_pages, __entry->memsw,
		  show_gfp_flags(__entry->gfp_flags))
);

/*
 * A round of reclaim for a limit has brought less than is wanted, and so many tries are left
 * before somebody is killed.  Only a round in vain uses one up: not one that has brought
 * something, or a disk nearer to it (progress), nor one that waits for a disk that may yet
 * (waited).  Who may not wait, or is refused, is not told of.
 */
TRACE_EVENT(memward_limit_try,

	TP_PROTO(struct mw_group *group, unsigned int round, unsigned int tries_left,
		 unsigned long nr_dirty, unsigned long nr_writeback, unsigned long nr_held),

	TP_ARGS(group, round, tries_left, nr_dirty, nr_writeback, nr_held),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(unsigned long, nr_dirty)
		__field(unsigned long, nr_writeback)
		__field(unsigned long, nr_held)
		__field(unsigned int, round)
		__field(unsigned int, tries_left)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->nr_dirty = nr_dirty;
		__entry->nr_writeback = nr_writeback;
		__entry->nr_held = nr_held;
		__entry->round = round;
		__entry->tries_left = tries_left;
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s round=%s tries_left=%u nr_dirty=%lu nr_writeback=%lu nr_held=%lu",
		  __entry->ino, __entry->path, memward_show_round(__entry->round),
		  __entry->tries_left, __entry->nr_dirty, __entry->nr_writeback,
		  __entry->nr_held)
);

/* A task of this group was held back: by memory.high or swap.high, or by memory.dirty_ratio. */
TRACE_EVENT(memward_throttle,

	TP_PROTO(struct mw_group *group, unsigned int why, unsigned int nr_pages,
		 u64 waited_us),

	TP_ARGS(group, why, nr_pages, waited_us),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(u64, waited_us)
		__field(unsigned int, why)
		__field(unsigned int, nr_pages)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->waited_us = waited_us;
		__entry->why = why;
		__entry->nr_pages = nr_pages;
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s why=%s nr_pages=%u waited_us=%llu",
		  __entry->ino, __entry->path, memward_show_throttle(__entry->why),
		  __entry->nr_pages, __entry->waited_us)
);

/* A process of this group is killed; the kernel's own oom:mark_victim says what it had. */
TRACE_EVENT(memward_kill,

	TP_PROTO(struct mw_group *group, struct task_struct *victim),

	TP_ARGS(group, victim),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(pid_t, pid)
		__array(char, comm, TASK_COMM_LEN)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->pid = victim->tgid;
		data_race(memcpy(__entry->comm, victim->comm, TASK_COMM_LEN));
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s pid=%d comm=%s",
		  __entry->ino, __entry->path, __entry->pid, __entry->comm)
);

/* The kernel's reclaim does not look at these pages any more, as they are protected. */
TRACE_EVENT(memward_hide,

	TP_PROTO(struct mw_group *group, unsigned long pfn, unsigned int nr_pages),

	TP_ARGS(group, pfn, nr_pages),

	TP_STRUCT__entry(
		__field(u64, ino)
		__field(unsigned long, pfn)
		__field(unsigned int, nr_pages)
		__array(char, path, MEMWARD_TRACE_PATH)
	),

	TP_fast_assign(
		__entry->ino = mw_group_ino(group);
		__entry->pfn = pfn;
		__entry->nr_pages = nr_pages;
		mw_trace_path(group, __entry->path);
	),

	TP_printk("ino=%llu path=%s pfn=0x%lx nr_pages=%u",
		  __entry->ino, __entry->path, __entry->pfn, __entry->nr_pages)
);

/* And now it does again; whose they are is told by the hide with that pfn. */
TRACE_EVENT(memward_show,

	TP_PROTO(unsigned long pfn, unsigned int nr_pages),

	TP_ARGS(pfn, nr_pages),

	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned int, nr_pages)
	),

	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->nr_pages = nr_pages;
	),

	TP_printk("pfn=0x%lx nr_pages=%u", __entry->pfn, __entry->nr_pages)
);

#endif

/* This part must be outside protection */
#include <trace/define_trace.h>
