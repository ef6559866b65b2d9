// SPDX-License-Identifier: GPL-2.0
/*
 * The audit: do the counters say what the shadow array says?
 *
 * DOC: The array is walked while pages are charged, moved and freed, so a
 * difference may be mere motion.  Every charge, move (of an entry, to a place that
 * the walk has passed or is still to come to) and uncharge is also counted as an
 * event of its group; a difference that is no larger than the number of events in
 * the subtree between the beginning and the end of the walk is explained by them
 * (and reported as "moving").  One that is larger has to appear in every one of
 * AUDIT_TRIES walks.
 *
 * An entry and its event are not written at the same instant, and a virtual CPU may
 * stop between them for longer than all walks take.  So in the walks that follow a
 * difference what was under way when the events were read is waited for before the
 * walk, and what was under way in the walk before they are read again.
 *
 * Removed groups are not compared: their owners are an ancestor's already, and
 * its subtree includes their statistics.
 *
 * A charge that is lost for good shows as soon as its group is at rest; that of a
 * page which went back to the page allocator shows at once, for pages are uncharged
 * before.  It is not enough that a page has no user: reclaim uncharges what it frees
 * when it has been through the whole of its list, and waits in between, for a disk
 * or for its turn to run, as long as it takes.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <compat/buddy.h>
#include <core/charge/stock.h>
#include <core/group/group.h>
#include <core/group/mark.h>
#include <core/group/stat.h>
#include <core/group/tree.h>
#include <core/group/unwritten.h>
#include <core/life/audit.h>
#include <core/life/lifecycle.h>
#include <core/limit/swap.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

#define AUDIT_TRIES	4

#define MAX_SUSPECTS	64

/* swap slots are counted like one kind more */
#define SLOTS		MW_NR_KINDS

/**
 * struct tally - what a walk found
 * @max_id:      highest owner id when the walk began
 * @unwritten:   entries of pages that are dirty or under writeback
 * @unwritten_events: pages that were dirtied or written when the walk began
 * @unknown:     entries with a higher id, or an id that is not in use
 * @lost:        hidden ones where nobody would look for them
 * @nr_suspects: entries of pages that were free just then; may exceed what @suspects
 *               has room for
 * @suspects:    page frame and entry of the first of them
 * @owned:       pages by owner id and kind, and slots
 */
struct tally {
	u32 max_id;
	unsigned long unwritten;
	unsigned long unwritten_events;
	unsigned long unknown;
	unsigned long lost;
	unsigned int nr_suspects;
	struct {
		unsigned long pfn;
		mw_entry_t entry;
	} suspects[MAX_SUSPECTS];
	unsigned long (*owned)[MW_NR_KINDS + 1];
};

static bool is_free(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);

	/* nobody has to be quiet meanwhile: it is asked again, see is_still_free() */
	return data_race(!page_count(page) && !PageTail(page)) &&
	       mw_page_is_free(page);
}

static void suspect(struct tally *tally, unsigned long pfn, mw_entry_t entry)
{
	if (tally->nr_suspects < MAX_SUSPECTS) {
		tally->suspects[tally->nr_suspects].pfn = pfn;
		tally->suspects[tally->nr_suspects].entry = entry;
	}
	tally->nr_suspects++;
}

static bool is_marked(unsigned long pfn)
{
	bool marked;

	preempt_disable();
	marked = mw_pc_is_marked(pfn);
	preempt_enable();
	return marked;
}

static void tally_entry(unsigned long pfn, mw_entry_t entry, void *data)
{
	struct tally *tally = data;
	u32 id = mw_pc_owner_id(entry);
	enum mw_kind kind = mw_pc_kind(entry);

	if (id > tally->max_id || kind >= MW_NR_KINDS) {
		tally->unknown++;
		return;
	}
	tally->owned[id][kind]++;
	tally->unwritten += mw_pc_is_unwritten(entry);
	tally->lost += mw_pc_is_hidden(entry) && !is_marked(pfn);
	if (is_free(pfn))
		suspect(tally, pfn, entry);
}

static void tally_slot(u32 owner_id, void *data)
{
	struct tally *tally = data;

	if (owner_id > tally->max_id)
		tally->unknown++;
	else
		tally->owned[owner_id][SLOTS]++;
}

/* The memory may have gone offline since the walk. */
static bool is_still_free(unsigned long pfn, mw_entry_t entry)
{
	mw_entry_t *now;
	bool same;

	preempt_disable();
	now = mw_pc_entry(pfn);
	same = now && mw_pc_read(now).v == entry.v && is_free(pfn);
	preempt_enable();
	return same;
}

/* Forget the suspects that are not free any more, or not charged. */
static void keep_free(struct tally *tally)
{
	unsigned int i, nr = 0;

	for (i = 0; i < tally->nr_suspects; i++)
		if (is_still_free(tally->suspects[i].pfn,
				  tally->suspects[i].entry))
			tally->suspects[nr++] = tally->suspects[i];
	tally->nr_suspects = nr;
}

/*
 * The entry was read a moment before the allocator was asked.  Who changed it in
 * between has done so for good now.
 */
static unsigned int count_free(struct tally *tally)
{
	tally->nr_suspects = min(tally->nr_suspects, (unsigned int)MAX_SUSPECTS);
	if (tally->nr_suspects) {
		synchronize_rcu();
		keep_free(tally);
	}
	return tally->nr_suspects;
}

static void add_finding(struct mw_audit *audit, struct mw_finding finding)
{
	if (audit->nr_findings < MW_AUDIT_MAX_FINDINGS)
		audit->finding[audit->nr_findings] = finding;
	audit->nr_findings++;
}

/* Pages of the owners that point to this very group. */
static void found_local(struct tally *tally, struct mw_group *group,
			unsigned long found[MW_NR_KINDS])
{
	struct mw_owner *owner;
	int kind;

	list_for_each_entry(owner, &group->owners, node)
		for (kind = 0; kind < MW_NR_KINDS; kind++)
			if (owner->id <= tally->max_id)
				found[kind] += tally->owned[owner->id][kind];
}

static unsigned long found_below(struct tally *tally, struct mw_group *group)
{
	unsigned long found[MW_NR_KINDS] = {};
	unsigned long sum = 0;
	struct mw_group *pos;
	int kind;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		found_local(tally, pos, found);
	for (kind = 0; kind < MW_NR_KINDS; kind++)
		sum += found[kind];
	return sum;
}

static unsigned long events_of(const struct mw_stats *stats)
{
	return mw_stats_charged(stats) + mw_stats_uncharged(stats) +
	       stats->pages[MW_STAT_MOVED];
}

static unsigned long events_below(struct mw_group *group)
{
	struct mw_stats own, below;

	mw_stats_read(group, &own, &below);
	return events_of(&below);
}

static void check_usage(struct mw_audit *audit, struct tally *tally,
			struct mw_group *group, unsigned long events_before)
{
	long counted = mw_group_usage(group);
	long found = found_below(tally, group);
	unsigned long diff = abs(counted - found);
	unsigned long moved = events_below(group) - events_before;

	if (!diff)
		return;
	if (diff <= moved)
		audit->moving++;
	else
		add_finding(audit, (struct mw_finding){ MW_AUDIT_USAGE, group,
							0, counted, found });
}

static void check_kinds(struct mw_audit *audit, struct tally *tally,
			struct mw_group *group, unsigned long events_before)
{
	unsigned long found[MW_NR_KINDS] = {};
	struct mw_stats own, below;
	unsigned long moved;
	int kind;

	found_local(tally, group, found);
	mw_stats_read(group, &own, &below);
	moved = events_of(&own) - events_before;
	for (kind = 0; kind < MW_NR_KINDS; kind++) {
		long counted = mw_stats_held(&own, kind);
		unsigned long diff = abs(counted - (long)found[kind]);

		if (diff > moved)
			add_finding(audit, (struct mw_finding){
				MW_AUDIT_KIND, group, kind, counted,
				found[kind] });
	}
}

static unsigned long slots_below(struct tally *tally, struct mw_group *group)
{
	struct mw_owner *owner;
	struct mw_group *pos;
	unsigned long sum = 0;

	for (pos = group; pos; pos = mw_group_next(pos, group))
		list_for_each_entry(owner, &pos->owners, node)
			if (owner->id <= tally->max_id)
				sum += tally->owned[owner->id][SLOTS];
	return sum;
}

static unsigned long slot_events_below(struct mw_group *group)
{
	struct mw_stats own, below;

	mw_stats_read(group, &own, &below);
	return below.pages[MW_STAT_SLOTS_CHARGED] +
	       below.pages[MW_STAT_SLOTS_UNCHARGED];
}

static void check_swap(struct mw_audit *audit, struct tally *tally,
		       struct mw_group *group, unsigned long events_before)
{
	long counted = mw_counter_read(&group->swap);
	long found = slots_below(tally, group);
	unsigned long moved = slot_events_below(group) - events_before;

	if ((unsigned long)abs(counted - found) > moved)
		add_finding(audit, (struct mw_finding){ MW_AUDIT_SWAP, group,
							0, counted, found });
}

static unsigned long unwritten_events(void)
{
	struct mw_stats own, below;

	mw_stats_read(&mw_root, &own, &below);
	/* one that moves from where the walk comes to where it was is not found */
	return below.pages[MW_STAT_DIRTIED] + below.pages[MW_STAT_WRITTEN] +
	       below.pages[MW_STAT_MOVED];
}

/* A group's is that of its owners: what is wrong in one of them is wrong here. */
static void check_unwritten(struct mw_audit *audit, struct tally *tally,
			    unsigned long events_before)
{
	long counted = mw_unwritten_sum(&mw_root);
	unsigned long diff = abs(counted - (long)tally->unwritten);

	if (diff > unwritten_events() - events_before)
		add_finding(audit, (struct mw_finding){
			MW_AUDIT_UNWRITTEN, &mw_root, 0, counted,
			tally->unwritten });
}

static void check_walks(struct mw_audit *audit, struct mw_group *group)
{
	if (mw_mark_is_missing(group, MW_WALK_CHARGED) ||
	    mw_mark_is_missing(group, MW_WALK_PENDING))
		add_finding(audit, (struct mw_finding){ .what = MW_AUDIT_WALK, .group = group });
}

/**
 * struct before - events of a group when the walk began
 * @below: of its subtree
 * @local: of itself
 * @slots: those of swap slots, of its subtree
 */
struct before {
	unsigned long below;
	unsigned long local;
	unsigned long slots;
};

static struct mw_group *next_alive(struct mw_group *group)
{
	do {
		group = mw_group_next(group, &mw_root);
	} while (group && group->dead);
	return group;
}

static void note_events(struct before *before)
{
	struct mw_group *pos;

	for (pos = &mw_root; pos; pos = next_alive(pos)) {
		struct mw_stats own, below;

		mw_stats_read(pos, &own, &below);
		before->local = events_of(&own);
		before->below = events_of(&below);
		before->slots = slot_events_below(pos);
		before++;
	}
}

/* Nobody does so while the tree is locked: what a CPU was about to add as they were removed. */
static void settle_removed(void)
{
	struct mw_group *pos;

	for (pos = &mw_root; pos; pos = mw_group_next(pos, &mw_root))
		if (pos->dead && !pos->folded)
			mw_stats_settle(pos);
}

static void compare(struct mw_audit *audit, struct tally *tally,
		    const struct before *before)
{
	unsigned int nr_free = count_free(tally);
	struct mw_group *pos;

	check_unwritten(audit, tally, tally->unwritten_events);
	for (pos = &mw_root; pos; pos = next_alive(pos)) {
		audit->groups++;
		check_usage(audit, tally, pos, before->below);
		check_kinds(audit, tally, pos, before->local);
		check_swap(audit, tally, pos, before->slots);
		check_walks(audit, pos);
		before++;
	}
	if (tally->unknown)
		add_finding(audit, (struct mw_finding){ MW_AUDIT_OWNER, NULL,
							0, 0, tally->unknown });
	if (tally->lost)
		add_finding(audit, (struct mw_finding){ MW_AUDIT_HIDDEN, NULL,
							0, 0, tally->lost });
	if (nr_free)
		add_finding(audit, (struct mw_finding){ MW_AUDIT_FREE, NULL,
							0, 0, nr_free });
}

static void tally_unused_ids(struct tally *tally)
{
	u32 id;
	int kind;

	for (id = 1; id <= tally->max_id; id++) {
		if (mw_owner_find(id))
			continue;
		for (kind = 0; kind <= SLOTS; kind++)
			tally->unknown += tally->owned[id][kind];
	}
}

static unsigned long tally_pages(const struct tally *tally)
{
	unsigned long sum = tally->unknown;
	u32 id;
	int kind;

	for (id = 0; id <= tally->max_id; id++)
		for (kind = 0; kind < MW_NR_KINDS; kind++)
			sum += tally->owned[id][kind];
	return sum;
}

/* Entries are changed and counted inside an RCU read side. */
static void wait_for_counts(bool patient)
{
	if (patient)
		synchronize_rcu();
}

static int audit_once(struct mw_audit *audit, bool patient)
{
	struct tally tally = { .max_id = mw_owner_max_id() };
	struct before *before;
	int ret = -ENOMEM;

	memset(audit, 0, sizeof(*audit));
	before = kvcalloc(mw_root.nr_descendants + 1, sizeof(*before),
			  GFP_KERNEL);
	tally.owned = kvcalloc((size_t)tally.max_id + 1, sizeof(*tally.owned),
			       GFP_KERNEL);
	if (before && tally.owned) {
		note_events(before);
		tally.unwritten_events = unwritten_events();
		wait_for_counts(patient);
		mw_pc_walk(tally_entry, &tally);
		mw_swap_walk(tally_slot, &tally);
		wait_for_counts(patient);
		audit->pages = tally_pages(&tally);
		tally_unused_ids(&tally);
		settle_removed();
		compare(audit, &tally, before);
		ret = 0;
	}
	kvfree(tally.owned);
	kvfree(before);
	return ret;
}

/**
 * mw_audit() - compare every counter with the shadow array
 * @result: what was found
 * @report: called with @result while the groups in it are still there
 * @data:   for @report
 *
 * Context: process, may sleep; takes the tree mutex for the length of up to
 * AUDIT_TRIES walks over the shadow array.
 * Return: 0, or -ENOMEM.
 */
int mw_audit(struct mw_audit *result,
	     void (*report)(const struct mw_audit *result, void *data),
	     void *data)
{
	int tries, ret;

	mw_groups_flush();
	mw_drain_free_pages();
	mw_tree_lock();
	for (tries = 0; tries < AUDIT_TRIES; tries++) {
		ret = audit_once(result, tries > 0);
		if (ret || !result->nr_findings)
			break;
	}
	if (!ret)
		report(result, data);
	mw_tree_unlock();
	return ret;
}
