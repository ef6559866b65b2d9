// SPDX-License-Identifier: GPL-2.0
/*
 * What the page allocator has.
 *
 * DOC: A free page is in a block of the buddy system, whose first page says so, or in
 * the list that a processor keeps for itself, where nothing tells it from a page
 * that is about to be freed.
 */
#include <compat/buddy.h>
#include <compat/ksym.h>

/**
 * mw_drain_free_pages() - have processors return their free pages to the buddy system
 *
 * Context: process, may sleep.
 */
void mw_drain_free_pages(void)
{
	mw_call_drain_all_pages(NULL);
}

/**
 * mw_page_is_free() - is a page in the buddy system?
 * @page: the page, whose memory is online as long as the caller holds preemption off
 *
 * Context: any; 5.10 takes the lock of the zone, later kernels none: the answer is
 * that of an instant.
 * Return: whether it is; not if it is in the list of a processor.
 */
bool mw_page_is_free(struct page *page)
{
	return mw_call_is_free_buddy_page(page);
}
