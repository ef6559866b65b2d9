// SPDX-License-Identifier: GPL-2.0
/*
 * Where a page is queued: its entry names the chunk, a slot of the chunk names the
 * page; only both together count.  See lru.c.
 */
#include <linux/preempt.h>

#include <compat/folio.h>
#include <core/pages/page_cgroup.h>
#include <core/pages/place.h>

static mw_entry_t entry_of(unsigned long pfn)
{
	mw_entry_t *entry = mw_pc_entry(pfn);

	return entry ? mw_pc_read(entry) : MW_NO_ENTRY;
}

/**
 * mw_place_find() - the page of a slot, with a reference
 * @chunk_id: the chunk that has the slot
 * @page:     its pfn is what the slot says; the rest is filled in
 *
 * With preemption off the memory cannot go offline between the look at its entry
 * and the reference.
 *
 * Context: process.
 * Return: whether the slot was its place.  Then page->folio is NULL if the page
 * could not be had just now.
 */
bool mw_place_find(u32 chunk_id, struct mw_page *page)
{
	bool mine;

	page->folio = NULL;
	page->nr = 1;
	preempt_disable();
	page->entry = entry_of(page->pfn);
	mine = mw_pc_is_charged(page->entry) &&
	       mw_pc_chunk(page->entry) == chunk_id;
	if (mine) {
		page->folio = mw_folio_tryget(page->pfn);
		/* it may have been freed and used anew meanwhile */
		mine = mw_pc_same(entry_of(page->pfn), page->entry);
	}
	preempt_enable();
	if (!mine && page->folio) {
		folio_put(page->folio);
		page->folio = NULL;
	}
	if (page->folio)
		page->nr = folio_nr_pages(page->folio);
	return mine;
}

/* Change the place that an entry names, unless it is another one by now. */
static bool set_place(unsigned long pfn, mw_entry_t old, u32 chunk_id,
		      unsigned int age)
{
	bool done = false;
	mw_entry_t *entry, now;

	preempt_disable();
	entry = mw_pc_entry(pfn);
	while (entry && !done) {
		now = mw_pc_read(entry);
		/* it may be hidden, or shown, at any time */
		if (!mw_pc_same(now, old))
			break;
		done = mw_pc_replace(entry, now, mw_pc_place(now, chunk_id, age));
	}
	preempt_enable();
	return done;
}

static void set_tails(const struct mw_page *page, u32 chunk_id, unsigned int age)
{
	unsigned long pfn = page->pfn + 1;
	unsigned long end = page->pfn + page->nr;

	for (; pfn < end; pfn++) {
		mw_entry_t old;

		preempt_disable();
		old = entry_of(pfn);
		preempt_enable();
		if (mw_pc_same_charge(old, page->entry))
			set_place(pfn, old, chunk_id, age);
	}
}

/**
 * mw_place_set() - let the entries of a page name another place
 * @page:     as it was found
 * @chunk_id: the chunk that has a slot for it, 0 for none
 * @age:      what its entry is to say
 *
 * Context: process.
 * Return: false if its entry names another place by now; then nothing was changed.
 */
bool mw_place_set(const struct mw_page *page, u32 chunk_id, unsigned int age)
{
	if (!set_place(page->pfn, page->entry, chunk_id, age))
		return false;
	set_tails(page, chunk_id, age);
	return true;
}
