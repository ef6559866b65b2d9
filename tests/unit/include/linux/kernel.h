/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_KERNEL_H
#define UNIT_LINUX_KERNEL_H

#include <linux/limits.h>
#include <linux/types.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define min(a, b) ({			\
	typeof(a) min_a = (a);		\
	typeof(b) min_b = (b);		\
	min_a < min_b ? min_a : min_b; })

#define max(a, b) ({			\
	typeof(a) max_a = (a);		\
	typeof(b) max_b = (b);		\
	max_a > max_b ? max_a : max_b; })

#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(x, low, high) ({			\
	typeof(x) clamp_x = (x);		\
	typeof(x) clamp_low = (low);		\
	typeof(x) clamp_high = (high);		\
	clamp_x < clamp_low ? clamp_low :	\
		clamp_x > clamp_high ? clamp_high : clamp_x; })
#define clamp_t(type, x, low, high)	clamp((type)(x), (type)(low), (type)(high))

/* an expression too, as in the kernel, so 1 or 0 alone */
#define IS_ENABLED(option)	(option)

/* there is one kind of memory */
#define GFP_KERNEL	0

static inline char *kvasprintf(int gfp, const char *fmt, va_list args)
{
	va_list again;
	size_t size;
	char *text;

	(void)gfp;
	va_copy(again, args);
	size = vsnprintf(NULL, 0, fmt, again) + 1;
	va_end(again);
	text = malloc(size);
	if (text)
		vsnprintf(text, size, fmt, args);
	return text;
}

#define mult_frac(x, numer, denom) ({				\
	typeof(x) mult_x = (x);					\
	typeof(denom) mult_denom = (denom);			\
	mult_x / mult_denom * (numer) +				\
		mult_x % mult_denom * (numer) / mult_denom; })

#endif
