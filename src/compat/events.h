/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_EVENTS_H
#define COMPAT_EVENTS_H

int mw_trace_events_start(void);

#endif
