/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of the hook table: all that memward attaches to, and why.  No include
 * guard: whoever includes it defines what it wants of a row first,
 *
 * MW_HOOK(feature, symbol, proto, how, required, hit, handler, original)
 *	the members of struct mw_hook; the last two, and two more of a diversion, only where
 *	there are any.
 *
 * It takes nothing from any header, so a program can compare the rows with the
 * type data of a kernel that does not run.
 *
 * Rows of one feature are neighbours.  Those that look on come first: they are
 * attached first and detached last, so no page is charged whose freeing would
 * be missed.
 */
#define TWO_FOLIOS	"void (struct folio *, struct folio *)"
#define TWO_PAGES	"void (struct page *, struct page *)"
#define WITHOUT_WRITE	"a large write() is slowed at its end only"
#define WITHOUT_LIMITED	\
	"a limit of the kernel's own memcg does not find what was protected before it was set"
#define WITHOUT_FALLIBLE	\
	"what memory.low protects is not found by allocations that fail rather than kill, as for hugetlb"
/* a test build asks what happens if the kernel's prototype is another */
#ifdef MW_TEST_WRONG_PROTO
#define FOLIO_CHARGE	"int (struct folio *, struct mm_struct *, gfp_t, bool)"
#define PAGE_CHARGE	"int (struct page *, struct mm_struct *, gfp_t, bool)"
#else
#define FOLIO_CHARGE	"int (struct folio *, struct mm_struct *, gfp_t)"
#define PAGE_CHARGE	"int (struct page *, struct mm_struct *, gfp_t)"
#endif

MW_HOOK("fork", "sched_process_fork",
	"void (void *, struct task_struct *, struct task_struct *)",
	MW_BY_TRACEPOINT, true, MW_HIT_FORK, mw_see_fork)

MW_HOOK("exit", "sched_process_exit", "void (void *, struct task_struct *)",
	MW_BY_TRACEPOINT, true, MW_HIT_EXIT, mw_see_exit)
MW_HOOK("exit", "sched_process_exit",
	"void (void *, struct task_struct *, bool)",
	MW_BY_TRACEPOINT, true, MW_HIT_EXIT, mw_see_exit_dead)

/* of the kernel's own cgroups: while something is bound to a group */
MW_HOOK("come", "cgroup_attach_task",
	"void (void *, struct cgroup *, const char *, struct task_struct *, bool)",
	MW_BY_DEMAND, false, MW_HIT_CGROUP_ATTACH, mw_see_cgroup_attach)
MW_HOOK("made", "cgroup_mkdir", "void (void *, struct cgroup *, const char *)",
	MW_BY_DEMAND, false, MW_HIT_CGROUP_MKDIR, mw_see_cgroup_mkdir)
MW_HOOK("removed", "cgroup_rmdir", "void (void *, struct cgroup *, const char *)",
	MW_BY_DEMAND, false, MW_HIT_CGROUP_RMDIR, mw_see_cgroup_rmdir)

/* likewise, of cgroup v1 alone: while something is bound there */
MW_HOOK("transferred", "cgroup_transfer_tasks",
	"void (void *, struct cgroup *, const char *, struct task_struct *, bool)",
	MW_BY_DEMAND_V1, false, MW_HIT_CGROUP_TRANSFER, mw_see_cgroup_transfer)
MW_HOOK("renamed", "cgroup_rename", "void (void *, struct cgroup *, const char *)",
	MW_BY_DEMAND_V1, false, MW_HIT_CGROUP_RENAME, mw_see_cgroup_rename)
MW_HOOK("mounted", "cgroup_setup_root", "void (void *, struct cgroup_root *)",
	MW_BY_DEMAND_V1, false, MW_HIT_CGROUP_MOUNT, mw_see_cgroup_mount)
MW_HOOK("remounted", "cgroup_remount", "void (void *, struct cgroup_root *)",
	MW_BY_DEMAND_V1, false, MW_HIT_CGROUP_REMOUNT, mw_see_cgroup_remount)
MW_HOOK("destroyed", "cgroup_destroy_root", "void (void *, struct cgroup_root *)",
	MW_BY_DEMAND_V1, false, MW_HIT_CGROUP_DESTROY, mw_see_cgroup_destroy)

/*
 * The functions through which the kernel's own memcg is told, so what it cannot
 * miss memward cannot miss; a batch a call, where the tracepoint mm_page_free would
 * cost 30 to 70 instructions a page.
 */
MW_HOOK("uncharge", "__mem_cgroup_uncharge", "void (struct folio *)",
	MW_BY_FTRACE, true, MW_HIT_UNCHARGE, mw_see_uncharge)
MW_HOOK("uncharge", "mem_cgroup_uncharge", "void (struct page *)",
	MW_BY_FTRACE, true, MW_HIT_UNCHARGE, mw_see_uncharge)

MW_HOOK("uncharges", "__mem_cgroup_uncharge_folios",
	"void (struct folio_batch *)",
	MW_BY_FTRACE, true, MW_HIT_UNCHARGE_BATCH, mw_see_uncharge_batch)
MW_HOOK("uncharges", "__mem_cgroup_uncharge_list", "void (struct list_head *)",
	MW_BY_FTRACE, true, MW_HIT_UNCHARGE_BATCH, mw_see_uncharge_list)
MW_HOOK("uncharges", "mem_cgroup_uncharge_list", "void (struct list_head *)",
	MW_BY_FTRACE, true, MW_HIT_UNCHARGE_BATCH, mw_see_uncharge_list)

MW_HOOK("migrate", "mem_cgroup_migrate", TWO_FOLIOS,
	MW_BY_FTRACE, true, MW_HIT_MIGRATE, mw_see_migrate)
MW_HOOK("migrate", "mem_cgroup_migrate", TWO_PAGES,
	MW_BY_FTRACE, true, MW_HIT_MIGRATE, mw_see_migrate)

/* mem_cgroup_migrate() did this too before mem_cgroup_replace_folio() */
MW_HOOK("replace", "mem_cgroup_replace_folio", TWO_FOLIOS,
	MW_BY_FTRACE, true, MW_HIT_REPLACE, mw_see_replace)
MW_HOOK("replace", "mem_cgroup_migrate", TWO_FOLIOS,
	MW_COVERED, true, MW_HIT_REPLACE)
MW_HOOK("replace", "mem_cgroup_migrate", TWO_PAGES,
	MW_COVERED, true, MW_HIT_REPLACE)

/* kernels before 6.3 do not have it */
MW_HOOK("collapse", "mm_khugepaged_collapse_file",
	"void (void *, struct mm_struct *, struct folio *, long unsigned int, long unsigned int, bool, struct file *, int, int)",
	MW_BY_TRACEPOINT, false, MW_HIT_COLLAPSE, mw_see_collapse)
MW_HOOK("collapse", "mm_khugepaged_collapse_file",
	"void (void *, struct mm_struct *, long unsigned int, long unsigned int, long unsigned int, bool, struct file *, int, int)",
	MW_BY_TRACEPOINT, false, MW_HIT_COLLAPSE, mw_see_collapse_pfn)

MW_HOOK("swapfree", "__mem_cgroup_uncharge_swap",
	"void (swp_entry_t, unsigned int)",
	MW_BY_FTRACE, true, MW_HIT_SWAPFREE, mw_see_swapfree)
MW_HOOK("swapfree", "mem_cgroup_uncharge_swap",
	"void (swp_entry_t, unsigned int)",
	MW_BY_FTRACE, true, MW_HIT_SWAPFREE, mw_see_swapfree)
MW_HOOK("swapfree", "__swap_cluster_free_entries",
	"void (struct swap_info_struct *, struct swap_cluster_info *, unsigned int, unsigned int)",
	MW_BY_FTRACE, true, MW_HIT_SWAPFREE, mw_see_swapfree_cluster)

MW_HOOK("swapalone", "__delete_from_swap_cache",
	"void (struct folio *, swp_entry_t, void *)",
	MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone)
MW_HOOK("swapalone", "__delete_from_swap_cache",
	"void (struct page *, swp_entry_t, void *)",
	MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone)
MW_HOOK("swapalone", "__swap_cache_del_folio",
	"void (struct swap_cluster_info *, struct folio *, swp_entry_t, void *)",
	MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone_cluster)
MW_HOOK("swapalone", "__swap_cache_del_folio",
	"void (struct swap_cluster_info *, struct folio *, swp_entry_t, void *, bool)",
	MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone_cluster)

MW_HOOK("refault", "workingset_refault", "void (struct folio *, void *)",
	MW_BY_FTRACE, false, MW_HIT_REFAULT, mw_see_refault)
MW_HOOK("refault", "workingset_refault", "void (struct page *, void *)",
	MW_BY_FTRACE, false, MW_HIT_REFAULT, mw_see_refault)

MW_HOOK("lazyfree", "folio_mark_lazyfree", "void (struct folio *)",
	MW_BY_FTRACE, false, MW_HIT_LAZYFREE, mw_see_lazyfree)
MW_HOOK("lazyfree", "mark_page_lazyfree", "void (struct page *)",
	MW_BY_FTRACE, false, MW_HIT_LAZYFREE, mw_see_lazyfree)

/* all or none: what is counted must not be left counted */
MW_HOOK("cleaned", "folio_clear_dirty_for_io", "bool (struct folio *)",
	MW_BY_FTRACE, true, MW_HIT_CLEANED, mw_see_cleaned)
MW_HOOK("cleaned", "clear_page_dirty_for_io", "int (struct page *)",
	MW_BY_FTRACE, true, MW_HIT_CLEANED, mw_see_cleaned)

MW_HOOK("cancelled", "__folio_cancel_dirty", "void (struct folio *)",
	MW_BY_FTRACE, true, MW_HIT_CLEANED, mw_see_cleaned)
MW_HOOK("cancelled", "__cancel_dirty_page", "void (struct page *)",
	MW_BY_FTRACE, true, MW_HIT_CLEANED, mw_see_cleaned)

MW_HOOK("writing", "__folio_start_writeback", "bool (struct folio *, bool)",
	MW_BY_FTRACE, true, MW_HIT_WRITING, mw_see_writing)
MW_HOOK("writing", "__folio_start_writeback", "void (struct folio *, bool)",
	MW_BY_FTRACE, true, MW_HIT_WRITING, mw_see_writing)
MW_HOOK("writing", "__test_set_page_writeback", "int (struct page *, bool)",
	MW_BY_FTRACE, true, MW_HIT_WRITING, mw_see_writing)

MW_HOOK("written", "__folio_end_writeback", "bool (struct folio *)",
	MW_BY_FTRACE, true, MW_HIT_WRITTEN, mw_see_written)
MW_HOOK("written", "test_clear_page_writeback", "int (struct page *)",
	MW_BY_FTRACE, true, MW_HIT_WRITTEN, mw_see_written)

MW_HOOK("dirty", "writeback_dirty_folio",
	"void (void *, struct folio *, struct address_space *)",
	MW_BY_TRACEPOINT, true, MW_HIT_DIRTY, mw_see_dirty)
MW_HOOK("dirty", "writeback_dirty_page",
	"void (void *, struct page *, struct address_space *)",
	MW_BY_TRACEPOINT, true, MW_HIT_DIRTY, mw_see_dirty)

/* where the kernel itself slows who writes: its tasks sleep there for as long as a disk hangs */
MW_HOOK("write", "balance_dirty_pages_ratelimited_flags",
	"int (struct address_space *, unsigned int)",
	MW_BY_DIVERSION, false, MW_HIT_WRITE, mw_wrap_write_flags, mw_orig_write_flags,
	mw_diverts_write, WITHOUT_WRITE)
MW_HOOK("write", "balance_dirty_pages_ratelimited", "void (struct address_space *)",
	MW_BY_DIVERSION, false, MW_HIT_WRITE, mw_wrap_write, mw_orig_write,
	mw_diverts_write, WITHOUT_WRITE)

MW_HOOK("pass", "mm_vmscan_lru_shrink_inactive",
	"void (void *, int, long unsigned int, long unsigned int, struct reclaim_stat *, int, int)",
	MW_BY_TRACEPOINT, true, MW_HIT_SHRINK, mw_see_shrink)

MW_HOOK("oom", "out_of_memory", "bool (struct oom_control *)",
	MW_BY_FTRACE, false, MW_HIT_OOM, mw_see_oom)

/* tasks sleep there for as long as reclaim takes */
MW_HOOK("limited", "try_to_free_mem_cgroup_pages",
	"long unsigned int (struct mem_cgroup *, long unsigned int, gfp_t, unsigned int, int *)",
	MW_BY_DIVERSION, false, MW_HIT_LIMITED, mw_wrap_limited, mw_orig_limited,
	mw_diverts_limited, WITHOUT_LIMITED)
MW_HOOK("limited", "try_to_free_mem_cgroup_pages",
	"long unsigned int (struct mem_cgroup *, long unsigned int, gfp_t, unsigned int)",
	MW_BY_DIVERSION, false, MW_HIT_LIMITED, mw_wrap_limited_options, mw_orig_limited_options,
	mw_diverts_limited, WITHOUT_LIMITED)
MW_HOOK("limited", "try_to_free_mem_cgroup_pages",
	"long unsigned int (struct mem_cgroup *, long unsigned int, gfp_t, bool)",
	MW_BY_DIVERSION, false, MW_HIT_LIMITED, mw_wrap_limited_swap, mw_orig_limited_swap,
	mw_diverts_limited, WITHOUT_LIMITED)

/* likewise */
MW_HOOK("fallible", "try_to_free_pages",
	"long unsigned int (struct zonelist *, int, gfp_t, const nodemask_t *)",
	MW_BY_DIVERSION, false, MW_HIT_FALLIBLE, mw_wrap_fallible, mw_orig_fallible,
	mw_diverts_fallible, WITHOUT_FALLIBLE)
MW_HOOK("fallible", "try_to_free_pages",
	"long unsigned int (struct zonelist *, int, gfp_t, nodemask_t *)",
	MW_BY_DIVERSION, false, MW_HIT_FALLIBLE, mw_wrap_fallible, mw_orig_fallible,
	mw_diverts_fallible, WITHOUT_FALLIBLE)

MW_HOOK("keep", "folio_referenced",
	"int (struct folio *, int, struct mem_cgroup *, long unsigned int *)",
	MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced, mw_orig_referenced)
MW_HOOK("keep", "folio_referenced",
	"int (struct folio *, int, struct mem_cgroup *, vm_flags_t *)",
	MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced, mw_orig_referenced)
MW_HOOK("keep", "folio_referenced",
	"int (struct folio *, int, struct mem_cgroup *, vma_flags_t *)",
	MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced, mw_orig_referenced)
MW_HOOK("keep", "page_referenced",
	"int (struct page *, int, struct mem_cgroup *, long unsigned int *)",
	MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced, mw_orig_referenced)

MW_HOOK("charge", "__mem_cgroup_charge", FOLIO_CHARGE,
	MW_BY_LIVEPATCH, true, MW_HIT_CHARGE, mw_wrap_charge, mw_orig_charge)
MW_HOOK("charge", "mem_cgroup_charge", PAGE_CHARGE,
	MW_BY_LIVEPATCH, true, MW_HIT_CHARGE, mw_wrap_charge, mw_orig_charge)

MW_HOOK("swapout", "__mem_cgroup_try_charge_swap",
	"int (struct folio *, swp_entry_t)",
	MW_BY_LIVEPATCH, true, MW_HIT_SWAPOUT, mw_wrap_swapout, mw_orig_swapout)
MW_HOOK("swapout", "mem_cgroup_try_charge_swap",
	"int (struct page *, swp_entry_t)",
	MW_BY_LIVEPATCH, true, MW_HIT_SWAPOUT, mw_wrap_swapout, mw_orig_swapout)
MW_HOOK("swapout", "__mem_cgroup_try_charge_swap", "int (struct folio *)",
	MW_BY_LIVEPATCH, true, MW_HIT_SWAPOUT, mw_wrap_swapout_folio, mw_orig_swapout_folio)

MW_HOOK("swapin", "mem_cgroup_swapin_charge_folio",
	"int (struct folio *, struct mm_struct *, gfp_t, swp_entry_t)",
	MW_BY_LIVEPATCH, true, MW_HIT_SWAPIN, mw_wrap_swapin_mm, mw_orig_swapin_mm)
MW_HOOK("swapin", "mem_cgroup_swapin_charge_folio",
	"int (struct folio *, short unsigned int, struct mm_struct *, gfp_t)",
	MW_BY_LIVEPATCH, true, MW_HIT_SWAPIN, mw_wrap_swapin_id, mw_orig_swapin_id)
/* before there was a function for it, swap-in called the general one */
MW_HOOK("swapin", "mem_cgroup_charge", PAGE_CHARGE,
	MW_COVERED, true, MW_HIT_SWAPIN)

#undef TWO_FOLIOS
#undef TWO_PAGES
#undef WITHOUT_WRITE
#undef WITHOUT_LIMITED
#undef WITHOUT_FALLIBLE
#undef FOLIO_CHARGE
#undef PAGE_CHARGE
#undef MW_HOOK
