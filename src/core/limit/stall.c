// SPDX-License-Identifier: GPL-2.0
/*
 * A bound on what memory.high may cost.
 *
 * DOC: A group that cannot get below its memory.high is slowed down for as long as
 * that lasts.  People have waited an hour and a half for groups that were neither
 * running nor killed.  So the time that a group's processes were held
 * back is added up, and whoever sets the limit can say how much is enough, and
 * what is to happen then.
 *
 * The sum begins anew when the group was not above its memory.high for
 * STALL_REST: nobody says when a group falls below it, but one that is above is
 * seen whenever it charges.
 *
 * The words are changed without a lock, by several tasks of a group at a time:
 * one of them reaches the bound.
 */
#include <linux/jiffies.h>

#include <core/group/events.h>
#include <core/group/group.h>
#include <core/limit/oom.h>
#include <core/limit/stall.h>

#define STALL_REST	(10 * HZ)

/** mw_stall_setup() - no bound */
void mw_stall_setup(struct mw_stall *stall)
{
	stall->max = MW_STALL_NO_MAX;
	stall->action = MW_STALL_WAIT;
	atomic64_set(&stall->total, 0);
	stall->seen = jiffies;
	stall->over = false;
}

static void begin_anew(struct mw_stall *stall)
{
	atomic64_set(&stall->total, 0);
	WRITE_ONCE(stall->over, false);
}

/**
 * mw_stall_set_max() - set the bound, and begin to count anew
 * @group: the group
 * @us:    microseconds, or MW_STALL_NO_MAX
 *
 * Context: any.
 */
void mw_stall_set_max(struct mw_group *group, unsigned long us)
{
	WRITE_ONCE(group->stall.max, us);
	begin_anew(&group->stall);
}

static bool is_rested(const struct mw_stall *stall)
{
	return time_after(jiffies, READ_ONCE(stall->seen) + STALL_REST);
}

/**
 * mw_stall_see() - a group is above its memory.high, or that of swap
 * @group: the group
 *
 * Context: process.
 */
void mw_stall_see(struct mw_group *group)
{
	struct mw_stall *stall = &group->stall;

	if (is_rested(stall))
		begin_anew(stall);
	WRITE_ONCE(stall->seen, jiffies);
}

/**
 * mw_stall_is_lifted() - is a group let go although it is above its memory.high?
 * @group: the group
 *
 * Context: any.
 */
bool mw_stall_is_lifted(struct mw_group *group)
{
	return READ_ONCE(group->stall.over) &&
	       READ_ONCE(group->stall.action) == MW_STALL_LIFT;
}

/* Only one of those who come here at a time finds it reached. */
static bool reach(struct mw_stall *stall)
{
	return !READ_ONCE(stall->over) && !xchg(&stall->over, true);
}

/**
 * mw_stall_add() - a process was held back
 * @group: because of this group's limit
 * @us:    for so many microseconds
 *
 * Context: process, may sleep.
 */
void mw_stall_add(struct mw_group *group, u64 us)
{
	struct mw_stall *stall = &group->stall;
	u64 total = atomic64_add_return(us, &stall->total);

	if (total < READ_ONCE(stall->max) || !reach(stall))
		return;
	if (READ_ONCE(stall->action) == MW_STALL_KILL &&
	    !mw_oom_kill_all(group, "was held back for too long"))
		/* the next one to be held back tries again */
		WRITE_ONCE(stall->over, false);
	else
		mw_event(group, MW_EVENT_HIGH_STALL);
}

/** mw_stall_total() - microseconds that were added up, 0 after a rest */
u64 mw_stall_total(struct mw_group *group)
{
	return is_rested(&group->stall) ? 0 :
					  atomic64_read(&group->stall.total);
}
