/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_CHARGE_H
#define MEMWARD_CHARGE_H

#include <linux/irqflags.h>
#include <linux/percpu.h>

#include <memward/group.h>
#include <memward/kind.h>
#include <memward/lru.h>
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

int mw_charge_large(struct mw_owner *owner, unsigned long pfn,
		    unsigned int nr_pages, enum mw_kind kind);

/**
 * mw_charge_page() - charge a newly allocated page
 * @owner: who pays, found with preemption off, which it still is
 * @pfn:   page frame
 * @kind:  what it holds
 *
 * A page that is charged already stays with its owner: the first toucher pays.
 *
 * Inline, as it runs for every page that a member of a group touches first.
 *
 * Context: any, preemption off.
 * Return: 0; the number of pages, charged, that are to be handed to
 * mw_throttle_charge() because they are above memory.high; or
 * MW_CHARGE_BLOCKED, with nothing charged, if a memory.max is in the way.
 */
static __always_inline int mw_charge_page(struct mw_owner *owner,
					  unsigned long pfn, enum mw_kind kind)
{
	u64 *entry = mw_pc_entry(pfn);
	struct mw_group *group;
	struct mw_cpu *cpu;
	unsigned long flags;
	int over = 0;
	u32 nr;

	if (unlikely(!entry || READ_ONCE(*entry)))
		return 0;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	if (unlikely(cpu->owner != owner || !cpu->nr)) {
		over = mw_stock_refill(cpu, owner);
		if (unlikely(over == MW_CHARGE_BLOCKED))
			goto out;
	}
	nr = cpu->nr - 1;
	cpu->slots[nr] = mw_slot(pfn, 0);
	WRITE_ONCE(cpu->nr, nr);
	group = rcu_dereference_sched(owner->group);
	__this_cpu_inc(*(group->stats->charged + kind));
	/* nobody else can find this page yet */
	WRITE_ONCE(*entry, mw_pc_new(cpu->mark, kind));
out:
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
	value = mw_pc_charge(value);
	if (unlikely(value != batch->value)) {
		mw_uncharge_flush(batch);
		batch->value = value;
	}
	batch->run++;
}

#endif
