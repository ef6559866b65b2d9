/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_REFAULT_H
#define MEMWARD_REFAULT_H

void mw_refault(unsigned long pfn, unsigned int nr_pages);

#endif
