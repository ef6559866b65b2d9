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
 * rules of its own, when memward is unmounted, and before the machine is suspended to disk:
 * then memory.low does not hold, as room is made for its image.  Groups under pressure hover at their
 * protection: so nothing is shown for a few pages above it, and then the more the farther
 * it is above, or all would be shown and hidden again each second.  What has twice its
 * protection is like what has none (protect.c): nothing of it is hidden.
 *
 * Not hidden: what a limit of the kernel's own memcg may have to reclaim.  It may be set
 * later, so it is noted below which memcgs anything was hidden (limited.c).
 *
 * The bit in the entry says that it was memward that hid the page; what the kernel made
 * of the page meanwhile may differ, which does no harm: a page that is shown although
 * somebody has locked it in memory is hidden again by the kernel as soon as it is looked at.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include <trace/events/memward.h>

#include <compat/folio.h>
#include <compat/hide.h>
#include <compat/memcg.h>
#include <core/group/group.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>
#include <core/protect/hide.h>

/* how often to look whose pages are to be shown again */
#define TICK_MS	1000
/* what a group may be above its protection is this part of it */
#define SLACK_SHIFT	5
/* for how long nothing is hidden where a memcg of the kernel's has reclaimed */
#define SHOWN_FOR_MS	10000

static struct workqueue_struct *hide_wq;
/* of two that show pages, one waits */
static DEFINE_MUTEX(show_mutex);
/* the kernel's own memcgs below which something was hidden since that was last shown */
static DECLARE_BITMAP(hidden_below, MW_MEMCG_BITS);
/* those below which nothing is hidden for now */
static DECLARE_BITMAP(shown_below, MW_MEMCG_BITS);

static void tick_fn(struct work_struct *work);
/* not deferrable: the CPU whose timer it is may sleep for hours, while all others take it for pending */
static DECLARE_DELAYED_WORK(tick, tick_fn);

static void forget_shown_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(forget_shown, forget_shown_fn);

static void set_hidden(unsigned long pfn, unsigned int nr_pages, bool hidden)
{
	preempt_disable();
	mw_pc_set_hidden(pfn, nr_pages, hidden);
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

	if (!mw_folio_can_hide(folio, locked) || mw_folio_is_below(folio, shown_below))
		return;
	set_hidden(pfn, nr_pages, true);
	if (!mw_folio_hide(folio)) {
		set_hidden(pfn, nr_pages, false);
		return;
	}
	/* who was about to show it may have cleared them in between, and found no flag */
	set_hidden(pfn, nr_pages, true);
	/* after the bits are set: who counts them meanwhile counts too many rather than too few */
	smp_mb__before_atomic();
	atomic_long_add(nr_pages, &group->hidden.nr);
	/* after it is hidden: who finds no bit, or clears it, and does not find the folio, finds the bit next time */
	mw_folio_mark_memcgs(folio, hidden_below);
	trace_memward_hide(group, pfn, nr_pages);
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
 * Return: whether reclaim did not look at it.
 */
bool mw_hide_show(struct folio *folio, unsigned long pfn, unsigned int nr_pages)
{
	bool shown;

	set_hidden(pfn, nr_pages, false);
	shown = mw_folio_show(folio);
	if (shown)
		trace_memward_show(pfn, nr_pages);
	return shown;
}

/**
 * mw_hide_hand_over() - the pages of a group are about to be another's
 * @from: the group
 * @to:   the other
 */
void mw_hide_hand_over(struct mw_group *from, struct mw_group *to)
{
	atomic_long_add(atomic_long_xchg(&from->hidden.nr, 0), &to->hidden.nr);
}

/* --- showing --- */

/*
 * A worker looks for groups that may have more hidden than they may have, counts what
 * that is, and shows what is too much.  So nothing is counted again until they may have
 * less, or more was hidden.
 */

/* Context: preemption off. */
static struct mw_group *payer_of(mw_entry_t entry)
{
	return mw_pc_is_hidden(entry) ? mw_owner_group(mw_pc_owner_id(entry)) : NULL;
}

/* What was locked and unlocked is hidden no more. */
static void count_entry(unsigned long pfn, mw_entry_t entry, void *unused)
{
	struct mw_group *group;

	preempt_disable();
	group = payer_of(entry);
	if (group && mw_pfn_mlocked(pfn))
		group->hidden.found++;
	preempt_enable();
}

/* Return: how many pages were hidden with it until now. */
static long show_folio(struct folio *folio, unsigned long pfn)
{
	long nr;
	bool was_hidden;

	if (!folio)
		return 0;
	nr = folio_nr_pages(folio);
	was_hidden = mw_hide_show(folio, pfn, nr);
	folio_put(folio);
	return was_hidden ? nr : 0;
}

/**
 * struct place - where to show pages
 * @nodes:    there
 * @nr_shown: counts them
 */
struct place {
	const nodemask_t *nodes;
	unsigned long *nr_shown;
};

static bool is_hidden(unsigned long pfn)
{
	mw_entry_t *entry = mw_pc_entry(pfn);

	return entry && mw_pc_is_hidden(mw_pc_read(entry));
}

/* Context: preemption off.  Return: NULL too if it was freed, and may be anybody's, since it was found. */
static struct folio *get_hidden(unsigned long pfn)
{
	struct folio *folio = mw_folio_tryget(pfn);

	if (!folio || is_hidden(pfn))
		return folio;
	folio_put(folio);
	return NULL;
}

/* One that is there, if it matters.  Return: how many pages were hidden with it. */
static long show_at(unsigned long pfn, struct place *place)
{
	long nr;

	if (place && !node_isset(page_to_nid(pfn_to_page(pfn)), *place->nodes))
		return 0;
	nr = show_folio(get_hidden(pfn), pfn);
	if (place)
		WRITE_ONCE(*place->nr_shown, *place->nr_shown + nr);
	return nr;
}

static void show_too_many(unsigned long pfn, mw_entry_t entry, void *place)
{
	struct mw_group *group;
	long nr;

	preempt_disable();
	group = payer_of(entry);
	if (group && group->hidden.to_show > 0) {
		nr = show_at(pfn, place);
		group->hidden.to_show -= nr;
		atomic_long_sub(nr, &group->hidden.nr);
	}
	preempt_enable();
}

static void show_any(unsigned long pfn, mw_entry_t entry, void *unused)
{
	struct folio *folio = NULL;

	preempt_disable();
	if (mw_pc_is_hidden(entry))
		folio = get_hidden(pfn);
	preempt_enable();
	show_folio(folio, pfn);
}

static unsigned long protected_pages(struct mw_group *group, bool low_holds)
{
	unsigned long min = mw_protection_effective(group, &mw_root,
						    MW_PROTECTION_MIN);

	if (!low_holds)
		return min;
	return max(min, mw_protection_effective(group, &mw_root, MW_PROTECTION_LOW));
}

/* Return: how many pages of a group may be hidden. */
static long may_hide(struct mw_group *group, bool low_holds)
{
	unsigned long usage = mw_counter_read(&group->memory);
	unsigned long protected = protected_pages(group, low_holds);

	if (usage <= protected + (protected >> SLACK_SHIFT))
		return LONG_MAX;
	return max(2 * (long)protected - (long)usage, 0L);
}

/**
 * struct suspects - what is known of all groups before anything is counted
 * @any_hidden: something may be hidden
 * @any_open:   there are groups that may not have anything hidden
 * @any_full:   there are others that may have too much hidden
 */
struct suspects {
	bool any_hidden;
	bool any_open;
	bool any_full;
};

static struct suspects suspect(bool low_holds)
{
	struct suspects suspects = {};
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, &mw_root, MW_WALK_ALL))) {
		long nr = atomic_long_read(&group->hidden.nr);
		long most = may_hide(group, low_holds);

		suspects.any_hidden |= nr > 0;
		suspects.any_open |= nr > 0 && !most;
		/* what is freed is not taken from what is counted */
		suspects.any_full |= most && nr > min_t(long, most, mw_counter_read(&group->memory));
		group->hidden.to_show = most ? 0 : LONG_MAX;
	}
	return suspects;
}

static void begin_count(void)
{
	struct mw_group *group = NULL;

	while ((group = mw_group_walk(group, &mw_root, MW_WALK_ALL))) {
		group->hidden.before = atomic_long_read(&group->hidden.nr);
		group->hidden.found = 0;
	}
}

/* What was counted is what there is. Return: whether anything is to be shown. */
static bool end_count(bool low_holds)
{
	struct mw_group *group = NULL;
	bool any = false;

	while ((group = mw_group_walk(group, &mw_root, MW_WALK_ALL))) {
		struct mw_hidden *hidden = &group->hidden;

		atomic_long_add(hidden->found - hidden->before, &hidden->nr);
		hidden->to_show = max(hidden->found - may_hide(group, low_holds), 0L);
		any |= hidden->to_show;
	}
	return any;
}

/* Return: whether anything is to be shown. */
static bool count_hidden(bool low_holds)
{
	begin_count();
	mw_pc_walk_hidden(count_entry, NULL);
	return end_count(low_holds);
}

/* Return: whether to look again. */
static bool show_some(void)
{
	bool low_holds = mw_protection_low_holds(NUMA_NO_NODE);
	struct suspects suspects;

	mutex_lock(&show_mutex);
	suspects = suspect(low_holds);
	if (suspects.any_open)
		mw_pc_walk_hidden(show_too_many, NULL);
	if ((suspects.any_open || suspects.any_full) && count_hidden(low_holds))
		mw_pc_walk_hidden(show_too_many, NULL);
	mutex_unlock(&show_mutex);
	return suspects.any_hidden;
}

/* As if memory.low did not hold, by what is known. Return: whether anything may have to be shown. */
static bool want_shown(void)
{
	struct mw_group *group = NULL;
	bool any = false;

	while ((group = mw_group_walk(group, &mw_root, MW_WALK_ALL)))
		any |= atomic_long_read(&group->hidden.nr) > may_hide(group, false);
	return any;
}

/**
 * mw_hide_show_on() - show what need not be hidden where memory.low does not hold
 * @nodes:    there
 * @nr_shown: counts the pages meanwhile; one who does that at a time
 *
 * All that is more than memory.min keeps hidden.
 *
 * Context: process, may sleep.
 */
void mw_hide_show_on(const nodemask_t *nodes, unsigned long *nr_shown)
{
	struct place place = { .nodes = nodes, .nr_shown = nr_shown };

	mutex_lock(&show_mutex);
	if (want_shown() && count_hidden(false))
		mw_pc_walk_hidden(show_too_many, &place);
	mutex_unlock(&show_mutex);
}

/**
 * mw_hide_is_below() - may something be hidden below a memcg of the kernel's own?
 * @bit: its
 *
 * Context: any.
 */
bool mw_hide_is_below(unsigned int bit)
{
	return test_bit(bit, hidden_below);
}

/**
 * struct below - what is to be shown, and was not
 * @memcgs: below these
 * @missed: somebody else had a hold of one
 */
struct below {
	const unsigned long *memcgs;
	bool missed;
};

static void show_if_below(unsigned long pfn, mw_entry_t entry, void *data)
{
	struct below *below = data;
	struct mw_group *group;
	struct folio *folio;

	preempt_disable();
	group = payer_of(entry);
	folio = group ? get_hidden(pfn) : NULL;
	if (!folio)
		below->missed |= group && is_hidden(pfn);
	else if (!mw_folio_is_below(folio, below->memcgs))
		folio_put(folio);
	else
		atomic_long_sub(show_folio(folio, pfn), &group->hidden.nr);
	preempt_enable();
}

/* The limit may not be in force yet: v1 sets one when it has reclaimed for it. */
static void hide_nothing_below(const unsigned long *memcgs)
{
	unsigned int bit;

	for_each_set_bit(bit, memcgs, MW_MEMCG_BITS)
		set_bit(bit, shown_below);
	mod_delayed_work(hide_wq, &forget_shown, msecs_to_jiffies(SHOWN_FOR_MS));
}

static void forget_shown_fn(struct work_struct *work)
{
	unsigned int bit;

	for_each_set_bit(bit, shown_below, MW_MEMCG_BITS)
		clear_bit(bit, shown_below);
}

/**
 * mw_hide_show_below() - show what is hidden below memcgs of the kernel's own
 * @memcgs: their bits
 *
 * Nothing is hidden there again for ten seconds.
 *
 * Context: process, may sleep.
 */
void mw_hide_show_below(const unsigned long *memcgs)
{
	struct below below = { .memcgs = memcgs };
	unsigned int bit;

	mutex_lock(&show_mutex);
	hide_nothing_below(memcgs);
	for_each_set_bit(bit, memcgs, MW_MEMCG_BITS)
		clear_bit(bit, hidden_below);
	/* before it looks for what is hidden: see mw_hide() */
	smp_mb__after_atomic();
	mw_pc_walk_hidden(show_if_below, &below);
	if (below.missed)
		for_each_set_bit(bit, memcgs, MW_MEMCG_BITS)
			set_bit(bit, hidden_below);
	mutex_unlock(&show_mutex);
}

static void tick_fn(struct work_struct *work)
{
	if (show_some())
		queue_delayed_work(hide_wq, &tick, msecs_to_jiffies(TICK_MS));
}

static void show_all(void)
{
	mw_pc_walk_hidden(show_any, NULL);
}

/* --- suspending to disk --- */

/*
 * Half of the memory or more has to be reclaimed, page by page.  If memory.low were to give way
 * for each anew, after all priorities in vain, that would take the kernel minutes.  What
 * memory.min keeps stays hidden: what is not looked at costs nothing, and what is unevictable the
 * kernel does not count upon.  The kernel says when it begins, but not when the tasks are frozen: so
 * this is so while it writes back what is dirty, too, and as long as somebody has /dev/snapshot open.
 */
static int pm_event(struct notifier_block *nb, unsigned long event, void *unused)
{
	bool begins = event == PM_HIBERNATION_PREPARE;

	if (!begins && event != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	mw_protection_set_low_off(begins);
	if (begins)
		show_some();
	return NOTIFY_OK;
}

static struct notifier_block pm_nb = { .notifier_call = pm_event };

/**
 * mw_hide_start() - at the first mount
 *
 * Context: process, may sleep.
 * Return: 0 or an error of register_pm_notifier().
 */
int mw_hide_start(void)
{
	return register_pm_notifier(&pm_nb);
}

/**
 * mw_hide_stop() - show all that is hidden
 *
 * Context: at the last unmount, process, may sleep; nothing is hidden any more.
 */
void mw_hide_stop(void)
{
	unregister_pm_notifier(&pm_nb);
	cancel_delayed_work_sync(&tick);
	cancel_delayed_work_sync(&forget_shown);
	show_all();
	bitmap_zero(hidden_below, MW_MEMCG_BITS);
	bitmap_zero(shown_below, MW_MEMCG_BITS);
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
