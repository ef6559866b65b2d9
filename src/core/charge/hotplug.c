// SPDX-License-Identifier: GPL-2.0
/*
 * What is charged to processors and memory that go away.
 *
 * DOC: A processor that is unplugged leaves its stock behind.  The pages of memory
 * that goes offline are all free, hence uncharged; what a lost event left behind is
 * returned here, so that no counter keeps it for ever.
 *
 * The memory notifier comes before page_cgroup.c's, which frees the entries.
 */
#include <linux/cpuhotplug.h>
#include <linux/memory.h>
#include <linux/notifier.h>

#include <core/charge/charge.h>
#include <core/charge/hotplug.h>
#include <core/charge/stock.h>

static enum cpuhp_state cpu_state;

/* --- processors --- */

/* Runs when the CPU is down. */
static int cpu_dead(unsigned int cpu)
{
	mw_stock_drain_dead(cpu);
	return 0;
}

/**
 * mw_hotplug_init() - follow CPU hot-unplug
 *
 * Context: module load.
 * Return: 0 or an error of the hot-plug core.
 */
int mw_hotplug_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "mm/memward:dead",
					    NULL, cpu_dead);

	if (ret < 0)
		return ret;
	cpu_state = ret;
	return 0;
}

/** mw_hotplug_exit() - undo mw_hotplug_init() */
void mw_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(cpu_state);
}

/* --- memory --- */

/* Of one section, so that preemption is not off for longer than that. */
static void uncharge_part(unsigned long pfn, unsigned long nr_pages)
{
	struct mw_uncharge batch = {};

	preempt_disable();
	mw_uncharge_pages(&batch, pfn, nr_pages);
	mw_uncharge_flush(&batch);
	preempt_enable();
}

/*
 * Where a block keeps its own struct pages (memmap_on_memory) its first page frames are
 * not told of, so the range begins within a section.
 */
static int memory_event(struct notifier_block *nb, unsigned long action,
			void *arg)
{
	struct memory_notify *mn = arg;
	unsigned long end = mn->start_pfn + mn->nr_pages;
	unsigned long pfn, next;

	if (action != MEM_OFFLINE)
		return NOTIFY_OK;
	for (pfn = mn->start_pfn; pfn < end; pfn = next) {
		next = min(ALIGN(pfn + 1, PAGES_PER_SECTION), end);
		uncharge_part(pfn, next - pfn);
	}
	return NOTIFY_OK;
}

static struct notifier_block memory_nb = {
	.notifier_call = memory_event,
	.priority = 1,
};

/**
 * mw_hotplug_start() - follow memory that goes offline
 *
 * Context: process, may sleep.
 * Return: 0 or an error of register_memory_notifier().
 */
int mw_hotplug_start(void)
{
	return register_memory_notifier(&memory_nb);
}

/** mw_hotplug_stop() - undo mw_hotplug_start(), while there are entries */
void mw_hotplug_stop(void)
{
	unregister_memory_notifier(&memory_nb);
}
