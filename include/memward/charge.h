/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_CHARGE_H
#define MEMWARD_CHARGE_H

#include <linux/irqflags.h>
#include <linux/percpu.h>

#include <memward/group.h>
#include <memward/kind.h>
#include <memward/owner.h>
#include <memward/page_cgroup.h>
#include <memward/stock.h>

/**
 * struct mw_uncharge - pages of one owner and kind that are being uncharged
 * @value: what their entries were; 0 for none yet
 * @run:   how many pages
 */
struct mw_uncharge {
	u64 value;
	unsigned int run;
};

void mw_uncharge_flush(struct mw_uncharge *batch);
void mw_uncharge_pages(struct mw_uncharge *batch, unsigned long pfn,
		       unsigned int nr_pages);
void mw_charge_move(unsigned long from, unsigned long to,
		    unsigned int nr_pages);

/**
 * mw_charge_pages() - charge newly allocated pages
 * @owner:    who pays, found with preemption off, which it still is
 * @pfn:      first page frame
 * @nr_pages: pages
 * @kind:     what they hold
 *
 * Pages that are charged already stay with their owner: the first toucher
 * pays.  Pages that lie in several memory sections are not charged: no folio
 * that can be reclaimed does.
 *
 * Inline, as it runs for every page that a member of a group touches first;
 * with a constant @nr_pages of 1 little is left of it.
 *
 * Context: any, preemption off.
 * Return: 0, or the number of pages, charged, that are to be handed to
 * mw_throttle_charge() because they are above memory.high.
 */
static __always_inline unsigned int mw_charge_pages(struct mw_owner *owner,
						    unsigned long pfn,
						    unsigned int nr_pages,
						    enum mw_kind kind)
{
	u64 *entry = mw_pc_entry(pfn);
	u64 value = mw_pc_make(owner->id, kind);
	unsigned int over = 0, i;
	struct mw_group *group;
	struct mw_cpu *cpu;
	unsigned long flags;

	if (unlikely(!entry || READ_ONCE(*entry) ||
		     !mw_pc_in_section(pfn, nr_pages)))
		return 0;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	if (unlikely(cpu->owner != owner || cpu->nr < nr_pages))
		over = mw_stock_refill(cpu, owner, nr_pages);
	WRITE_ONCE(cpu->nr, cpu->nr - nr_pages);
	group = rcu_dereference_sched(owner->group);
	__this_cpu_add(*(group->stats->charged + kind), nr_pages);
	/* nobody else can find these pages yet */
	for (i = 0; i < nr_pages; i++)
		WRITE_ONCE(entry[i], value);
	local_irq_restore(flags);
	return over;
}

/**
 * mw_charged_entry() - the entry of a page, if it is charged
 * @pfn: the page frame
 *
 * All pages of a folio are charged, or none, so the first one tells for it.
 * Most folios of most machines are not.
 *
 * Context: any, preemption off.
 * Return: the entry, NULL if the page is not charged.
 */
static __always_inline u64 *mw_charged_entry(unsigned long pfn)
{
	u64 *entry = mw_pc_entry(pfn);

	return entry && READ_ONCE(*entry) ? entry : NULL;
}

/**
 * mw_uncharge_entry() - take back the charge of one page
 * @batch: collects charges; begins zeroed and ends with mw_uncharge_flush()
 * @entry: the page's
 *
 * Cannot fail, takes no lock.
 *
 * Context: any, preemption off or the memory held online otherwise.
 */
static __always_inline void mw_uncharge_entry(struct mw_uncharge *batch,
					      u64 *entry)
{
	u64 value = xchg(entry, 0);

	if (unlikely(!value))
		return;
	if (unlikely(value != batch->value)) {
		mw_uncharge_flush(batch);
		batch->value = value;
	}
	batch->run++;
}

#endif
