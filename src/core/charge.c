// SPDX-License-Identifier: GPL-2.0
/*
 * Charging pages to owners, and taking the charges back.
 *
 * DOC: A page is charged by the task that has just allocated it, before anyone
 * else can find it, so setting its entry needs no atomic operation.  It is
 * uncharged when it is freed, by whoever frees it and in whatever context:
 * the entry is exchanged with zero, and what comes out says who is paid back.
 * An entry that is empty then is normal and silent: the page was never charged
 * (kernel memory, a process in no group, a task that ran before the hooks were
 * attached).
 *
 * One interrupts-off section covers the stock, the statistics and the entry of
 * a charge, and it is also the RCU read side for owner->group.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include <memward/charge.h>
#include <memward/group.h>
#include <memward/member.h>
#include <memward/owner.h>
#include <memward/stock.h>
#include <memward/throttle.h>

/* Context: interrupts off */
static void count(struct mw_owner *owner, enum mw_kind kind, long held,
		  enum mw_stat_item event, unsigned int nr_pages)
{
	struct mw_group *group = rcu_dereference_sched(owner->group);

	__this_cpu_add(group->stats->nr[kind], held);
	__this_cpu_add(group->stats->nr[event], nr_pages);
}

static void set_entries(u64 *entry, unsigned int nr_pages, u64 value)
{
	while (nr_pages--)
		WRITE_ONCE(*entry++, value);
}

/**
 * mw_charge_pages() - charge newly allocated pages
 * @mm:       the address space that they are for; its process's group pays
 * @pfn:      first page frame
 * @nr_pages: pages
 * @kind:     what they hold
 * @gfp:      flags of the allocation, which say whether sleeping is allowed
 *
 * Pages that are charged already stay with their owner: the first toucher
 * pays.  Pages that lie in several memory sections are not charged: no folio
 * that can be reclaimed does.  A charge above memory.high is punished on the way back to user mode,
 * or here if one kernel entry charges very much.
 *
 * Context: any; sleeps only where @gfp allows it.
 * Return: true if the pages were charged.
 */
bool mw_charge_pages(struct mm_struct *mm, unsigned long pfn,
		     unsigned int nr_pages, enum mw_kind kind, gfp_t gfp)
{
	unsigned int over = 0;
	struct mw_owner *owner;
	struct mw_cpu *cpu;
	unsigned long flags;
	u64 *entry;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	owner = mw_member_owner(cpu, mm);
	entry = mw_pc_entry(pfn);
	if (unlikely(!owner || !entry || *entry ||
		     !mw_pc_in_section(pfn, nr_pages))) {
		local_irq_restore(flags);
		return false;
	}
	if (cpu->owner != owner || cpu->nr < nr_pages)
		over = mw_stock_refill(cpu, owner, nr_pages);
	WRITE_ONCE(cpu->nr, cpu->nr - nr_pages);
	count(owner, kind, nr_pages, MW_STAT_CHARGE, nr_pages);
	set_entries(entry, nr_pages, mw_pc_make(owner->id, kind));
	local_irq_restore(flags);
	if (unlikely(over))
		mw_throttle_charge(over, gfp);
	return true;
}

/* Give pages of one entry value back to their owner. */
static void pay_back(u64 value, unsigned int nr_pages)
{
	u32 id = mw_pc_owner_id(value);
	struct mw_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	if (likely(cpu->id == id) || mw_stock_switch(cpu, id)) {
		WRITE_ONCE(cpu->nr, cpu->nr + nr_pages);
		count(cpu->owner, mw_pc_kind(value), -(long)nr_pages,
		      MW_STAT_UNCHARGE, nr_pages);
		if (cpu->nr > 2 * MW_STOCK_BATCH)
			mw_stock_trim(cpu);
	}
	local_irq_restore(flags);
}

/* Exchange an entry with zero; empty ones, most of them, are only read. */
static u64 take(u64 *entry)
{
	return READ_ONCE(*entry) ? xchg(entry, 0) : 0;
}

/**
 * mw_uncharge_pages() - take back the charges of pages, if they have any
 * @pfn:      first page frame
 * @nr_pages: pages
 *
 * Cannot fail, takes no lock.  Neighbours of one owner are paid back at once.
 *
 * Context: any, preemption off or the memory held online otherwise.
 * Return: true if one was charged.
 */
bool mw_uncharge_pages(unsigned long pfn, unsigned int nr_pages)
{
	u64 *entry = mw_pc_entry(pfn);
	unsigned int run = 0;
	bool any = false;
	u64 value = 0;

	if (!entry)
		return false;
	/* pages in several sections were never charged */
	if (!mw_pc_in_section(pfn, nr_pages))
		return false;
	while (nr_pages--) {
		u64 next = take(entry++);

		if (next != value && run) {
			pay_back(value, run);
			run = 0;
		}
		value = next;
		run += !!next;
		any |= !!next;
	}
	if (run)
		pay_back(value, run);
	return any;
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
	for (; nr_pages--; from++, to++) {
		u64 *old = mw_pc_entry(from);
		u64 *new = mw_pc_entry(to);
		u64 value = old ? take(old) : 0;

		/* no shadow for the new page: it goes on uncharged */
		if (value && new)
			value = xchg(new, value);
		if (value)
			pay_back(value, 1);
	}
}
