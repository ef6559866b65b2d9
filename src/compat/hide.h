/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_HIDE_H
#define COMPAT_HIDE_H

#include <linux/types.h>

struct folio;

bool mw_folio_can_hide(struct folio *folio, bool locked);
bool mw_folio_hide(struct folio *folio);
bool mw_folio_show(struct folio *folio);

#endif
