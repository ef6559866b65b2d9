// SPDX-License-Identifier: GPL-2.0
/* The kernel's own OOM killer, which must not be at work at the same time. */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/coredump.h>

#include <compat/features.h>
#include <compat/ksym.h>
#include <compat/oom.h>

static struct mutex *oom_lock_ptr;
static bool *oom_disabled_ptr;

/**
 * mw_oom_is_reaped() - was the memory of a victim taken, or given up?
 * @mm: the victim's signal->oom_mm
 */
bool mw_oom_is_reaped(struct mm_struct *mm)
{
#if !MW_HAVE_MM_FLAGS
	return test_bit(MMF_OOM_SKIP, &mm->flags);
#else
	return mm_flags_test(MMF_OOM_SKIP, mm);
#endif
}

/**
 * mw_oom_begin() - keep the kernel's OOM killer out
 *
 * Context: process, may sleep, for as long as the kernel may take to report on a kill.
 * Return: false if nobody may be killed: the machine is being suspended.
 */
bool mw_oom_begin(void)
{
	mutex_lock(oom_lock_ptr);
	if (!READ_ONCE(*oom_disabled_ptr))
		return true;
	mutex_unlock(oom_lock_ptr);
	return false;
}

/** mw_oom_end() - undo mw_oom_begin() */
void mw_oom_end(void)
{
	mutex_unlock(oom_lock_ptr);
}

/**
 * mw_oom_compat_init() - find its lock
 *
 * Context: module load.
 * Return: 0 or -ENOENT.
 */
int mw_oom_compat_init(void)
{
	oom_lock_ptr = mw_ksym_data("oom_lock");
	oom_disabled_ptr = mw_ksym_data("oom_killer_disabled");
	return oom_lock_ptr && oom_disabled_ptr ? 0 : -ENOENT;
}
