// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaiming folios that were chosen, by the kernel's own means.
 *
 * DOC: What is used here is exported nowhere.  From 5.16 it speaks of folios,
 * and isolating returned 0 for success up to 6.2.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>

#include <compat/features.h>
#if MW_HAVE_SWAP_OPS
#include <linux/swap_ops.h>
#endif
#include <compat/folio.h>
#include <compat/ksym.h>
#include <compat/reclaim.h>

static int *swappiness_ptr;
static struct swap_info_struct **swap_info_ptr;
static int *dirty_ratio_ptr;
static unsigned long *dirty_bytes_ptr;

static bool isolate(struct folio *folio)
{
	mw_isolated_t result = mw_call_isolate(folio);

	return MW_HAVE_BOOL_ISOLATE ? result : !result;
}

/* Undo isolate(), the reference included. */
static void put_back(struct folio *folio)
{
	folio_add_lru(folio);
	folio_put(folio);
}

/**
 * mw_folio_isolate() - take a folio off the kernel's list of what can be reclaimed
 * @folio: referenced by the caller; gets another reference
 *
 * One that is unevictable is isolated like any other, and from then on only who
 * isolated it changes that: mw_reclaim_folios() must not get it.
 *
 * Return: whether it was on such a list.
 */
bool mw_folio_isolate(struct folio *folio)
{
	if (!isolate(folio))
		return false;
	if (!folio_test_unevictable(folio))
		return true;
	put_back(folio);
	return false;
}

/**
 * mw_folio_list_add() - put an isolated folio on a list for mw_reclaim_folios()
 * @folio: the folio
 * @list:  the list; the kernel takes from its tail, so who was the first goes first
 */
void mw_folio_list_add(struct folio *folio, struct list_head *list)
{
	list_add(&folio->lru, list);
}

/**
 * mw_folio_on_disk() - does a folio belong to a block device, or a file system on one?
 * @folio: referenced by the caller, not locked
 *
 * Those let go of the buffers of a clean page without waiting for anything, so
 * that reclaim from within a file system is safe, which cannot be said of a file
 * system that talks to a server.
 *
 * Context: any.
 */
bool mw_folio_on_disk(struct folio *folio)
{
	struct address_space *mapping;
	struct inode *inode;
	bool on_disk;

	/* inodes and superblocks are freed after a grace period */
	rcu_read_lock();
	mapping = folio_mapping(folio);
	inode = mapping ? READ_ONCE(mapping->host) : NULL;
	/* not s_bdev, which those on several devices do not have (btrfs) */
	on_disk = inode && (S_ISBLK(inode->i_mode) ||
			    inode->i_sb->s_type->fs_flags & FS_REQUIRES_DEV);
	rcu_read_unlock();
	return on_disk;
}

/**
 * mw_folio_can_be_written() - has it a place that the flusher threads write to?
 * @folio: of a file, referenced by the caller, not locked
 *
 * ramfs has none, and yet its pages are dirty.
 *
 * Context: any.
 */
bool mw_folio_can_be_written(struct folio *folio)
{
	struct address_space *mapping;
	bool can;

	/* as above */
	rcu_read_lock();
	mapping = folio_mapping(folio);
	can = mapping && READ_ONCE(mapping->host) && mapping_can_writeback(mapping);
	rcu_read_unlock();
	return can;
}

/**
 * mw_reclaim_folios() - reclaim isolated folios
 * @folios: the list, empty afterwards: what is not reclaimed is on the kernel's
 *          LRU lists again
 *
 * Context: process, may sleep and do I/O.
 * Return: pages reclaimed.
 */
unsigned long mw_reclaim_folios(struct list_head *folios)
{
	/* being preempted changes another of the task's flags (PF_BLOCK_TS) */
	unsigned int noreclaim = data_race(memalloc_noreclaim_save());
	unsigned long nr = mw_call_reclaim_pages(folios);

	data_race((memalloc_noreclaim_restore(noreclaim), 0));
	return nr;
}

/**
 * mw_folio_split() - split a large folio, and free what of it is mapped no more
 * @folio: an anonymous one, referenced by the caller and by nobody else: that becomes a reference
 *         on its first page, which is not freed before it is dropped
 *
 * As the kernel's own shrinker of such folios does; it swaps nothing out.
 *
 * Context: process, may sleep for the locks of what it is mapped in.
 * Return: false if it is locked or somebody else has a reference.
 */
bool mw_folio_split(struct folio *folio)
{
	int ret;

	if (!folio_trylock(folio))
		return false;
	ret = mw_call_split(folio, NULL);
	folio_unlock(folio);
	return !ret;
}

/** mw_lru_add_drain_all() - put pages that CPUs have gathered on the LRU lists */
void mw_lru_add_drain_all(void)
{
	mw_call_lru_add_drain_all();
}

/** mw_wake_flushers() - have the machine's dirty pages written */
void mw_wake_flushers(void)
{
	mw_call_wakeup_flusher_threads(WB_REASON_VMSCAN);
}

/* Also while it is being swapped off, which may take long: what is in the swap cache goes there until then. */
static bool needs_fs(struct swap_info_struct *si)
{
#if MW_HAVE_SWAP_OPS
	/* before and after that another's may be there */
	return smp_load_acquire(&si->flags) & SWP_ACTIVATED &&
	       READ_ONCE(si->ops)->flags & SWAP_OPS_F_REQUIRE_NOFS;
#else
	return READ_ONCE(si->flags) & SWP_FS_OPS;
#endif
}

/**
 * mw_swap_needs_fs() - does a file system write what is swapped out, as on NFS?
 *
 * From 6.1 on the kernel swaps nothing out to such a file without __GFP_FS, and reclaim_pages() says that
 * it has it; on 5.10 it does, and waits until it is written.
 *
 * Context: any.
 * Return: whether one of the swap files is like that.
 */
bool mw_swap_needs_fs(void)
{
	bool needs = false;
	unsigned int type;

	/* what the file system has to say of it may go, a grace period after swapoff */
	rcu_read_lock();
	for (type = 0; swap_info_ptr && type < MAX_SWAPFILES && !needs; type++) {
		struct swap_info_struct *si = READ_ONCE(swap_info_ptr[type]);

		/* they are made one after the other, and used again */
		if (!si)
			break;
		needs = needs_fs(si);
	}
	rcu_read_unlock();
	return needs;
}

/** mw_vm_swappiness() - the machine's vm.swappiness */
int mw_vm_swappiness(void)
{
	return swappiness_ptr ? READ_ONCE(*swappiness_ptr) : 60;
}

/**
 * mw_vm_dirty_ratio() - which part of memory may be dirty, as the machine has it
 *
 * vm.dirty_bytes, if that is set, as a part of the machine's memory.
 *
 * Context: any.
 * Return: percent.
 */
unsigned int mw_vm_dirty_ratio(void)
{
	unsigned long bytes = dirty_bytes_ptr ? READ_ONCE(*dirty_bytes_ptr) : 0;

	if (bytes)
		return min(DIV_ROUND_UP(bytes, (totalram_pages() << PAGE_SHIFT) / 100), 100UL);
	return dirty_ratio_ptr ? READ_ONCE(*dirty_ratio_ptr) : 20;
}

/**
 * mw_reclaim_compat_init() - find the kernel's own settings
 *
 * Context: module load.
 */
void mw_reclaim_compat_init(void)
{
	swap_info_ptr = mw_ksym_data("swap_info");
	swappiness_ptr = mw_ksym_data("vm_swappiness");
	dirty_ratio_ptr = mw_ksym_data("vm_dirty_ratio");
	dirty_bytes_ptr = mw_ksym_data("vm_dirty_bytes");
}
