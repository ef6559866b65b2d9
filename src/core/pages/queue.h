/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_QUEUE_H
#define MEMWARD_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>

#include <pure/kind.h>

struct mw_chunk;
struct mw_group;
struct mw_lru;
struct mw_page;

/**
 * enum mw_lru_queue - queues of a node beside those of enum mw_lru_type
 * @MW_LRU_UNEVICTABLE: what is locked in memory
 * @MW_LRU_WRITTEN: two, this and the next, anonymous and file, for what was being
 *                  written when it was looked at, and can go as soon as that is done
 */
enum mw_lru_queue {
	MW_LRU_UNEVICTABLE = MW_NR_LRU_TYPES,
	MW_LRU_WRITTEN,
	MW_NR_QUEUES = MW_LRU_WRITTEN + MW_NR_LRU_TYPES,
};

/**
 * struct mw_queue - pages of one group, node and type, oldest first
 * @chunks: the chunks
 * @nr:     slots in use in them, stale ones included
 * @nr_pages: pages that these are of
 * @deficit: pages that other nodes have given for this one, see nodes.c; below zero: it for them
 */
struct mw_queue {
	struct list_head chunks;
	unsigned long nr;
	unsigned long nr_pages;
	long deficit;
};

void mw_queue_append(const struct mw_page *page, unsigned int age);
void mw_queue_append_lazyfree(const struct mw_page *page);
void mw_queue_append_written(const struct mw_page *page);
void mw_queue_sort_in(const struct mw_page *page);
struct mw_chunk *mw_queue_take(struct mw_lru *lru, struct mw_queue *queue);
void mw_queue_lose(struct mw_group *group);
bool mw_queue_put(struct mw_group *group, struct mw_queue *queue,
		  struct mw_chunk *chunk);
void mw_queue_splice(struct mw_queue *from, struct mw_queue *to);

#endif
