/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_KIND_H
#define MEMWARD_KIND_H

/**
 * enum mw_kind - what a charged page holds
 * @MW_KIND_ANON:  anonymous memory
 * @MW_KIND_FILE:  page cache of a file system that has a backing store
 * @MW_KIND_SHMEM: tmpfs, shared anonymous mappings, SysV shared memory
 *
 * Also the index of the pages-held statistics, so these come first there.
 */
enum mw_kind {
	MW_KIND_ANON,
	MW_KIND_FILE,
	MW_KIND_SHMEM,
	MW_NR_KINDS,
};

/**
 * enum mw_lru_type - what can be reclaimed in the same way
 * @MW_LRU_ANON: goes to swap: anonymous and shared memory
 * @MW_LRU_FILE: goes to its file
 */
enum mw_lru_type {
	MW_LRU_ANON,
	MW_LRU_FILE,
	MW_NR_LRU_TYPES,
};

static inline enum mw_lru_type mw_lru_type(enum mw_kind kind)
{
	return kind == MW_KIND_FILE ? MW_LRU_FILE : MW_LRU_ANON;
}

#endif
