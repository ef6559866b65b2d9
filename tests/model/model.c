// SPDX-License-Identifier: GPL-2.0
/* What each operation does to the model. */
#include "adoption.h"
#include "binding.h"
#include "model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool model_swaps;
bool model_binds;

/* --- groups ------------------------------------------------------------- */

/** group_below() - a group and all below it, as a set */
uint32_t group_below(const struct model *m, int group)
{
	uint32_t set = 0;
	int pos, up;

	for (pos = ROOT; pos < MAX_GROUPS; pos++)
		for (up = pos; m->group[pos].used && up; up = m->group[up].parent)
			if (up == group)
				set |= BIT(pos);
	return set;
}

/** group_path() - a group's directory, from the mount point on */
void group_path(const struct model *m, int group, char *path, int room)
{
	char above[128] = "";

	if (group == ROOT) {
		snprintf(path, room, "%s", "/sys/fs/memward");
		return;
	}
	group_path(m, m->group[group].parent, above, sizeof(above));
	snprintf(path, room, "%s/g%d", above, group);
}

static bool has_children(const struct model *m, int group)
{
	return group_below(m, group) != BIT(group);
}

static bool has_members(const struct model *m, uint32_t groups)
{
	int i;

	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		if (m->proc[i].used && BIT(m->proc[i].group) & groups)
			return true;
	return false;
}

/** group_is_populated() - are there processes in a group or below it? */
bool group_is_populated(const struct model *m, int group)
{
	return has_members(m, group_below(m, group));
}

/* Who pays for what a process in this group touches. */
static uint32_t payer_of(int group)
{
	return group == ROOT ? BIT(NOBODY) : BIT(group);
}

static void replace(uint32_t *set, int from, int to)
{
	if (*set & BIT(from))
		*set = (*set & ~BIT(from)) | BIT(to);
}

/* Everything that one group paid for is another's. */
static void hand_over(struct model *m, int from, int to)
{
	int i, r;

	for (i = 1; i <= m->last_page; i++) {
		replace(&m->page[i].owners, from, to);
		replace(&m->page[i].users, from, to);
	}
	for (i = 0; i < MAX_PROCS; i++) {
		replace(&m->proc[i].payers, from, to);
		for (r = 0; r < MAX_REGIONS; r++)
			replace(&m->proc[i].region[r].owners, from, to);
	}
}

static int do_mkdir(struct model *m, int group, int parent)
{
	m->group[group] = (struct group){ .used = true, .parent = parent };
	return 0;
}

/* Pages that a group and those below it have at the most. */
static int may_have(const struct model *m, int group)
{
	if (!m->group[group].used)
		return 0;
	return model_expect_all(m, group_below(m, group)).max;
}

/* What usage may have been above what is expected before and after a batch. */
#define IN_BETWEEN	2048

static bool came_close(const struct model *m, int group)
{
	int most = may_have(m, group);

	if (most < m->group[group].most)
		most = m->group[group].most;
	return m->group[group].tight &&
	       m->group[group].tight < most + IN_BETWEEN;
}

/* Are its pages those that may have been reclaimed in this batch? */
static bool may_be_reclaimed(const struct model *m, int group)
{
	return m->group[group].used &&
	       (m->group[group].reclaimed || came_close(m, group));
}

static void doubt_regions(struct model *m, uint32_t groups)
{
	int i, r;

	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		for (r = 0; m->proc[i].used && r < MAX_REGIONS; r++)
			if (m->proc[i].region[r].owners & groups)
				m->proc[i].region[r].doubt = true;
}

/*
 * What was its is another's, but it is still not known at the end of the batch what of it is there; nor of what
 * those need in this batch who were in it, as they may have done so before.
 */
static void note_reclaimed(struct model *m, int group)
{
	int i;

	for (i = 0; i < MAX_PROCS; i++)
		if (m->proc[i].used && m->proc[i].payers & BIT(group))
			m->proc[i].reclaimed = m->batch;

	for (i = 1; i <= m->last_page; i++)
		if (m->page[i].used && m->page[i].owners & BIT(group))
			m->page[i].reclaimed = m->batch;
	if (model_swaps) {
		doubt_regions(m, BIT(group));
		m->swapped = true;
	}
}

static int do_rmdir(struct model *m, int group)
{
	if (has_children(m, group) || has_members(m, BIT(group)))
		return -EBUSY;
	if (may_be_reclaimed(m, group))
		note_reclaimed(m, group);
	hand_over(m, group, m->group[group].parent);
	bindings_drop(m, group);
	m->group[group].used = false;
	return 0;
}

/* With no group left, the last unmount forgets what is charged to the root. */
static int do_remount(struct model *m)
{
	if (has_children(m, ROOT))
		return 0;
	hand_over(m, ROOT, NOBODY);
	m->tally.remounts++;
	bindings_forget(m);
	m->unpaid = true;
	m->swapped = false;
	return 0;
}

/* --- pages -------------------------------------------------------------- */

static int page_new(struct model *m, int by, enum kind kind)
{
	int i = 1;

	while (m->page[i].used)
		if (++i == MAX_PAGES)
			abort();
	m->page[i] = (struct page){
		.used = true, .kind = kind, .maps = 1, .by = by,
		.owners = m->proc[by].payers, .born = m->batch, .dropped = -1,
		.reclaimed = m->proc[by].reclaimed,
		.serial = ++m->last_serial,
	};
	if (i > m->last_page)
		m->last_page = i;
	return i;
}

/*
 * If processes write to a page they share, or give it up, in the same batch, one
 * of them may find itself the last and keep it instead of making a copy.
 */
static void copies_may_be_it(struct model *m, int page)
{
	int i;

	for (i = 1; i <= m->last_page; i++)
		if (m->page[i].used && m->page[i].born == m->batch &&
		    m->page[i].twin == page) {
			m->page[i].owners |= m->page[page].owners;
			if (m->page[page].reclaimed == m->batch)
				m->page[i].reclaimed = m->batch;
		}
}

static void page_drop(struct model *m, int *slot)
{
	struct page *page = &m->page[*slot];

	page->dropped = m->batch;
	if (!--page->maps) {
		copies_may_be_it(m, *slot);
		page->used = false;
	}
	*slot = 0;
}

static void page_copy(struct model *m, int by, int *slot)
{
	int twin = *slot;

	page_drop(m, slot);
	*slot = page_new(m, by, KIND_ANON);
	m->page[*slot].twin = twin;
}

/*
 * The last one keeps it, or copies it all the same if anybody looks at the page
 * just then (compaction, an LRU batch): the kernel's choice.
 */
static void page_keep(struct model *m, int by, int slot)
{
	struct page *page = &m->page[slot];

	page->cow = false;
	if (page->dropped == m->batch)
		copies_may_be_it(m, slot);
	page->owners |= m->proc[by].payers;
}

/* It is there now, whoever has brought it; if it went again, nobody knows. */
static void page_needed(struct model *m, int by, struct page *page)
{
	if (page->used_in != m->batch) {
		page->users = 0;
		page->was_gone = page->doubt == GONE;
	}
	page->used_in = m->batch;
	page->users |= m->proc[by].payers;
	/*
	 * Of several that need it in one batch, any may be the first.  What comes
	 * back from swap is charged to who paid before.
	 */
	if (page->was_gone)
		page->owners |= m->proc[by].payers;
	if (m->proc[by].reclaimed == m->batch)
		page->reclaimed = m->batch;
	page->doubt = IN_MEMORY;
}

/*
 * Older kernels copy a page that is in the swap cache when it is written to: from
 * 5.19 it remembers whose alone it is.
 */
static void page_rewrite(struct model *m, int by, struct page *page)
{
	if (page->swapped)
		page->owners |= m->proc[by].payers;
	page->swapped = false;
	page_needed(m, by, page);
}

static void page_write(struct model *m, int by, int *slot)
{
	if (*slot)
		page_rewrite(m, by, &m->page[*slot]);
	if (!*slot)
		*slot = page_new(m, by, KIND_ANON);
	else if (m->page[*slot].cow && m->page[*slot].maps > 1)
		page_copy(m, by, slot);
	else if (m->page[*slot].cow)
		page_keep(m, by, *slot);
}

/* --- files -------------------------------------------------------------- */

/** file_fs() - where a file is, by its number */
enum fs file_fs(int file)
{
	return file / FILES_PER_FS;
}

static enum kind file_kind(int file)
{
	enum fs fs = file_fs(file);

	return fs == FS_TMPFS || fs == FS_NONE ? KIND_SHMEM : KIND_FILE;
}

static void cache_add(struct model *m, int by, int file, int pos, bool writes)
{
	int *slot = &m->file[file].page[pos];

	if (!*slot) {
		*slot = page_new(m, by, file_kind(file));
		m->page[*slot].on_disk = file_fs(file) == FS_DISK;
		m->page[*slot].blank = file_kind(file) == KIND_SHMEM;
	} else if (m->page[*slot].born == m->batch && m->page[*slot].by != by) {
		m->page[*slot].owners |= m->proc[by].payers;
	}
	page_needed(m, by, &m->page[*slot]);
	if (writes && m->page[*slot].blank) {
		m->page[*slot].blank = false;
		m->page[*slot].filled = m->batch;
	}
}

static void cache_remove(struct model *m, int file, int from, int to)
{
	for (; from < to; from++)
		if (m->file[file].page[from])
			page_drop(m, &m->file[file].page[from]);
}

static void file_put(struct model *m, int file)
{
	struct file *f = &m->file[file];

	if (f->linked || f->maps)
		return;
	cache_remove(m, file, 0, REGION_PAGES);
	f->exists = false;
}

static int do_create(struct model *m, int file)
{
	m->file[file] = (struct file){ .exists = true, .linked = true };
	return 0;
}

static int do_unlink(struct model *m, int file)
{
	m->file[file].linked = false;
	file_put(m, file);
	return 0;
}

static int do_write(struct model *m, int by, int file, int from, int nr)
{
	int pos;

	for (pos = from; pos < from + nr; pos++)
		cache_add(m, by, file, pos, true);
	if (m->file[file].size < from + nr)
		m->file[file].size = from + nr;
	return 0;
}

/* A hole in tmpfs is read without a page; it is one again when reclaim has dropped what was never written to. */
static bool may_be_hole(const struct model *m, int file, int pos)
{
	const struct page *page = &m->page[m->file[file].page[pos]];

	return file_fs(file) == FS_TMPFS &&
	       (!m->file[file].page[pos] || (page->blank && page->doubt == GONE));
}

static int do_read(struct model *m, int by, int file, int from, int nr)
{
	int pos;

	for (pos = from; pos < from + nr; pos++)
		if (!may_be_hole(m, file, pos))
			cache_add(m, by, file, pos, false);
	return 0;
}

/* Also takes the private copies of what is gone. */
static int do_truncate(struct model *m, int file, int size)
{
	int i, r, pos;

	for (i = 0; i < MAX_PROCS; i++)
		for (r = 0; r < MAX_REGIONS; r++) {
			struct region *region = &m->proc[i].region[r];

			if (region->kind != MAP_IS_PRIVATE ||
			    region->file != file)
				continue;
			for (pos = size; pos < region->pages; pos++)
				if (region->page[pos])
					page_drop(m, &region->page[pos]);
		}
	cache_remove(m, file, size, REGION_PAGES);
	m->file[file].size = size;
	return 0;
}

static int do_punch(struct model *m, int file, int from, int nr)
{
	cache_remove(m, file, from, from + nr);
	return 0;
}

/* --- address spaces ----------------------------------------------------- */

static void region_clear(struct region *region)
{
	memset(region, 0, sizeof(*region));
	region->file = -1;
}

static int do_map(struct model *m, const struct op *op)
{
	struct region *region = &m->proc[op->by].region[op->arg[0]];

	region_clear(region);
	region->kind = op->arg[1];
	region->pages = op->arg[2];
	region->file = op->arg[3];
	if (region->kind == MAP_IS_NAMELESS) {
		m->file[region->file] = (struct file){
			.exists = true, .size = region->pages };
		region->kind = MAP_IS_SHARED;
	}
	if (region->file >= 0)
		m->file[region->file].maps++;
	return 0;
}

static void region_unmap(struct model *m, struct region *region)
{
	int i;

	for (i = 0; i < REGION_PAGES; i++)
		if (region->page[i])
			page_drop(m, &region->page[i]);
	if (region->file >= 0) {
		m->file[region->file].maps--;
		file_put(m, region->file);
	}
	region_clear(region);
}

static int do_unmap(struct model *m, struct region *region)
{
	region_unmap(m, region);
	return 0;
}

static int do_remap(struct region *from, struct region *to)
{
	*to = *from;
	region_clear(from);
	return 0;
}

/* The kernel may give the whole, and khugepaged may make one later. */
static void touch_huge(struct model *m, const struct op *op,
		       struct region *region)
{
	region->owners |= m->proc[op->by].payers;
	memset(region->touched + op->arg[1], true, op->arg[2]);
}

/* Whoever touches a page of a file maps it; which ones beside it is the kernel's choice. */
static void note_seen(const struct model *m, struct region *region, int pos)
{
	region->is_mapped = true;
	region->seen[pos] = m->page[m->file[region->file].page[pos]].serial;
}

static int do_touch(struct model *m, const struct op *op)
{
	struct region *region = &m->proc[op->by].region[op->arg[0]];
	int pos;

	if (region->kind == MAP_IS_HUGE) {
		touch_huge(m, op, region);
		return 0;
	}
	for (pos = op->arg[1]; pos < op->arg[1] + op->arg[2]; pos++) {
		if (region->file >= 0 && !region->page[pos])
			cache_add(m, op->by, region->file, pos,
				  region->kind == MAP_IS_SHARED);
		if (region->kind != MAP_IS_SHARED)
			page_write(m, op->by, &region->page[pos]);
		else
			note_seen(m, region, pos);
	}
	return 0;
}

/* Reading what was never written gives the zero page, which nobody pays for. */
static int do_peek(struct model *m, const struct op *op)
{
	struct region *region = &m->proc[op->by].region[op->arg[0]];
	int pos;

	/* without a huge zero page (use_zero_page) it is a page of its own */
	if (region->kind == MAP_IS_HUGE) {
		region->owners |= m->proc[op->by].payers;
		return 0;
	}
	for (pos = op->arg[1]; pos < op->arg[1] + op->arg[2]; pos++)
		if (region->file >= 0 && !region->page[pos]) {
			cache_add(m, op->by, region->file, pos, false);
			note_seen(m, region, pos);
		} else {
			m->page[region->page[pos]].doubt = IN_MEMORY;
		}
	return 0;
}

/* Of a huge page that is dropped in part, the rest keeps all of it. */
static int do_drop(struct model *m, const struct op *op)
{
	struct region *region = &m->proc[op->by].region[op->arg[0]];
	int pos;

	if (region->kind == MAP_IS_HUGE) {
		memset(region->touched + op->arg[1], false, op->arg[2]);
		if (op->arg[2] == HUGE_PAGES)
			region->owners = region->doubt = 0;
		return 0;
	}
	for (pos = op->arg[1]; pos < op->arg[1] + op->arg[2]; pos++) {
		region->seen[pos] = 0;
		if (region->page[pos])
			page_drop(m, &region->page[pos]);
	}
	return 0;
}

/* --- processes ---------------------------------------------------------- */

static void region_fork(struct model *m, struct region *region)
{
	int i;

	for (i = 0; i < REGION_PAGES; i++)
		if (region->page[i]) {
			m->page[region->page[i]].maps++;
			m->page[region->page[i]].cow = true;
		}
	/* what can be had from the file is not copied, or only along with what cannot */
	memset(region->seen, 0, sizeof(region->seen));
	if (region->kind == MAP_IS_SHARED)
		region->is_mapped = false;
	if (region->file >= 0)
		m->file[region->file].maps++;
	/* MADV_DONTFORK: the bounds of a huge page are wide enough already */
	if (region->kind == MAP_IS_HUGE)
		region_clear(region);
}

static int do_fork(struct model *m, int parent, int child)
{
	struct proc *proc = &m->proc[child];
	int r;

	*proc = m->proc[parent];
	proc->unplaced = proc->comes;
	proc->unsure = !proc->comes && proc->entries != BIT(proc->entry);
	for (r = 0; r < MAX_REGIONS; r++)
		region_fork(m, &proc->region[r]);
	return 0;
}

static int do_death(struct model *m, int proc)
{
	int r;

	for (r = 0; r < MAX_REGIONS; r++)
		region_unmap(m, &m->proc[proc].region[r]);
	m->proc[proc].used = false;
	return 0;
}

static int do_kill_group(struct model *m, int group)
{
	uint32_t below = group_below(m, group);
	int i;

	for (i = NR_CLERKS; i < MAX_PROCS; i++)
		if (m->proc[i].used && BIT(m->proc[i].group) & below)
			do_death(m, i);
	return 0;
}

/* khugepaged charges whom the process belongs to when it comes by. */
static void huge_regions_follow(struct proc *proc)
{
	int r;

	for (r = 0; r < MAX_REGIONS; r++)
		if (proc->region[r].owners)
			proc->region[r].owners |= proc->payers;
}

/**
 * proc_come() - a process comes to a group
 * @proc:   the process
 * @group:  where to
 * @itself: it has gone there, so it knows which group it is in; or somebody has had it come meanwhile
 */
void proc_come(struct proc *proc, int group, bool itself)
{
	proc->group = group;
	proc->groups = itself ? BIT(group) : proc->groups | BIT(group);
	proc->payers = itself ? payer_of(group) :
				proc->payers | payer_of(group);
	huge_regions_follow(proc);
}

static int do_move(const struct model *m, struct proc *proc, int group, bool itself)
{
	int entry = entry_by_hand(m, proc, group);

	proc->entry = entry;
	proc->moves += !itself;
	proc->entries = itself ? BIT(entry) : proc->entries | BIT(entry);
	proc_come(proc, group, itself);
	return 0;
}

static int do_limit(struct group *group, int *limit, int pages)
{
	*limit = pages;
	if (pages && (!group->tight || pages < group->tight))
		group->tight = pages;
	return 0;
}

/* Whether before or after what others do in this batch is not known. */
static int do_reclaim(struct model *m, int group)
{
	m->group[group].reclaimed = true;
	return 0;
}

/*
 * What can be reclaimed is the cache of files on the disk, and with swap all but
 * ramfs; which of it is the kernel's choice.  Who needed a page in the same batch
 * may have done so when it was gone, or in the swap cache, and pays for it then.
 */
static enum doubt after_reclaim(const struct model *m, const struct page *page)
{
	if (page->on_disk)
		return GONE;
	if (!model_swaps || page->kind == KIND_FILE)
		return IN_MEMORY;
	return page->blank || page->filled == m->batch ? GONE : IN_SWAP;
}

static void doubt_page(struct model *m, struct page *page)
{
	enum doubt doubt = after_reclaim(m, page);

	if (page->doubt < doubt)
		page->doubt = doubt;
	if (doubt == IN_SWAP)
		page->swapped = true;
	if (doubt != IN_MEMORY) {
		page->lost = true;
		page->serial = ++m->last_serial;
	}
	if (doubt != IN_MEMORY && page->used_in == m->batch)
		page->owners |= page->users;
}

static void doubt_all(struct model *m, int group)
{
	uint32_t below = group_below(m, group);
	int i;

	for (i = 1; i <= m->last_page; i++)
		if (m->page[i].used && m->page[i].owners & below)
			doubt_page(m, &m->page[i]);
	if (model_swaps) {
		doubt_regions(m, below);
		m->swapped = true;
	}
}

/** model_apply() - do an operation that model_admits(); what it must return */
int model_apply(struct model *m, const struct op *op)
{
	const int *arg = op->arg;
	struct proc *proc = &m->proc[op->by];

	claims_take(m, op);
	switch (op->type) {
	case OP_MKDIR:
		return do_mkdir(m, arg[0], arg[1]);
	case OP_RMDIR:
		return do_rmdir(m, arg[0]);
	case OP_MOVE:
		return do_move(m, &m->proc[arg[0]], arg[1], false);
	case OP_KILL:
		return do_death(m, arg[0]);
	case OP_KILL_GROUP:
		return do_kill_group(m, arg[0]);
	case OP_HIGH:
		return do_limit(&m->group[arg[0]], &m->group[arg[0]].high, arg[1]);
	case OP_MAX:
		return do_limit(&m->group[arg[0]], &m->group[arg[0]].max, arg[1]);
	case OP_MIN:
		m->group[arg[0]].min = arg[1];
		return 0;
	case OP_LOW:
		m->group[arg[0]].low = arg[1];
		return 0;
	case OP_RECLAIM:
		return do_reclaim(m, arg[0]);
	case OP_REMOUNT:
		return do_remount(m);
	case OP_CGROUP_MKDIR:
		return do_cgroup_mkdir(m, arg[0]);
	case OP_CGROUP_RMDIR:
		return do_cgroup_rmdir(m, arg[0]);
	case OP_CGROUP_MOVE:
		return do_cgroup_move(m, &m->proc[arg[0]], arg[1], false);
	case OP_BIND:
		return do_bind(m, arg[0], arg[1]);
	case OP_UNBIND:
		return do_unbind(m, arg[0], arg[1]);
	case OP_ADOPT:
		return do_adopt(m, &m->proc[arg[0]], arg[1]);
	case OP_ADOPT_SELF:
		return do_adopt(m, proc, arg[0]);
	case OP_FORK:
		return do_fork(m, op->by, arg[0]);
	case OP_JOIN:
		return do_move(m, proc, arg[0], true);
	case OP_CGROUP_JOIN:
		return do_cgroup_move(m, proc, arg[0], true);
	case OP_EXIT:
		return do_death(m, op->by);
	case OP_MAP:
		return do_map(m, op);
	case OP_UNMAP:
		return do_unmap(m, &proc->region[arg[0]]);
	case OP_REMAP:
		return do_remap(&proc->region[arg[0]], &proc->region[arg[1]]);
	case OP_TOUCH:
		return do_touch(m, op);
	case OP_PEEK:
		return do_peek(m, op);
	case OP_DROP:
		return do_drop(m, op);
	case OP_CREATE:
		return do_create(m, arg[0]);
	case OP_UNLINK:
		return do_unlink(m, arg[0]);
	case OP_WRITE:
		return do_write(m, op->by, arg[0], arg[1], arg[2]);
	case OP_READ:
		return do_read(m, op->by, arg[0], arg[1], arg[2]);
	case OP_TRUNCATE:
		return do_truncate(m, arg[0], arg[1]);
	case OP_PUNCH:
		return do_punch(m, arg[0], arg[1], arg[2]);
	case OP_FORGET:
		cache_remove(m, arg[0], 0, REGION_PAGES);
		return 0;
	case OP_COMPACT:
	case NR_OPS:
		return 0;
	}
	return 0;
}

/* --- which operations make sense ---------------------------------------- */

static bool is_between(int value, int from, int to)
{
	return value >= from && value < to;
}

static bool is_group(const struct model *m, int group)
{
	return is_between(group, ROOT, MAX_GROUPS) && m->group[group].used;
}

/* One that can be removed, limited and so on. */
static bool is_child(const struct model *m, int group)
{
	return group != ROOT && is_group(m, group);
}

static bool is_worker(const struct model *m, int proc)
{
	return is_between(proc, NR_CLERKS, MAX_PROCS) && m->proc[proc].used;
}

static bool is_named(const struct model *m, int file)
{
	return is_between(file, 0, NR_NAMED) && m->file[file].linked;
}

static bool is_range(int from, int nr, int end)
{
	return from >= 0 && nr > 0 && from + nr <= end;
}

static bool admits_map(const struct model *m, const struct op *op)
{
	int file = op->arg[3];

	if (m->proc[op->by].region[op->arg[0]].kind)
		return false;
	switch (op->arg[1]) {
	case MAP_IS_ANON:
		return file < 0 && is_between(op->arg[2], 1, REGION_PAGES + 1);
	case MAP_IS_HUGE:
		return file < 0 && op->arg[2] == HUGE_PAGES;
	case MAP_IS_SHARED:
	case MAP_IS_PRIVATE:
		return is_named(m, file) && op->arg[2] == REGION_PAGES;
	case MAP_IS_NAMELESS:
		return is_between(file, NR_NAMED, MAX_FILES) &&
		       !m->file[file].exists &&
		       is_between(op->arg[2], 1, REGION_PAGES + 1);
	}
	return false;
}

/* Behind the end of the file there is nothing to touch. */
static bool admits_touch(const struct model *m, const struct op *op)
{
	const struct region *region = &m->proc[op->by].region[op->arg[0]];
	int end = region->pages;

	if (!region->kind)
		return false;
	if (op->type != OP_DROP && region->file >= 0 &&
	    m->file[region->file].size < end)
		end = m->file[region->file].size;
	return is_range(op->arg[1], op->arg[2], end);
}

static bool admits_region(const struct model *m, const struct op *op)
{
	const struct region *region = m->proc[op->by].region;

	if (!is_between(op->arg[0], 0, MAX_REGIONS))
		return false;
	switch (op->type) {
	case OP_MAP:
		return admits_map(m, op);
	case OP_UNMAP:
		return region[op->arg[0]].kind;
	case OP_REMAP:
		return region[op->arg[0]].kind &&
		       is_between(op->arg[1], 0, MAX_REGIONS) &&
		       !region[op->arg[1]].kind;
	default:
		return admits_touch(m, op);
	}
}

/* Pages that someone maps are not forgotten, but who knows which are mapped. */
static bool admits_file(const struct model *m, const struct op *op)
{
	int file = op->arg[0];

	if (op->type == OP_CREATE)
		return is_between(file, 0, NR_NAMED) && !m->file[file].exists;
	if (!is_named(m, file))
		return false;
	switch (op->type) {
	case OP_WRITE:
		return is_range(op->arg[1], op->arg[2], REGION_PAGES);
	case OP_READ:
		return is_range(op->arg[1], op->arg[2], m->file[file].size);
	case OP_PUNCH:
		return file_fs(file) != FS_RAMFS &&
		       is_range(op->arg[1], op->arg[2], m->file[file].size);
	case OP_TRUNCATE:
		return is_between(op->arg[1], 0, REGION_PAGES + 1);
	case OP_FORGET:
		return file_fs(file) == FS_DISK && !m->file[file].maps;
	default:
		return true;
	}
}

static bool admits_clerk(const struct model *m, const struct op *op)
{
	const int *arg = op->arg;

	if (op->by >= NR_CLERKS)
		return false;
	switch (op->type) {
	case OP_MKDIR:
		return is_between(arg[0], FIRST_GROUP, MAX_GROUPS) &&
		       !m->group[arg[0]].used && is_group(m, arg[1]);
	case OP_RMDIR:
	case OP_KILL_GROUP:
		return is_child(m, arg[0]);
	case OP_HIGH:
		return is_child(m, arg[0]) && arg[1] >= 0;
	case OP_MAX:
		return model_swaps && is_child(m, arg[0]) &&
		       (!arg[1] || arg[1] >= ENOUGH);
	case OP_MIN:
		return is_child(m, arg[0]) && is_between(arg[1], 0, MOST_MIN + 1);
	case OP_LOW:
		return is_child(m, arg[0]) && arg[1] >= 0;
	case OP_RECLAIM:
		return is_group(m, arg[0]) && arg[1] > 0;
	case OP_MOVE:
		return is_worker(m, arg[0]) && is_group(m, arg[1]);
	case OP_KILL:
		return is_worker(m, arg[0]);
	case OP_CGROUP_MKDIR:
	case OP_CGROUP_RMDIR:
		return admits_cgroup(m, op);
	case OP_CGROUP_MOVE:
		return is_worker(m, arg[0]) && is_cgroup(m, arg[1]);
	case OP_BIND:
	case OP_UNBIND:
		return is_group(m, arg[0]) && is_between(arg[1], 1, NR_CGROUPS);
	case OP_ADOPT:
		return is_worker(m, arg[0]) && is_group(m, arg[1]) && !m->unpaid;
	default:
		return true;
	}
}

static bool makes_sense(const struct model *m, const struct op *op)
{
	if (!is_between(op->by, 0, MAX_PROCS) || !m->proc[op->by].used)
		return false;
	if (op->type < OP_FORK)
		return admits_clerk(m, op);
	if (op->type == OP_FORK)
		return is_between(op->arg[0], NR_CLERKS, MAX_PROCS) &&
		       !m->proc[op->arg[0]].used &&
		       birth_will_show(m, &m->proc[op->by]);
	if (op->type == OP_JOIN)
		return is_worker(m, op->by) && is_group(m, op->arg[0]);
	if (op->type == OP_CGROUP_JOIN)
		return is_worker(m, op->by) && is_cgroup(m, op->arg[0]);
	if (op->type == OP_ADOPT_SELF)
		return is_worker(m, op->by) && is_group(m, op->arg[0]) && !m->unpaid;
	if (op->type == OP_EXIT)
		return is_worker(m, op->by);
	if (op->type < OP_CREATE)
		return admits_region(m, op);
	return admits_file(m, op);
}

/** model_admits() - can an operation be added to the batch? */
bool model_admits(const struct model *m, const struct op *op)
{
	return makes_sense(m, op) && claims_free(m, op);
}

/* --- batches ------------------------------------------------------------ */

/** model_init() - the clerks and the root */
void model_init(struct model *m)
{
	int i, r;

	memset(m, 0, sizeof(*m));
	m->left_behind = LEFT_BEHIND;
	m->unpaid = true;
	m->group[ROOT].used = true;
	m->cgroup[0].exists = true;
	for (i = 0; i < MAX_PROCS; i++)
		for (r = 0; r < MAX_REGIONS; r++)
			region_clear(&m->proc[i].region[r]);
	for (i = 0; i < NR_CLERKS; i++) {
		m->proc[i].used = true;
		m->proc[i].group = ROOT;
	}
	model_begin_batch(m);
}

/* Of two limits, of which each may be 0 for none. */
static int lower(int a, int b)
{
	if (!a || !b)
		return a + b;
	return a < b ? a : b;
}

/** model_begin_batch() - nothing is running: everybody is where he is */
void model_begin_batch(struct model *m)
{
	int i;

	m->batch++;
	memset(&m->claims, 0, sizeof(m->claims));
	for (i = 0; i < MAX_PROCS; i++) {
		struct proc *proc = &m->proc[i];

		if (!proc->used)
			continue;
		proc->groups = BIT(proc->group);
		proc->entries = BIT(proc->entry);
		proc->before.entry = proc->entry;
		proc->before.cgroup = proc->cgroup;
		proc->comes = proc->moves = 0;
		proc->payers = payer_of(proc->group);
		huge_regions_follow(proc);
	}
	for (i = ROOT; i < MAX_GROUPS; i++) {
		m->group[i].reclaimed = false;
		m->group[i].tight = lower(m->group[i].high, m->group[i].max);
		m->group[i].most = may_have(m, i);
	}
}

/** model_end_batch() - all is done: whose pages may have been reclaimed? */
void model_end_batch(struct model *m)
{
	int i;

	for (i = ROOT; i < MAX_GROUPS; i++)
		if (may_be_reclaimed(m, i))
			doubt_all(m, i);
	for (i = 1; i <= m->last_page; i++)
		if (m->page[i].used && m->page[i].reclaimed == m->batch)
			doubt_page(m, &m->page[i]);
	for (i = NR_CLERKS; model_swaps && i < MAX_PROCS; i++)
		if (m->proc[i].used && m->proc[i].reclaimed == m->batch)
			doubt_regions(m, m->proc[i].payers);
}

/* --- what is expected --------------------------------------------------- */

static void expect_page(struct range *range, uint32_t owners, uint32_t groups,
			long surely, long perhaps)
{
	if (owners && !(owners & ~groups))
		range->min += surely;
	if (owners & groups)
		range->max += perhaps;
}

static void expect_huge(struct range *range, const struct region *region,
			uint32_t groups, bool with_swap)
{
	int i, touched = 0;

	for (i = 0; i < HUGE_PAGES; i++)
		touched += region->touched[i];
	expect_page(range, region->owners, groups,
		    with_swap || !region->doubt ? touched : 0, HUGE_PAGES);
}

/* Some of it may be in swap. */
static void expect_base(struct range *range, const struct model *m, uint32_t kinds)
{
	int kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		if (kinds & BIT(kind)) {
			range->min += m->swapped ? 0 : m->base[kind];
			range->max += m->base[kind];
		}
}

/* Shared memory that comes back from swap counts as anonymous on some kernels. */
static uint32_t kinds_of(const struct page *page)
{
	bool unsure = page->kind == KIND_SHMEM && page->swapped;

	return BIT(page->kind) | (unsure ? BIT(KIND_ANON) : 0);
}

/* Of a set of kinds. @most: what is as good as being there */
static struct range expect(const struct model *m, uint32_t groups,
			   uint32_t kinds, enum doubt most)
{
	struct range range = {};
	int i, r;

	for (i = 1; i <= m->last_page; i++) {
		const struct page *page = &m->page[i];
		bool surely = !(kinds_of(page) & ~kinds) && page->doubt <= most;

		if (page->used && kinds_of(page) & kinds)
			expect_page(&range, page->owners, groups, surely, 1);
	}
	for (i = 0; kinds & BIT(KIND_ANON) && i < MAX_PROCS; i++)
		for (r = 0; m->proc[i].used && r < MAX_REGIONS; r++)
			expect_huge(&range, &m->proc[i].region[r], groups,
				    most == IN_SWAP);
	if (m->swapped && kinds & (BIT(KIND_ANON) | BIT(KIND_SHMEM)))
		range.max += m->left_behind;
	if (groups & BIT(ROOT))
		expect_base(&range, m, kinds);
	return range;
}

/** model_expect() - pages of a kind that a set of groups is charged for */
struct range model_expect(const struct model *m, uint32_t groups, int kind)
{
	return expect(m, groups, BIT(kind), IN_MEMORY);
}

/** model_expect_with_swap() - pages that are not of files, be they in memory or not */
struct range model_expect_with_swap(const struct model *m, uint32_t groups)
{
	return expect(m, groups, BIT(KIND_ANON) | BIT(KIND_SHMEM), IN_SWAP);
}

/** model_expect_all() - pages of all kinds */
struct range model_expect_all(const struct model *m, uint32_t groups)
{
	return expect(m, groups, BIT(NR_KINDS) - 1, IN_MEMORY);
}
