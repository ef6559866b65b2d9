/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_CHARGE_H
#define MEMWARD_CHARGE_H

#include <linux/irqflags.h>
#include <linux/percpu.h>

#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/pages/lru.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>
#include <pure/kind.h>

/**
 * struct mw_uncharge - pages of one owner and kind that are being uncharged
 * @value: what their entries owed; empty for none yet
 * @run:   how many pages
 * @near:  where the last one was
 */
struct mw_uncharge {
	mw_entry_t value;
	unsigned int run;
	struct mw_pc_near near;
};

void mw_uncharge_flush(struct mw_uncharge *batch);
void mw_uncharge_pages(struct mw_uncharge *batch, unsigned long pfn,
		       unsigned int nr_pages);
void mw_charge_move(unsigned long from, unsigned long to,
		    unsigned int nr_pages);
void mw_charge_copy(unsigned long from, unsigned long to,
		    unsigned int nr_pages);
void mw_charge_becomes(unsigned long pfn, unsigned int nr_pages,
		       enum mw_kind kind);

int mw_charge_large(struct mw_owner *owner, unsigned long pfn,
		    unsigned int nr_pages, enum mw_kind kind);

int mw_charge_page(struct mw_owner *owner, unsigned long pfn, enum mw_kind kind);

/**
 * struct mw_place - where a page is being charged; interrupts are off
 * @cpu:   this CPU's stock
 * @entry: the page's
 * @flags: of the interrupts
 */
struct mw_place {
	struct mw_cpu *cpu;
	mw_entry_t *entry;
	unsigned long flags;
};

/* Take a page from this CPU's stock, which has one, and queue it. */
static __always_inline void mw_charge_take(struct mw_cpu *cpu, unsigned long pfn)
{
	cpu->slots[-(long)cpu->nr] = mw_slot(pfn, 0);
	__this_cpu_dec(mw_cpu.nr);
}

/**
 * mw_charge_begin() - charge a newly allocated page, if that is simple
 * @place: filled in
 * @owner: who pays, found with preemption off, which it still is
 * @pfn:   page frame
 *
 * Inline, as it runs for every page that a member of a group touches first; and
 * in two parts, so that what the second needs is worked out when the registers of
 * the first are free.
 *
 * Context: any, preemption off.
 * Return: true, and mw_charge_end() has to follow; false if it is
 * mw_charge_page() that has to do it.
 */
static __always_inline bool mw_charge_begin(struct mw_place *place,
					    struct mw_owner *owner,
					    unsigned long pfn)
{
	place->entry = mw_pc_entry(pfn);
	if (unlikely(!place->entry || mw_pc_is_charged(mw_pc_read(place->entry))))
		return false;
	local_irq_save(place->flags);
	place->cpu = this_cpu_ptr(&mw_cpu);
	if (unlikely(place->cpu->owner != owner || !place->cpu->nr)) {
		local_irq_restore(place->flags);
		return false;
	}
	mw_charge_take(place->cpu, pfn);
	return true;
}

/**
 * mw_charge_end() - the second part of it
 * @place: from mw_charge_begin()
 * @kind:  what the page holds
 */
static __always_inline void mw_charge_end(struct mw_place *place,
					  enum mw_kind kind)
{
	struct mw_group *group = rcu_dereference_sched(place->cpu->owner->group);

	__this_cpu_inc(group->stats->now[MW_STAT_CHARGED + kind]);
	/* nobody else can find this page yet */
	mw_pc_write(place->entry, mw_pc_new(place->cpu->blank, kind));
	local_irq_restore(place->flags);
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
					      mw_entry_t *entry)
{
	mw_entry_t value = mw_pc_take(entry);

	if (unlikely(!mw_pc_is_charged(value)))
		return;
	value = mw_pc_debt(value);
	if (unlikely(value.v != batch->value.v)) {
		mw_uncharge_flush(batch);
		batch->value = value;
	}
	batch->run++;
}

#endif
