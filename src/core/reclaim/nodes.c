// SPDX-License-Identifier: GPL-2.0
/*
 * How much each node gives of what is to be looked at of a group.
 *
 * DOC: Each gives in proportion to what it has in its queue, as there is no order of age between
 * queues.  What is in the inbox is, and what is older gets into the queues first.
 *
 * Most requests are met by the first node that is asked, and a huge page is more than any part.  So
 * of each queue it is known how many pages others have given for it (its deficit, as in a deficit round robin;
 * below zero: it for them), the one that is owed most is asked first, and it may give so much more,
 * or less, than its part.
 */
#include <linux/kernel.h>
#include <linux/nodemask.h>
#include <linux/spinlock.h>

#include <core/pages/lru.h>
#include <core/pages/queue.h>
#include <core/reclaim/nodes.h>
#include <pure/balance.h>

/* a node may give so much more than it owes: a look at a few pages costs as much as one at these */
#define QUANTUM	((long)MW_SCAN_SHARE)
/* more than that is not remembered: of some huge pages */
#define MAX_DEFICIT	4096L

static struct mw_queue *queue_on(const struct mw_nodes *nodes, int nid)
{
	return &nodes->lru->queue[nid][nodes->type];
}

static unsigned long pages_on(const struct mw_nodes *nodes, int nid)
{
	return READ_ONCE(queue_on(nodes, nid)->nr_pages);
}

/* On so many nodes from this one on. */
static unsigned long pages_from(const struct mw_nodes *nodes, int nid, int nr)
{
	unsigned long sum = 0;

	for (; nr--; nid = next_node_in(nid, *nodes->nodes))
		sum += pages_on(nodes, nid);
	return sum;
}

/* With the lock held; others look at it without. */
static void add_deficit(const struct mw_nodes *nodes, int nid, long pages)
{
	struct mw_queue *queue = queue_on(nodes, nid);

	WRITE_ONCE(queue->deficit, clamp(queue->deficit + pages, -MAX_DEFICIT, MAX_DEFICIT));
}

/* The node that is owed most, of those that have anything; any of them if none has. */
static int find_first(const struct mw_nodes *nodes)
{
	int nid, first = NUMA_NO_NODE;

	for_each_node_mask(nid, *nodes->nodes)
		if (pages_on(nodes, nid) &&
		    (first == NUMA_NO_NODE || READ_ONCE(queue_on(nodes, nid)->deficit) >
					      READ_ONCE(queue_on(nodes, first)->deficit)))
			first = nid;
	return first == NUMA_NO_NODE ? first_node(*nodes->nodes) : first;
}

/* What is owed to those that have nothing any more is nobody's debt: the first has none then. */
static void forgive(const struct mw_nodes *nodes)
{
	long most;
	int nid;

	if (READ_ONCE(queue_on(nodes, nodes->nid)->deficit) >= 0)
		return;
	spin_lock(&nodes->lru->lock);
	/* others may have been faster */
	most = min(queue_on(nodes, nodes->nid)->deficit, 0L);
	for_each_node_mask(nid, *nodes->nodes)
		add_deficit(nodes, nid, pages_on(nodes, nid) ?
					-most : -queue_on(nodes, nid)->deficit);
	spin_unlock(&nodes->lru->lock);
}

/**
 * mw_nodes_begin() - whose turn is it?
 * @nodes: @lru, @type and @nodes are set; the others are, then
 *
 * Context: process.
 */
void mw_nodes_begin(struct mw_nodes *nodes)
{
	nodes->nr = nodes_weight(*nodes->nodes);
	nodes->nid = find_first(nodes);
	if (nodes->nr > 1)
		forgive(nodes);
}

/**
 * mw_nodes_part() - how many pages the node whose turn it is may give
 * @nodes: of these
 * @pages: so many are wanted of it and those that have not had their turn
 *
 * Context: process.
 * Return: pages, @pages at the most.
 */
unsigned long mw_nodes_part(const struct mw_nodes *nodes, unsigned long pages)
{
	unsigned long here = pages_on(nodes, nodes->nid), all;
	long part;

	if (nodes->nr == 1 || !pages)
		return pages;
	all = pages_from(nodes, nodes->nid, nodes->nr);
	/* nobody else has anything */
	if (here == all)
		return pages;
	part = mult_frac(pages, here, all) + QUANTUM +
	       READ_ONCE(queue_on(nodes, nodes->nid)->deficit);
	return clamp(part, 0L, (long)pages);
}

/* What one has given is for all, by what they have, or had until now. */
static void settle(const struct mw_nodes *nodes, unsigned long scanned)
{
	unsigned long all, part, sum = 0;
	int nid;

	spin_lock(&nodes->lru->lock);
	all = pages_from(nodes, nodes->nid, nodes_weight(*nodes->nodes)) + scanned;
	for_each_node_mask(nid, *nodes->nodes) {
		if (nid == nodes->nid)
			continue;
		part = mult_frac(scanned, pages_on(nodes, nid), all);
		add_deficit(nodes, nid, part);
		sum += part;
	}
	add_deficit(nodes, nodes->nid, -(long)sum);
	spin_unlock(&nodes->lru->lock);
}

/**
 * mw_nodes_next() - it has given what it could
 * @nodes:   it is the next one's turn
 * @scanned: pages that were looked at for others, too; 0 where all are looked at
 *
 * Context: process.
 */
void mw_nodes_next(struct mw_nodes *nodes, unsigned long scanned)
{
	if (scanned && nodes_weight(*nodes->nodes) > 1)
		settle(nodes, scanned);
	nodes->nid = next_node_in(nodes->nid, *nodes->nodes);
	nodes->nr--;
}
