// SPDX-License-Identifier: GPL-2.0
/*
 * The shadow array: eight bytes for each page frame that is online.
 *
 * DOC: Sections of the kernel's own size (128 MiB of memory, 256 KiB of
 * shadow) are allocated for the memory that exists when memward is mounted and
 * follow memory hot-plug from then on.  Readers run with preemption off; a
 * section goes away only when its memory is offline, after a grace period, so
 * no reader needs a lock or a reference.
 *
 * map_mutex serialises the memory notifier with init and exit, and with walks.  The notifier
 * is registered before the first sections are allocated: memory that comes
 * online meanwhile waits for the mutex and then finds its section present.  What
 * is still charged of memory that went offline was uncharged before, see hotplug.c.
 */
#include <linux/bitops.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <core/pages/chunk.h>
#include <core/pages/page_cgroup.h>

/* stands in while there is no array, so that look-ups need not ask */
static struct mw_pc_map empty_map;
struct mw_pc_map __rcu *mw_pc_map = RCU_INITIALIZER(&empty_map);

static DEFINE_MUTEX(map_mutex);
static unsigned long nr_allocated;

static struct mw_pc_map *map_locked(void)
{
	return rcu_dereference_protected(mw_pc_map,
					 lockdep_is_held(&map_mutex));
}

static unsigned long first_pfn(unsigned long sec)
{
	return sec << PFN_SECTION_SHIFT;
}

/* Return: the entries of a section, NULL if it has none. */
static mw_entry_t *section_base(struct mw_pc_map *map, unsigned long sec)
{
	return map->biased[sec] ? (mw_entry_t *)map->biased[sec] + first_pfn(sec) : NULL;
}

/* Return: what it replaces, which nobody reads any more. */
static struct mw_pc_map *map_replace(struct mw_pc_map *new)
{
	struct mw_pc_map *old = map_locked();

	rcu_assign_pointer(mw_pc_map, new);
	synchronize_rcu();
	return old;
}

static void map_free(struct mw_pc_map *map)
{
	if (map != &empty_map)
		kvfree(map);
}

/*
 * Room for @nr sections; readers go on with the old map until they are done, which is
 * waited for: so not once for each section.
 */
static int map_grow(unsigned long nr)
{
	struct mw_pc_map *old = map_locked();
	struct mw_pc_map *map;
	unsigned long bit;

	if (nr <= old->nr)
		return 0;
	if (first_pfn(nr) > MW_SLOT_PFNS && first_pfn(old->nr) <= MW_SLOT_PFNS)
		pr_warn("memward: of memory above 8 TiB pages are charged, but a limit of memward's cannot reclaim them\n");
	/* memory that comes block by block finds room for some of them */
	nr = max(nr, old->nr + old->nr / 4);
	map = kvzalloc(struct_size(map, biased, 2 * nr), GFP_KERNEL | __GFP_NOWARN);
	if (!map)
		return -ENOMEM;
	map->nr = nr;
	map->marks = map->biased + nr;
	memcpy(map->biased, old->biased, old->nr * sizeof(old->biased[0]));
	map_replace(map);
	/* by now nobody marks anything in the old one, and others do in the new */
	for_each_set_bit(bit, old->marks, old->nr * BITS_PER_LONG)
		set_bit(bit, map->marks);
	map_free(old);
	return 0;
}

/* There is room for it. */
static int section_add(unsigned long sec, int nid)
{
	struct mw_pc_map *map = map_locked();
	mw_entry_t *base;

	if (map->biased[sec])
		return 0;
	/* whoever mounts, or brings memory online, is told: no stack in the log */
	base = kvzalloc_node(PAGES_PER_SECTION * sizeof(mw_entry_t),
			     GFP_KERNEL | __GFP_NOWARN, nid);
	if (!base)
		return -ENOMEM;
	/* pairs with the READ_ONCE in mw_pc_entry: zeroes before the pointer */
	smp_store_release(&map->biased[sec],
			  (unsigned long)(base - first_pfn(sec)));
	WRITE_ONCE(nr_allocated, nr_allocated + 1);
	return 0;
}

/* Return: the entries of a section, which readers may still be at; NULL if it has none. */
static mw_entry_t *section_take(unsigned long sec)
{
	struct mw_pc_map *map = map_locked();
	mw_entry_t *base;

	if (sec >= map->nr)
		return NULL;
	base = section_base(map, sec);
	WRITE_ONCE(map->biased[sec], 0);
	return base;
}

static bool section_is_online(unsigned long sec)
{
	unsigned long pfn = first_pfn(sec);
	unsigned long end = pfn + PAGES_PER_SECTION;

	/* pfn_to_online_page() looks at the whole section but for its
	 * sub-sections of 2 MiB; a section may begin with a hole.
	 */
	for (; pfn < end; pfn += PAGES_PER_SUBSECTION)
		if (pfn_to_online_page(pfn))
			return true;
	return false;
}

/* the kernel's largest block of memory has so many sections: one grace period for all of them */
#define REMOVED_AT_ONCE	16

static void bases_free(mw_entry_t **base, unsigned int nr)
{
	if (!nr)
		return;
	synchronize_rcu();
	WRITE_ONCE(nr_allocated, nr_allocated - nr);
	while (nr--)
		kvfree(base[nr]);
}

static void range_remove(unsigned long first, unsigned long last)
{
	mw_entry_t *base[REMOVED_AT_ONCE];
	unsigned int nr = 0;
	unsigned long sec;

	for (sec = first; sec <= last; sec++) {
		if (section_is_online(sec))
			continue;
		base[nr] = section_take(sec);
		if (base[nr] && ++nr == REMOVED_AT_ONCE) {
			bases_free(base, nr);
			nr = 0;
		}
	}
	bases_free(base, nr);
}

static int range_add(unsigned long first, unsigned long last, int nid)
{
	unsigned long sec;
	int ret;

	ret = map_grow(last + 1);
	if (ret)
		return ret;
	for (sec = first; sec <= last; sec++) {
		ret = section_add(sec, nid);
		if (ret) {
			range_remove(first, last);
			return ret;
		}
	}
	return 0;
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *arg)
{
	struct memory_notify *mn = arg;
	unsigned long first = mn->start_pfn >> PFN_SECTION_SHIFT;
	unsigned long last = (mn->start_pfn + mn->nr_pages - 1) >>
			     PFN_SECTION_SHIFT;
	int ret = 0;

	mutex_lock(&map_mutex);
	switch (action) {
	case MEM_GOING_ONLINE:
	/* or it was on its way as memward was mounted, and is seen for the first time */
	case MEM_ONLINE:
		ret = range_add(first, last, NUMA_NO_NODE);
		break;
	case MEM_CANCEL_ONLINE:
	case MEM_OFFLINE:
		range_remove(first, last);
		break;
	}
	mutex_unlock(&map_mutex);
	return notifier_from_errno(ret);
}

static struct notifier_block memory_nb = { .notifier_call = memory_event };

/* Not of its devices, whose memory may be at the very end of the address space. */
static unsigned long memory_end(int nid)
{
	struct zone *zones = NODE_DATA(nid)->node_zones;
	unsigned long end = 0;
	int i;

	for (i = 0; i <= ZONE_MOVABLE; i++)
		end = max(end, zone_end_pfn(&zones[i]));
	return end;
}

static int node_add(int nid)
{
	unsigned long sec = node_start_pfn(nid) >> PFN_SECTION_SHIFT;
	unsigned long end = DIV_ROUND_UP(memory_end(nid), PAGES_PER_SECTION);
	int ret = 0;

	for (; sec < end && !ret; sec++) {
		if (section_is_online(sec))
			ret = section_add(sec, nid);
		cond_resched();
	}
	return ret;
}

static unsigned long nr_sections(void)
{
	unsigned long end = 0;
	int nid;

	for_each_online_node(nid)
		end = max(end, memory_end(nid));
	return DIV_ROUND_UP(end, PAGES_PER_SECTION);
}

static int nodes_add(void)
{
	int nid, ret;

	ret = map_grow(nr_sections());
	if (ret)
		return ret;
	for_each_online_node(nid) {
		ret = node_add(nid);
		if (ret)
			return ret;
	}
	return 0;
}

static void sections_free(void)
{
	struct mw_pc_map *map = map_replace(&empty_map);
	unsigned long sec;

	for (sec = 0; sec < map->nr; sec++)
		kvfree(section_base(map, sec));
	map_free(map);
	WRITE_ONCE(nr_allocated, 0);
}

/**
 * mw_pc_start() - allocate the shadow array and follow memory hot-plug
 *
 * Context: process, may sleep; before any hook is attached.
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int mw_pc_start(void)
{
	int ret;

	ret = register_memory_notifier(&memory_nb);
	if (ret)
		return ret;
	mutex_lock(&map_mutex);
	ret = nodes_add();
	mutex_unlock(&map_mutex);
	if (ret)
		mw_pc_stop();
	return ret;
}

/**
 * mw_pc_stop() - free the shadow array
 *
 * Context: process, may sleep; after every hook and every worker is gone.
 */
void mw_pc_stop(void)
{
	unregister_memory_notifier(&memory_nb);
	mutex_lock(&map_mutex);
	sections_free();
	mutex_unlock(&map_mutex);
}

/**
 * mw_pc_bytes() - memory that the shadow array takes
 *
 * Return: bytes.
 */
unsigned long mw_pc_bytes(void)
{
	return READ_ONCE(nr_allocated) * PAGES_PER_SECTION * sizeof(mw_entry_t);
}

/* --- what is hidden --- */

/*
 * Of much memory little may be hidden, and who looks for it is in a hurry: somebody is about
 * to be killed.  So each block of a section, of 512 pages, has a bit.  It is set after an
 * entry's, and cleared before they are looked at.
 */

/* pages with one mark */
#define BLOCK_PAGES	(PAGES_PER_SECTION / BITS_PER_LONG)

static unsigned int block_of(unsigned long pfn)
{
	return (pfn & (PAGES_PER_SECTION - 1)) / BLOCK_PAGES;
}

/* Return: whether the page is charged, so that the bit is as it is to be. */
static bool set_hidden(mw_entry_t *entry, bool hidden)
{
	mw_entry_t now;

	do {
		now = mw_pc_read(entry);
		if (!mw_pc_is_charged(now))
			return false;
	} while (!mw_pc_replace(entry, now, mw_pc_hide(now, hidden)));
	return true;
}

/*
 * The entry says so already, by a cmpxchg(), which is a full barrier and pairs with that of
 * unmark(): one of the two sees what the other has done.
 */
static void mark(unsigned long pfn)
{
	struct mw_pc_map *map = rcu_dereference_sched(mw_pc_map);
	unsigned long *marks = &map->marks[pfn >> PFN_SECTION_SHIFT];

	if (!test_bit(block_of(pfn), marks))
		set_bit(block_of(pfn), marks);
}

static void unmark(unsigned long *marks, unsigned int block)
{
	clear_bit(block, marks);
	/* pairs with set_hidden() */
	smp_mb__after_atomic();
}

/**
 * mw_pc_is_marked() - may there be something hidden beside a page?
 * @pfn: the page
 *
 * Context: any, preemption off.
 */
bool mw_pc_is_marked(unsigned long pfn)
{
	struct mw_pc_map *map = rcu_dereference_sched(mw_pc_map);
	unsigned long sec = pfn >> PFN_SECTION_SHIFT;

	return sec < map->nr && test_bit(block_of(pfn), &map->marks[sec]);
}

/**
 * mw_pc_set_hidden() - set or clear the bit of those pages that are charged
 * @pfn:      the first
 * @nr_pages: pages in a row
 * @hidden:   whether they are
 *
 * Context: any, preemption off.
 */
void mw_pc_set_hidden(unsigned long pfn, unsigned int nr_pages, bool hidden)
{
	unsigned long end = pfn + nr_pages;
	mw_entry_t *entry;

	for (; pfn < end; pfn++) {
		entry = mw_pc_entry(pfn);
		if (entry && set_hidden(entry, hidden) && hidden)
			mark(pfn);
	}
}

static void section_walk(const mw_entry_t *base, unsigned long pfn, mw_pc_visit_fn visit,
			 void *data)
{
	unsigned long i;

	for (i = 0; i < PAGES_PER_SECTION; i++) {
		mw_entry_t entry = mw_pc_read(&base[i]);

		if (mw_pc_is_charged(entry))
			visit(pfn + i, entry, data);
	}
}

/* Return: whether it came to the end. */
static bool walk_locked(mw_pc_visit_fn visit, void *data, bool killable)
{
	struct mw_pc_map *map = map_locked();
	unsigned long sec;

	for (sec = 0; sec < map->nr; sec++) {
		mw_entry_t *base = section_base(map, sec);

		if (killable && fatal_signal_pending(current))
			return false;
		if (base)
			section_walk(base, first_pfn(sec), visit, data);
		cond_resched();
	}
	return true;
}

/**
 * mw_pc_walk() - visit every charged entry
 * @visit: called with the frame number and the entry's value
 * @data:  handed on
 *
 * The walk is not a snapshot: pages may be charged and freed meanwhile.
 *
 * Context: process, may sleep; holds off memory hot-plug.
 */
void mw_pc_walk(mw_pc_visit_fn visit, void *data)
{
	mutex_lock(&map_mutex);
	walk_locked(visit, data, false);
	mutex_unlock(&map_mutex);
}

/**
 * mw_pc_try_walk() - the same, unless it would have to wait for another, and until it is killed
 * @visit: called with the frame number and the entry's value
 * @data:  handed on
 *
 * Context: process, may sleep; holds off memory hot-plug.
 * Return: whether all of it was done.
 */
bool mw_pc_try_walk(mw_pc_visit_fn visit, void *data)
{
	bool done;

	if (!mutex_trylock(&map_mutex))
		return false;
	done = walk_locked(visit, data, true);
	mutex_unlock(&map_mutex);
	return done;
}

static bool is_hidden(mw_entry_t entry)
{
	return mw_pc_is_charged(entry) && mw_pc_is_hidden(entry);
}

/* Return: whether something still is hidden. */
static bool block_walk(const mw_entry_t *base, unsigned long pfn, mw_pc_visit_fn visit,
		       void *data)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < BLOCK_PAGES; i++) {
		mw_entry_t entry = mw_pc_read(&base[i]);

		if (!is_hidden(entry))
			continue;
		visit(pfn + i, entry, data);
		any |= is_hidden(mw_pc_read(&base[i]));
	}
	return any;
}

static void section_walk_hidden(const mw_entry_t *base, unsigned long pfn,
				unsigned long *marks, mw_pc_visit_fn visit, void *data)
{
	unsigned long marked = READ_ONCE(*marks);
	unsigned int block;

	for_each_set_bit(block, &marked, BITS_PER_LONG) {
		unsigned long first = block * BLOCK_PAGES;

		unmark(marks, block);
		if (block_walk(base + first, pfn + first, visit, data))
			set_bit(block, marks);
		cond_resched();
	}
}

/**
 * mw_pc_walk_hidden() - as mw_pc_walk(), of what is hidden
 * @visit: called with the frame number and the entry's value
 * @data:  handed on
 *
 * Context: process, may sleep; holds off memory hot-plug.
 */
void mw_pc_walk_hidden(mw_pc_visit_fn visit, void *data)
{
	struct mw_pc_map *map;
	unsigned long sec;

	mutex_lock(&map_mutex);
	map = map_locked();
	for (sec = 0; sec < map->nr; sec++) {
		mw_entry_t *base = section_base(map, sec);

		if (base && READ_ONCE(map->marks[sec]))
			section_walk_hidden(base, first_pfn(sec), &map->marks[sec], visit, data);
	}
	mutex_unlock(&map_mutex);
}
