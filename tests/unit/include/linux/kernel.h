/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_KERNEL_H
#define UNIT_LINUX_KERNEL_H

#include <linux/limits.h>
#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define min(a, b) ({			\
	typeof(a) min_a = (a);		\
	typeof(b) min_b = (b);		\
	min_a < min_b ? min_a : min_b; })

#define max(a, b) ({			\
	typeof(a) max_a = (a);		\
	typeof(b) max_b = (b);		\
	max_a > max_b ? max_a : max_b; })

#define mult_frac(x, numer, denom) ({				\
	typeof(x) mult_x = (x);					\
	typeof(denom) mult_denom = (denom);			\
	mult_x / mult_denom * (numer) +				\
		mult_x % mult_denom * (numer) / mult_denom; })

#endif
