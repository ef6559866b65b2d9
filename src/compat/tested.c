// SPDX-License-Identifier: GPL-2.0
/*
 * The kernels that memward is tested on.
 *
 * DOC: Prototypes say whether a function can be called, not what it does: a series
 * of which nobody has read the code and run the tests is not used without asking.
 */
#include <linux/utsname.h>

#include <compat/tested.h>
#include <pure/series.h>

/* a test build asks what happens on any other */
#ifdef MW_TEST_UNTESTED
static const char tested_series[] = "2.6";
#else
/* MW_TESTED_SERIES of dkms.conf */
static const char tested_series[] = MW_TESTED_SERIES;
#endif

/** mw_kernel_release() - what the running kernel calls itself */
const char *mw_kernel_release(void)
{
	return init_utsname()->release;
}

/** mw_tested_series() - the series that memward is tested on, for people */
const char *mw_tested_series(void)
{
	return tested_series;
}

/** mw_kernel_is_tested() - is the running kernel of one of them? */
bool mw_kernel_is_tested(void)
{
	return mw_series_has(tested_series, mw_kernel_release());
}
