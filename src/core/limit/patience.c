// SPDX-License-Identifier: GPL-2.0
/*
 * How long somebody at a limit waits for a disk.
 *
 * DOC: Each round that brings nothing waits longer than the one before, so a disk that
 * answers soon is asked soon, and nobody looks at all of a large group fifty times a
 * second for one that does not.  Such a round is no try: tries are for what might be found
 * the next time, and of a disk that answers every five seconds nothing can be found in
 * between.  How long it is waited for is counted from when it has written something last,
 * whoever's that was.
 *
 * And there is an end to it: who waits may hold locks that others wait for, who cannot be
 * killed then.  It comes sooner if no disk gets on, and if what is being waited for is less
 * than what is wanted each time.  Who waits not for a disk, but for somebody who has the pages
 * in hands, uses up tries: that is another one who looks for some in vain, most of the time.
 * But not while one walks all memory for those that are in no chunk, which takes as long as the
 * machine is large; for a minute at the most.
 *
 * Not everybody may wait.  A file system that charges a page in the middle of a
 * transaction keeps all others from beginning one, the flusher threads too.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <core/limit/patience.h>
#include <core/reclaim/reclaim.h>

#define FIRST_MS	20U
#define MOST_MS		500U
/* who has no __GFP_FS may be in the way of the flusher threads without saying so */
#define MOST_NOFS_MS	100U
/* half of the time after which the kernel calls a task hung */
#define END_MS		60000
/* a disk that has written nothing for so long hangs */
#define END_HUNG_MS	20000
/* if it has nothing to write, the flusher threads do */
#define END_IDLE_MS	10000
/* for a few pages, which may be dirty again each time they are looked at; about as long as the kernel's own limits wait */
#define END_FEW_MS	8000
/* for what only a reference keeps: that of who just looks at it ends at once, and that of a pipe or a socket may stay for ever */
#define END_PINNED_MS	1500

/* As if nobody had waited yet. */
static void renew(struct mw_patience *patience)
{
	patience->ms = FIRST_MS;
	patience->since = get_jiffies_64();
	patience->advanced = patience->since;
	patience->pinned = 0;
}

/**
 * mw_patience_begin() - nobody has waited yet
 * @patience: to be ended with mw_patience_end()
 */
void mw_patience_begin(struct mw_patience *patience)
{
	memset(patience, 0, sizeof(*patience));
	renew(patience);
}

/* In a transaction, or serving a disk itself. */
static bool may_hold_up_writing(gfp_t gfp)
{
	/* btrfs marks who sends with a small number, which is no transaction (up to 5.15) */
	return !(gfp & __GFP_IO) || (unsigned long)current->journal_info >= PAGE_SIZE ||
	       current->flags & (PF_MEMALLOC_NOFS | PF_MEMALLOC_NOIO);
}

static bool is_within(u64 since, unsigned int ms)
{
	return time_before64(get_jiffies_64(), since + msecs_to_jiffies(ms));
}

/* In milliseconds; 0 if it must not depend on a disk. */
static unsigned int next_wait(const struct mw_patience *patience, gfp_t gfp)
{
	if (gfp & (__GFP_NOFAIL | __GFP_NORETRY) || may_hold_up_writing(gfp) ||
	    !is_within(patience->since, END_MS))
		return 0;
	return gfp & __GFP_FS ? patience->ms : min(patience->ms, MOST_NOFS_MS);
}

/* Nothing can have come of a disk that has not answered since the last round. */
static bool is_silent(const struct mw_patience *patience)
{
	return !is_within(patience->advanced, MOST_MS) &&
	       is_within(patience->advanced, END_HUNG_MS);
}

/**
 * mw_patience_lend() - say how long the next round may wait, and for what
 * @patience: what is left
 * @sc:       the round, with its @gfp set
 *
 * Context: process.
 */
void mw_patience_lend(struct mw_patience *patience, struct mw_scan_control *sc)
{
	sc->patience = next_wait(patience, sc->gfp);
	if (!sc->patience)
		return;
	sc->few_are_enough = is_within(patience->since, END_FEW_MS) || is_silent(patience);
	sc->awaits_pinned = !patience->pinned || is_within(patience->pinned, END_PINNED_MS);
	sc->devices = &patience->devices;
	mw_devices_begin(sc->devices);
}

/* Was it waiting for a disk that may get on yet? */
static bool is_worth_more(const struct mw_patience *patience,
			  const struct mw_scan_control *sc)
{
	return sc->for_disks &&
	       is_within(patience->advanced, sc->busy ? END_HUNG_MS : END_IDLE_MS);
}

static bool is_pinned_alone(const struct mw_scan_control *sc)
{
	return sc->nr.pinned && !sc->nr.held && !sc->pending;
}

/* He may get no processor, or find no memory for chunks, so that all walk by turns. */
static bool is_sought(const struct mw_patience *patience, const struct mw_scan_control *sc)
{
	return sc->sought && is_within(patience->since, END_MS);
}

/**
 * mw_patience_note() - a round is over
 * @patience: was lent for it, or was not
 * @sc:       the round
 *
 * Context: process.
 * Return: what came of it.
 */
enum mw_round mw_patience_note(struct mw_patience *patience,
			       const struct mw_scan_control *sc)
{
	if (sc->nr.reclaimed) {
		renew(patience);
		return MW_ROUND_PROGRESS;
	}
	patience->ms = min(2 * patience->ms, MOST_MS);
	if (sc->advances)
		patience->advanced = get_jiffies_64();
	if (sc->relieved || (sc->for_disks && sc->advances)) {
		patience->pinned = 0;
		return MW_ROUND_PROGRESS;
	}
	if (!patience->pinned && is_pinned_alone(sc))
		patience->pinned = get_jiffies_64();
	return is_sought(patience, sc) || is_worth_more(patience, sc) ? MW_ROUND_WAITED :
									MW_ROUND_VAIN;
}

/**
 * mw_patience_end() - nobody waits any more
 * @patience: begun
 *
 * Context: process, may sleep if it was lent.
 */
void mw_patience_end(struct mw_patience *patience)
{
	mw_devices_forget(&patience->devices);
}
