// SPDX-License-Identifier: GPL-2.0
/*
 * What the log says of a group that is out of memory.
 *
 * DOC: While a victim is looked for, the processes that give most when killed are
 * noted here, and what the group uses before anybody is killed.  That is printed
 * when no lock is held any more: a report is a kilobyte, which a serial console at
 * 115200 baud takes a tenth of a second for, and at 9600 a second.  Under oom_lock
 * everybody on the machine who is out of memory would wait for it, as they do for
 * the kernel's own.  The line for each process that is killed still comes from
 * there, as it is the kernel's, and so stands before the report.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <core/group/group.h>
#include <core/group/memsw.h>
#include <core/group/name.h>
#include <core/limit/report.h>

#define KB(pages)	((u64)(pages) << (PAGE_SHIFT - 10))

static DEFINE_RATELIMIT_STATE(details, 5 * HZ, 10);

/**
 * mw_report_see() - note a process of the group
 * @report: of the search
 * @task:   its first thread
 * @points: by oom_badness(), LONG_MIN if it must not be killed
 *
 * Context: any; inside an RCU read side.
 */
void mw_report_see(struct mw_report *report, struct task_struct *task,
		   long points)
{
	unsigned int last = ARRAY_SIZE(report->worst) - 1;
	unsigned int i = min(report->nr_seen, last);

	report->nr_seen++;
	if (report->nr_seen > ARRAY_SIZE(report->worst) &&
	    points <= report->worst[last].points)
		return;
	for (; i && report->worst[i - 1].points < points; i--)
		report->worst[i] = report->worst[i - 1];
	report->worst[i].points = points;
	report->worst[i].tgid = task_tgid_nr(task);
	report->worst[i].adj = task->signal->oom_score_adj;
	strscpy(report->worst[i].comm, task->comm, TASK_COMM_LEN);
}

/**
 * mw_report_note_use() - note what a group uses
 * @report: of the search
 * @top:    the group that is out of memory, referenced
 *
 * Context: any.
 */
void mw_report_note_use(struct mw_report *report, struct mw_group *top)
{
	report->memory = (struct mw_report_use){
		mw_counter_read(&top->memory), READ_ONCE(top->memory.max),
		atomic_long_read(&top->failcnt),
	};
	report->together = (struct mw_report_use){
		mw_memsw_usage(top), READ_ONCE(top->memsw_max),
		atomic_long_read(&top->memsw_failcnt),
	};
	report->swap = (struct mw_report_use){
		mw_counter_read(&top->swap), READ_ONCE(top->swap.max),
		atomic_long_read(&top->events[MW_EVENT_SWAP_FAIL]),
	};
}

static void print_use(const char *of, const struct mw_report_use *use)
{
	char text[24] = "max";

	if (use->limit != MW_COUNTER_MAX)
		snprintf(text, sizeof(text), "%llukB", KB(use->limit));
	pr_warn("memward: oom: %s: usage %llukB, limit %s, failcnt %lu\n",
		of, KB(use->usage), text, use->failcnt);
}

static void print_processes(const struct mw_report *report)
{
	unsigned int i, nr = min_t(unsigned int, report->nr_seen,
				   ARRAY_SIZE(report->worst));

	pr_warn("memward: oom: %u processes, the worst first: pid, badness, oom_score_adj, name\n",
		report->nr_seen);
	for (i = 0; i < nr; i++) {
		const struct mw_report_process *process = &report->worst[i];

		if (process->points == LONG_MIN)
			pr_warn("memward: oom: %7d      exempt %5d %s\n",
				process->tgid, process->adj, process->comm);
		else
			pr_warn("memward: oom: %7d %9lldkB %5d %s\n",
				process->tgid,
				(s64)process->points << (PAGE_SHIFT - 10),
				process->adj, process->comm);
	}
}

static void print_details(const struct mw_report *report)
{
	print_use("memory", &report->memory);
	print_use("memory+swap", &report->together);
	print_use("swap", &report->swap);
	print_processes(report);
}

/**
 * mw_report_oom() - say that a group is out of memory and who had to go
 * @report: of the search
 * @top:    the group, referenced
 * @victim: who had to go, referenced
 * @where:  the victim's group, referenced
 *
 * The first line always; the others are left out if there are too many such reports.
 *
 * Context: process, no lock held that others wait for when they are out of memory.
 */
void mw_report_oom(const struct mw_report *report, struct mw_group *top,
		   struct task_struct *victim, struct mw_group *where)
{
	char name[128], victims[128];

	mw_group_name(top, name, sizeof(name));
	mw_group_name(where, victims, sizeof(victims));
	pr_warn("memward: %s is out of memory: asked for by %s (%d), killed %s (%d) in %s\n",
		name, current->comm, task_tgid_nr(current), victim->comm,
		task_tgid_nr(victim), victims);
	if (__ratelimit(&details))
		print_details(report);
}

/* Whoever is in there tries again and again. */
static bool said_lately(struct mw_group *top)
{
	unsigned long last = READ_ONCE(top->helpless_said), now = jiffies ?: 1;

	if (last && time_before(now, last + 60 * HZ))
		return true;
	return cmpxchg(&top->helpless_said, last, now) != last;
}

/**
 * mw_report_helpless() - say that a group is out of memory and nobody can go
 * @report: of the search
 * @top:    the group, referenced
 *
 * Once a minute for each group.  The details are left out if there are too many.
 *
 * Context: process, no lock held that others wait for when they are out of memory.
 */
void mw_report_helpless(const struct mw_report *report, struct mw_group *top)
{
	char name[128];

	if (said_lately(top))
		return;
	mw_group_name(top, name, sizeof(name));
	pr_warn("memward: %s is out of memory and none of its %u processes may be killed: asked for by %s (%d)\n",
		name, report->nr_seen, current->comm, task_tgid_nr(current));
	if (__ratelimit(&details))
		print_details(report);
}
