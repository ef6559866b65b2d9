// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for a swap slot.
 *
 * DOC: A slot is charged to the owner of the page that it is taken for, and
 * uncharged when it is free again, wherever the page is in between.  A page that
 * is brought back is charged to the owner of its slot, not to whoever brings it
 * back: that may be swapoff, or a neighbour's readahead.  A slot that was taken for
 * a page that nobody paid for is nobody's, and so is what comes back from it.
 *
 * A page can be in memory and have a slot at the same time, from the moment the
 * slot is taken until the page was written and let go, and again when it is
 * brought back.  Such pages are counted (cached), so that memory and swap
 * together can be told without counting them twice (memsw.c).
 *
 * The record is an array of 64-bit words, a page of it for 512 slots, made when
 * the first of them is charged and kept until the last unmount.  A slot has one
 * user at a time who may change its owner: the one who has just taken it, the one who
 * frees it, or, if it has none, who has locked its page in the swap cache.  Whether its
 * page is in memory may be changed while the slot is freed: nothing about a slot is
 * believed before it was exchanged.
 */
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/xarray.h>

#include <core/group/group.h>
#include <core/limit/limit.h>
#include <core/limit/swap.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

#define SLOTS	(PAGE_SIZE / sizeof(record_t))

/* beside the charge: its page is in memory too */
#define SWAPCACHED	BIT_ULL(MW_PC_CHARGE_BITS)

/**
 * typedef record_t - what is known of a slot
 * @v: the charge of the page that it was taken for, as in mw_entry_t, and SWAPCACHED;
 *     0 if nobody pays
 */
typedef struct { u64 v; } record_t;

static mw_entry_t charge_of(record_t record)
{
	return (mw_entry_t){ record.v & ~SWAPCACHED };
}

static record_t record_read(const record_t *slot)
{
	return (record_t){ slot ? READ_ONCE(slot->v) : 0 };
}

static DEFINE_XARRAY(records);

/* --- the record --- */

/* Neighbouring indices for neighbouring slots, and none of them large. */
static unsigned long record_index(swp_entry_t entry)
{
	return swp_offset(entry) / SLOTS * MAX_SWAPFILES + swp_type(entry);
}

static record_t *slot_of(swp_entry_t entry)
{
	record_t *record = xa_load(&records, record_index(entry));

	return record ? record + swp_offset(entry) % SLOTS : NULL;
}

static swp_entry_t slot_after(swp_entry_t entry, unsigned int nr)
{
	return swp_entry(swp_type(entry), swp_offset(entry) + nr);
}

/* In the middle of reclaim, which may use what others may not. */
static bool record_make(swp_entry_t entry)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN;
	record_t *record;
	void *old;

	if (slot_of(entry))
		return true;
	record = (record_t *)get_zeroed_page(gfp);
	if (!record)
		return false;
	old = xa_cmpxchg(&records, record_index(entry), NULL, record, gfp);
	if (old)
		free_page((unsigned long)record);
	return !xa_is_err(old);
}

static bool records_make(swp_entry_t entry, unsigned int nr_pages)
{
	return record_make(entry) &&
	       record_make(slot_after(entry, nr_pages - 1));
}

/* --- counting --- */

/* Return: NULL if the slot is being freed by somebody else. */
static struct mw_group *group_of(record_t value)
{
	return mw_owner_group(mw_pc_owner_id(charge_of(value)));
}

static void record_charge(swp_entry_t entry, unsigned int nr_pages, record_t value)
{
	unsigned int i;

	for (i = 0; i < nr_pages; i++)
		WRITE_ONCE(slot_of(slot_after(entry, i))->v, value.v);
}

/* Context: preemption off. Return: 0 or -ENOMEM, then nothing is charged. */
static int charge(mw_entry_t page, unsigned int nr_pages, swp_entry_t entry)
{
	struct mw_owner *owner = mw_owner_find(mw_pc_owner_id(page));
	struct mw_group *group = rcu_dereference_sched(owner->group);

	if (!entry.val || !records_make(entry, nr_pages)) {
		mw_event(group, MW_EVENT_SWAP_FAIL);
		return entry.val ? -ENOMEM : 0;
	}
	if (!mw_counter_try_charge(&group->swap, nr_pages)) {
		mw_event(group, MW_EVENT_SWAP_MAX);
		mw_event(group, MW_EVENT_SWAP_FAIL);
		return -ENOMEM;
	}
	mw_counter_charge(&group->swapcached, nr_pages);
	mw_owner_get(owner, nr_pages);
	record_charge(entry, nr_pages,
		      (record_t){ mw_pc_charge(page).v | SWAPCACHED });
	mw_stats_add(group, MW_STAT_SLOTS_CHARGED, nr_pages);
	return 0;
}

/**
 * mw_swap_charge() - charge the slots that were taken for a folio
 * @pfn:      its first page frame; its owner pays, if it has one
 * @nr_pages: pages in it
 * @entry:    the first of the slots; 0 if there were none left
 *
 * Context: process, in the middle of reclaim; the folio is locked.
 * Return: 0; -ENOMEM, with nothing charged, if memory.swap.max is in the way or
 * there is no memory for the record.
 */
int mw_swap_charge(unsigned long pfn, unsigned int nr_pages, swp_entry_t entry)
{
	mw_entry_t *page;
	int ret = 0;

	preempt_disable();
	page = mw_charged_entry(pfn);
	if (page)
		ret = charge(mw_pc_read(page), nr_pages, entry);
	preempt_enable();
	return ret;
}

/*
 * Does one owner pay for all of a folio's slots?  The kernel asks this of its own memcgs
 * alone; in slots that are neighbours by chance there may be pages of several groups, or
 * of a time before their process joined one.
 */
static bool have_one_owner(swp_entry_t entry, unsigned int nr_pages, record_t value)
{
	unsigned int i;
	bool same = true;

	preempt_disable();
	for (i = 1; i < nr_pages && same; i++)
		same = charge_of(record_read(slot_of(slot_after(entry, i)))).v ==
		       charge_of(value).v;
	preempt_enable();
	return same;
}

/**
 * mw_swap_adopt() - charge the slots of a folio that was charged just now, and has had them before
 * @pfn:      its first page frame
 * @nr_pages: pages in it
 * @entry:    the first of its slots
 *
 * It may leave memory again without being written, and nobody would be told of it then.
 * Where memory.swap.max is in the way, or a part has an owner, they stay whose they are.
 *
 * Context: process, the folio is locked and in the swap cache.
 */
void mw_swap_adopt(unsigned long pfn, unsigned int nr_pages, swp_entry_t entry)
{
	record_t value = record_read(slot_of(entry));

	if (!value.v && have_one_owner(entry, nr_pages, value))
		mw_swap_charge(pfn, nr_pages, entry);
}

static void uncharge(record_t value)
{
	struct mw_owner *owner = mw_owner_find(mw_pc_owner_id(charge_of(value)));
	struct mw_group *group = rcu_dereference_sched(owner->group);

	if (value.v & SWAPCACHED)
		mw_counter_uncharge(&group->swapcached, 1);
	mw_counter_uncharge(&group->swap, 1);
	mw_stats_add(group, MW_STAT_SLOTS_UNCHARGED, 1);
	mw_owner_put(owner, 1);
}

/**
 * mw_swap_uncharge() - slots are free again
 * @entry:    the first
 * @nr_pages: how many
 *
 * Context: any but interrupts.
 */
void mw_swap_uncharge(swp_entry_t entry, unsigned int nr_pages)
{
	unsigned int i;

	preempt_disable();
	for (i = 0; i < nr_pages; i++) {
		record_t *slot = slot_of(slot_after(entry, i));
		record_t value = record_read(slot);

		if (value.v)
			value.v = xchg(&slot->v, 0);
		if (value.v)
			uncharge(value);
	}
	preempt_enable();
}

/*
 * Whether a page is in memory too.  The group is looked up before the slot is
 * changed, and more is counted before than after: 5.10 brings a page back from a
 * fast device without holding the slot, which may be freed at any time.
 */
static void set_swapcached(record_t *slot, record_t value)
{
	struct mw_group *group = group_of(value);

	if (!group)
		return;
	mw_counter_charge(&group->swapcached, 1);
	if (cmpxchg64(&slot->v, value.v, value.v | SWAPCACHED) != value.v)
		mw_counter_uncharge(&group->swapcached, 1);
}

static void clear_swapcached(record_t *slot, record_t value)
{
	struct mw_group *group = group_of(value);

	if (group &&
	    cmpxchg64(&slot->v, value.v, value.v & ~SWAPCACHED) == value.v)
		mw_counter_uncharge(&group->swapcached, 1);
}

/**
 * mw_swap_alone() - the page of a slot leaves memory, or gives its slot back
 * @entry:    the first slot
 * @nr_pages: how many
 *
 * Context: any but interrupts.
 */
void mw_swap_alone(swp_entry_t entry, unsigned int nr_pages)
{
	unsigned int i;

	preempt_disable();
	for (i = 0; i < nr_pages; i++) {
		record_t *slot = slot_of(slot_after(entry, i));
		record_t value = record_read(slot);

		if (value.v & SWAPCACHED)
			clear_swapcached(slot, value);
	}
	preempt_enable();
}

/* The opposite of mw_swap_alone(). */
static void together(swp_entry_t entry, unsigned int nr_pages)
{
	unsigned int i;

	preempt_disable();
	for (i = 0; i < nr_pages; i++) {
		record_t *slot = slot_of(slot_after(entry, i));
		record_t value = record_read(slot);

		if (value.v && !(value.v & SWAPCACHED))
			set_swapcached(slot, value);
	}
	preempt_enable();
}

/* --- coming back --- */

/**
 * mw_swap_in() - charge a folio that is brought back
 * @pfn:      its first page frame
 * @nr_pages: pages in it
 * @entry:    its first slot; if nobody pays for it, nobody pays for the folio
 * @gfp:      flags of the allocation
 *
 * A folio of several owners is refused: the kernel tries a smaller one, and one of a
 * single page in the end.
 *
 * Context: process; sleeps only if @gfp allows it; the folio is locked.
 * Return: 0; or -ENOMEM with nothing charged.
 */
int mw_swap_in(unsigned long pfn, unsigned int nr_pages, swp_entry_t entry,
	       gfp_t gfp)
{
	record_t value = record_read(slot_of(entry));
	struct mw_charge_request request = {
		.owner_id = mw_pc_owner_id(charge_of(value)), .pfn = pfn,
		.nr_pages = nr_pages, .kind = mw_pc_kind(charge_of(value)), .gfp = gfp,
	};
	int ret;

	if (!have_one_owner(entry, nr_pages, value))
		return -ENOMEM;
	if (!value.v)
		return 0;
	ret = mw_limit_charge(&request);
	if (!ret)
		together(entry, nr_pages);
	return ret;
}

/* --- all of it --- */

/**
 * mw_swap_walk() - visit every slot that is charged
 * @visit: gets each
 * @data:  for @visit
 *
 * Context: process, may sleep.
 */
void mw_swap_walk(mw_swap_visit_fn visit, void *data)
{
	unsigned long index, i;
	record_t *record;

	xa_for_each(&records, index, record) {
		for (i = 0; i < SLOTS; i++) {
			record_t value = record_read(&record[i]);

			if (value.v)
				visit(mw_pc_owner_id(charge_of(value)), data);
		}
		cond_resched();
	}
}

/** mw_swap_stop() - forget all slots at the last unmount; no hook is attached */
void mw_swap_stop(void)
{
	unsigned long index;
	record_t *record;

	xa_for_each(&records, index, record)
		free_page((unsigned long)record);
	xa_destroy(&records);
}
