// SPDX-License-Identifier: GPL-2.0
/*
 * Charging what a process has had before it came to its group.
 *
 * DOC: A page is charged as it is allocated, by whoever touches it first; what was there before
 * memward, or while its process was in no group, nobody pays for.  Here the mappings of a
 * process are walked, and pages that nobody pays for charged to the process's group.
 *
 * All others who charge a page have it to themselves.  Here others can find it, so it is locked:
 * who moves a charge from one page to another, splits a folio, writes it or cleans it
 * has that lock; and it is referenced, so it is not freed, and its charge not taken back, meanwhile.
 * For the same reason its folio is not split or migrated in between.
 *
 * References are gathered under the lock of the mappings, which is let go of before pages are
 * charged: where a limit is in the way memory is reclaimed first.  Nobody is killed for it.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <compat/folio.h>
#include <compat/swap.h>
#include <compat/walk.h>
#include <core/charge/charge.h>
#include <core/charge/dirty.h>
#include <core/charge/member.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/limit/adoption.h>
#include <core/limit/limit.h>
#include <core/limit/resize.h>
#include <core/limit/swap.h>
#include <core/reclaim/drain.h>

/* references at a time, and pages: what is to be freed meanwhile waits for these */
#define BATCH		256
#define BATCH_PAGES	512
/* walks: what was locked or isolated the first time may not be the next */
#define MAX_WALKS	3
/* times that room was made for one folio, and others had it */
#define MAX_TRIES	64

/**
 * struct adoption - a walk over what a process has mapped
 * @mm:      its memory
 * @group:   it has to be in it, or below it
 * @addr:    where to go on
 * @found:   there was something to be charged, or somebody had it just then
 * @nr:      folios
 * @pages:   in them
 * @folios:  that nobody pays for, referenced
 */
struct adoption {
	struct mm_struct *mm;
	struct mw_group *group;
	unsigned long addr;
	bool found;
	unsigned int nr;
	unsigned long pages;
	struct folio *folios[BATCH];
};

static bool is_unpaid(unsigned long pfn)
{
	mw_entry_t *entry;
	bool ret;

	preempt_disable();
	entry = mw_pc_entry(pfn);
	ret = entry && !mw_pc_is_charged(mw_pc_read(entry));
	preempt_enable();
	return ret;
}

/*
 * What was allocated for something else, and mapped by who knows what it is, is not charged then either.  A broken
 * page was uncharged by hand: it is never freed.
 */
static bool is_payable(struct folio *folio)
{
	if (PageHWPoison(&folio->page))
		return false;
	return folio_test_anon(folio) || (folio_test_lru(folio) && mw_folio_is_cache(folio));
}

/* What belongs to a file and is on no list somebody has isolated. */
static void add(struct adoption *adoption, struct folio *folio)
{
	if (!is_payable(folio) || !get_page_unless_zero(&folio->page)) {
		adoption->found |= mw_folio_is_cache(folio);
		return;
	}
	adoption->found = true;
	adoption->pages += folio_nr_pages(folio);
	adoption->folios[adoption->nr++] = folio;
}

static bool gather(unsigned long pfn, void *data)
{
	struct adoption *adoption = data;
	struct folio *folio;

	if (!is_unpaid(pfn))
		return true;
	folio = page_folio(pfn_to_page(pfn));
	if (!adoption->nr || adoption->folios[adoption->nr - 1] != folio)
		add(adoption, folio);
	return adoption->nr < BATCH && adoption->pages < BATCH_PAGES;
}

static int gather_locked(struct adoption *adoption)
{
	int more;

	if (mmap_read_lock_killable(adoption->mm))
		return -ERESTARTSYS;
	more = mw_walk_mapped(adoption->mm, &adoption->addr, gather, adoption);
	mmap_read_unlock(adoption->mm);
	return more;
}

/* Its memory is kept no longer than that: it may be killed while room is made.  Return: 0; 1 if there is more; -ERESTARTSYS. */
static int gather_some(struct adoption *adoption)
{
	int more = 0;

	if (mmget_not_zero(adoption->mm)) {
		more = gather_locked(adoption);
		mmput(adoption->mm);
	}
	return more;
}

/* Context: preemption off.  Return: who pays; NULL if the process is not in the group, or is no more. */
static struct mw_owner *payer(const struct adoption *adoption)
{
	struct mw_owner *owner = mw_member_owner(adoption->mm);

	return owner && mw_group_is_below(rcu_dereference_sched(owner->group), adoption->group) ?
	       owner : NULL;
}

static enum mw_kind kind_of(struct folio *folio)
{
	return folio_test_anon(folio) ? MW_KIND_ANON : mw_folio_cache_kind(folio);
}

/*
 * Whoever dirties it sees that it is charged, or is seen here.  Who is writing it has found it
 * uncharged, and may do so as it is done: that it is being written now is not counted.
 */
static void note_dirty(struct folio *folio)
{
	smp_mb();
	if (folio_test_dirty(folio) && mw_dirty_counts(folio_mapping(folio)))
		mw_dirty_begin(folio_pfn(folio), folio_nr_pages(folio));
}

/* It had a slot before it was charged.  What the group may not have in swap stays nobody's there. */
static void note_slots(struct folio *folio)
{
	if (folio_test_swapcache(folio))
		mw_swap_adopt(folio_pfn(folio), folio_nr_pages(folio), mw_folio_swap_entry(folio));
}

/* Context: preemption off, @folio locked.  Return: whether it is charged now. */
static bool charge(struct mw_owner *owner, struct folio *folio)
{
	unsigned int nr_pages = folio_nr_pages(folio);
	enum mw_kind kind = kind_of(folio);
	int over;

	if (nr_pages > 1)
		over = mw_charge_large(owner, folio_pfn(folio), nr_pages, kind);
	else
		over = mw_charge_page(owner, folio_pfn(folio), kind);
	if (over == MW_CHARGE_BLOCKED)
		return false;
	if (kind == MW_KIND_FILE)
		note_dirty(folio);
	else
		note_slots(folio);
	return true;
}

/* Return: 0; -ESRCH; or MW_CHARGE_BLOCKED, and @full has a reference. */
static int charge_to_payer(const struct adoption *adoption, struct folio *folio,
			   struct mw_group **full)
{
	struct mw_owner *owner;
	int ret = -ESRCH;

	preempt_disable();
	owner = payer(adoption);
	if (owner)
		ret = charge(owner, folio) ? 0 : MW_CHARGE_BLOCKED;
	if (ret == MW_CHARGE_BLOCKED)
		*full = mw_limit_full_get(rcu_dereference_sched(owner->group),
					  folio_nr_pages(folio));
	preempt_enable();
	return ret;
}

/* What somebody else has locked is for the next walk. */
static int try_charge(struct adoption *adoption, struct folio *folio, struct mw_group **full)
{
	int ret = 0;

	if (!folio_trylock(folio))
		return 0;
	/* it may have been truncated */
	if (is_payable(folio))
		ret = charge_to_payer(adoption, folio, full);
	folio_unlock(folio);
	return ret;
}

/* Return: 0; -ESRCH; -ENOMEM; -ERESTARTSYS. */
static int charge_folio(struct adoption *adoption, struct folio *folio)
{
	unsigned int tries = MAX_TRIES;
	struct mw_group *full;
	bool has_room;
	int ret;

	while ((ret = try_charge(adoption, folio, &full)) == MW_CHARGE_BLOCKED) {
		has_room = mw_limit_make_room(full, folio_nr_pages(folio));
		mw_group_put(full);
		if (signal_pending(current))
			return -ERESTARTSYS;
		if (!has_room || !--tries)
			return -ENOMEM;
		cond_resched();
	}
	return ret;
}

/* Each is let go of before there is to be room for the next. */
static int charge_gathered(struct adoption *adoption)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < adoption->nr; i++) {
		if (!ret)
			ret = charge_folio(adoption, adoption->folios[i]);
		folio_put(adoption->folios[i]);
		cond_resched();
	}
	adoption->nr = 0;
	adoption->pages = 0;
	return ret;
}

/* Return: 0 or why it has not come to the end. */
static int walk_once(struct adoption *adoption)
{
	int more, ret = 0;

	adoption->addr = 0;
	adoption->found = false;
	do {
		more = gather_some(adoption);
		ret = charge_gathered(adoption);
	} while (more > 0 && !ret && !signal_pending(current));
	if (more < 0 || (more && !ret))
		return -ERESTARTSYS;
	return ret;
}

/* Return: the process's group, referenced; NULL if it is not to be adopted. */
static struct mw_group *group_get(const struct adoption *adoption)
{
	struct mw_group *group = NULL;
	struct mw_owner *owner;

	preempt_disable();
	owner = payer(adoption);
	if (owner) {
		group = rcu_dereference_sched(owner->group);
		mw_group_get(group);
	}
	preempt_enable();
	return group;
}

static int walk(struct adoption *adoption)
{
	unsigned int walks = MAX_WALKS;
	int ret;

	mw_drain_wait(MW_DRAIN_ASKED_MS);
	do {
		ret = walk_once(adoption);
	} while (!ret && adoption->found && --walks);
	return ret;
}

/**
 * mw_adopt() - charge what a process has mapped and nobody pays for
 * @mm:    its memory; its structure is referenced, what is mapped need not be there any more
 * @group: the process has to be in this group, or below it, and its own one pays; referenced
 *
 * Context: process, may sleep.
 * Return: 0; -ESRCH if it is not in the group; -ENOMEM at a limit, if no room could be made for
 * more; -ERESTARTSYS on a signal.  What was charged before it came to that stays charged.
 */
int mw_adopt(struct mm_struct *mm, struct mw_group *group)
{
	struct adoption *adoption = kmalloc(sizeof(*adoption), GFP_KERNEL);
	struct mw_group *own;
	int ret = -ESRCH;

	if (!adoption)
		return -ENOMEM;
	adoption->mm = mm;
	adoption->group = group;
	adoption->nr = 0;
	adoption->pages = 0;
	own = group_get(adoption);
	if (own) {
		ret = walk(adoption);
		mw_limit_obey_high(own);
		mw_group_put(own);
	}
	kfree(adoption);
	return ret;
}
