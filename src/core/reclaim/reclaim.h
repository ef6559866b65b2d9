/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_RECLAIM_H
#define MEMWARD_RECLAIM_H

#include <linux/gfp.h>
#include <linux/nodemask.h>

#include <core/group/stat.h>
#include <pure/kind.h>

struct mw_devices;
struct mw_group;

/**
 * struct mw_scan_count - what was found, in pages
 * @scanned:   looked at
 * @rotated:   of them, in use; not added up over groups
 * @reclaimed: of them, reclaimed
 * @writing:   of them, being written, by type
 * @dirty:     of them, to be written by somebody else
 * @held:      of them, of files, tried in vain, as somebody has them locked, to read them, say, or their file
 *             system keeps them; or not tried, as that may want its locks
 * @pinned:    of them, of files, tried in vain, as somebody has a reference
 */
struct mw_scan_count {
	unsigned long scanned;
	unsigned long rotated;
	unsigned long reclaimed;
	unsigned long writing[MW_NR_LRU_TYPES];
	unsigned long dirty;
	unsigned long held;
	unsigned long pinned;
};

/**
 * struct mw_scan_control - a request to reclaim, and how far it has got
 * @target:        the group that is to give something, and those below; referenced
 * @nr_to_reclaim: pages that are wanted; the rest of a batch of 32, or of a folio,
 *                 may come on top
 * @why:           what it is counted as
 * @gfp:           what it may do: __GFP_IO to swap, __GFP_FS for pages that a file
 *                 system holds on to, and to swap to a file that one writes
 * @swappiness:    0 to 200; -1 for each group's own
 * @nodes:         where, all of them with memory; NULL for everywhere
 * @signals:       end it on any signal, not only on a fatal one
 * @heedless:      not on a fatal one either, but then it does not wait
 * @until:         end it then, in jiffies; 0: whenever it has come to its end
 * @thorough:      look for what was unlocked where much is locked: somebody is to be killed
 *                 otherwise, or has asked for as much as can be had
 * @desperate:     somebody is to be killed otherwise, and soon, or to wait for long
 * @kills:         with @desperate: to be killed
 * @splits:        the request before has brought nothing: where nothing can be swapped, look for huge pages of
 *                 which a part is mapped no more
 * @memcg_low_reclaim: memory.low does not hold
 * @sends_ahead:   more such requests will follow: what they want is sent to swap now
 * @patience:      if nothing else is left, how long to wait for a disk, or for another
 *                 who reclaims, in milliseconds; 0 for hardly
 * @few_are_enough: also if that is less than what is wanted
 * @awaits_pinned: also for what somebody has a reference to
 * @devices:       with @patience: where what is dirty is to be written, as far as is known
 * @may_swap:      it may swap
 * @ahead:         so many pages may be on their way to swap before they are wanted
 * @last_chance:   @desperate, and everything else was tried in vain
 * @memcg_low_skipped: memory.low has kept some pages from being looked at
 * @flushers_woken: the flusher threads were told of dirty pages
 * @rechecked:     what was being written was sorted again
 * @found:         pages that can be had of all groups, as a round has met them; 0: not known yet
 * @stalled:       what was being written was waited for in vain
 * @pending:       nothing was reclaimed, but something may come: it is dirty, or being
 *                 written, or another one who reclaims has it in hands
 * @for_disks:     disks were waited for as long as there was patience
 * @has_walked:    it has walked all memory for lost pages
 * @sought:        another one still walks all memory for lost pages, and some may be of these groups
 * @splits_ns:     with @splits: how long it has looked, in all groups, since less is spared than before
 * @relieved:      others have given back what is wanted meanwhile
 * @advances:      one of the disks that dirty pages go to has written something meanwhile
 * @busy:          one of them has something to write
 * @waited_us:     for what was being written or dirty, or in somebody's hands
 * @priority:      2^-@priority of each group's pages are looked at; all of them at 0
 * @nr:            what was found so far
 *
 * Those from @may_swap on are mw_reclaim()'s.
 */
struct mw_scan_control {
	struct mw_group *target;
	unsigned long nr_to_reclaim;
	enum mw_reclaim_why why;
	gfp_t gfp;
	int swappiness;
	const nodemask_t *nodes;
	bool signals;
	bool heedless;
	unsigned long until;
	bool thorough;
	bool desperate;
	bool kills;
	bool splits;
	bool memcg_low_reclaim;
	bool sends_ahead;
	unsigned int patience;
	bool few_are_enough;
	bool awaits_pinned;
	struct mw_devices *devices;
	bool may_swap;
	unsigned long ahead;
	bool last_chance;
	bool memcg_low_skipped;
	bool flushers_woken;
	bool rechecked;
	unsigned long found;
	bool stalled;
	bool pending;
	bool for_disks;
	bool has_walked;
	bool sought;
	u64 splits_ns;
	bool relieved;
	bool advances;
	bool busy;
	u64 waited_us;
	unsigned int priority;
	struct mw_scan_count nr;
};

/** mw_scan_held() - pages of files that were tried in vain, as somebody has them, and not tried */
static inline unsigned long mw_scan_held(const struct mw_scan_control *sc)
{
	return sc->nr.held + sc->nr.pinned;
}

unsigned long mw_reclaim(struct mw_scan_control *sc);
bool mw_reclaim_is_spared(struct mw_group *target);
bool mw_reclaim_is_desperate(struct mw_group *target, bool few_left);

#endif
