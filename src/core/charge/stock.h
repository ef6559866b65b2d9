/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_STOCK_H
#define MEMWARD_STOCK_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

struct mw_chunk;
struct mw_group;
struct signal_struct;

/* pages moved between a CPU's stock and the shared counters at once */
#define MW_STOCK_BATCH	MW_COUNTER_BATCH
/* pages that a CPU has in stock at the most, but for an instant */
#define MW_STOCK_MOST	(3 * MW_STOCK_BATCH)

/* a memory.max is in the way, see mw_stock_refill() */
#define MW_CHARGE_BLOCKED	(-1)

/**
 * struct mw_cpu - what the hot paths keep on each CPU
 * @sig:     process that was looked up last, never dereferenced
 * @date:    of the last change among the processes that include it
 * @seen:    that date's value at the look-up
 * @found:   its group's owner, NULL if it is in no group
 * @owner:   whose stock this is; counts as one of its references
 * @blank:   entry of a page that is charged to @owner now, but for its kind
 * @nr:      pages of the stock that may be used without further ado
 * @reserve: pages of the stock that mw_stock_refill() has to release first:
 *           above memory.high one by one, so that each is noted when it is
 *           used, by whom it is used
 * @slots:   behind the slot of the last of these @nr pages; the one that is used next
 *           goes to @slots[-@nr], so that they are in the order in which they are charged
 * @chunk:   which chunk that is in, NULL if there is none
 * @used:    slots of @chunk that are released or used
 * @queued:  pages of @chunk that came by mw_stock_queue(): folios of any size
 *
 * Written by its own CPU with interrupts off, because pages are freed from
 * interrupts.  Other CPUs read @owner, @nr and @reserve inside an RCU read side.
 */
struct mw_cpu {
	struct signal_struct *sig;
	const atomic_long_t *date;
	long seen;
	struct mw_owner *found;
	struct mw_owner *owner;
	mw_entry_t blank;
	u32 nr;
	u32 reserve;
	u32 *slots;
	struct mw_chunk *chunk;
	u32 used;
	u32 queued;
};

DECLARE_PER_CPU(struct mw_cpu, mw_cpu);

int mw_stock_refill(struct mw_cpu *cpu, struct mw_owner *owner);
int mw_stock_take_large(struct mw_cpu *cpu, struct mw_owner *owner,
			unsigned int nr_pages, unsigned long pfn);
void mw_stock_force(struct mw_owner *owner, unsigned int nr_pages);
void mw_stock_queue(struct mw_cpu *cpu, unsigned long pfn,
		    unsigned int nr_pages);
void mw_stock_trim(struct mw_cpu *cpu);
void mw_stock_give_back(void);
bool mw_stock_switch(struct mw_cpu *cpu, u32 id);
void mw_stock_drain_below(struct mw_group *group);
void mw_stock_drain_below_wait(struct mw_group *group);
void mw_stock_drain_all(void);
void mw_stock_drain_orphans(void);
void mw_stock_drain_dead(unsigned int cpu);
unsigned long mw_stock_below(struct mw_group *group);
unsigned long mw_group_usage(struct mw_group *group);
void mw_stock_stop(void);

#endif
