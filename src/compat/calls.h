/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What memward takes from the kernel although it is exported nowhere, or not on
 * every kernel.  No include guard: whoever includes it defines three macros first,
 * and gets one of them for each row, in the order in which the rows are verified.
 *
 * MW_CALL_IF(needed, name, symbol, proto, ret, params, args)
 *	A function that memward calls.
 *	@needed: does this build call it?
 *	@name:   as what
 *	@symbol: what the kernel calls it
 *	@proto:  its prototype as the kernel's type data have it, letter by letter
 *	@ret, @params, @args: the same in C
 * MW_ADDRESS(name, symbol, proto)
 *	A function that the kernel calls for memward; name() returns where it is.
 * MW_SIZE_IF(needed, type)
 *	A structure that no header shows, of which memward has to know the size.
 *
 * It takes compat/features.h and IS_ENABLED(), and is plain C with no #if in it, so
 * a program can ask what memward would take from any kernel: the version that
 * features.h compares may be a variable there.
 */
#define MW_CALL(name, ...)	MW_CALL_IF(true, name, __VA_ARGS__)
#define MW_YOUNG_PROTO(params) \
	(MW_HAVE_BOOL_YOUNG ? "bool " params : "int " params)

MW_CALL(mw_kallsyms_lookup_name, "kallsyms_lookup_name",
	"long unsigned int (const char *)",
	unsigned long, (const char *name), (name))
MW_CALL(mw_kallsyms_on_each_symbol, "kallsyms_on_each_symbol",
	MW_HAVE_KALLSYMS_OF_KERNEL ?
	"int (int (*)(void *, const char *, long unsigned int), void *)" :
	"int (int (*)(void *, const char *, struct module *, long unsigned int), void *)",
	int, (mw_each_symbol_fn fn, void *data), (fn, data))

MW_CALL(mw_task_work_add, "task_work_add",
	"int (struct task_struct *, struct callback_head *, enum task_work_notify_mode)",
	int, (struct task_struct *task, struct callback_head *work,
	      enum task_work_notify_mode notify), (task, work, notify))
MW_CALL(mw_task_work_cancel, "task_work_cancel_func",
	"struct callback_head * (struct task_struct *, task_work_func_t)",
	struct callback_head *, (struct task_struct *task, task_work_func_t func),
	(task, func))
MW_CALL(mw_psi_memstall_enter, "psi_memstall_enter",
	"void (long unsigned int *)",
	void, (unsigned long *flags), (flags))
MW_CALL(mw_psi_memstall_leave, "psi_memstall_leave",
	"void (long unsigned int *)",
	void, (unsigned long *flags), (flags))

MW_CALL(mw_call_isolate,
	MW_HAVE_FOLIOS ? "folio_isolate_lru" : "isolate_lru_page",
	!MW_HAVE_FOLIOS ? "int (struct page *)" :
	!MW_HAVE_BOOL_ISOLATE ? "int (struct folio *)" :
	"bool (struct folio *)",
	mw_isolated_t, (struct folio *folio), (folio))
MW_ADDRESS(mw_lock_anon_vma_address,
	   MW_HAVE_FOLIOS ? "folio_lock_anon_vma_read" : "page_lock_anon_vma_read",
	   !MW_HAVE_FOLIOS ? "struct anon_vma * (struct page *)" :
	   !MW_HAVE_CONST_ANON_LOCK ?
	   "struct anon_vma * (struct folio *, struct rmap_walk_control *)" :
	   "struct anon_vma * (const struct folio *, struct rmap_walk_control *)")
MW_CALL(mw_call_rmap_walk, "rmap_walk",
	MW_HAVE_FOLIOS ? "void (struct folio *, struct rmap_walk_control *)" :
			 "void (struct page *, struct rmap_walk_control *)",
	void, (struct folio *folio, struct rmap_walk_control *rwc), (folio, rwc))
MW_CALL(mw_call_page_vma_mapped_walk, "page_vma_mapped_walk",
	"bool (struct page_vma_mapped_walk *)",
	bool, (struct page_vma_mapped_walk *walk), (walk))
MW_CALL(mw_call_walk_page_range, "walk_page_range",
	"int (struct mm_struct *, long unsigned int, long unsigned int, const struct mm_walk_ops *, void *)",
	int, (struct mm_struct *mm, unsigned long start, unsigned long end,
	      const struct mm_walk_ops *ops, void *data), (mm, start, end, ops, data))
MW_CALL(mw_call_ptep_young, "ptep_test_and_clear_young",
	MW_YOUNG_PROTO("(struct vm_area_struct *, long unsigned int, pte_t *)"),
	mw_young_t, (struct vm_area_struct *vma, unsigned long addr, pte_t *pte),
	(vma, addr, pte))
MW_CALL_IF(IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE),
	   mw_call_pmdp_young, "pmdp_test_and_clear_young",
	   MW_YOUNG_PROTO("(struct vm_area_struct *, long unsigned int, pmd_t *)"),
	   mw_young_t, (struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd),
	   (vma, addr, pmd))
MW_CALL_IF(IS_ENABLED(CONFIG_MMU_NOTIFIER),
	   mw_call_notifier_young, "__mmu_notifier_clear_young",
	   MW_YOUNG_PROTO("(struct mm_struct *, long unsigned int, long unsigned int)"),
	   mw_young_t, (struct mm_struct *mm, unsigned long start, unsigned long end),
	   (mm, start, end))

MW_CALL(mw_call_reclaim_pages, "reclaim_pages",
	"long unsigned int (struct list_head *)",
	unsigned long, (struct list_head *folios), (folios))
MW_CALL_IF(IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE), mw_call_split,
	   MW_HAVE_PARTIALLY_MAPPED ? "split_folio_to_list" : "split_huge_page_to_list",
	   MW_HAVE_PARTIALLY_MAPPED ? "int (struct folio *, struct list_head *)" :
				      "int (struct page *, struct list_head *)",
	   int, (struct folio *folio, struct list_head *list), (folio, list))
/* a test build asks what happens if the kernel's prototype is another */
#ifdef MW_TEST_WRONG_PROTO
#define MW_DRAIN_PROTO	"int (void)"
#else
#define MW_DRAIN_PROTO	"void (void)"
#endif
MW_CALL(mw_call_lru_add_drain_all, "lru_add_drain_all", MW_DRAIN_PROTO,
	void, (void), ())
MW_CALL(mw_call_drain_all_pages, "drain_all_pages", "void (struct zone *)",
	void, (struct zone *zone), (zone))
MW_CALL(mw_call_is_free_buddy_page, "is_free_buddy_page",
	MW_HAVE_CONST_IS_FREE ? "bool (const struct page *)" :
				"bool (struct page *)",
	bool, (struct page *page), (page))
MW_CALL_IF(!MW_HAVE_INLINE_SWAP_INFO, mw_call_swp_swap_info, "swp_swap_info",
	   "struct swap_info_struct * (swp_entry_t)",
	   struct swap_info_struct *, (swp_entry_t entry), (entry))
MW_CALL(mw_call_wakeup_flusher_threads, "wakeup_flusher_threads",
	"void (enum wb_reason)",
	void, (enum wb_reason reason), (reason))
MW_CALL(mw_call_oom_kill_process, "__oom_kill_process",
	"void (struct task_struct *, const char *)",
	void, (struct task_struct *victim, const char *message), (victim, message))
MW_CALL(mw_call_oom_badness, "oom_badness",
	"long int (struct task_struct *, long unsigned int)",
	long, (struct task_struct *task, unsigned long totalpages),
	(task, totalpages))

MW_SIZE_IF(true, swap_cluster_info)

#undef MW_CALL
#undef MW_YOUNG_PROTO
#undef MW_DRAIN_PROTO
#undef MW_CALL_IF
#undef MW_ADDRESS
#undef MW_SIZE_IF
