// SPDX-License-Identifier: GPL-2.0
/* The memward.* files of the root: the version, the hooks, the audit. */
#include <linux/module.h>
#include <linux/slab.h>

#include <core/charge/birth.h>
#include <core/charge/member_table.h>
#include <core/charge/stock.h>
#include <core/life/audit.h>
#include <core/life/orphan.h>
#include <core/limit/throttle.h>
#include <core/pages/page_cgroup.h>
#include <fs/fs.h>
#include <hooks/hooks.h>

static int show_version(struct seq_file *seq, struct mw_open *open)
{
	seq_printf(seq, "%s\n", THIS_MODULE->version);
	return 0;
}

static const char *const way_names[] = {
	[MW_BY_LIVEPATCH] = "livepatch",
	[MW_BY_FTRACE] = "ftrace",
	[MW_BY_DIVERSION] = "diversion",
	[MW_BY_TRACEPOINT] = "tracepoint",
	[MW_BY_DEMAND] = "tracepoint",
	[MW_BY_DEMAND_V1] = "tracepoint",
	[MW_COVERED] = "covered",
};

static const char *const state_names[] = {
	[MW_HOOK_READY] = "ready",
	[MW_HOOK_ATTACHED] = "attached",
	[MW_HOOK_REFUSED] = "refused",
	[MW_HOOK_SHADOWED] = "shadowed",
	[MW_HOOK_LOST] = "lost",
};

static void print_remark(struct seq_file *seq, const struct mw_hook_info *info)
{
	if (info->state == MW_HOOK_SHADOWED)
		seq_printf(seq, "livepatched by %s, which came later\n", info->by);
	else if (info->state == MW_HOOK_LOST && *info->by)
		seq_printf(seq, "replaced by the livepatch %s\n", info->by);
	else if (info->state == MW_HOOK_LOST)
		seq_puts(seq, "disabled in /sys/kernel/livepatch\n");
	else
		seq_printf(seq, "%s\n", *info->why ? info->why : info->hook->proto);
}

static void print_hook(struct seq_file *seq, const struct mw_hook_info *info)
{
	const struct mw_hook *hook = info->hook;

	seq_printf(seq, "%-10s %-32s %-10s %-8s %12lu  ", hook->feature,
		   hook->symbol, way_names[hook->how],
		   state_names[info->state], info->hits);
	print_remark(seq, info);
}

static int show_status(struct seq_file *seq, struct mw_open *open)
{
	struct mw_hook_info info;
	unsigned int row;

	seq_printf(seq, "%-10s %-32s %-10s %-8s %12s  %s\n", "feature",
		   "function", "how", "state", "hits", "prototype");
	for (row = 0; mw_hook_info(row, &info); row++)
		if (info.state != MW_HOOK_ABSENT)
			print_hook(seq, &info);
	seq_printf(seq, "shadow_bytes %lu\n", mw_pc_bytes());
	seq_printf(seq, "fork_kills %lu\n", mw_birth_kills());
	seq_printf(seq, "fork_reserve %u\n", mw_member_reserve());
	seq_printf(seq, "orphans %lu\n", mw_orphans());
	seq_printf(seq, "throttle_missed %lu\n", mw_throttle_missed());
	if (mw_mirror_exists())
		seq_printf(seq, "mirror_missing %lu\n", mw_mirror_missing());
	return 0;
}

static const char *const kind_names[MW_NR_KINDS] = {
	[MW_KIND_ANON] = "anon",
	[MW_KIND_FILE] = "file",
	[MW_KIND_SHMEM] = "shmem",
};

static void print_finding(struct seq_file *seq,
			  const struct mw_finding *finding)
{
	switch (finding->what) {
	case MW_AUDIT_USAGE:
		mw_group_path(seq, finding->group);
		seq_printf(seq, " usage: counted %ld pages, found %ld\n",
			   finding->counted, finding->found);
		break;
	case MW_AUDIT_KIND:
		mw_group_path(seq, finding->group);
		seq_printf(seq, " %s: counted %ld pages, found %ld\n",
			   kind_names[finding->kind], finding->counted,
			   finding->found);
		break;
	case MW_AUDIT_SWAP:
		mw_group_path(seq, finding->group);
		seq_printf(seq, " swap: counted %ld pages, found %ld\n",
			   finding->counted, finding->found);
		break;
	case MW_AUDIT_WALK:
		mw_group_path(seq, finding->group);
		seq_puts(seq, " is met by no walk of reclaim\n");
		break;
	case MW_AUDIT_UNWRITTEN:
		seq_printf(seq, "unwritten: counted %ld pages, found %ld\n",
			   finding->counted, finding->found);
		break;
	case MW_AUDIT_OWNER:
		seq_printf(seq, "%ld pages of an unknown owner\n",
			   finding->found);
		break;
	case MW_AUDIT_FREE:
		seq_printf(seq, "%ld free pages are charged\n", finding->found);
		break;
	case MW_AUDIT_HIDDEN:
		seq_printf(seq, "%ld hidden pages are not to be found\n", finding->found);
		break;
	}
}

static void print_audit(const struct mw_audit *audit, void *data)
{
	struct seq_file *seq = data;
	unsigned int i;

	seq_printf(seq, "%s groups=%lu pages=%lu moving=%lu",
		   audit->nr_findings ? "FAILED" : "ok", audit->groups,
		   audit->pages, audit->moving);
	if (audit->nr_findings)
		seq_printf(seq, " differences=%u", audit->nr_findings);
	seq_putc(seq, '\n');
	for (i = 0; i < min_t(unsigned int, audit->nr_findings,
			      MW_AUDIT_MAX_FINDINGS); i++)
		print_finding(seq, &audit->finding[i]);
}

static int show_audit(struct seq_file *seq, struct mw_open *open)
{
	struct mw_audit *audit = kmalloc(sizeof(*audit), GFP_KERNEL);
	int ret;

	if (!audit)
		return -ENOMEM;
	/* what is in stock is charged, so memory.low is shared out by it: who reads this looks at what is left of a load that has ended */
	mw_owners_reap();
	mw_stock_drain_all();
	ret = mw_audit(audit, print_audit, seq);
	kfree(audit);
	return ret;
}

static const struct mw_file root_rows[] = {
	{ MEMWARD_VERSION, 0444, MW_IN_ROOT, show_version },
	{ MEMWARD_STATUS, 0444, MW_IN_ROOT, show_status },
	{ MEMWARD_AUDIT, 0400, MW_IN_ROOT, show_audit },
};
const struct mw_file_table mw_root_files = {
	root_rows, ARRAY_SIZE(root_rows),
};
