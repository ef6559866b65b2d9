// SPDX-License-Identifier: GPL-2.0
/*
 * Which charged pages are dirty or under writeback.
 *
 * DOC: The flag in a page's entry says that it is counted, so whatever order the
 * kernel's events come in (see hooks/dirty.c), nothing is counted twice; and uncharging
 * takes what they have left.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>

#include <core/charge/dirty.h>
#include <core/group/group.h>
#include <core/group/unwritten.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

/**
 * mw_dirty_counts() - are the dirty pages of a mapping to be written?
 * @mapping: the mapping; NULL for none
 *
 * Swap has one too, without an inode on 5.10; and what is never written is never done.
 *
 * Context: any, the page is locked, or the mapping is known otherwise to stay.
 */
bool mw_dirty_counts(struct address_space *mapping)
{
	return mapping && mapping->host &&
	       inode_to_bdi(mapping->host)->capabilities & BDI_CAP_WRITEBACK;
}

/* Return: the group whose page it is, if the flag was not like this before. */
static struct mw_group *change(mw_entry_t *entry, bool unwritten)
{
	mw_entry_t now;

	do {
		now = mw_pc_read(entry);
		if (!mw_pc_is_charged(now) || mw_pc_is_unwritten(now) == unwritten)
			return NULL;
	} while (!mw_pc_replace(entry, now, mw_pc_write_back(now, unwritten)));
	return mw_owner_group(mw_pc_owner_id(now));
}

/* All pages of a folio have one owner. */
static struct mw_group *change_all(unsigned long pfn, unsigned int nr_pages,
				   bool unwritten)
{
	struct mw_group *group = NULL, *found;
	long changed = 0;

	for (; nr_pages--; pfn++) {
		mw_entry_t *entry = mw_charged_entry(pfn);

		found = entry ? change(entry, unwritten) : NULL;
		if (found) {
			group = found;
			changed++;
		}
	}
	if (group)
		mw_unwritten_add(group, unwritten ? changed : -changed);
	return group;
}

/**
 * mw_dirty_begin() - a folio has become dirty
 * @pfn:      its first page frame
 * @nr_pages: pages in it; it cannot be freed meanwhile
 *
 * Context: any, preemption off.
 * Return: the group that it is counted for now, in this RCU read side; NULL if that is
 * nothing new.
 */
struct mw_group *mw_dirty_begin(unsigned long pfn, unsigned int nr_pages)
{
	return change_all(pfn, nr_pages, true);
}

/**
 * mw_dirty_end() - a folio has been written
 * @pfn:      its first page frame
 * @nr_pages: pages in it; it cannot be freed meanwhile
 *
 * Context: any, preemption off.
 */
void mw_dirty_end(unsigned long pfn, unsigned int nr_pages)
{
	change_all(pfn, nr_pages, false);
}
