// SPDX-License-Identifier: GPL-2.0
/* The table of files.  What two generations of cgroups name twice is here twice. */
#include <linux/kernel.h>

#include "fs.h"

const struct mw_file mw_files[] = {
	{ "cgroup.procs", 0644, MW_EVERYWHERE, mw_show_procs, mw_write_procs },
	{ "tasks", 0644, MW_EVERYWHERE, mw_show_procs, mw_write_procs },
	{ "cgroup.controllers", 0444, MW_EVERYWHERE, mw_show_controllers },
	{ "cgroup.subtree_control", 0644, MW_EVERYWHERE, mw_show_controllers,
	  mw_write_subtree_control },
	{ "cgroup.events", 0444, MW_IN_GROUP, mw_show_cgroup_events },
	{ "cgroup.stat", 0444, MW_EVERYWHERE, mw_show_cgroup_stat },
	{ "cgroup.type", 0644, MW_IN_GROUP, mw_show_type, mw_write_type },
	{ "cgroup.kill", 0200, MW_IN_GROUP, NULL, mw_write_kill },

	{ "memory.current", 0444, MW_EVERYWHERE, mw_show_current },
	{ "memory.usage_in_bytes", 0444, MW_EVERYWHERE, mw_show_current },
	{ "memory.peak", 0644, MW_EVERYWHERE, mw_show_peak, mw_write_peak },
	{ "memory.max_usage_in_bytes", 0644, MW_EVERYWHERE, mw_show_peak,
	  mw_write_max_usage },
	{ "memory.high", 0644, MW_IN_GROUP, mw_show_high, mw_write_high },
	{ "memory.max", 0644, MW_IN_GROUP, mw_show_max, mw_write_max },
	{ "memory.limit_in_bytes", 0644, MW_IN_GROUP, mw_show_max,
	  mw_write_limit },
	{ "memory.failcnt", 0644, MW_IN_GROUP, mw_show_failcnt,
	  mw_write_failcnt },
	{ "memory.oom.group", 0644, MW_IN_GROUP, mw_show_oom_group,
	  mw_write_oom_group },
	{ "memory.swappiness", 0644, MW_EVERYWHERE, mw_show_swappiness,
	  mw_write_swappiness },
	{ "memory.reclaim", 0200, MW_EVERYWHERE, NULL, mw_write_reclaim },
	{ "memory.swap.reclaim", 0644, MW_EVERYWHERE, mw_show_swap_reclaim,
	  mw_write_swap_reclaim },
	{ "memory.force_empty", 0200, MW_EVERYWHERE, NULL,
	  mw_write_force_empty },
	{ "memory.events", 0444, MW_EVERYWHERE, mw_show_events },
	{ "memory.events.local", 0444, MW_EVERYWHERE, mw_show_events_local },
	{ "memory.stat", 0444, MW_EVERYWHERE, mw_show_stat },

	{ "memward.version", 0444, MW_IN_ROOT, mw_show_version },
	{ "memward.status", 0444, MW_IN_ROOT, mw_show_status },
	{ "memward.audit", 0400, MW_IN_ROOT, mw_show_audit },
};
const unsigned int mw_nr_files = ARRAY_SIZE(mw_files);
