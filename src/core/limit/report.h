/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_REPORT_H
#define MEMWARD_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>

struct mw_group;

/**
 * struct mw_report_process - a line of a report
 * @points: by oom_badness(), in pages
 * @tgid:   process id, as the first pid namespace has it
 * @adj:    oom_score_adj
 * @comm:   name
 */
struct mw_report_process {
	long points;
	pid_t tgid;
	short adj;
	char comm[TASK_COMM_LEN];
};

/**
 * struct mw_report_use - a limit and how close to it a group is
 * @usage:   pages
 * @limit:   pages
 * @failcnt: how often it was in the way
 */
struct mw_report_use {
	unsigned long usage;
	unsigned long limit;
	unsigned long failcnt;
};

/**
 * struct mw_report - what was seen while a victim was looked for
 * @memory:   of the group that is out of memory
 * @together: of its memory and swap together
 * @swap:     of its swap
 * @nr_seen:  processes
 * @worst:    the first of them, worst first
 */
struct mw_report {
	struct mw_report_use memory;
	struct mw_report_use together;
	struct mw_report_use swap;
	unsigned int nr_seen;
	struct mw_report_process worst[8];
};

void mw_report_see(struct mw_report *report, struct task_struct *task,
		   long points);
void mw_report_note_use(struct mw_report *report, struct mw_group *top);
void mw_report_oom(const struct mw_report *report, struct mw_group *top,
		   struct task_struct *victim, struct mw_group *where);
void mw_report_helpless(const struct mw_report *report, struct mw_group *top);

#endif
