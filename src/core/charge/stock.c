// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU stocks of charged pages that no page uses yet.
 *
 * DOC: Adding every page to the counters of a group and all its ancestors cost
 * half of all faults on eight CPUs in 2009.  So a CPU takes MW_STOCK_BATCH
 * pages at once, spends them one by one, and collects what it frees.  It keeps
 * stock for one owner at a time, the one it used last.
 *
 * What is charged goes into the reserve first; refilling releases from it as many
 * pages as may be used unseen, and as there are slots for in the CPU's chunk: so
 * one number, nr, counts both down, and a charge that finds it above zero need
 * not ask for anything else.  Pages that are freed go into the reserve too.
 *
 * A stock's pages are in the counters and in the owner's references.  Every
 * function here that takes a struct mw_cpu wants the CPU's own, with
 * interrupts off.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/mark.h>
#include <core/group/memsw.h>
#include <core/group/protection.h>
#include <core/group/tree.h>
#include <core/pages/chunk.h>
#include <core/pages/compact.h>
#include <core/pages/inbox.h>
#include <core/pages/page_cgroup.h>
#include <core/pages/queue.h>
#include <pure/nominal.h>

/* how often it is looked whether a CPU is still on its way */
#define HOTPLUG_WAIT_MS	10

/* zero apart from its alignment: one cache line, nobody else in it */
DEFINE_PER_CPU_ALIGNED(struct mw_cpu, mw_cpu);

/* where page frames go when there is no memory for a chunk: nobody reads them */
static DEFINE_PER_CPU(u32 [MW_CHUNK_PAGES], spill);

static void give_back(struct mw_owner *owner, unsigned int nr_pages)
{
	struct mw_group *group = rcu_dereference_sched(owner->group);

	mw_counter_uncharge(&group->memory, nr_pages);
	mw_protection_update(group);
	mw_owner_put(owner, nr_pages);
}

/* --- the chunk --- */

/* The owner's group gets what was queued so far. */
static void chunk_send(struct mw_cpu *cpu)
{
	struct mw_group *group;

	if (!cpu->chunk || !cpu->used)
		return;
	group = rcu_dereference_sched(cpu->owner->group);
	mw_chunk_close(cpu->chunk, cpu->used);
	mw_compact_look(group, mw_inbox_receive(group, cpu->chunk));
	cpu->chunk = NULL;
}

/* Without memory for one the group has lost pages: it is told again for each batch that follows. */
static void chunk_renew(struct mw_cpu *cpu)
{
	chunk_send(cpu);
	if (!cpu->chunk)
		cpu->chunk = mw_chunk_alloc();
	if (!cpu->chunk)
		mw_queue_lose(rcu_dereference_sched(cpu->owner->group));
	cpu->used = 0;
	cpu->queued = 0;
	cpu->blank = mw_pc_place(mw_pc_make(cpu->owner->id, 0),
				 cpu->chunk ? cpu->chunk->id : 0, 0);
}

/* Let up to so many pages be used, as far as there are slots for them. */
static void release(struct mw_cpu *cpu, unsigned int nr_pages)
{
	u32 *slots;

	if (cpu->used == MW_CHUNK_PAGES || !cpu->chunk)
		chunk_renew(cpu);
	slots = cpu->chunk ? cpu->chunk->slot : *this_cpu_ptr(&spill);
	nr_pages = min3(nr_pages, cpu->reserve, MW_CHUNK_PAGES - cpu->used);
	cpu->used += nr_pages;
	cpu->slots = slots + cpu->used;
	WRITE_ONCE(cpu->reserve, cpu->reserve - nr_pages);
	WRITE_ONCE(cpu->nr, nr_pages);
}

/* The opposite. Those that were used are the first. */
static void withdraw(struct mw_cpu *cpu)
{
	cpu->used -= cpu->nr;
	WRITE_ONCE(cpu->reserve, cpu->reserve + cpu->nr);
	WRITE_ONCE(cpu->nr, 0);
}

/**
 * mw_stock_queue() - queue a folio that is charged to the stock's owner
 * @cpu:      this CPU's
 * @pfn:      its first page frame
 * @nr_pages: pages in it
 *
 * cpu->blank is what its entries have to be, apart from their kind.
 *
 * Context: interrupts off.
 */
void mw_stock_queue(struct mw_cpu *cpu, unsigned long pfn,
		    unsigned int nr_pages)
{
	withdraw(cpu);
	/* reclaim sees what was sent: no more waits here than of small pages */
	if (cpu->used == MW_CHUNK_PAGES || cpu->queued >= MW_CHUNK_PAGES || !cpu->chunk)
		chunk_renew(cpu);
	if (!cpu->chunk)
		return;
	cpu->chunk->slot[cpu->used++] = mw_slot(pfn, ilog2(nr_pages));
	cpu->queued += nr_pages;
}

/* --- the stock --- */

static void drain(struct mw_cpu *cpu, int nr)
{
	struct mw_owner *owner = cpu->owner;

	if (!owner)
		return;
	withdraw(cpu);
	chunk_send(cpu);
	if (cpu->reserve)
		give_back(owner, cpu->reserve);
	WRITE_ONCE(cpu->reserve, 0);
	cpu->blank = MW_NO_ENTRY;
	WRITE_ONCE(cpu->owner, NULL);
	mw_stats_use(nr, NULL);
	mw_owner_put(owner, 1);
}

static void adopt(struct mw_cpu *cpu, struct mw_owner *owner)
{
	if (cpu->owner == owner)
		return;
	drain(cpu, smp_processor_id());
	mw_owner_get(owner, 1);
	WRITE_ONCE(cpu->owner, owner);
	mw_stats_use(smp_processor_id(), &owner->group);
	chunk_renew(cpu);
}

static void put_in_reserve(struct mw_cpu *cpu, unsigned int nr_pages)
{
	mw_owner_get(cpu->owner, nr_pages);
	WRITE_ONCE(cpu->reserve, cpu->reserve + nr_pages);
}

static bool breaks_high(struct mw_group *group)
{
	return mw_counter_breaks_high(&group->memory, 0) ||
	       mw_counter_breaks_high(&group->swap, 0);
}

static void drain_this_cpu(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	drain(this_cpu_ptr(&mw_cpu), smp_processor_id());
	local_irq_restore(flags);
}

/* With preemption off. */
static bool is_stock_above_high(int cpu, void *unused)
{
	struct mw_owner *owner = READ_ONCE(per_cpu_ptr(&mw_cpu, cpu)->owner);

	return owner && breaks_high(rcu_dereference_sched(owner->group));
}

/*
 * A group is above its memory.high.  Other CPUs may hold stock from before, or
 * from pages freed, which would be used without being noted.  Once a second is
 * enough: a group that keeps crossing the line is not far above it.
 */
static void drain_work_fn(struct work_struct *work)
{
	cpus_read_lock();
	on_each_cpu_cond(is_stock_above_high, drain_this_cpu, NULL, true);
	cpus_read_unlock();
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

/* How many pages to charge in advance: fewer near memory.high. */
static unsigned int batch_for(struct mw_counter *counter, unsigned int nr_pages)
{
	if (unlikely(mw_counter_breaks_high(counter, MW_STOCK_BATCH)))
		return max(nr_pages, MW_NOMINAL_BATCH);
	return max(nr_pages, MW_STOCK_BATCH);
}

/* As mw_counter_try_charge(), with the limits of memory and swap together. */
static bool try_charge(struct mw_group *group, unsigned int nr_pages)
{
	if (nr_pages > MW_STOCK_BATCH && mw_memsw_full(group, nr_pages))
		return false;
	if (!mw_counter_try_charge(&group->memory, nr_pages))
		return false;
	if (likely(!mw_memsw_full(group, 0))) {
		mw_mark_set(group, MW_WALK_CHARGED);
		return true;
	}
	mw_counter_uncharge(&group->memory, nr_pages);
	return false;
}

/* Charge so much that the reserve has @nr_pages: a batch, or just these. */
static bool fill_reserve(struct mw_cpu *cpu, struct mw_group *group,
			 unsigned int nr_pages)
{
	unsigned int batch;

	if (cpu->reserve >= nr_pages)
		return true;
	batch = batch_for(&group->memory, nr_pages);
	if (!try_charge(group, batch)) {
		batch = nr_pages - cpu->reserve;
		if (!try_charge(group, batch))
			return false;
	}
	mw_memsw_raise(group);
	mw_protection_update(group);
	put_in_reserve(cpu, batch);
	return true;
}

/* Return: @nr_pages if they are above memory.high, or the group's swap is. */
static int above_high(struct mw_group *group, unsigned int nr_pages)
{
	if (likely(!breaks_high(group)))
		return 0;
	drain_soon();
	return nr_pages;
}

/**
 * mw_stock_refill() - release pages for use, charging more if need be
 * @cpu:   this CPU's; the page to be charged is not taken from it yet
 * @owner: who pays; live, or orphaned under the caller's RCU read side
 *
 * Above memory.high one page is released, and this is called again for the next
 * one.
 *
 * Context: interrupts off.
 * Return: 0; 1 if the group or an ancestor is above memory.high, or of swap; or
 * MW_CHARGE_BLOCKED, with no page released, if a limit is in the way.
 */
int mw_stock_refill(struct mw_cpu *cpu, struct mw_owner *owner)
{
	struct mw_group *group = rcu_dereference_sched(owner->group);
	int over;

	adopt(cpu, owner);
	if (unlikely(!fill_reserve(cpu, group, 1)))
		return MW_CHARGE_BLOCKED;
	over = above_high(group, 1);
	release(cpu, over ?: MW_STOCK_BATCH);
	return over;
}

/**
 * mw_stock_take_large() - charge the pages of a large folio, and queue it
 * @cpu:      this CPU's; cpu->blank is the entry afterwards, but for the kind
 * @owner:    who pays, see mw_stock_refill()
 * @nr_pages: pages
 * @pfn:      the first of them
 *
 * Context: interrupts off.
 * Return: 0; @nr_pages if they are above memory.high; or MW_CHARGE_BLOCKED.
 */
int mw_stock_take_large(struct mw_cpu *cpu, struct mw_owner *owner,
			unsigned int nr_pages, unsigned long pfn)
{
	struct mw_group *group = rcu_dereference_sched(owner->group);

	adopt(cpu, owner);
	withdraw(cpu);
	if (!fill_reserve(cpu, group, nr_pages))
		return MW_CHARGE_BLOCKED;
	WRITE_ONCE(cpu->reserve, cpu->reserve - nr_pages);
	mw_stock_queue(cpu, pfn, nr_pages);
	return above_high(group, nr_pages);
}

/**
 * mw_stock_force() - charge pages whatever the limits are
 * @owner:    who pays, see mw_stock_refill()
 * @nr_pages: pages; they are in this CPU's stock afterwards
 *
 * Context: preemption off.
 */
void mw_stock_force(struct mw_owner *owner, unsigned int nr_pages)
{
	struct mw_group *group;
	unsigned long flags;
	struct mw_cpu *cpu;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	adopt(cpu, owner);
	group = rcu_dereference_sched(owner->group);
	mw_counter_charge(&group->memory, nr_pages);
	mw_mark_set(group, MW_WALK_CHARGED);
	mw_protection_update(group);
	put_in_reserve(cpu, nr_pages);
	local_irq_restore(flags);
}

/**
 * mw_stock_trim() - keep a stock that grows by freeing to one batch
 * @cpu: this CPU's
 *
 * Context: interrupts off.
 */
void mw_stock_trim(struct mw_cpu *cpu)
{
	give_back(cpu->owner, cpu->reserve - MW_STOCK_BATCH);
	WRITE_ONCE(cpu->reserve, MW_STOCK_BATCH);
}

/**
 * mw_stock_give_back() - uncharge what this CPU has in reserve
 *
 * For who goes by a group's usage, in which stocks are, and has just freed pages of it.
 *
 * Context: any.
 */
void mw_stock_give_back(void)
{
	unsigned long flags;
	struct mw_cpu *cpu;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&mw_cpu);
	if (cpu->reserve) {
		give_back(cpu->owner, cpu->reserve);
		WRITE_ONCE(cpu->reserve, 0);
	}
	local_irq_restore(flags);
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

/* Is what a CPU has in stock charged to this group, or one below it? With preemption off. */
static bool is_stock_below(int cpu, void *group)
{
	struct mw_owner *owner = READ_ONCE(per_cpu_ptr(&mw_cpu, cpu)->owner);

	return owner && mw_group_is_below(rcu_dereference_sched(owner->group), group);
}

/**
 * mw_stock_drain_below() - empty the stocks that online CPUs hold for a subtree
 * @group: its root
 *
 * No other CPU is interrupted.
 *
 * Context: process, locks held: it does not wait for a CPU that comes or goes.
 */
void mw_stock_drain_below(struct mw_group *group)
{
	on_each_cpu_cond(is_stock_below, drain_this_cpu, group, true);
}

/**
 * mw_stock_drain_below_wait() - the same, of CPUs that are going away too
 * @group: the root of the subtree
 *
 * A CPU that is going away is online no more some time before its stock is emptied
 * (hotplug.c): wait until it is either, but not for long, as it may itself wait for a disk that hangs.
 *
 * Context: process, may sleep for a second; killable.
 */
void mw_stock_drain_below_wait(struct mw_group *group)
{
	unsigned int ms;
	bool locked;

	for (ms = 0; !(locked = cpus_read_trylock()); ms += HOTPLUG_WAIT_MS)
		if (ms >= MSEC_PER_SEC ||
		    schedule_timeout_killable(msecs_to_jiffies(HOTPLUG_WAIT_MS)))
			break;
	mw_stock_drain_below(group);
	if (locked)
		cpus_read_unlock();
}

/* With preemption off. */
static bool is_stock_of_orphan(int cpu, void *unused)
{
	struct mw_owner *owner = READ_ONCE(per_cpu_ptr(&mw_cpu, cpu)->owner);

	return owner && READ_ONCE(owner->orphan);
}

/**
 * mw_stock_drain_orphans() - empty the stocks that CPUs hold for groups that were removed
 *
 * No other CPU is interrupted: groups may come and go all the time.
 *
 * Context: process, may sleep.
 */
void mw_stock_drain_orphans(void)
{
	cpus_read_lock();
	on_each_cpu_cond(is_stock_of_orphan, drain_this_cpu, NULL, true);
	cpus_read_unlock();
}

/**
 * mw_stock_drain_all() - empty the stocks of all CPUs
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
 * mw_stock_drain_dead() - empty the stock of a CPU that is down
 * @cpu: its number; nobody else touches its stock any more
 *
 * Context: process.
 */
void mw_stock_drain_dead(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	drain(per_cpu_ptr(&mw_cpu, cpu), cpu);
	local_irq_restore(flags);
}

/**
 * mw_stock_below() - pages that CPUs have in stock for a subtree
 * @group: its root
 *
 * CPUs that charge or free meanwhile may be read at either side of it.
 *
 * Context: any.
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

		if (is_stock_below(cpu, group))
			sum += READ_ONCE(remote->nr) +
			       READ_ONCE(remote->reserve);
	}
	preempt_enable();
	return sum;
}

/**
 * mw_group_usage() - pages charged to a group and its descendants
 * @group: the group
 *
 * What CPUs hold in stock is not counted: with nothing running in the subtree
 * the number is exact, otherwise each CPU may be off by what it charges or
 * frees during the read.
 *
 * Context: any.
 * Return: pages.
 */
unsigned long mw_group_usage(struct mw_group *group)
{
	unsigned long usage = mw_counter_read(&group->memory);
	unsigned long stock = mw_stock_below(group);

	return usage > stock ? usage - stock : 0;
}

/* A chunk that was begun for nobody: no page is in it. */
static void chunks_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct mw_cpu *remote = per_cpu_ptr(&mw_cpu, cpu);

		if (remote->chunk)
			mw_chunk_free(remote->chunk);
		remote->chunk = NULL;
	}
}

/** mw_stock_stop() - at the last unmount: no charge is hooked any more */
void mw_stock_stop(void)
{
	cancel_work_sync(&drain_work);
	mw_stock_drain_all();
	chunks_free();
}
