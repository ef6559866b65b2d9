/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_HOTPLUG_H
#define MEMWARD_HOTPLUG_H

int mw_hotplug_start(void);
void mw_hotplug_stop(void);
int mw_hotplug_init(void);
void mw_hotplug_exit(void);

#endif
