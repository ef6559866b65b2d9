// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics that are sampled: a walk over the shadow array looks at each page.
 *
 * DOC: To count mappings and dirtying as they happen would take hooks on some of
 * the kernel's hottest functions.  So they are counted when somebody asks, for
 * all groups in one walk, and the answer is used again for twenty times as long
 * as the walk took: however many groups are read however often, no more than a
 * twentieth of one CPU goes into it.  A walk takes a millisecond or two a
 * gigabyte.  A worker walks, as a reader may be one who hardly gets any time.  Where memory
 * is so large that this is more than one waits for when reading a file, readers have what
 * the walk before has found, unless that was a minute ago.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/folio.h>
#include <core/group/group.h>
#include <core/group/tree.h>
#include <core/life/sample.h>
#include <core/pages/owner.h>
#include <core/pages/page_cgroup.h>

/* a walk may take this share of one CPU's time */
#define WALK_SHARE	20
/* for a walk through so many bytes readers wait rather than have what is a minute old at most */
#define SHORT_WALK	(16ULL << 30)
#define OLD_NS		(60 * NSEC_PER_SEC)

/* of what was found, with all groups below */
static DEFINE_MUTEX(sum_mutex);
static DECLARE_WAIT_QUEUE_HEAD(walked);
static struct workqueue_struct *sample_wq;

/* the worker's own */
static unsigned long this_walk;
/* written by it */
static unsigned long nr_walks;
static u64 valid_until;
static u64 old_from;

/* Shared memory is always "dirty", and as in the kernel's memcg not counted. */
static void look_file(struct mw_sample *sample, unsigned long pfn,
		      enum mw_kind kind)
{
	if (kind != MW_KIND_FILE)
		return;
	sample->dirty += mw_pfn_dirty(pfn);
	sample->writeback += mw_pfn_writeback(pfn);
}

/* What a group had when it was met first in this walk is from an earlier one. */
static struct mw_sample *found_of(struct mw_group *group)
{
	if (group->sample.walk != this_walk) {
		group->sample.walk = this_walk;
		group->sample.found = (struct mw_sample){};
	}
	return &group->sample.found;
}

/* The page may be freed meanwhile: then the count is off by one. */
static void look(unsigned long pfn, mw_entry_t entry, void *unused)
{
	struct mw_group *group;

	if (mw_pc_kind(entry) == MW_KIND_ANON)
		return;
	rcu_read_lock();
	group = mw_owner_group(mw_pc_owner_id(entry));
	if (group) {
		found_of(group)->mapped += mw_pfn_mapped(pfn);
		look_file(found_of(group), pfn, mw_pc_kind(entry));
	}
	rcu_read_unlock();
}

static void add(struct mw_group *group, const struct mw_sample *found)
{
	for (; group; group = group->parent) {
		group->sample.below.mapped += found->mapped;
		group->sample.below.dirty += found->dirty;
		group->sample.below.writeback += found->writeback;
	}
}

/* Parents are met first, so nothing is there yet when a group's own is added. */
static void publish(void)
{
	struct mw_group *pos = NULL;

	mutex_lock(&sum_mutex);
	while ((pos = mw_group_walk(pos, &mw_root, MW_WALK_ALL))) {
		pos->sample.below = (struct mw_sample){};
		add(pos, found_of(pos));
	}
	mutex_unlock(&sum_mutex);
}

static bool is_valid(void)
{
	return ktime_get_ns() <= READ_ONCE(valid_until);
}

static void walk_fn(struct work_struct *work)
{
	u64 start = ktime_get_ns(), end;

	/* another has asked for it while it walked */
	if (is_valid())
		return;
	this_walk++;
	mw_pc_walk(look, NULL);
	publish();
	end = ktime_get_ns();
	WRITE_ONCE(valid_until, end + WALK_SHARE * (end - start));
	WRITE_ONCE(old_from, end + OLD_NS);
	/* who sees that there was one more sees that it is valid */
	smp_store_release(&nr_walks, nr_walks + 1);
	wake_up_all(&walked);
}
static DECLARE_WORK(walk_work, walk_fn);

/* Is what is known good enough meanwhile? */
static bool is_long(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT > SHORT_WALK &&
	       ktime_get_ns() <= READ_ONCE(old_from);
}

/**
 * mw_sample_read() - sampled statistics of a group and everything below it
 * @group: referenced
 * @below: the result, in pages
 *
 * Context: process, may sleep; a fatal signal ends that, with what was known before.
 */
void mw_sample_read(struct mw_group *group, struct mw_sample *below)
{
	unsigned long before = smp_load_acquire(&nr_walks);

	if (!is_valid()) {
		queue_work(sample_wq, &walk_work);
		if (!is_long())
			wait_event_killable(walked, READ_ONCE(nr_walks) != before);
	}
	mutex_lock(&sum_mutex);
	*below = group->sample.below;
	mutex_unlock(&sum_mutex);
}

/** mw_sample_stop() - forget what was found; nobody reads it any more */
void mw_sample_stop(void)
{
	cancel_work_sync(&walk_work);
	valid_until = 0;
	old_from = 0;
}

/**
 * mw_sample_init() - prepare the worker
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int mw_sample_init(void)
{
	sample_wq = alloc_workqueue("memward_sample", WQ_UNBOUND, 1);
	return sample_wq ? 0 : -ENOMEM;
}

/** mw_sample_exit() - undo mw_sample_init() */
void mw_sample_exit(void)
{
	destroy_workqueue(sample_wq);
}
