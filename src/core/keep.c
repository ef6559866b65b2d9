// SPDX-License-Identifier: GPL-2.0
/*
 * What global reclaim leaves alone for memory.min and memory.low.
 *
 * DOC: Of each page that it may take, the kernel asks if it was referenced.  For a
 * page of a group that is within its protection the answer is that it is to be
 * kept; of a group above it, pages are offered in proportion (protect.c), evenly
 * among those that are asked for.
 *
 * How far a task has got with its reclaim it says after each list that it has
 * shrunk: what came of it, and the priority, which falls from 12 to 0 as long as that
 * is not enough.  If it was nothing at all almost to the end, memory.low does not
 * hold any more; nor for a while after somebody would have been killed (yield.c).  What a task said last is kept in a
 * table without locks, where another may have taken its place: then it has said
 * nothing, until it shrinks the next list.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include <compat/folio.h>
#include <memward/charge.h>
#include <memward/group.h>
#include <memward/hide.h>
#include <memward/keep.h>
#include <memward/owner.h>
#include <memward/protect.h>
#include <memward/shield.h>

#define TABLE_BITS	8
/* at this priority reclaim has looked at half of all pages or more */
#define LAST_RESORT	1
/* what a task has said is about this reclaim, not the one before */
#define SAID_FOR	(HZ / 4)

/**
 * struct said - what a task has said last
 * @task:      it, never dereferenced
 * @priority:  of its reclaim
 * @reclaimed: since that was highest
 * @at:        when, in jiffies
 * @given_up:  the group that it has last taken from despite memory.low, by id
 */
struct said {
	struct task_struct *task;
	int priority;
	unsigned long reclaimed;
	unsigned long at;
	u64 given_up;
};

static struct said said[1 << TABLE_BITS];
static struct hlist_head passes[1 << TABLE_BITS];
static DEFINE_SPINLOCK(pass_lock);

static unsigned int bucket(struct task_struct *task)
{
	return hash_ptr(task, TABLE_BITS);
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
	bool begins = READ_ONCE(mine->task) != current ||
		      READ_ONCE(mine->priority) < priority;

	if (begins)
		WRITE_ONCE(mine->given_up, 0);
	WRITE_ONCE(mine->reclaimed, begins ? reclaimed :
					     READ_ONCE(mine->reclaimed) + reclaimed);
	WRITE_ONCE(mine->priority, priority);
	WRITE_ONCE(mine->at, jiffies);
	WRITE_ONCE(mine->task, current);
}

static bool is_last_resort(void)
{
	struct said *mine = &said[bucket(current)];

	return READ_ONCE(mine->task) == current &&
	       time_before(jiffies, READ_ONCE(mine->at) + SAID_FOR) &&
	       READ_ONCE(mine->priority) <= LAST_RESORT &&
	       !READ_ONCE(mine->reclaimed);
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

/* Of all pages that are asked for, so many are offered, as evenly as can be. */
static bool is_offered(struct mw_group *group, unsigned int nr_pages,
		       unsigned long usage, unsigned long protected)
{
	unsigned long asked = atomic_long_add_return(nr_pages, &group->asked);

	return mw_protect_offer(asked, usage, protected) !=
	       mw_protect_offer(asked - nr_pages, usage, protected);
}

/* Likewise of those that memory.low would have kept: who uses little gives little. */
static bool is_given_up(struct mw_group *group, unsigned int nr_pages,
			unsigned long usage, unsigned long min,
			unsigned long low)
{
	unsigned long asked = atomic_long_read(&group->asked);

	if (min && mw_protect_offer(asked, usage, min) ==
		   mw_protect_offer(asked - nr_pages, usage, min))
		return false;
	return mw_protect_offer_low(asked, usage, low) !=
	       mw_protect_offer_low(asked - nr_pages, usage, low);
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

static bool keep(struct mw_group *group, struct folio *folio, bool hide)
{
	this_cpu_add(group->stats->kept, folio_nr_pages(folio));
	if (hide)
		mw_hide(group, folio);
	return true;
}

static bool offer(struct mw_group *group, struct folio *folio)
{
	this_cpu_add(group->stats->offered, folio_nr_pages(folio));
	return false;
}

static bool keep_of(struct mw_group *group, struct folio *folio)
{
	unsigned int nr_pages = folio_nr_pages(folio);
	unsigned long min = mw_shield_effective(group, &mw_root, MW_SHIELD_MIN);
	unsigned long low = mw_shield_effective(group, &mw_root, MW_SHIELD_LOW);
	unsigned long usage = mw_counter_read(&group->memory);

	if (!min && !low)
		return false;
	if (is_offered(group, nr_pages, usage, max(min, low)))
		return offer(group, folio);
	if ((mw_shield_low_holds() && !is_last_resort()) || usage <= min)
		return keep(group, folio, usage <= max(min, low));
	/* memory.low does not hold any more, memory.min does */
	if (!is_given_up(group, nr_pages, usage, min, low))
		return keep(group, folio, false);
	this_cpu_add(group->stats->given_up, nr_pages);
	if (usage <= low)
		give_up(group);
	return offer(group, folio);
}

/**
 * mw_keep() - is a folio to be kept by global reclaim?
 * @folio: isolated by reclaim
 *
 * Context: in the middle of reclaim.
 * Return: true if so.
 */
bool mw_keep(struct folio *folio)
{
	struct mw_owner *owner;
	bool keep = false;
	u64 *entry;

	if (!mw_shield_any() || has_pass())
		return false;
	preempt_disable();
	entry = mw_charged_entry(folio_pfn(folio));
	owner = entry ? mw_owner_find(mw_pc_owner_id(READ_ONCE(*entry))) : NULL;
	if (owner)
		keep = keep_of(rcu_dereference_sched(owner->group), folio);
	preempt_enable();
	return keep;
}
