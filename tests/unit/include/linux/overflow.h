/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_OVERFLOW_H
#define UNIT_LINUX_OVERFLOW_H

#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)
#define check_sub_overflow(a, b, diff)	__builtin_sub_overflow(a, b, diff)
#define check_mul_overflow(a, b, prod)	__builtin_mul_overflow(a, b, prod)

#endif
