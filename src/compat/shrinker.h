/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_SHRINKER_H
#define COMPAT_SHRINKER_H

int mw_pressure_watch(void (*fn)(void));
void mw_pressure_unwatch(void);

#endif
