/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reference model: what groups, processes, files and pages there are, and
 * who pays for each page.
 *
 * Operations of one batch run at the same time, so the model may not know which
 * of two groups a page was charged to.  It keeps a set of candidates for each
 * page, and most sets have one member: then the expectation is exact.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "op.h"

/* Groups by number.  Who is in the root pays nothing: NOBODY does. */
#define NOBODY		0
#define ROOT		1
#define FIRST_GROUP	2
#define MAX_GROUPS	16
#define BIT(group)	(1U << (group))

/* The first processes are clerks: in the root forever, for what needs rights. */
#define NR_CLERKS	2
#define MAX_PROCS	16
#define MAX_REGIONS	6
#define REGION_PAGES	64
#define HUGE_PAGES	512
#define MAX_PAGES	16384

/* Files 0 to 11 are on tmpfs, and so on; the last have no name (MAP_ANONYMOUS). */
#define FILES_PER_FS	12
#define NR_NAMED	(3 * FILES_PER_FS)
#define MAX_FILES	(4 * FILES_PER_FS)
/* The kernel's own cgroups, see binding.c.  0 is the root, where clerks stay and which is never bound. */
#define NR_CGROUPS	6

enum fs { FS_TMPFS, FS_RAMFS, FS_DISK, FS_NONE };

enum kind { KIND_ANON, KIND_FILE, KIND_SHMEM, NR_KINDS };

enum map_kind { MAP_IS_NONE, MAP_IS_ANON, MAP_IS_HUGE, MAP_IS_SHARED,
		MAP_IS_PRIVATE, MAP_IS_NAMELESS, NR_MAP_KINDS };

/**
 * enum doubt - where a page may be because reclaim was asked for
 * @IN_MEMORY: it is there
 * @IN_SWAP:   it may be in swap, where its group still pays for it
 * @GONE:      it may be gone: what it held is on the disk, or was zeroes
 */
enum doubt { IN_MEMORY, IN_SWAP, GONE };

/**
 * struct page - a page of memory
 * @used:    there is one
 * @cow:     a fork has made it read-only, and nobody has made it his own since
 * @kind:    of memory.stat
 * @maps:    processes that have it (private pages)
 * @owners:  groups one of which pays for it
 * @born:    batch in which it came
 * @by:      process that brought it
 * @dropped: batch in which a process last gave it up
 * @twin:    page that it was copied from
 * @on_disk: of a file on the disk: it can be reclaimed
 * @blank:   shared memory that was only read so far
 * @filled:  batch in which it was written to first
 * @doubt:   where it may be
 * @swapped: it may have been to swap since it was last written to
 * @users:   who may have paid if it was brought back in the batch @used_in
 * @used_in: batch in which somebody last needed it
 * @was_gone: it may have been gone when that batch began
 * @reclaimed: batch in which its group was asked for pages, and removed
 * @serial: another one for each page, and when those who map it may not do so any more
 * @lost:   a process may have it in swap, though it is there
 */
struct page {
	bool used;
	bool cow;
	bool on_disk;
	bool blank;
	bool swapped;
	bool was_gone;
	bool lost;
	enum doubt doubt;
	uint8_t kind;
	uint8_t maps;
	uint32_t owners;
	int born;
	int filled;
	int by;
	int dropped;
	int twin;
	uint32_t users;
	int used_in;
	int reclaimed;
	int serial;
};

/**
 * struct region - a mapping of a process
 * @kind:    of what
 * @pages:   length
 * @file:    for shared and private ones
 * @page:    private pages, by number; 0: none
 * @seen:    of the file's pages that are mapped for sure, the serials
 * @is_mapped: some of the file's pages may be
 * @owners:  of a huge page: who may pay for any part of it
 * @touched: of a huge page: the parts that must be there
 * @doubt:   of a huge page: they may be in swap
 */
struct region {
	enum map_kind kind;
	int pages;
	int file;
	int page[REGION_PAGES];
	int seen[REGION_PAGES];
	uint32_t owners;
	bool touched[HUGE_PAGES];
	bool is_mapped;
	bool doubt;
};

/**
 * struct proc - a process
 * @used:   it lives
 * @group:  where it is
 * @entry:  where it is as it was moved there by hand; NOBODY if its cgroup says where it is
 * @cgroup: the kernel's own cgroup that it is in
 * @groups: where it may have been in this batch, as a set
 * @entries: what may have been @entry in this batch, likewise
 * @before: where it was when this batch began
 * @comes:  how often clerks have it come to a cgroup in this batch
 * @moves:  how often they move it by hand
 * @unplaced: it was born in @cgroup with @entry, or where its parent was before that; the check finds out
 * @unsure: it was born with one of @entries; the check finds out which
 * @payers: who may have paid for what it touched in this batch
 * @reclaimed: batch in which a group that it may have been in was asked for pages, and removed
 * @region: its mappings
 */
struct proc {
	bool used;
	bool unsure;
	int group;
	int entry;
	int cgroup;
	struct {
		int entry;
		int cgroup;
	} before;
	int comes;
	int moves;
	bool unplaced;
	uint32_t groups;
	uint32_t entries;
	uint32_t payers;
	int reclaimed;
	struct region region[MAX_REGIONS];
};

/**
 * struct file - a file, or shared memory without one
 * @exists: it has a name or a mapping
 * @linked: it has a name
 * @size:   in pages
 * @maps:   mappings
 * @page:   its page cache
 */
struct file {
	bool exists;
	bool linked;
	int size;
	int maps;
	int page[REGION_PAGES];
};

/**
 * struct group - a group
 * @used:   it exists
 * @parent: above it
 * @high:   memory.high in pages, 0 for none
 * @max:    memory.max likewise
 * @min:    memory.min in pages
 * @low:    memory.low likewise
 * @tight:  the lowest that one of them was in this batch
 * @reclaimed: somebody asked for its pages in this batch
 * @most:   pages that the group and those below may have had as the batch began
 */
struct group {
	bool used;
	int parent;
	int high;
	int max;
	int min;
	int low;
	int tight;
	bool reclaimed;
	int most;
};

/**
 * struct cgroup - one of the kernel's own cgroups
 * @exists: it is there
 * @bound:  group that it is bound to, be it there or not; NOBODY for none
 */
struct cgroup {
	bool exists;
	int bound;
};

/* Who needs what in this batch to himself; see claim.c. */
#define CLAIM_MOUNT	0
#define CLAIM_TREE	(CLAIM_MOUNT + 1)
#define CLAIM_MEMBER	(CLAIM_TREE + MAX_GROUPS)
#define CLAIM_PROC	(CLAIM_MEMBER + MAX_PROCS)
#define CLAIM_FILE	(CLAIM_PROC + MAX_PROCS)
#define CLAIM_LRU	(CLAIM_FILE + MAX_FILES)
#define CLAIM_SETTING	(CLAIM_LRU + 1)
#define CLAIM_CGROUP	(CLAIM_SETTING + MAX_GROUPS)
#define CLAIM_BINDING	(CLAIM_CGROUP + NR_CGROUPS)
#define NR_CLAIMS	(CLAIM_BINDING + NR_CGROUPS)

struct claims {
	uint32_t shared[NR_CLAIMS];
	uint32_t sole[NR_CLAIMS];
};

/* No memory.min is higher. */
#define MOST_MIN	32

/*
 * A memory.max this high is never a reason to kill: it has room for all that cannot
 * be reclaimed, ramfs, dirty files and memory.min, and for a huge page.
 */
#define ENOUGH		(2 * FILES_PER_FS * REGION_PAGES + HUGE_PAGES + \
			 MAX_GROUPS * MOST_MIN)

/*
 * Pages that nobody has any more and that reclaim has not found yet, because they
 * were being swapped out when they were given up, or were copied in the swap cache;
 * and swap slots that processors keep to free them together.  What is generated
 * counts on so many; check() asks the kernel whether there may be more.
 */
#define LEFT_BEHIND	HUGE_PAGES

/** model_swaps - there is a swap disk */
extern bool model_swaps;

/** model_binds - cgroups of the kernel's own are made, and bound */
extern bool model_binds;

/**
 * struct tally - how often there was what --bindings is for
 * @adopted:   somebody was adopted and had something charged for sure
 * @begun_before: a child was begun before its parent came to another cgroup, or was moved by hand, in the same batch
 * @voided:    a move among cgroups made an entry void
 * @remounts:  memward was mounted again with no group left
 * @forgotten: there were bindings then, or somebody who was moved by hand
 */
struct tally {
	int adopted;
	int begun_before;
	int voided;
	int remounts;
	int forgotten;
};

/**
 * struct model - everything
 * @swapped: some of it may be in swap
 * @unpaid: nobody pays for the base, see base.c
 * @base:   pages of it, by kind, which the root pays for
 * @left_behind: so many pages at the most that nobody has any more, if so
 * @tally:  of what has been done
 */
struct model {
	int batch;
	bool swapped;
	bool unpaid;
	int base[NR_KINDS];
	int left_behind;
	struct tally tally;
	struct group group[MAX_GROUPS];
	struct cgroup cgroup[NR_CGROUPS];
	struct proc proc[MAX_PROCS];
	struct file file[MAX_FILES];
	struct page page[MAX_PAGES];
	int last_page;
	int last_serial;
	struct claims claims;
};

void model_init(struct model *m);
void model_begin_batch(struct model *m);
void model_end_batch(struct model *m);
bool model_admits(const struct model *m, const struct op *op);
int model_apply(struct model *m, const struct op *op);

bool claims_free(const struct model *m, const struct op *op);
void claims_take(struct model *m, const struct op *op);

enum fs file_fs(int file);
void proc_come(struct proc *proc, int group, bool itself);
uint32_t group_below(const struct model *m, int group);
bool group_is_populated(const struct model *m, int group);
void group_path(const struct model *m, int group, char *path, int room);

struct range {
	long min;
	long max;
};
struct range model_expect(const struct model *m, uint32_t groups, int kind);
struct range model_expect_with_swap(const struct model *m, uint32_t groups);
struct range model_expect_all(const struct model *m, uint32_t groups);

#endif
