// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of memward, and when each begins and ends.
 *
 * DOC: init and exit are loading and unloading, start and stop the first mount and
 * the last unmount.  Parts begin in the order of the table and end in the other; a
 * part that has nothing to do at one of the four leaves it out.  The file system is
 * not among them: it is what starts and stops them.
 *
 * Where the order matters:
 *
 * - The kernel is judged before anything is allocated for it.
 * - Hooks are last: nothing is charged before all else is there, and nothing is
 *   charged or freed any more when the others stop.
 * - Who reclaims (throttle, fallible, shortage, soft) stops before what it takes pages
 *   from, and all that looks at entries (those, hide, compact) before page_cgroup,
 *   which frees them.
 * - Stocks are emptied before orphans are freed, whom they hold, and before the root
 *   forgets what is charged to it: a stock that came later would be uncharged from
 *   zero.  They also send the last chunks, so compact waits for its worker after that,
 *   and the lifecycle, which empties the root's queues, is after both.
 * - What removed groups leave is looked at by compact, which waits for it after release.
 * - Protection is last to stop: as long as anything is uncharged claims follow.
 */
#include <linux/kernel.h>

#include <compat/buddy.h>
#include <compat/events.h>
#include <compat/ksym.h>
#include <compat/livepatch.h>
#include <compat/oom.h>
#include <compat/reclaim.h>
#include <core/charge/hotplug.h>
#include <core/charge/member.h>
#include <core/charge/rebind.h>
#include <core/charge/stock.h>
#include <core/group/binding.h>
#include <core/group/protection.h>
#include <core/group/stat.h>
#include <core/life/lifecycle.h>
#include <core/life/mirror.h>
#include <core/life/orphan.h>
#include <core/life/sample.h>
#include <core/limit/swap.h>
#include <core/limit/throttle.h>
#include <core/pages/chunk.h>
#include <core/pages/compact.h>
#include <core/pages/page_cgroup.h>
#include <core/protect/hide.h>
#include <core/protect/limited.h>
#include <core/reclaim/drain.h>
#include <core/reclaim/fallible.h>
#include <core/reclaim/oom_notifier.h>
#include <core/reclaim/shortage.h>
#include <core/reclaim/soft.h>
#include <hooks/hooks.h>
#include <parts.h>

/**
 * struct part - when a part of memward begins and ends; any may be NULL
 * @name:  for people
 * @init:  at module load.  Return: 0 or a negative error
 * @exit:  undoes @init
 * @start: at the first mount.  Return: 0 or a negative error
 * @stop:  at the last unmount, or when a later part could not start: undoes @start,
 *         and forgets what has gathered since
 */
struct part {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
	int (*start)(void);
	void (*stop)(void);
};

static int reclaim_compat_init(void)
{
	mw_reclaim_compat_init();
	return 0;
}

static const struct part parts[] = {
	{ "kernel", .start = mw_hooks_check },
	{ "symbols", mw_ksym_init },
	{ "events", .start = mw_trace_events_start },
	{ "livepatch", mw_livepatch_init },
	{ "oom", mw_oom_compat_init },
	{ "reclaim", reclaim_compat_init },
	{ "buddy", mw_buddy_compat_init },
	{ "protection", .stop = mw_protection_stop },
	{ "page_cgroup", .start = mw_pc_start, .stop = mw_pc_stop },
	{ "chunk", mw_chunk_init, mw_chunk_exit },
	{ "lifecycle", mw_lifecycle_init, mw_lifecycle_exit,
	  .stop = mw_lifecycle_stop },
	{ "mirror", mw_mirror_init, mw_mirror_exit },
	{ "sample", mw_sample_init, mw_sample_exit, .stop = mw_sample_stop },
	{ "stat", mw_stats_init, mw_stats_exit, mw_stats_start, mw_stats_stop },
	{ "orphan", .stop = mw_orphan_stop },
	{ "compact", mw_compact_init, mw_compact_exit,
	  .stop = mw_compact_stop },
	{ "release", .stop = mw_groups_flush },
	{ "member", mw_member_init, mw_member_exit_all,
	  .stop = mw_members_stop },
	{ "binding", .stop = mw_bindings_stop },
	{ "rebind", .stop = mw_rebind_stop },
	{ "stock", .stop = mw_stock_stop },
	{ "hotplug", mw_hotplug_init, mw_hotplug_exit,
	  mw_hotplug_start, mw_hotplug_stop },
	{ "hide", mw_hide_init, mw_hide_exit, mw_hide_start, mw_hide_stop },
	{ "limited", mw_limited_init, mw_limited_exit,
	  .stop = mw_limited_stop },
	{ "drain", mw_drain_init, mw_drain_exit },
	{ "soft", mw_soft_init, mw_soft_exit, mw_soft_start, mw_soft_stop },
	{ "shortage", mw_shortage_init, mw_shortage_exit,
	  .stop = mw_shortage_stop },
	{ "oom_notifier", .start = mw_oom_notifier_start,
	  .stop = mw_oom_notifier_stop },
	{ "fallible", .stop = mw_fallible_stop },
	{ "swap", .stop = mw_swap_stop },
	{ "throttle", .stop = mw_throttle_stop },
	{ "hooks", NULL, mw_hooks_forget, mw_hooks_attach, mw_hooks_detach },
};

static void exit_first(unsigned int nr)
{
	while (nr--)
		if (parts[nr].exit)
			parts[nr].exit();
}

static void stop_first(unsigned int nr)
{
	while (nr--)
		if (parts[nr].stop)
			parts[nr].stop();
}

/**
 * mw_parts_init() - prepare all parts
 *
 * Context: module load.
 * Return: 0 or an error with nothing left behind.
 */
int mw_parts_init(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		ret = parts[i].init ? parts[i].init() : 0;
		if (ret) {
			exit_first(i);
			return ret;
		}
	}
	return 0;
}

/** mw_parts_exit() - undo mw_parts_init() */
void mw_parts_exit(void)
{
	exit_first(ARRAY_SIZE(parts));
}

/**
 * mw_parts_start() - have all parts do their work
 *
 * Context: process, may sleep for seconds (mw_hooks_attach()).
 * Return: 0 or an error with nothing left behind.
 */
int mw_parts_start(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		ret = parts[i].start ? parts[i].start() : 0;
		if (ret) {
			stop_first(i);
			return ret;
		}
	}
	return 0;
}

/**
 * mw_parts_stop() - undo mw_parts_start(), and forget all that is charged
 *
 * Context: process, may sleep for seconds; no group but the root is left.
 */
void mw_parts_stop(void)
{
	stop_first(ARRAY_SIZE(parts));
}
