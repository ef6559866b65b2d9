// SPDX-License-Identifier: GPL-2.0
/*
 * Keeping protected pages out of the way of the kernel's reclaim.
 *
 * DOC: If most of the memory is protected, reclaim that asks for each page in turn
 * looks at ten pages to free one.  So a page that is refused because its group is
 * within its memory.min or memory.low is hidden: it goes to the kernel's list of
 * unevictable pages, where it can still be migrated, and is not looked at again.
 *
 * It comes back when its group is no longer within its protection, which a worker
 * looks for each second, when memward's own reclaim comes to it, which obeys by
 * rules of its own, and when memward is unmounted.
 *
 * Not hidden: what a limit of the kernel's own memcg may have to reclaim.
 *
 * The bit in the entry says that it was memward that hid the page.  It goes with the
 * charge; what the kernel made of the page meanwhile may differ, which does no
 * harm: a page that is shown although somebody has locked it in memory is hidden
 * again by the kernel as soon as it is looked at.
 */
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <compat/folio.h>
#include <compat/hide.h>
#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>
#include <core/protect/hide.h>

/* how often to look whose pages are to be shown again */
#define TICK_MS	1000

static struct workqueue_struct *hide_wq;
/* of two that show pages, one waits */
static DEFINE_MUTEX(show_mutex);
/* pages shown since the module was loaded, because their groups are above their protection */
static atomic_long_t nr_shown;

static void tick_fn(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(tick, tick_fn);

/* Set or clear the bit, if the page is charged. */
static void set_hidden(unsigned long pfn, bool hidden)
{
	mw_entry_t *entry = mw_pc_entry(pfn);
	mw_entry_t now;

	do {
		now = entry ? mw_pc_read(entry) : MW_NO_ENTRY;
		if (!mw_pc_is_charged(now))
			return;
	} while (!mw_pc_replace(entry, now, mw_pc_hide(now, hidden)));
}

static void set_all_hidden(unsigned long pfn, unsigned int nr_pages, bool hidden)
{
	unsigned long end = pfn + nr_pages;

	preempt_disable();
	for (; pfn < end; pfn++)
		set_hidden(pfn, hidden);
	preempt_enable();
}

/**
 * mw_hide() - have reclaim look at a folio no more
 * @group:  who pays for it
 * @folio:  isolated by reclaim, which is about to be told to keep it
 * @locked: by reclaim
 *
 * Context: in the middle of reclaim; @group is alive under RCU.
 */
void mw_hide(struct mw_group *group, struct folio *folio, bool locked)
{
	unsigned long pfn = folio_pfn(folio);
	unsigned int nr_pages = folio_nr_pages(folio);

	if (!mw_folio_can_hide(folio, locked))
		return;
	set_all_hidden(pfn, nr_pages, true);
	if (!mw_folio_hide(folio)) {
		set_all_hidden(pfn, nr_pages, false);
		return;
	}
	/* after the bits are set: the worker clears it before it looks */
	if (!READ_ONCE(group->hides))
		smp_store_mb(group->hides, true);
	if (!delayed_work_pending(&tick))
		queue_delayed_work(hide_wq, &tick, msecs_to_jiffies(TICK_MS));
}

/**
 * mw_hide_show() - have reclaim look at a folio again
 * @folio:    referenced by the caller
 * @pfn:      its first page frame
 * @nr_pages: pages in it
 *
 * Context: process.
 */
void mw_hide_show(struct folio *folio, unsigned long pfn, unsigned int nr_pages)
{
	set_all_hidden(pfn, nr_pages, false);
	mw_folio_show(folio);
}

/**
 * mw_hide_hand_over() - the pages of a group are about to be another's
 * @from: the group
 * @to:   the other
 */
void mw_hide_hand_over(struct mw_group *from, struct mw_group *to)
{
	if (READ_ONCE(from->hides))
		WRITE_ONCE(to->hides, true);
}

/* --- showing --- */

/* @always: not only what belongs to a group that is to show its pages */
static bool is_to_show(mw_entry_t entry, const bool *always)
{
	struct mw_group *group;

	if (!mw_pc_is_hidden(entry))
		return false;
	if (*always)
		return true;
	group = mw_owner_group(mw_pc_owner_id(entry));
	return group && READ_ONCE(group->shows);
}

static void show_entry(unsigned long pfn, mw_entry_t entry, void *always)
{
	struct folio *folio = NULL;

	preempt_disable();
	if (is_to_show(entry, always))
		folio = mw_folio_tryget(pfn);
	preempt_enable();
	if (!folio)
		return;
	mw_hide_show(folio, pfn, 1);
	folio_put(folio);
	atomic_long_inc(&nr_shown);
}

static bool is_within(struct mw_group *group)
{
	unsigned long usage = mw_counter_read(&group->memory);

	return usage <= mw_protection_effective(group, &mw_root, MW_PROTECTION_MIN) ||
	       (mw_protection_low_holds() &&
		usage <= mw_protection_effective(group, &mw_root, MW_PROTECTION_LOW));
}

/* Return: whether there are groups that have to show their pages. */
static bool choose(bool *more)
{
	struct mw_group *group = NULL;
	bool any = false;

	while ((group = mw_group_walk(group, &mw_root, MW_WALK_ALL))) {
		bool shows = READ_ONCE(group->hides) && !is_within(group);

		/* before the look: who hides a page meanwhile says so again */
		if (shows)
			smp_store_mb(group->hides, false);
		WRITE_ONCE(group->shows, shows);
		*more |= READ_ONCE(group->hides);
		any |= shows;
	}
	return any;
}

/* Return: whether to look again. */
static bool show_some(void)
{
	bool always = false, more = false;

	mutex_lock(&show_mutex);
	if (choose(&more)) {
		more = true;
		mw_pc_walk(show_entry, &always);
	}
	mutex_unlock(&show_mutex);
	return more;
}

/**
 * mw_hide_recheck() - show what need not be hidden any more, now
 *
 * Context: process, may sleep.
 */
void mw_hide_recheck(void)
{
	show_some();
}

/** mw_hide_shown() - how many pages that was so far, to compare with later */
unsigned long mw_hide_shown(void)
{
	return atomic_long_read(&nr_shown);
}

static void tick_fn(struct work_struct *work)
{
	if (show_some())
		queue_delayed_work(hide_wq, &tick, msecs_to_jiffies(TICK_MS));
}

/**
 * mw_hide_stop() - show all that is hidden
 *
 * Context: at the last unmount, process, may sleep; nothing is hidden any more.
 */
void mw_hide_stop(void)
{
	bool always = true;

	cancel_delayed_work_sync(&tick);
	mw_pc_walk(show_entry, &always);
}

/**
 * mw_hide_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_hide_init(void)
{
	hide_wq = alloc_workqueue("memward_hide", WQ_UNBOUND, 1);
	return hide_wq ? 0 : -ENOMEM;
}

/** mw_hide_exit() - undo mw_hide_init() */
void mw_hide_exit(void)
{
	destroy_workqueue(hide_wq);
}
