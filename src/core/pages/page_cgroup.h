/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_PAGE_CGROUP_H
#define MEMWARD_PAGE_CGROUP_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/mmzone.h>
#include <linux/types.h>

#include <pure/kind.h>

/*
 * One u64 per page frame.  Zero means "not charged".
 *
 *   bits  0..31  owner id (never 0 while charged)
 *   bits 32..35  kind (enum mw_kind)
 *   bits 36..37  age: how often reclaim has found it in use
 *   bit  38      hidden from the kernel's reclaim, see hide.c
 *   bit  39      dirty, or being written, and counted as that, see dirty.c
 *   bits 40..63  number of the chunk that it is queued in, 0 for none
 *
 * Who the charge belongs to (bits 0..35) is written when the page is charged,
 * and by nobody else, but that its kind may turn out later to be another, see
 * mw_charge_becomes().  The rest is the reclaimer's, see lru.c.
 */
#define MW_PC_OWNER_BITS	32
#define MW_PC_KIND_BITS		4
#define MW_PC_CHARGE_BITS	(MW_PC_OWNER_BITS + MW_PC_KIND_BITS)
#define MW_PC_AGE_SHIFT		36
#define MW_PC_AGE_BITS		2
#define MW_PC_HIDDEN		BIT_ULL(38)
#define MW_PC_UNWRITTEN		BIT_ULL(39)
/* set and cleared at any time, whatever else becomes of the entry */
#define MW_PC_FLAGS		(MW_PC_HIDDEN | MW_PC_UNWRITTEN)
#define MW_PC_CHUNK_SHIFT	40
#define MW_PC_CHUNK_BITS	24

/* age of a page that came back after it was reclaimed */
#define MW_AGE_BACK	2

/**
 * typedef mw_entry_t - an entry, or what one is to become
 * @v: its bits; for the functions here alone
 */
typedef struct { u64 v; } mw_entry_t;

/* of a page that is not charged */
#define MW_NO_ENTRY	((mw_entry_t){})

/** mw_pc_read() - what an entry says now */
static __always_inline mw_entry_t mw_pc_read(const mw_entry_t *entry)
{
	return (mw_entry_t){ READ_ONCE(entry->v) };
}

/** mw_pc_write() - set an entry that nobody else can find yet */
static __always_inline void mw_pc_write(mw_entry_t *entry, mw_entry_t new)
{
	WRITE_ONCE(entry->v, new.v);
}

/** mw_pc_xchg() - set an entry.  Return: what it was */
static __always_inline mw_entry_t mw_pc_xchg(mw_entry_t *entry, mw_entry_t new)
{
	return (mw_entry_t){ xchg(&entry->v, new.v) };
}

/** mw_pc_take() - empty an entry.  Return: what it was */
static __always_inline mw_entry_t mw_pc_take(mw_entry_t *entry)
{
	return mw_pc_xchg(entry, MW_NO_ENTRY);
}

/** mw_pc_replace() - set an entry if it is still @old.  Return: whether it was */
static __always_inline bool mw_pc_replace(mw_entry_t *entry, mw_entry_t old,
					  mw_entry_t new)
{
	return cmpxchg64(&entry->v, old.v, new.v) == old.v;
}

static inline mw_entry_t mw_pc_make(u32 owner_id, enum mw_kind kind)
{
	return (mw_entry_t){ owner_id | (u64)kind << MW_PC_OWNER_BITS };
}

static inline bool mw_pc_is_charged(mw_entry_t entry)
{
	return entry.v;
}

static inline u32 mw_pc_owner_id(mw_entry_t entry)
{
	return (u32)entry.v;
}

static inline enum mw_kind mw_pc_kind(mw_entry_t entry)
{
	return (entry.v >> MW_PC_OWNER_BITS) & ((1u << MW_PC_KIND_BITS) - 1);
}

/** mw_pc_charge() - whom an entry charges for what, without its place in a queue */
static inline mw_entry_t mw_pc_charge(mw_entry_t entry)
{
	return (mw_entry_t){ entry.v & GENMASK_ULL(MW_PC_CHARGE_BITS - 1, 0) };
}

/** mw_pc_same_charge() - the same owner and kind */
static inline bool mw_pc_same_charge(mw_entry_t a, mw_entry_t b)
{
	return mw_pc_charge(a).v == mw_pc_charge(b).v;
}

static inline u32 mw_pc_chunk(mw_entry_t entry)
{
	return entry.v >> MW_PC_CHUNK_SHIFT;
}

static inline unsigned int mw_pc_age(mw_entry_t entry)
{
	return (entry.v >> MW_PC_AGE_SHIFT) & ((1u << MW_PC_AGE_BITS) - 1);
}

/** mw_pc_new() - entry of a page that is charged now, see struct mw_cpu */
static inline mw_entry_t mw_pc_new(mw_entry_t blank, enum mw_kind kind)
{
	return (mw_entry_t){ blank.v | (u64)kind << MW_PC_OWNER_BITS };
}

static inline bool mw_pc_is_hidden(mw_entry_t entry)
{
	return entry.v & MW_PC_HIDDEN;
}

/** mw_pc_hide() - the same, hidden or shown */
static inline mw_entry_t mw_pc_hide(mw_entry_t entry, bool hidden)
{
	return (mw_entry_t){ hidden ? entry.v | MW_PC_HIDDEN :
				      entry.v & ~MW_PC_HIDDEN };
}

static inline bool mw_pc_is_unwritten(mw_entry_t entry)
{
	return entry.v & MW_PC_UNWRITTEN;
}

/** mw_pc_write_back() - the same, to be written or not */
static inline mw_entry_t mw_pc_write_back(mw_entry_t entry, bool unwritten)
{
	return (mw_entry_t){ unwritten ? entry.v | MW_PC_UNWRITTEN :
					 entry.v & ~MW_PC_UNWRITTEN };
}

/** mw_pc_debt() - what uncharging takes back: the charge, and whether it is unwritten */
static inline mw_entry_t mw_pc_debt(mw_entry_t entry)
{
	return (mw_entry_t){ mw_pc_charge(entry).v | (entry.v & MW_PC_UNWRITTEN) };
}

/** mw_pc_same() - the same charge in the same place, whatever its flags */
static inline bool mw_pc_same(mw_entry_t a, mw_entry_t b)
{
	return !((a.v ^ b.v) & ~MW_PC_FLAGS);
}

/** mw_pc_with_flags() - an entry with the flags of another */
static inline mw_entry_t mw_pc_with_flags(mw_entry_t entry, mw_entry_t flags)
{
	return (mw_entry_t){ (entry.v & ~MW_PC_FLAGS) | (flags.v & MW_PC_FLAGS) };
}

/** mw_pc_moved() - the same charge in no place, with its flags */
static inline mw_entry_t mw_pc_moved(mw_entry_t entry)
{
	return mw_pc_with_flags(mw_pc_charge(entry), entry);
}

/** mw_pc_place() - the same charge in another place: a chunk and an age */
static inline mw_entry_t mw_pc_place(mw_entry_t entry, u32 chunk,
				     unsigned int age)
{
	return (mw_entry_t){ mw_pc_moved(entry).v |
			     (u64)chunk << MW_PC_CHUNK_SHIFT |
			     (u64)age << MW_PC_AGE_SHIFT };
}

/**
 * struct mw_pc_map - the shadow array, one pointer per memory section
 * @nr:     sections that @biased has room for
 * @marks:  by section, a bit for each of %BITS_PER_LONG blocks of it: there may be
 *          something hidden in it
 * @biased: by section, where the entry of page frame 0 would be if it were in
 *          the same array as the section's; 0 where no memory is online.  Saves
 *          the look-up a subtraction
 */
struct mw_pc_map {
	unsigned long nr;
	unsigned long *marks;
	unsigned long biased[];
};

extern struct mw_pc_map __rcu *mw_pc_map;

/**
 * mw_pc_entry() - shadow entry of a page frame
 * @pfn: page frame number
 *
 * Context: any; preemption or interrupts off (an RCU read side), so that
 * hot-remove cannot free the section under the caller.
 * Return: the entry, or NULL where memward keeps none (memory that came
 * online without its section, device memory).
 */
static __always_inline mw_entry_t *mw_pc_entry(unsigned long pfn)
{
	struct mw_pc_map *map = rcu_dereference_sched(mw_pc_map);
	unsigned long sec = pfn >> PFN_SECTION_SHIFT;
	unsigned long biased;
	mw_entry_t *entry;

	if (unlikely(sec >= map->nr))
		return NULL;
	biased = READ_ONCE(map->biased[sec]);
	if (unlikely(!biased))
		return NULL;
	entry = (mw_entry_t *)biased + pfn;
	/* spares every caller a test that the compiler cannot see to be idle */
	if (!entry)
		__builtin_unreachable();
	return entry;
}

/**
 * mw_charged_entry() - the entry of a page, if it is charged
 * @pfn: the page frame
 *
 * All pages of a folio are charged, or none, so the first one tells for it.
 * Most folios of most machines are not.
 *
 * Context: any, preemption off.
 * Return: the entry, NULL if the page is not charged.
 */
static __always_inline mw_entry_t *mw_charged_entry(unsigned long pfn)
{
	mw_entry_t *entry = mw_pc_entry(pfn);

	return entry && mw_pc_is_charged(mw_pc_read(entry)) ? entry : NULL;
}

/**
 * struct mw_pc_near - remembers a section, for looking up many pages
 * @last:   its last page frame, 0 for none yet: frame 0 is the firmware's; but see MW_PC_NEAR_NONE
 * @biased: as in struct mw_pc_map
 *
 * Good for one RCU read side: pages that are freed, or were charged, together lie
 * in few sections.
 */
struct mw_pc_near {
	unsigned long last;
	unsigned long biased;
};

/* none yet, for who may ask for frame 0 as well */
#define MW_PC_NEAR_NONE	((struct mw_pc_near){ .last = ULONG_MAX })

/**
 * mw_pc_entry_near() - as mw_pc_entry()
 * @near: begins zeroed, or as MW_PC_NEAR_NONE
 * @pfn:  page frame number
 */
static __always_inline mw_entry_t *mw_pc_entry_near(struct mw_pc_near *near,
						    unsigned long pfn)
{
	mw_entry_t *entry;

	if (likely(near->last - pfn < PAGES_PER_SECTION)) {
		entry = (mw_entry_t *)near->biased + pfn;
		if (!entry)
			__builtin_unreachable();
		return entry;
	}
	entry = mw_pc_entry(pfn);
	if (entry) {
		near->last = pfn | (PAGES_PER_SECTION - 1);
		near->biased = (unsigned long)(entry - pfn);
	}
	return entry;
}

/**
 * mw_pc_in_section() - do pages lie in one memory section?
 * @pfn:      first page frame
 * @nr_pages: pages
 *
 * Entries are neighbours only within a section.
 *
 * Return: true if so.
 */
static __always_inline bool mw_pc_in_section(unsigned long pfn,
					     unsigned int nr_pages)
{
	return (pfn & (PAGES_PER_SECTION - 1)) + nr_pages <= PAGES_PER_SECTION;
}

int mw_pc_start(void);
void mw_pc_stop(void);
unsigned long mw_pc_bytes(void);
void mw_pc_set_hidden(unsigned long pfn, unsigned int nr_pages, bool hidden);
bool mw_pc_is_marked(unsigned long pfn);

/**
 * typedef mw_pc_visit_fn - called for each charged entry of a walk
 * @pfn:   page frame number
 * @entry: the entry's value when it was read
 * @data:  the walker's own
 */
typedef void (*mw_pc_visit_fn)(unsigned long pfn, mw_entry_t entry, void *data);
void mw_pc_walk(mw_pc_visit_fn visit, void *data);
bool mw_pc_try_walk(mw_pc_visit_fn visit, void *data);
void mw_pc_walk_hidden(mw_pc_visit_fn visit, void *data);

#endif
