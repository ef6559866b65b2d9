/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_LIVEPATCH_H
#define COMPAT_LIVEPATCH_H

#include <linux/module.h>
#include <linux/types.h>

/**
 * struct mw_replace - a function to replace
 * @symbol:      its name
 * @replacement: what runs instead, same prototype
 */
struct mw_replace {
	const char *symbol;
	void *replacement;
};

int mw_livepatch_init(void);
int mw_livepatch_enable(const struct mw_replace *list, unsigned int nr);
void mw_livepatch_disable(void);
bool mw_livepatch_foreign(unsigned long addr, char name[MODULE_NAME_LEN]);
bool mw_livepatch_enabled(char name[MODULE_NAME_LEN]);
bool mw_livepatch_replaced(struct module *mod);

#endif
