/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_STOCK_H
#define MEMWARD_STOCK_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <memward/owner.h>

struct mw_group;
struct signal_struct;

/* pages moved between a CPU's stock and the shared counters at once */
#define MW_STOCK_BATCH	64U

/**
 * struct mw_cpu - what the hot paths keep on each CPU
 * @sig:   process that was looked up last, never dereferenced
 * @seq:   value of mw_member_seq at that look-up
 * @found: its group's owner, NULL if it is in no group
 * @id:    id of @owner, 0 if the stock is empty-handed
 * @nr:    pages charged to @owner's group that no page uses yet
 * @owner: whose stock this is; counts as one of its references
 * @above: like @nr, but charged above memory.high: handed out one by one, so
 *         that each is noted when it is used, by whom it is used
 *
 * Written by its own CPU with interrupts off, because pages are freed from
 * interrupts.  Other CPUs read @owner, @nr and @above inside an RCU read side.
 */
struct mw_cpu {
	struct signal_struct *sig;
	unsigned long seq;
	struct mw_owner *found;
	u32 id;
	u32 nr;
	struct mw_owner *owner;
	u32 above;
};

DECLARE_PER_CPU(struct mw_cpu, mw_cpu);

unsigned int mw_stock_refill(struct mw_cpu *cpu, struct mw_owner *owner,
			     unsigned int nr_pages);
void mw_stock_trim(struct mw_cpu *cpu);
bool mw_stock_switch(struct mw_cpu *cpu, u32 id);
void mw_stock_drain_all(void);
unsigned long mw_stock_below(struct mw_group *group);
void mw_stock_stop(void);
int mw_stock_init(void);
void mw_stock_exit(void);

#endif
