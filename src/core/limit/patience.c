// SPDX-License-Identifier: GPL-2.0
/*
 * How long somebody at a limit waits for a disk.
 *
 * DOC: Each round that brings nothing waits longer than the one before, so a disk that
 * answers soon is asked soon, and nobody looks at all of a large group fifty times a
 * second for one that does not.  And there is an end to it: who waits may hold locks that
 * others wait for, who cannot be killed then.  It comes sooner if what is being waited for
 * is less than what is wanted each time.
 *
 * Not everybody may wait.  A file system that charges a page in the middle of a
 * transaction keeps all others from beginning one, the flusher threads too.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include <core/limit/patience.h>
#include <core/reclaim/reclaim.h>

#define FIRST_MS	20U
#define MOST_MS		500U
/* who has no __GFP_FS may be in the way of the flusher threads without saying so */
#define MOST_NOFS_MS	100U
/* half of the time after which the kernel calls a task hung */
#define END_MS		60000
/* for a few pages, which may be dirty again each time they are looked at; about as long as the kernel's own limits wait */
#define END_FEW_MS	8000

/** mw_patience_begin() - nobody has waited yet */
void mw_patience_begin(struct mw_patience *patience)
{
	patience->ms = FIRST_MS;
	patience->since = get_jiffies_64();
}

/**
 * mw_patience_note() - a round is over
 * @patience:  to be used up
 * @reclaimed: pages that it has brought
 */
void mw_patience_note(struct mw_patience *patience, unsigned long reclaimed)
{
	if (reclaimed)
		mw_patience_begin(patience);
	else
		patience->ms = min(2 * patience->ms, MOST_MS);
}

/* In a transaction, or serving a disk itself. */
static bool may_hold_up_writing(gfp_t gfp)
{
	return !(gfp & __GFP_IO) || current->journal_info ||
	       current->flags & (PF_MEMALLOC_NOFS | PF_MEMALLOC_NOIO);
}

static bool lasts(const struct mw_patience *patience, unsigned int ms)
{
	return time_before64(get_jiffies_64(),
			     patience->since + msecs_to_jiffies(ms));
}

/* In milliseconds; 0 if it must not depend on a disk. */
static unsigned int next_wait(const struct mw_patience *patience, gfp_t gfp)
{
	if (gfp & (__GFP_NOFAIL | __GFP_NORETRY) || may_hold_up_writing(gfp) ||
	    !lasts(patience, END_MS))
		return 0;
	return gfp & __GFP_FS ? patience->ms : min(patience->ms, MOST_NOFS_MS);
}

/**
 * mw_patience_lend() - say how long the next round may wait, and for what
 * @patience: what is left
 * @sc:       the round, with its @gfp set
 *
 * Context: process.
 */
void mw_patience_lend(const struct mw_patience *patience,
		      struct mw_scan_control *sc)
{
	sc->patience = next_wait(patience, sc->gfp);
	sc->few_are_enough = lasts(patience, END_FEW_MS);
}
