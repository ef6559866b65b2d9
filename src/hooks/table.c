// SPDX-License-Identifier: GPL-2.0
/* The hook table: all that memward attaches to, and why. */
#include <linux/kernel.h>

#include <hooks/hooks.h>
#include <hooks/wrap.h>

/* a test build asks what happens if the kernel's prototype is another */
#ifdef MW_TEST_WRONG_PROTO
#define FOLIO_CHARGE	"int (struct folio *, struct mm_struct *, gfp_t, bool)"
#define PAGE_CHARGE	"int (struct page *, struct mm_struct *, gfp_t, bool)"
#else
#define FOLIO_CHARGE	"int (struct folio *, struct mm_struct *, gfp_t)"
#define PAGE_CHARGE	"int (struct page *, struct mm_struct *, gfp_t)"
#endif

#define TWO_FOLIOS	"void (struct folio *, struct folio *)"
#define TWO_PAGES	"void (struct page *, struct page *)"

/*
 * Rows of one feature are neighbours.  Those that look on come first: they are
 * attached first and detached last, so no page is charged whose freeing would
 * be missed.
 */
const struct mw_hook mw_hook_table[] = {
	{ "fork", "sched_process_fork",
	  "void (void *, struct task_struct *, struct task_struct *)",
	  MW_BY_TRACEPOINT, true, MW_HIT_FORK, mw_see_fork },

	{ "exit", "sched_process_exit",
	  "void (void *, struct task_struct *)",
	  MW_BY_TRACEPOINT, true, MW_HIT_EXIT, mw_see_exit },
	{ "exit", "sched_process_exit",
	  "void (void *, struct task_struct *, bool)",
	  MW_BY_TRACEPOINT, true, MW_HIT_EXIT, mw_see_exit_dead },

	/*
	 * The functions through which the kernel's own memcg is told, so what
	 * it cannot miss memward cannot miss; a batch a call, where the
	 * tracepoint mm_page_free would cost 30 to 70 instructions a page.
	 */
	{ "uncharge", "__mem_cgroup_uncharge", "void (struct folio *)",
	  MW_BY_FTRACE, true, MW_HIT_UNCHARGE, mw_see_uncharge },
	{ "uncharge", "mem_cgroup_uncharge", "void (struct page *)",
	  MW_BY_FTRACE, true, MW_HIT_UNCHARGE, mw_see_uncharge },

	{ "uncharges", "__mem_cgroup_uncharge_folios",
	  "void (struct folio_batch *)",
	  MW_BY_FTRACE, true, MW_HIT_UNCHARGE_BATCH, mw_see_uncharge_batch },
	{ "uncharges", "__mem_cgroup_uncharge_list",
	  "void (struct list_head *)",
	  MW_BY_FTRACE, true, MW_HIT_UNCHARGE_BATCH, mw_see_uncharge_list },
	{ "uncharges", "mem_cgroup_uncharge_list", "void (struct list_head *)",
	  MW_BY_FTRACE, true, MW_HIT_UNCHARGE_BATCH, mw_see_uncharge_list },

	{ "migrate", "mem_cgroup_migrate", TWO_FOLIOS,
	  MW_BY_FTRACE, true, MW_HIT_MIGRATE, mw_see_migrate },
	{ "migrate", "mem_cgroup_migrate", TWO_PAGES,
	  MW_BY_FTRACE, true, MW_HIT_MIGRATE, mw_see_migrate },

	/* mem_cgroup_migrate() did this too before mem_cgroup_replace_folio() */
	{ "replace", "mem_cgroup_replace_folio", TWO_FOLIOS,
	  MW_BY_FTRACE, true, MW_HIT_REPLACE, mw_see_replace },
	{ "replace", "mem_cgroup_migrate", TWO_FOLIOS, MW_COVERED, true, MW_HIT_REPLACE },
	{ "replace", "mem_cgroup_migrate", TWO_PAGES, MW_COVERED, true, MW_HIT_REPLACE },

	/* kernels before 6.3 do not have it */
	{ "collapse", "mm_khugepaged_collapse_file",
	  "void (void *, struct mm_struct *, struct folio *, long unsigned int, long unsigned int, bool, struct file *, int, int)",
	  MW_BY_TRACEPOINT, false, MW_HIT_COLLAPSE, mw_see_collapse },
	{ "collapse", "mm_khugepaged_collapse_file",
	  "void (void *, struct mm_struct *, long unsigned int, long unsigned int, long unsigned int, bool, struct file *, int, int)",
	  MW_BY_TRACEPOINT, false, MW_HIT_COLLAPSE, mw_see_collapse_pfn },

	{ "swapfree", "__mem_cgroup_uncharge_swap",
	  "void (swp_entry_t, unsigned int)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPFREE, mw_see_swapfree },
	{ "swapfree", "mem_cgroup_uncharge_swap",
	  "void (swp_entry_t, unsigned int)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPFREE, mw_see_swapfree },
	{ "swapfree", "__swap_cluster_free_entries",
	  "void (struct swap_info_struct *, struct swap_cluster_info *, unsigned int, unsigned int)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPFREE, mw_see_swapfree },

	{ "swapalone", "__delete_from_swap_cache",
	  "void (struct folio *, swp_entry_t, void *)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone },
	{ "swapalone", "__delete_from_swap_cache",
	  "void (struct page *, swp_entry_t, void *)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone },
	{ "swapalone", "__swap_cache_del_folio",
	  "void (struct swap_cluster_info *, struct folio *, swp_entry_t, void *)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone_cluster },
	{ "swapalone", "__swap_cache_del_folio",
	  "void (struct swap_cluster_info *, struct folio *, swp_entry_t, void *, bool)",
	  MW_BY_FTRACE, true, MW_HIT_SWAPALONE, mw_see_swapalone_cluster },

	{ "refault", "workingset_refault", "void (struct folio *, void *)",
	  MW_BY_FTRACE, false, MW_HIT_REFAULT, mw_see_refault },
	{ "refault", "workingset_refault", "void (struct page *, void *)",
	  MW_BY_FTRACE, false, MW_HIT_REFAULT, mw_see_refault },

	{ "pass", "mm_vmscan_lru_shrink_inactive",
	  "void (void *, int, long unsigned int, long unsigned int, struct reclaim_stat *, int, int)",
	  MW_BY_TRACEPOINT, true, MW_HIT_SHRINK, mw_see_shrink },

	{ "keep", "folio_referenced",
	  "int (struct folio *, int, struct mem_cgroup *, long unsigned int *)",
	  MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced,
	  mw_orig_referenced },
	{ "keep", "folio_referenced",
	  "int (struct folio *, int, struct mem_cgroup *, vm_flags_t *)",
	  MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced,
	  mw_orig_referenced },
	{ "keep", "folio_referenced",
	  "int (struct folio *, int, struct mem_cgroup *, vma_flags_t *)",
	  MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced,
	  mw_orig_referenced },
	{ "keep", "page_referenced",
	  "int (struct page *, int, struct mem_cgroup *, long unsigned int *)",
	  MW_BY_LIVEPATCH, true, MW_HIT_REFERENCED, mw_wrap_referenced,
	  mw_orig_referenced },

	{ "charge", "__mem_cgroup_charge", FOLIO_CHARGE,
	  MW_BY_LIVEPATCH, true, MW_HIT_CHARGE, mw_wrap_charge, mw_orig_charge },
	{ "charge", "mem_cgroup_charge", PAGE_CHARGE,
	  MW_BY_LIVEPATCH, true, MW_HIT_CHARGE, mw_wrap_charge, mw_orig_charge },

	{ "swapout", "__mem_cgroup_try_charge_swap",
	  "int (struct folio *, swp_entry_t)",
	  MW_BY_LIVEPATCH, true, MW_HIT_SWAPOUT, mw_wrap_swapout, mw_orig_swapout },
	{ "swapout", "mem_cgroup_try_charge_swap",
	  "int (struct page *, swp_entry_t)",
	  MW_BY_LIVEPATCH, true, MW_HIT_SWAPOUT, mw_wrap_swapout, mw_orig_swapout },
	{ "swapout", "__mem_cgroup_try_charge_swap", "int (struct folio *)",
	  MW_BY_LIVEPATCH, true, MW_HIT_SWAPOUT, mw_wrap_swapout_folio,
	  mw_orig_swapout_folio },

	{ "swapin", "mem_cgroup_swapin_charge_folio",
	  "int (struct folio *, struct mm_struct *, gfp_t, swp_entry_t)",
	  MW_BY_LIVEPATCH, true, MW_HIT_SWAPIN, mw_wrap_swapin_mm, mw_orig_swapin_mm },
	{ "swapin", "mem_cgroup_swapin_charge_folio",
	  "int (struct folio *, short unsigned int, struct mm_struct *, gfp_t)",
	  MW_BY_LIVEPATCH, true, MW_HIT_SWAPIN, mw_wrap_swapin_id, mw_orig_swapin_id },
	/* before there was a function for it, swap-in called the general one */
	{ "swapin", "mem_cgroup_charge", PAGE_CHARGE, MW_COVERED, true, MW_HIT_SWAPIN },
};
const unsigned int mw_hook_count = ARRAY_SIZE(mw_hook_table);
