/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_RMAP_H
#define COMPAT_RMAP_H

#include <linux/types.h>

struct folio;

bool mw_folio_referenced(struct folio *folio);

#endif
