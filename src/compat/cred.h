/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_CRED_H
#define COMPAT_CRED_H

#include <linux/cred.h>

/*
 * The credentials are those of an open file, which outlives the call, so it does
 * not matter that override_creds() takes a reference before 6.14 and none since.
 */
static inline const struct cred *mw_override_creds(const struct cred *cred)
{
	return override_creds(cred);
}

static inline void mw_revert_creds(const struct cred *saved)
{
	revert_creds(saved);
}

#endif
