// SPDX-License-Identifier: GPL-2.0
/*
 * What global reclaim leaves alone for memory.min and memory.low.
 *
 * DOC: Of each page that it may take, the kernel asks if it was referenced.  For a
 * page of a group that is within its protection the answer is that it is to be
 * kept; of a group above it, pages are offered in proportion (protect.c), evenly
 * among those that are asked for.  What is kept makes reclaim ask again the sooner, of
 * everybody; so that the proportion is one of what would have been asked for otherwise,
 * memward notes what it has kept lately.
 *
 * How far a task has got with its reclaim it says after each list that it has
 * shrunk (progress.c).  If it has failed, memory.low does not hold when it tries again,
 * unless it is kswapd; nor for a while after somebody would have been killed
 * (yield.c).  What a task said last is kept in a table without locks, where another may
 * have taken its place: then it has said nothing, until it shrinks the next list.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

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
/* for how long what a task has said tells something about what it does now */
#define SAID_FOR	(HZ / 4)

/**
 * struct said - what a task has said last
 * @task:     it, never dereferenced
 * @progress: of its reclaim
 * @at:       when, in jiffies
 * @given_up: the group that it has last taken from despite memory.low, by id
 */
struct said {
	struct task_struct *task;
	struct mw_progress progress;
	unsigned long at;
	u64 given_up;
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
static struct hlist_head passes[1 << TABLE_BITS];
static DEFINE_SPINLOCK(pass_lock);

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
 * mw_keep_note() - the current task has shrunk a list
 * @priority:  how hard it tries
 * @reclaimed: pages that this has brought
 *
 * Context: in the middle of reclaim.
 */
void mw_keep_note(int priority, unsigned long reclaimed)
{
	struct said *mine = &said[bucket(current)];
	struct mw_progress was = progress_of(mine);

	if (!is_about_now(mine) || mw_progress_begins(&was, priority))
		WRITE_ONCE(mine->given_up, 0);
	data_race(mine->progress = mw_progress_note(&was, priority, reclaimed));
	WRITE_ONCE(mine->at, jiffies);
	WRITE_ONCE(mine->task, current);
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

/**
 * mw_keep_pass_begin() - the current task reclaims by memward's own rules
 * @pass: on its stack
 *
 * Context: process.
 */
void mw_keep_pass_begin(struct mw_keep_pass *pass)
{
	pass->task = current;
	INIT_HLIST_NODE(&pass->node);
	/* nobody asks then */
	if (!mw_shield_any())
		return;
	spin_lock(&pass_lock);
	hlist_add_head(&pass->node, &passes[bucket(current)]);
	spin_unlock(&pass_lock);
}

/** mw_keep_pass_end() - undo mw_keep_pass_begin() */
void mw_keep_pass_end(struct mw_keep_pass *pass)
{
	if (hlist_unhashed(&pass->node))
		return;
	spin_lock(&pass_lock);
	hlist_del(&pass->node);
	spin_unlock(&pass_lock);
}

static bool has_pass(void)
{
	struct mw_keep_pass *pass;
	bool found = false;

	/* who has one has added it himself */
	if (hlist_empty(&passes[bucket(current)]))
		return false;
	spin_lock(&pass_lock);
	hlist_for_each_entry(pass, &passes[bucket(current)], node)
		found |= pass->task == current;
	spin_unlock(&pass_lock);
	return found;
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
 * Does one more folio of this size come into the share that is offered?  So many do, as
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

static enum mw_kept keep(struct mw_group *group, struct folio *folio,
			 bool for_long)
{
	this_cpu_add(group->stats->kept, folio_nr_pages(folio));
	return for_long ? MW_KEEP_LONG : MW_KEEP_NOW;
}

static enum mw_kept offer(struct mw_group *group, struct folio *folio)
{
	this_cpu_add(group->stats->offered, folio_nr_pages(folio));
	return MW_KEEP_NOT;
}

/* Of what memory.low would have kept: who uses little of it gives little. */
static bool is_given_up(const struct request *request, unsigned long usage,
			unsigned long min, unsigned long low)
{
	if (min && !is_in_share(mw_protect_offer, request, usage, min))
		return false;
	return is_in_share(mw_protect_offer_low, request, usage, low);
}

/* With twice what is protected or more a group is like any other. */
static bool is_unprotected(unsigned long usage, unsigned long protected)
{
	return mw_protect_offer(1, usage, protected);
}

static enum mw_kept keep_of(struct mw_group *group, struct folio *folio)
{
	unsigned long min = mw_shield_effective(group, &mw_root, MW_SHIELD_MIN);
	unsigned long low = mw_shield_effective(group, &mw_root, MW_SHIELD_LOW);
	unsigned long usage = mw_counter_read(&group->memory);
	struct request request;
	bool holds;

	if (!min && !low)
		return MW_KEEP_NOT;
	if (is_unprotected(usage, max(min, low)))
		return offer(group, folio);
	holds = mw_shield_low_holds() && !has_failed();
	request = request_of(group, folio_nr_pages(folio), !holds);
	if (is_in_share(mw_protect_offer, &request, usage, max(min, low)))
		return offer(group, folio);
	if (holds || usage <= min)
		return keep(group, folio, usage <= max(min, low));
	/* memory.low does not hold any more, memory.min does */
	if (!is_given_up(&request, usage, min, low))
		return keep(group, folio, false);
	this_cpu_add(group->stats->given_up, folio_nr_pages(folio));
	if (usage <= low)
		give_up(group);
	return offer(group, folio);
}

/**
 * mw_keep() - is a folio to be kept by global reclaim?
 * @folio:  isolated by reclaim
 * @locked: by reclaim
 *
 * Context: in the middle of reclaim.
 * Return: whether, and for how long.  What is kept for long is hidden, if it can be.
 */
enum mw_kept mw_keep(struct folio *folio, bool locked)
{
	enum mw_kept how = MW_KEEP_NOT;
	struct mw_group *group;
	struct mw_owner *owner;
	u64 *entry;

	if (!mw_shield_any() || has_pass())
		return MW_KEEP_NOT;
	preempt_disable();
	entry = mw_charged_entry(folio_pfn(folio));
	owner = entry ? mw_owner_find(mw_pc_owner_id(READ_ONCE(*entry))) : NULL;
	if (owner) {
		group = rcu_dereference_sched(owner->group);
		how = keep_of(group, folio);
		if (how == MW_KEEP_LONG)
			mw_hide(group, folio, locked);
	}
	note_answer(folio_nr_pages(folio), how != MW_KEEP_NOT);
	preempt_enable();
	return how;
}
