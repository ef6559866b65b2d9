/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_NODES_H
#define MEMWARD_NODES_H

#include <linux/nodemask.h>

#include <pure/kind.h>

struct mw_lru;

/**
 * struct mw_nodes - the nodes that are to give pages of a group, one after the other
 * @lru:   the group's
 * @type:  which of its pages
 * @nodes: these nodes
 * @nid:   whose turn it is
 * @nr:    nodes that have not had theirs, this one included
 */
struct mw_nodes {
	struct mw_lru *lru;
	enum mw_lru_type type;
	const nodemask_t *nodes;
	int nid;
	int nr;
};

void mw_nodes_begin(struct mw_nodes *nodes);
unsigned long mw_nodes_part(const struct mw_nodes *nodes, unsigned long pages);
void mw_nodes_next(struct mw_nodes *nodes, unsigned long scanned);

#endif
