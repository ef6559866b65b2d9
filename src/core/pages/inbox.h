/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_INBOX_H
#define MEMWARD_INBOX_H

#include <linux/types.h>

struct mw_chunk;
struct mw_group;
struct mw_lru;

long mw_inbox_receive(struct mw_group *group, struct mw_chunk *chunk);
void mw_inbox_fetch(struct mw_group *group);
void mw_inbox_fetch_locked(struct mw_lru *lru);
void mw_inbox_splice(struct mw_lru *from, struct mw_lru *to);
bool mw_inbox_is_empty(struct mw_lru *lru);
struct mw_chunk *mw_inbox_take(struct mw_group *group);
bool mw_inbox_put(struct mw_group *group, struct mw_chunk *chunk);

#endif
