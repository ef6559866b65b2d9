// SPDX-License-Identifier: GPL-2.0
/* How often each hook ran. */
#include <linux/cpumask.h>

#include <hooks/table.h>

DEFINE_PER_CPU(unsigned long [MW_NR_HITS], mw_hits);

/** mw_hits_read() - on all CPUs, since the module was loaded */
unsigned long mw_hits_read(enum mw_hit hit)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(mw_hits[hit], cpu));
	return sum;
}
