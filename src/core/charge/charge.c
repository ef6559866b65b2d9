// SPDX-License-Identifier: GPL-2.0
/*
 * Charging pages to owners, and taking the charges back.
 *
 * DOC: A page is charged by the task that has just allocated it, before anyone
 * else can find it, so setting its entry needs no atomic operation.  It is
 * uncharged on its way to being freed, by whoever frees it, in whatever context:
 * the entry is exchanged with zero, and what comes out says who is paid back.
 * An entry that is empty then is normal and silent: the page was never charged
 * (kernel memory, a process in no group, a task that ran before the hooks were
 * attached).
 *
 * One interrupts-off section covers the stock, the statistics and the entry of
 * a charge, and it is also the RCU read side for owner->group.
 */
#include <core/charge/charge.h>
#include <core/group/unwritten.h>

/* This CPU's stock, for the owner of an entry; NULL if there is no such owner. */
static struct mw_cpu *stock_of(mw_entry_t value)
{
	u32 id = mw_pc_owner_id(value);
	struct mw_cpu *cpu = this_cpu_ptr(&mw_cpu);

	return likely(mw_pc_owner_id(cpu->blank) == id) || mw_stock_switch(cpu, id) ?
	       cpu : NULL;
}

/* Give pages of one entry value back to their owner. */
static void pay_back(mw_entry_t value, unsigned int nr_pages)
{
	struct mw_group *group;
	struct mw_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = stock_of(value);
	if (likely(cpu)) {
		WRITE_ONCE(cpu->reserve, cpu->reserve + nr_pages);
		group = rcu_dereference_sched(cpu->owner->group);
		__this_cpu_add(group->stats->now[MW_STAT_UNCHARGED + mw_pc_kind(value)],
			       nr_pages);
		if (unlikely(mw_pc_is_unwritten(value)))
			mw_unwritten_add(group, -(long)nr_pages);
		if (unlikely(cpu->reserve > 2 * MW_STOCK_BATCH))
			mw_stock_trim(cpu);
	}
	local_irq_restore(flags);
}

/**
 * mw_charge_page() - charge a newly allocated page
 * @owner: who pays, found with preemption off, which it still is
 * @pfn:   page frame
 * @kind:  what it holds
 *
 * A page that is charged already stays with its owner: the first toucher pays.
 *
 * Context: any, preemption off.
 * Return: 0; the number of pages, charged, that are to be handed to
 * mw_throttle_charge() because they are above memory.high; or
 * MW_CHARGE_BLOCKED, with nothing charged, if a memory.max is in the way.
 */
int mw_charge_page(struct mw_owner *owner, unsigned long pfn, enum mw_kind kind)
{
	struct mw_place place = { .entry = mw_pc_entry(pfn) };
	int over = 0;

	if (!place.entry || mw_pc_is_charged(mw_pc_read(place.entry)))
		return 0;
	local_irq_save(place.flags);
	place.cpu = this_cpu_ptr(&mw_cpu);
	if (place.cpu->owner != owner || !place.cpu->nr)
		over = mw_stock_refill(place.cpu, owner);
	if (over == MW_CHARGE_BLOCKED) {
		local_irq_restore(place.flags);
		return over;
	}
	mw_charge_take(place.cpu, pfn);
	mw_charge_end(&place, kind);
	return over;
}

/**
 * mw_charge_large() - charge a newly allocated folio of several pages
 * @owner:    who pays, found with preemption off, which it still is
 * @pfn:      first page frame
 * @nr_pages: pages
 * @kind:     what they hold
 *
 * Pages that lie in several memory sections are not charged: no folio that can
 * be reclaimed does.
 *
 * Context: any, preemption off.
 * Return: as mw_charge_page(), in pages.
 */
int mw_charge_large(struct mw_owner *owner, unsigned long pfn,
		    unsigned int nr_pages, enum mw_kind kind)
{
	mw_entry_t *entry = mw_pc_entry(pfn);
	struct mw_group *group;
	struct mw_cpu *cpu;
	unsigned long flags;
	unsigned int i;
	int over;

	if (!entry || mw_pc_is_charged(mw_pc_read(entry)) ||
	    !mw_pc_in_section(pfn, nr_pages))
		return 0;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	over = mw_stock_take_large(cpu, owner, nr_pages, pfn);
	if (over != MW_CHARGE_BLOCKED) {
		group = rcu_dereference_sched(owner->group);
		__this_cpu_add(group->stats->now[MW_STAT_CHARGED + kind], nr_pages);
		/* nobody else can find these pages yet */
		for (i = 0; i < nr_pages; i++)
			mw_pc_write(&entry[i], mw_pc_new(cpu->blank, kind));
	}
	local_irq_restore(flags);
	return over;
}

/**
 * mw_uncharge_flush() - pay back what mw_uncharge_entry() has collected
 * @batch: empty afterwards
 *
 * Context: any.
 */
void mw_uncharge_flush(struct mw_uncharge *batch)
{
	if (batch->run)
		pay_back(batch->value, batch->run);
	batch->run = 0;
}

/**
 * mw_uncharge_pages() - take back the charges of pages, if they have any
 * @batch:    collects charges, see mw_uncharge_entry()
 * @pfn:      first page frame
 * @nr_pages: pages
 *
 * Context: any, preemption off or the memory held online otherwise.
 */
void mw_uncharge_pages(struct mw_uncharge *batch, unsigned long pfn,
		       unsigned int nr_pages)
{
	for (; nr_pages--; pfn++) {
		mw_entry_t *entry = mw_pc_entry_near(&batch->near, pfn);

		if (entry && mw_pc_is_charged(mw_pc_read(entry)))
			mw_uncharge_entry(batch, entry);
	}
}

/*
 * Change an entry, if there is one, unless it is somebody else's by now.
 *
 * Return: whether it was changed.
 */
static bool replace_charge(mw_entry_t *entry, mw_entry_t old, mw_entry_t new)
{
	mw_entry_t now;

	if (!entry)
		return false;
	do {
		now = mw_pc_read(entry);
		if (!mw_pc_same_charge(now, old))
			return false;
		/* its flags may change at any time */
	} while (!mw_pc_replace(entry, now, mw_pc_with_flags(new, now)));
	return true;
}

static void count_as(struct mw_cpu *cpu, enum mw_kind old, enum mw_kind new,
		     unsigned int nr_pages)
{
	struct mw_cpu_stats __percpu *stats =
		rcu_dereference_sched(cpu->owner->group)->stats;

	__this_cpu_sub(stats->now[MW_STAT_CHARGED + old], nr_pages);
	__this_cpu_add(stats->now[MW_STAT_CHARGED + new], nr_pages);
	__this_cpu_add(stats->now[MW_STAT_MOVED], nr_pages);
}

/*
 * Put a folio that is charged into a queue anew, as the kind that it is now.  @value is
 * its first entry.
 */
static void queue_as(unsigned long pfn, unsigned int nr_pages, mw_entry_t value,
		     enum mw_kind kind)
{
	unsigned int i, changed = 0;
	unsigned long flags;
	struct mw_cpu *cpu;

	local_irq_save(flags);
	cpu = stock_of(value);
	if (cpu) {
		mw_stock_queue(cpu, pfn, nr_pages);
		for (i = 0; i < nr_pages; i++)
			if (replace_charge(mw_pc_entry(pfn + i), value,
					   mw_pc_new(cpu->blank, kind)))
				changed++;
		if (kind != mw_pc_kind(value))
			count_as(cpu, mw_pc_kind(value), kind, changed);
	}
	local_irq_restore(flags);
}

/* For the audit, which may see such a charge in both places, or in none. */
static void count_moves(const mw_entry_t *entry, unsigned int nr_pages)
{
	struct mw_group *group;

	if (!entry)
		return;
	group = mw_owner_group(mw_pc_owner_id(mw_pc_read(entry)));
	if (group)
		mw_stats_add(group, MW_STAT_MOVED, nr_pages);
}

/*
 * A page is not hidden because the old one was; but it may be by itself, if it had a charge of its
 * own (of FUSE's).  Return: that one.
 */
static mw_entry_t put_moved(mw_entry_t *entry, unsigned long pfn, mw_entry_t moved)
{
	mw_entry_t was = mw_pc_xchg(entry, mw_pc_hide(mw_pc_moved(moved), false));

	if (mw_pc_is_hidden(was))
		mw_pc_set_hidden(pfn, 1, true);
	return was;
}

/**
 * mw_charge_move() - new pages take over the charges of those they replace
 * @from:     first page frame of the old
 * @to:       first page frame of the new
 * @nr_pages: pages
 *
 * Both are locked by the caller and referenced, neither can be freed.  What
 * memward never charges, such as hugetlb, may be larger than a section.
 *
 * Context: any, preemption off.
 */
void mw_charge_move(unsigned long from, unsigned long to,
		    unsigned int nr_pages)
{
	mw_entry_t *entry, value;
	unsigned int i;

	/* all have one owner */
	count_moves(mw_charged_entry(from), nr_pages);
	for (i = 0; i < nr_pages; i++) {
		mw_entry_t *old = mw_charged_entry(from + i);
		mw_entry_t *new = mw_pc_entry(to + i);

		value = old ? mw_pc_take(old) : MW_NO_ENTRY;
		/* no shadow for the new page: it goes on uncharged */
		if (mw_pc_is_charged(value) && new)
			value = put_moved(new, to + i, value);
		if (mw_pc_is_charged(value))
			pay_back(mw_pc_debt(value), 1);
	}
	entry = mw_pc_entry(to);
	value = entry ? mw_pc_read(entry) : MW_NO_ENTRY;
	if (mw_pc_is_charged(value))
		queue_as(to, nr_pages, value, mw_pc_kind(value));
}

/**
 * mw_charge_copy() - new pages are charged beside those that they may replace
 * @from:     first page frame of the old
 * @to:       first page frame of the new
 * @nr_pages: pages, more than one
 *
 * Whatever the limits are: one of them is about to be freed.
 *
 * Context: as mw_charge_move().
 */
void mw_charge_copy(unsigned long from, unsigned long to, unsigned int nr_pages)
{
	mw_entry_t *entry = mw_charged_entry(from);
	mw_entry_t value = entry ? mw_pc_read(entry) : MW_NO_ENTRY;
	struct mw_owner *owner;
	unsigned long flags;

	if (!mw_pc_is_charged(value))
		return;
	owner = mw_owner_find(mw_pc_owner_id(value));
	if (!owner)
		return;
	/* nobody else is to take them from this CPU in between */
	local_irq_save(flags);
	mw_stock_force(owner, nr_pages);
	mw_charge_large(owner, to, nr_pages, mw_pc_kind(value));
	local_irq_restore(flags);
	/* the page's flag is copied as well */
	if (mw_pc_is_hidden(value))
		mw_pc_set_hidden(to, nr_pages, true);
}

/**
 * mw_charge_becomes() - a folio holds something else than it was charged for
 * @pfn:      its first page frame
 * @nr_pages: pages in it
 * @kind:     what it holds
 *
 * It comes anew to the queue of its kind.  Who pays for it, and how much, stays.
 *
 * Context: process, preemption off; a reference of the caller's keeps the folio
 * from being freed.
 */
void mw_charge_becomes(unsigned long pfn, unsigned int nr_pages,
		       enum mw_kind kind)
{
	mw_entry_t *entry = mw_charged_entry(pfn);
	mw_entry_t value = entry ? mw_pc_read(entry) : MW_NO_ENTRY;

	if (mw_pc_is_charged(value) && mw_pc_kind(value) != kind &&
	    mw_pc_in_section(pfn, nr_pages))
		queue_as(pfn, nr_pages, value, kind);
}
