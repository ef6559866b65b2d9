/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_PRINTK_H
#define UNIT_LINUX_PRINTK_H

/* whoever has a log has one */
int pr_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
