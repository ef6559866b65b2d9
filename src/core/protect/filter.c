// SPDX-License-Identifier: GPL-2.0
/*
 * What global reclaim leaves alone for memory.min and memory.low.
 *
 * DOC: Of each page that it may take, the kernel asks if it was referenced.  For a
 * page of a group that is within its protection the answer is that it is to be
 * kept; of a group above it, pages are given in proportion (protect.c), evenly
 * among those that are asked for.  What is kept makes reclaim ask again the sooner, of
 * everybody; so that the proportion is one of what would have been asked for otherwise,
 * memward notes what it has kept lately.
 *
 * How far a task has got with its reclaim it says after each list that it has
 * shrunk (progress.c).  If it has failed, memory.low does not hold when it tries again,
 * unless it is kswapd; nor for a while after somebody would have been killed
 * (oom_notifier.c).  What a task said last is kept in a table without locks, where another may
 * have taken its place: then it has said nothing, until it shrinks the next list.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <compat/folio.h>
#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/group/task.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>
#include <core/protect/filter.h>
#include <core/protect/hide.h>
#include <pure/progress.h>
#include <pure/protect.h>

#define TABLE_BITS	8
/* to compare shares by what they are of it */
#define LARGE		(1UL << 20)
/* for how long what a task has said tells something about what it does now */
#define SAID_FOR	(HZ / 4)

/**
 * struct said - what a task has said last
 * @task:     it, never dereferenced
 * @progress: of its reclaim
 * @at:       when, in jiffies
 * @given_up: the group that it has last taken from despite memory.low, by id
 * @limit:    the task that reclaims for a limit of the kernel's memcg, never dereferenced
 */
struct said {
	struct task_struct *task;
	struct mw_progress progress;
	unsigned long at;
	u64 given_up;
	struct task_struct *limit;
};

/* this much is "lately" */
#define LATELY_PAGES	16384

/**
 * struct lately - what was asked for on this CPU, and what came of it
 * @asked: pages, of groups and of nobody; older ones count less
 * @kept:  of them
 */
struct lately {
	unsigned long asked;
	unsigned long kept;
};

static DEFINE_PER_CPU(struct lately, lately);
static struct said said[1 << TABLE_BITS];

static unsigned int bucket(struct task_struct *task)
{
	return hash_ptr(task, TABLE_BITS);
}

static bool is_about_now(struct said *mine)
{
	return READ_ONCE(mine->task) == current &&
	       time_before(jiffies, READ_ONCE(mine->at) + SAID_FOR);
}

/* By the current task, lately; another may be writing its own over it. */
static struct mw_progress progress_of(struct said *mine)
{
	return is_about_now(mine) ? data_race(mine->progress) : MW_PROGRESS_NONE;
}

/**
 * mw_filter_note() - the current task has shrunk a list
 * @priority:  how hard it tries
 * @reclaimed: pages that this has brought
 *
 * Context: in the middle of reclaim.
 */
void mw_filter_note(int priority, unsigned long reclaimed)
{
	struct said *mine = &said[bucket(current)];
	struct mw_progress was = progress_of(mine);

	if (READ_ONCE(mine->limit) == current)
		return;
	if (!is_about_now(mine) || mw_progress_begins(&was, priority))
		WRITE_ONCE(mine->given_up, 0);
	data_race(mine->progress = mw_progress_note(&was, priority, reclaimed));
	WRITE_ONCE(mine->at, jiffies);
	WRITE_ONCE(mine->task, current);
}

/**
 * mw_filter_limit() - the current task reclaims for a limit of the kernel's own memcg
 *
 * That it fails there says nothing of the machine.
 *
 * Context: in the middle of reclaim.
 */
void mw_filter_limit(void)
{
	struct said *mine = &said[bucket(current)];

	if (mw_protection_any() && READ_ONCE(mine->limit) != current)
		WRITE_ONCE(mine->limit, current);
}

/* It reclaims for the machine. */
static void set_global(void)
{
	struct said *mine = &said[bucket(current)];

	if (unlikely(READ_ONCE(mine->limit) == current))
		WRITE_ONCE(mine->limit, NULL);
}

/*
 * kswapd leaves what memory.low protects to those who cannot wait, as it does with
 * the kernel's own.
 */
static bool has_failed(void)
{
	return !mw_current_is(PF_KSWAPD) &&
	       progress_of(&said[bucket(current)]).failed;
}

/*
 * Who wants to have these very pages reclaimed (memward itself, MADV_PAGEOUT, DAMON) says
 * nothing of how far he has got, unlike all who are short of memory.
 */
static bool is_wanted(void)
{
	return !current->reclaim_state;
}

static void note_answer(unsigned int nr_pages, bool kept)
{
	struct lately *mine = this_cpu_ptr(&lately);

	mine->asked += nr_pages;
	if (kept)
		mine->kept += nr_pages;
	if (mine->asked < LATELY_PAGES)
		return;
	mine->asked /= 2;
	mine->kept /= 2;
}

/**
 * struct request - a folio that reclaim asks for
 * @size:  its size, in parts of pages
 * @parts: what of that counts: less if reclaim is back because of what was kept
 * @upto:  what of its group was asked for so far, with it
 */
struct request {
	unsigned long size;
	unsigned long parts;
	unsigned long upto;
};

static struct request request_of(struct mw_group *group, unsigned int nr_pages,
				 bool all_counts)
{
	struct lately *mine = this_cpu_ptr(&lately);
	struct request request = { .size = nr_pages * MW_PROTECT_PARTS };

	request.parts = all_counts ? request.size :
			mw_protect_asked(nr_pages, mine->asked, mine->kept);
	request.upto = atomic_long_add_return(request.parts, &group->asked);
	return request;
}

/*
 * Does one more folio of this size come into the share that is given?  So many do, as
 * evenly as can be.
 */
static bool is_in_share(unsigned long (*share)(unsigned long asked,
					       unsigned long usage,
					       unsigned long protected),
			const struct request *request,
			unsigned long usage, unsigned long protected)
{
	return share(request->upto, usage, protected) / request->size !=
	       share(request->upto - request->parts, usage, protected) /
		       request->size;
}

/* An event for each group that a task's reclaim comes to, not for each page. */
static void give_up(struct mw_group *group)
{
	struct said *mine = &said[bucket(current)];

	if (READ_ONCE(mine->given_up) == group->id)
		return;
	WRITE_ONCE(mine->given_up, group->id);
	mw_event(group, MW_EVENT_LOW);
}

static enum mw_filtered keep(struct mw_group *group, struct folio *folio,
			     bool for_long)
{
	mw_stats_add(group, MW_STAT_KEPT, folio_nr_pages(folio));
	return for_long ? MW_FILTER_HIDE : MW_FILTER_KEEP;
}

static enum mw_filtered take(struct mw_group *group, struct folio *folio)
{
	mw_stats_add(group, MW_STAT_OFFERED, folio_nr_pages(folio));
	return MW_FILTER_TAKE;
}

/* Of what memory.low would have kept: who uses little of it gives little, and what memory.min leaves. */
static bool is_given_up(const struct request *request, unsigned long usage,
			unsigned long emin, unsigned long elow)
{
	/* the smaller share decides, of any number that is large enough */
	if (mw_protect_scan_target(LARGE, usage, emin) <
	    mw_protect_scan_target_low(LARGE, usage, elow))
		return is_in_share(mw_protect_scan_target, request, usage, emin);
	return is_in_share(mw_protect_scan_target_low, request, usage, elow);
}

/* With twice what is protected or more a group is like any other. */
static bool is_unprotected(unsigned long usage, unsigned long protected)
{
	return mw_protect_scan_target(1, usage, protected);
}

/*
 * Is a part of it protected, and a part not? If all there is is cut, that is not to have somebody
 * killed (oom_notifier.c).
 */
static bool is_cut(struct folio *folio, unsigned long usage, unsigned long protected)
{
	return usage > protected && usage - protected < folio_nr_pages(folio) &&
	       mw_protection_low_holds(folio_nid(folio));
}

static enum mw_filtered answer_for(struct mw_group *group, struct folio *folio)
{
	unsigned long emin = mw_protection_effective(group, &mw_root,
						     MW_PROTECTION_MIN);
	unsigned long elow = mw_protection_effective(group, &mw_root,
						     MW_PROTECTION_LOW);
	unsigned long usage = mw_counter_read(&group->memory);
	struct request request;
	bool holds;

	if (!emin && !elow)
		return MW_FILTER_TAKE;
	if (is_unprotected(usage, max(emin, elow)))
		return take(group, folio);
	holds = mw_protection_low_holds(folio_nid(folio)) && !has_failed();
	request = request_of(group, folio_nr_pages(folio), !holds);
	if (is_cut(folio, usage, holds ? max(emin, elow) : emin))
		return keep(group, folio, false);
	if (is_in_share(mw_protect_scan_target, &request, usage, max(emin, elow)))
		return take(group, folio);
	if (holds || usage <= emin)
		return keep(group, folio, usage <= max(emin, elow));
	/* memory.low does not hold any more, memory.min does */
	if (!is_given_up(&request, usage, emin, elow))
		return keep(group, folio, false);
	mw_stats_add(group, MW_STAT_GIVEN_UP, folio_nr_pages(folio));
	if (usage <= elow)
		give_up(group);
	return take(group, folio);
}

/**
 * mw_filter() - is a folio to be kept by global reclaim?
 * @folio:  isolated by reclaim
 * @locked: by reclaim
 *
 * Context: in the middle of reclaim.
 * Return: whether, and for how long.  What is kept for long is hidden, if it can be.
 */
enum mw_filtered mw_filter(struct folio *folio, bool locked)
{
	enum mw_filtered how = MW_FILTER_TAKE;
	struct mw_group *group = NULL;
	mw_entry_t *entry;

	if (!mw_protection_any() || is_wanted())
		return MW_FILTER_TAKE;
	set_global();
	preempt_disable();
	entry = mw_charged_entry(folio_pfn(folio));
	if (entry)
		group = mw_owner_group(mw_pc_owner_id(mw_pc_read(entry)));
	if (group) {
		how = answer_for(group, folio);
		if (how == MW_FILTER_HIDE)
			mw_hide(group, folio, locked);
	}
	note_answer(folio_nr_pages(folio), how != MW_FILTER_TAKE);
	preempt_enable();
	return how;
}
