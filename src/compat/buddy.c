// SPDX-License-Identifier: GPL-2.0
/*
 * What the page allocator has.
 *
 * DOC: A free page is in a block of the buddy system, whose first page says so, or in
 * the list that a processor keeps for itself, where nothing tells it from a page
 * that is about to be freed.
 */
#include <linux/mmzone.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include <compat/buddy.h>
#include <compat/ksym.h>

/* what not every kernel has */
static int *defrag_mode_ptr;
static bool *demotion_enabled_ptr;

/**
 * mw_buddy_compat_init() - find what there is
 *
 * Context: module load.
 * Return: 0.
 */
int mw_buddy_compat_init(void)
{
	defrag_mode_ptr = mw_ksym_data_if_any("defrag_mode");
	demotion_enabled_ptr = mw_ksym_data_if_any("numa_demotion_enabled");
	return 0;
}

/**
 * mw_order_is_asked_for() - does reclaim get the order that was asked for?
 *
 * With vm.defrag_mode it is to make whole blocks for whoever wants a page that cannot be moved, and
 * nobody fails for want of them.
 *
 * Context: any.
 */
bool mw_order_is_asked_for(void)
{
	return !defrag_mode_ptr || !READ_ONCE(*defrag_mode_ptr);
}

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

/**
 * mw_zonelist_nodes() - the nodes that an allocation may be served from
 * @zonelist: of it
 * @gfp:      of it
 *
 * Context: any.
 */
nodemask_t mw_zonelist_nodes(struct zonelist *zonelist, gfp_t gfp)
{
	nodemask_t nodes = NODE_MASK_NONE;
	struct zoneref *z;

	for (z = zonelist->_zonerefs; zonelist_zone(z); z++)
		if (zonelist_zone_idx(z) <= gfp_zone(gfp))
			node_set(zonelist_node_idx(z), nodes);
	return nodes;
}

/* As long as there is swap, or slower memory; the kernel knows of more that is in the way of the latter. */
static bool can_reclaim_anon(void)
{
	return get_nr_swap_pages() > 0 ||
	       (demotion_enabled_ptr && READ_ONCE(*demotion_enabled_ptr));
}

/* What reclaim may find: what it does not look at does not count. */
static unsigned long reclaimable(struct zone *zone)
{
	unsigned long nr = zone_page_state_snapshot(zone, NR_ZONE_INACTIVE_FILE) +
			   zone_page_state_snapshot(zone, NR_ZONE_ACTIVE_FILE);

	if (can_reclaim_anon())
		nr += zone_page_state_snapshot(zone, NR_ZONE_INACTIVE_ANON) +
		      zone_page_state_snapshot(zone, NR_ZONE_ACTIVE_ANON);
	return nr;
}

/* Not what is kept for others. */
static unsigned long kept_free(struct zone *zone, gfp_t gfp)
{
	unsigned long nr = zone->nr_reserved_highatomic;

	if (!(gfp & __GFP_MOVABLE))
		nr += zone_page_state_snapshot(zone, NR_FREE_CMA_PAGES);
	return min(nr, zone_page_state_snapshot(zone, NR_FREE_PAGES));
}

static unsigned long available(struct zone *zone, gfp_t gfp)
{
	return reclaimable(zone) + zone_page_state_snapshot(zone, NR_FREE_PAGES) -
	       kept_free(zone, gfp);
}

/**
 * mw_zonelist_has_room() - would an allocation be served if all was reclaimed that can be found?
 * @zonelist: of it
 * @order:    of it
 * @gfp:      of it
 * @nodes:    those that count
 *
 * Much as the kernel's should_reclaim_retry(), without which nobody reclaims again; compaction wants
 * twice the block, as compact_gap().
 *
 * Context: any.
 */
bool mw_zonelist_has_room(struct zonelist *zonelist, int order, gfp_t gfp,
			  const nodemask_t *nodes)
{
	struct zoneref *z;
	struct zone *zone;

	for (z = zonelist->_zonerefs; (zone = zonelist_zone(z)); z++)
		if (zonelist_zone_idx(z) <= gfp_zone(gfp) &&
		    node_isset(zonelist_node_idx(z), *nodes) &&
		    available(zone, gfp) > min_wmark_pages(zone) +
				      zone->lowmem_reserve[gfp_zone(gfp)] + (2UL << order))
			return true;
	return false;
}
