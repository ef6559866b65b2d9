/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_LAZYFREE_H
#define MEMWARD_LAZYFREE_H

struct folio;

void mw_lazyfree(struct folio *folio);

#endif
