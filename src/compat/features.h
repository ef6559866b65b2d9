/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPAT_FEATURES_H
#define COMPAT_FEATURES_H

#include <linux/version.h>

/*
 * What differs between the kernels that memward is built for, oldest change first.
 * This is the only place that asks for the kernel's version.  Each macro is an
 * expression, true from the first kernel on that is known to have the change: for if
 * and ?: where both sides compile everywhere, and for #if where they do not.
 */
#define MW_SINCE(major, minor) \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))

/* one of two types; not for functions and arrays */
#define MW_EITHER(condition, type, other) \
	typeof(__builtin_choose_expr(condition, (type)0, (other)0))

/* ftrace callbacks get ftrace_regs, and ask for protection against recursion */
#define MW_HAVE_FTRACE_REGS		MW_SINCE(5, 11)
/* operations of inodes get the user namespace of the mount */
#define MW_HAVE_MOUNT_USER_NS		MW_SINCE(5, 12)
/* swap-in charges through a function of its own, before it adds to the swap cache */
#define MW_HAVE_SWAPIN_CHARGE		MW_SINCE(5, 13)
/* the state of a task is its __state */
#define MW_HAVE_STATE_UNDERSCORES	MW_SINCE(5, 14)
/* whose a trace event is: trace_event_call has a module, where it had a mod */
#define MW_HAVE_EVENT_MODULE		MW_SINCE(5, 15)
/* folios; before, a head page stands for all of its pages */
#define MW_HAVE_FOLIOS			MW_SINCE(5, 16)
/* register_shrinker() gets a name */
#define MW_HAVE_SHRINKER_NAME		MW_SINCE(6, 0)
/* rmap_walk_control can ask not to wait for locks, and be told of contention */
#define MW_HAVE_RMAP_TRY_LOCK		MW_SINCE(6, 0)
/* the page cache charges before it sets the mapping, and for no mm */
#define MW_HAVE_CHARGE_BEFORE_MAPPING	MW_SINCE(6, 1)
/* trace_add_event_call() is exported */
#define MW_HAVE_ADD_EVENT		MW_SINCE(6, 1)
/* symbols are found by name without a walk through all of them */
#define MW_HAVE_SYMBOL_SEARCH		MW_SINCE(6, 2)
/* folio_isolate_lru() returns whether it did, where it returned 0 or an error */
#define MW_HAVE_BOOL_ISOLATE		MW_SINCE(6, 3)
/* operations of inodes get the idmap of the mount */
#define MW_HAVE_MNT_IDMAP		MW_SINCE(6, 3)
/* kallsyms_on_each_symbol() no longer tells its callback of modules */
#define MW_HAVE_KALLSYMS_OF_KERNEL	MW_SINCE(6, 4)
/* copy_splice_read() takes the place of generic_file_splice_read() */
#define MW_HAVE_COPY_SPLICE_READ	MW_SINCE(6, 5)
/* the slot of a folio in the swap cache is folio->swap, not the private field */
#define MW_HAVE_FOLIO_SWAP		MW_SINCE(6, 6)
/* the times of inodes are set through functions */
#define MW_HAVE_INODE_INIT_TS		MW_SINCE(6, 7)
/* shrinkers are allocated by the kernel */
#define MW_HAVE_SHRINKER_ALLOC		MW_SINCE(6, 7)
/* DEFINE_FOLIO_VMA_WALK() needs nothing of hugetlb that is not exported */
#define MW_HAVE_FOLIO_WALK		MW_SINCE(6, 7)
/* is_free_buddy_page() takes a const page */
#define MW_HAVE_CONST_IS_FREE		MW_SINCE(6, 10)
/* a folio of which a part is mapped no more is marked; before, only such huge pages wait to be split */
#define MW_HAVE_PARTIALLY_MAPPED	MW_SINCE(6, 12)
/* a module that is marked as a livepatch gets the trace events that it brings */
#define MW_HAVE_LIVEPATCH_EVENTS	MW_SINCE(6, 12)
/* mkdir of inodes returns a dentry */
#define MW_HAVE_MKDIR_DENTRY		MW_SINCE(6, 15)
/* a process is told of as exiting before it gives its memory back; before, after that */
#define MW_HAVE_EARLY_EXIT		MW_SINCE(6, 16)
/* folio_lock_anon_vma_read() takes a const folio */
#define MW_HAVE_CONST_ANON_LOCK		MW_SINCE(6, 16)
/* what a super block's dentries do is set by a function */
#define MW_HAVE_DEFAULT_D_OP		MW_SINCE(6, 17)
/* mm->flags has accessors */
#define MW_HAVE_MM_FLAGS		MW_SINCE(6, 18)
/* nothing tells a swap device of its slots but code of the kernel's own headers */
#define MW_HAVE_INLINE_SWAP_INFO	MW_SINCE(6, 18)
/* inode->i_state has accessors */
#define MW_HAVE_INODE_STATE		MW_SINCE(6, 19)
/* the functions that test and clear accessed bits return bool */
#define MW_HAVE_BOOL_YOUNG		MW_SINCE(7, 1)
/* struct folio_batch has a header of its own */
#define MW_HAVE_FOLIO_BATCH_H		MW_SINCE(7, 1)
/* what a swap device does is in a table of functions, which says whether a file system does it */
#if __has_include(<linux/swap_ops.h>)
#define MW_HAVE_SWAP_OPS		1
#else
#define MW_HAVE_SWAP_OPS		0
#endif
/* folio_referenced() hands out a vma_flags_t */
#define MW_HAVE_REFERENCED_FLAGS	MW_SINCE(7, 3)

#endif
