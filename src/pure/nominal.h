/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_NOMINAL_H
#define MEMWARD_NOMINAL_H

/*
 * The charge batch that the throttling penalty is stated for, in pages.  The
 * kernel's was 32 when the curve was published (16 s a megabyte at the clamp)
 * and is 64 since 6.0; memward keeps the published curve on every kernel.
 */
#define MW_NOMINAL_BATCH	32U

#endif
