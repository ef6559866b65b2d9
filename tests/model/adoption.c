// SPDX-License-Identifier: GPL-2.0
/*
 * A process's memory that nobody pays for: what it, or who had it before, touched in
 * the root, and what was there when memward was mounted again with no group left.
 */
#include "adoption.h"

#include <errno.h>

/* Of several who are adopted at the same time, any may be the first. */
static void adopt_page(const struct model *m, struct page *page, int group,
		       bool is_mapped)
{
	if (page->owners & BIT(NOBODY)) {
		page->adopted = m->batch;
		if (is_mapped)
			page->owners &= ~BIT(NOBODY);
	}
	if (page->adopted == m->batch)
		page->owners |= BIT(group);
}

static void adopt_position(struct model *m, const struct region *region, int pos,
			   int group)
{
	struct page *page = &m->page[region->page[pos]];
	bool is_mapped = !page->lost;

	if (!region->page[pos]) {
		if (region->file < 0 || !m->file[region->file].page[pos])
			return;
		page = &m->page[m->file[region->file].page[pos]];
		/* the kernel may have mapped others beside those that were touched */
		is_mapped = region->seen[pos] == page->serial &&
			    page->doubt == IN_MEMORY;
	}
	adopt_page(m, page, group, is_mapped);
}

static void adopt_huge(struct region *region, int group)
{
	if (!(region->owners & BIT(NOBODY)))
		return;
	region->owners |= BIT(group);
	if (!region->doubt)
		region->owners &= ~BIT(NOBODY);
}

/** do_adopt() - the process's group pays, if it is the one that is written to or below it */
int do_adopt(struct model *m, struct proc *proc, int group)
{
	int r, pos;

	if (proc->group == ROOT || !(BIT(proc->group) & group_below(m, group)))
		return -ESRCH;
	for (r = 0; r < MAX_REGIONS; r++) {
		struct region *region = &proc->region[r];

		if (region->kind == MAP_IS_HUGE)
			adopt_huge(region, proc->group);
		for (pos = 0; region->kind != MAP_IS_HUGE && pos < region->pages; pos++)
			adopt_position(m, region, pos, proc->group);
	}
	return 0;
}
