// SPDX-License-Identifier: GPL-2.0
/*
 * A process's memory that nobody pays for: what it, or who had it before, touched in
 * the root, and what was there when memward was mounted again with no group left.
 */
#include "adoption.h"

#include <errno.h>

/* Return: whether it is the group's now, for sure. */
static bool adopt_page(struct page *page, int group, bool is_mapped)
{
	bool is_unpaid = page->owners == BIT(NOBODY);

	if (!(page->owners & BIT(NOBODY)))
		return false;
	if (is_mapped)
		page->owners &= ~BIT(NOBODY);
	page->owners |= BIT(group);
	return is_unpaid && is_mapped;
}

/* What the kernel has not mapped, as nothing beside it was ever needed here, is left as it is. */
static bool adopt_position(struct model *m, const struct region *region, int pos,
			   int group)
{
	struct page *page = &m->page[region->page[pos]];
	bool is_mapped = !page->lost;

	if (!region->page[pos]) {
		if (region->file < 0 || !region->is_mapped ||
		    !m->file[region->file].page[pos])
			return false;
		page = &m->page[m->file[region->file].page[pos]];
		/* the kernel may have mapped others beside those that were touched */
		is_mapped = region->seen[pos] == page->serial &&
			    page->doubt == IN_MEMORY;
	}
	return adopt_page(page, group, is_mapped);
}

static void adopt_huge(struct region *region, int group)
{
	if (!(region->owners & BIT(NOBODY)))
		return;
	region->owners |= BIT(group);
	if (!region->doubt)
		region->owners &= ~BIT(NOBODY);
}

static bool adopt_region(struct model *m, struct region *region, int group)
{
	bool charged = false;
	int pos;

	if (region->kind == MAP_IS_HUGE) {
		adopt_huge(region, group);
		return false;
	}
	for (pos = 0; pos < region->pages; pos++)
		charged |= adopt_position(m, region, pos, group);
	return charged;
}

/** do_adopt() - the process's group pays, if it is the one that is written to or below it */
int do_adopt(struct model *m, struct proc *proc, int group)
{
	bool charged = false;
	int r;

	if (proc->group == ROOT || !(BIT(proc->group) & group_below(m, group)))
		return -ESRCH;
	for (r = 0; r < MAX_REGIONS; r++)
		charged |= adopt_region(m, &proc->region[r], proc->group);
	m->tally.adopted += charged;
	return 0;
}

static bool has_unpaid_file(const struct model *m, const struct region *region)
{
	int pos;

	if (region->file < 0 || !region->is_mapped)
		return false;
	for (pos = 0; pos < region->pages; pos++)
		if (!region->page[pos] && m->file[region->file].page[pos] &&
		    m->page[m->file[region->file].page[pos]].owners & BIT(NOBODY))
			return true;
	return false;
}

/**
 * adopts_of_file() - may a page of a file be charged?
 *
 * The kernel's threads may have taken such a page from its list just then, and it is not adopted.
 */
bool adopts_of_file(const struct model *m, const struct proc *proc)
{
	int r;

	for (r = 0; r < MAX_REGIONS; r++)
		if (has_unpaid_file(m, &proc->region[r]))
			return true;
	return false;
}
