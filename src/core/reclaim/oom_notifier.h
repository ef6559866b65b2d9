/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_OOM_NOTIFIER_H
#define MEMWARD_OOM_NOTIFIER_H

struct oom_control;

void mw_oom_notifier_note(struct oom_control *oc);
int mw_oom_notifier_start(void);
void mw_oom_notifier_stop(void);

#endif
