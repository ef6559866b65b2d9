// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU stocks of charged pages that no page uses yet.
 *
 * DOC: Adding every page to the counters of a group and all its ancestors cost
 * half of all faults on eight CPUs in 2009.  So a CPU takes MW_STOCK_BATCH
 * pages at once, spends them one by one, and collects what it frees.  It keeps
 * stock for one owner at a time, the one it used last.
 *
 * A stock's pages are in the counters and in the owner's references.  Every
 * function here that takes a struct mw_cpu wants the CPU's own, with
 * interrupts off.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <memward/group.h>
#include <memward/nominal.h>
#include <memward/stock.h>

/* zero apart from its alignment: one cache line, nobody else in it */
DEFINE_PER_CPU_ALIGNED(struct mw_cpu, mw_cpu);

static enum cpuhp_state hotplug_state;

static struct mw_counter *owner_counter(struct mw_owner *owner)
{
	struct mw_group *group = rcu_dereference_sched(owner->group);

	return &group->memory;
}

static void give_back(struct mw_owner *owner, unsigned int nr_pages)
{
	mw_counter_uncharge(owner_counter(owner), nr_pages);
	mw_owner_put(owner, nr_pages);
}

static void drain(struct mw_cpu *cpu)
{
	struct mw_owner *owner = cpu->owner;

	if (!owner)
		return;
	if (cpu->nr + cpu->above)
		give_back(owner, cpu->nr + cpu->above);
	cpu->nr = 0;
	cpu->above = 0;
	cpu->id = 0;
	WRITE_ONCE(cpu->owner, NULL);
	mw_owner_put(owner, 1);
}

static void adopt(struct mw_cpu *cpu, struct mw_owner *owner)
{
	if (cpu->owner == owner)
		return;
	drain(cpu);
	mw_owner_get(owner, 1);
	WRITE_ONCE(cpu->owner, owner);
	cpu->id = owner->id;
}

/*
 * A group is above its memory.high.  Other CPUs may hold stock from before, or
 * from pages freed, which would be used without being noted.  Once a second is
 * enough: a group that keeps crossing the line is not far above it.
 */
static void drain_work_fn(struct work_struct *work)
{
	mw_stock_drain_all();
}
static DECLARE_WORK(drain_work, drain_work_fn);

static void drain_soon(void)
{
	static unsigned long next;

	if (time_before(jiffies, READ_ONCE(next)))
		return;
	WRITE_ONCE(next, jiffies + HZ);
	schedule_work(&drain_work);
}

/* Charge so much that the stock, above high, has @nr_pages. */
static void fill_above(struct mw_cpu *cpu, struct mw_counter *counter,
		       unsigned int nr_pages)
{
	unsigned int batch = max(nr_pages, MW_STOCK_BATCH);

	if (cpu->above >= nr_pages)
		return;
	if (unlikely(mw_counter_breaks_high(counter, batch)))
		batch = max(nr_pages, MW_NOMINAL_BATCH);
	mw_owner_get(cpu->owner, batch);
	mw_counter_charge(counter, batch);
	WRITE_ONCE(cpu->above, cpu->above + batch);
}

/* Let so many pages be used as if nothing were above high. */
static void release_above(struct mw_cpu *cpu, unsigned int nr_pages)
{
	WRITE_ONCE(cpu->above, cpu->above - nr_pages);
	WRITE_ONCE(cpu->nr, cpu->nr + nr_pages);
}

/**
 * mw_stock_refill() - charge enough for @nr_pages, and some in advance
 * @cpu:      this CPU's
 * @owner:    who pays; live, or orphaned under the caller's RCU read side
 * @nr_pages: pages that the stock must hold afterwards
 *
 * Below memory.high the stock gets all that was charged.  Above it the stock
 * gets no more than is asked for, and this is asked again for the next page.
 *
 * Context: interrupts off.
 * Return: @nr_pages if the group or an ancestor is above memory.high, else 0.
 */
unsigned int mw_stock_refill(struct mw_cpu *cpu, struct mw_owner *owner,
			     unsigned int nr_pages)
{
	struct mw_counter *counter = owner_counter(owner);

	adopt(cpu, owner);
	fill_above(cpu, counter, nr_pages);
	if (likely(!mw_counter_breaks_high(counter, 0))) {
		release_above(cpu, cpu->above);
		return 0;
	}
	drain_soon();
	release_above(cpu, nr_pages);
	return nr_pages;
}

/**
 * mw_stock_trim() - keep a stock that grows by freeing to one batch
 * @cpu: this CPU's
 *
 * Context: interrupts off.
 */
void mw_stock_trim(struct mw_cpu *cpu)
{
	give_back(cpu->owner, cpu->nr - MW_STOCK_BATCH);
	WRITE_ONCE(cpu->nr, MW_STOCK_BATCH);
}

/**
 * mw_stock_switch() - make the stock belong to the owner with this id
 * @cpu: this CPU's
 * @id:  from a shadow entry; the page still counts among its references
 *
 * Context: interrupts off.
 * Return: false if there is no such owner, which only a corrupted entry can
 * cause.
 */
bool mw_stock_switch(struct mw_cpu *cpu, u32 id)
{
	struct mw_owner *owner = mw_owner_find(id);

	if (WARN_ONCE(!owner, "memward: entry with unknown owner %u\n", id))
		return false;
	adopt(cpu, owner);
	return true;
}

static void drain_this_cpu(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	drain(this_cpu_ptr(&mw_cpu));
	local_irq_restore(flags);
}

/**
 * mw_stock_drain_all() - empty the stocks of all CPUs
 *
 * A CPU that is going away is online no more some time before cpu_dead() empties
 * its stock: wait until it is either.
 *
 * Context: process, may sleep.
 */
void mw_stock_drain_all(void)
{
	cpus_read_lock();
	on_each_cpu(drain_this_cpu, NULL, 1);
	cpus_read_unlock();
}

/**
 * mw_stock_below() - pages in stock for a subtree
 * @group: its top
 *
 * Context: any.  CPUs that charge or free meanwhile may be read at either side
 * of it.
 * Return: pages.
 */
unsigned long mw_stock_below(struct mw_group *group)
{
	unsigned long sum = 0;
	int cpu;

	preempt_disable();
	/* one that is going away is not online and still has its stock */
	for_each_possible_cpu(cpu) {
		struct mw_cpu *remote = per_cpu_ptr(&mw_cpu, cpu);
		struct mw_owner *owner = READ_ONCE(remote->owner);

		if (owner && mw_group_is_below(rcu_dereference_sched(owner->group),
					       group))
			sum += READ_ONCE(remote->nr) + READ_ONCE(remote->above);
	}
	preempt_enable();
	return sum;
}

/* Runs when the CPU is down: nobody else touches its stock any more. */
static int cpu_dead(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	drain(per_cpu_ptr(&mw_cpu, cpu));
	local_irq_restore(flags);
	return 0;
}

/**
 * mw_stock_init() - follow CPU hot-unplug
 *
 * Context: module load.
 * Return: 0 or an error of the hot-plug core.
 */
int mw_stock_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "mm/memward:dead",
					    NULL, cpu_dead);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

/** mw_stock_stop() - at the last unmount: no charge is hooked any more */
void mw_stock_stop(void)
{
	cancel_work_sync(&drain_work);
	mw_stock_drain_all();
}

/** mw_stock_exit() - undo mw_stock_init() */
void mw_stock_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
