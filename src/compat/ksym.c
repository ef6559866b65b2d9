// SPDX-License-Identifier: GPL-2.0
/*
 * Finding and calling what the kernel does not export.
 *
 * DOC: kallsyms_lookup_name() is not exported either; a kprobe that is
 * registered on it and removed at once tells where it is.  Names are then
 * looked up in one pass over all symbols, which also notices a name that occurs
 * twice and optimised clones, whose calling convention is anybody's guess.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/rmap.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/version.h>

#include <compat/ksym.h>

#define KSYM_CALL(name, ret, args)					\
	static ret missing_##name args					\
	{								\
		WARN_ONCE(1, "memward: " #name " called unresolved\n");	\
		return (ret)0;						\
	}								\
	DEFINE_STATIC_CALL(mw_##name, missing_##name);			\
	static void set_##name(unsigned long addr)			\
	{								\
		static_call_update(mw_##name, (ret (*) args)addr);	\
	}

/* kallsyms_on_each_symbol() lost the module argument of its callback in 6.4 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
typedef int (*each_symbol_fn)(void *, const char *, struct module *,
			      unsigned long);
#define EACH_SYMBOL_PROTO \
	"int (int (*)(void *, const char *, struct module *, long unsigned int), void *)"
#else
typedef int (*each_symbol_fn)(void *, const char *, unsigned long);
#define EACH_SYMBOL_PROTO \
	"int (int (*)(void *, const char *, long unsigned int), void *)"
#endif

KSYM_CALL(kallsyms_lookup_name, unsigned long, (const char *name))
KSYM_CALL(kallsyms_on_each_symbol, int, (each_symbol_fn fn, void *data))
KSYM_CALL(task_work_add, int, (struct task_struct *task,
			       struct callback_head *work,
			       enum task_work_notify_mode notify))
KSYM_CALL(task_work_cancel_func, struct callback_head *,
	  (struct task_struct *task, task_work_func_t func))
KSYM_CALL(psi_memstall_enter, void, (unsigned long *flags))
KSYM_CALL(psi_memstall_leave, void, (unsigned long *flags))

/* what reclaims works on pages up to 5.15 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
#define ISOLATE		"isolate_lru_page"
#define ISOLATE_PROTO	"int (struct page *)"
#define YOUNG		"int"
#define LOCK_ANON_VMA	"page_lock_anon_vma_read"
#define LOCK_ANON_VMA_PROTO \
	"struct anon_vma * (struct page *)"
#define RMAP_WALK_PROTO	"void (struct page *, struct rmap_walk_control *)"
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define ISOLATE		"folio_isolate_lru"
#define ISOLATE_PROTO	"int (struct folio *)"
#else
#define ISOLATE		"folio_isolate_lru"
#define ISOLATE_PROTO	"bool (struct folio *)"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#define LOCK_ANON_VMA	"folio_lock_anon_vma_read"
/* and both of these changed between 6.12 and 7.2 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define YOUNG		"int"
#define LOCK_ANON_VMA_PROTO \
	"struct anon_vma * (struct folio *, struct rmap_walk_control *)"
#else
#define YOUNG		"bool"
#define LOCK_ANON_VMA_PROTO \
	"struct anon_vma * (const struct folio *, struct rmap_walk_control *)"
#endif
#define RMAP_WALK_PROTO	"void (struct folio *, struct rmap_walk_control *)"
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define IS_FREE_PROTO	"bool (struct page *)"
#else
#define IS_FREE_PROTO	"bool (const struct page *)"
#endif
KSYM_CALL(isolate, mw_isolated_t, (struct mw_lru_item *item))
KSYM_CALL(rmap_walk, void, (struct mw_lru_item *item,
			    struct rmap_walk_control *rwc))
KSYM_CALL(page_vma_mapped_walk, bool, (struct page_vma_mapped_walk *walk))
KSYM_CALL(ptep_test_and_clear_young, mw_young_t,
	  (struct vm_area_struct *vma, unsigned long addr, pte_t *pte))
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
KSYM_CALL(pmdp_test_and_clear_young, mw_young_t,
	  (struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd))
#endif
#ifdef CONFIG_MMU_NOTIFIER
KSYM_CALL(mmu_notifier_clear_young, mw_young_t,
	  (struct mm_struct *mm, unsigned long start, unsigned long end))
#endif
KSYM_CALL(reclaim_pages, unsigned long, (struct list_head *folios))
KSYM_CALL(lru_add_drain_all, void, (void))
KSYM_CALL(drain_all_pages, void, (struct zone *zone))
KSYM_CALL(is_free_buddy_page, bool, (struct page *page))
KSYM_CALL(wakeup_flusher_threads, void, (enum wb_reason reason))
KSYM_CALL(__oom_kill_process, void, (struct task_struct *victim,
				     const char *message))
KSYM_CALL(oom_badness, long, (struct task_struct *task,
			      unsigned long totalpages))

/* the kernel calls it, through a pointer */
static void *lock_anon_vma;
static void set_lock_anon_vma(unsigned long addr)
{
	lock_anon_vma = (void *)addr;
}

const struct mw_call mw_calls[] = {
	{ "kallsyms_lookup_name", "long unsigned int (const char *)",
	  set_kallsyms_lookup_name },
	{ "kallsyms_on_each_symbol", EACH_SYMBOL_PROTO,
	  set_kallsyms_on_each_symbol },
	{ "task_work_add",
	  "int (struct task_struct *, struct callback_head *, enum task_work_notify_mode)",
	  set_task_work_add },
	{ "task_work_cancel_func",
	  "struct callback_head * (struct task_struct *, task_work_func_t)",
	  set_task_work_cancel_func },
	{ "psi_memstall_enter", "void (long unsigned int *)",
	  set_psi_memstall_enter },
	{ "psi_memstall_leave", "void (long unsigned int *)",
	  set_psi_memstall_leave },
	{ ISOLATE, ISOLATE_PROTO, set_isolate },
	{ LOCK_ANON_VMA, LOCK_ANON_VMA_PROTO, set_lock_anon_vma },
	{ "rmap_walk", RMAP_WALK_PROTO, set_rmap_walk },
	{ "page_vma_mapped_walk", "bool (struct page_vma_mapped_walk *)",
	  set_page_vma_mapped_walk },
	{ "ptep_test_and_clear_young",
	  YOUNG " (struct vm_area_struct *, long unsigned int, pte_t *)",
	  set_ptep_test_and_clear_young },
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	{ "pmdp_test_and_clear_young",
	  YOUNG " (struct vm_area_struct *, long unsigned int, pmd_t *)",
	  set_pmdp_test_and_clear_young },
#endif
#ifdef CONFIG_MMU_NOTIFIER
	{ "__mmu_notifier_clear_young",
	  YOUNG " (struct mm_struct *, long unsigned int, long unsigned int)",
	  set_mmu_notifier_clear_young },
#endif
	{ "reclaim_pages", "long unsigned int (struct list_head *)",
	  set_reclaim_pages },
	{ "lru_add_drain_all", "void (void)", set_lru_add_drain_all },
	{ "drain_all_pages", "void (struct zone *)", set_drain_all_pages },
	{ "is_free_buddy_page", IS_FREE_PROTO, set_is_free_buddy_page },
	{ "wakeup_flusher_threads", "void (enum wb_reason)",
	  set_wakeup_flusher_threads },
	{ "__oom_kill_process", "void (struct task_struct *, const char *)",
	  set___oom_kill_process },
	{ "oom_badness", "long int (struct task_struct *, long unsigned int)",
	  set_oom_badness },
};
const unsigned int mw_nr_calls = ARRAY_SIZE(mw_calls);

/** mw_task_work_add() - task_work_add() of the kernel */
int mw_task_work_add(struct task_struct *task, struct callback_head *work,
		     enum task_work_notify_mode notify)
{
	return static_call(mw_task_work_add)(task, work, notify);
}

/** mw_task_work_cancel() - task_work_cancel_func() of the kernel */
struct callback_head *mw_task_work_cancel(struct task_struct *task,
					  task_work_func_t func)
{
	return static_call(mw_task_work_cancel_func)(task, func);
}

/** mw_psi_memstall_enter() - psi_memstall_enter() of the kernel */
void mw_psi_memstall_enter(unsigned long *flags)
{
	static_call(mw_psi_memstall_enter)(flags);
}

/** mw_psi_memstall_leave() - psi_memstall_leave() of the kernel */
void mw_psi_memstall_leave(unsigned long *flags)
{
	static_call(mw_psi_memstall_leave)(flags);
}

/** mw_call_isolate() - isolate_lru_page() or folio_isolate_lru() of the kernel */
mw_isolated_t mw_call_isolate(struct mw_lru_item *item)
{
	return static_call(mw_isolate)(item);
}

/** mw_ksym_lock_anon_vma() - for rmap_walk_control: what the kernel has there */
void *mw_ksym_lock_anon_vma(void)
{
	return lock_anon_vma;
}

/** mw_call_rmap_walk() - rmap_walk() of the kernel */
void mw_call_rmap_walk(struct mw_lru_item *item, struct rmap_walk_control *rwc)
{
	static_call(mw_rmap_walk)(item, rwc);
}

/** mw_call_page_vma_mapped_walk() - page_vma_mapped_walk() of the kernel */
bool mw_call_page_vma_mapped_walk(struct page_vma_mapped_walk *walk)
{
	return static_call(mw_page_vma_mapped_walk)(walk);
}

/** mw_call_ptep_young() - ptep_test_and_clear_young() of the kernel */
bool mw_call_ptep_young(struct vm_area_struct *vma, unsigned long addr,
			pte_t *pte)
{
	return static_call(mw_ptep_test_and_clear_young)(vma, addr, pte);
}

/** mw_call_pmdp_young() - pmdp_test_and_clear_young() of the kernel */
bool mw_call_pmdp_young(struct vm_area_struct *vma, unsigned long addr,
			pmd_t *pmd)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	return static_call(mw_pmdp_test_and_clear_young)(vma, addr, pmd);
#else
	return false;
#endif
}

/** mw_call_notifier_young() - __mmu_notifier_clear_young() of the kernel */
bool mw_call_notifier_young(struct mm_struct *mm, unsigned long start,
			    unsigned long end)
{
#ifdef CONFIG_MMU_NOTIFIER
	return static_call(mw_mmu_notifier_clear_young)(mm, start, end);
#else
	return false;
#endif
}

/** mw_call_reclaim_pages() - reclaim_pages() of the kernel */
unsigned long mw_call_reclaim_pages(struct list_head *folios)
{
	return static_call(mw_reclaim_pages)(folios);
}

/** mw_call_lru_add_drain_all() - lru_add_drain_all() of the kernel */
void mw_call_lru_add_drain_all(void)
{
	static_call(mw_lru_add_drain_all)();
}

/** mw_call_drain_all_pages() - drain_all_pages() of the kernel, for all zones */
void mw_call_drain_all_pages(void)
{
	static_call(mw_drain_all_pages)(NULL);
}

/** mw_call_is_free_buddy_page() - is_free_buddy_page() of the kernel */
bool mw_call_is_free_buddy_page(struct page *page)
{
	return static_call(mw_is_free_buddy_page)(page);
}

/** mw_call_wakeup_flusher_threads() - wakeup_flusher_threads() of the kernel */
void mw_call_wakeup_flusher_threads(enum wb_reason reason)
{
	static_call(mw_wakeup_flusher_threads)(reason);
}

/** mw_call_oom_kill_process() - __oom_kill_process() of the kernel */
void mw_call_oom_kill_process(struct task_struct *victim, const char *message)
{
	static_call(mw___oom_kill_process)(victim, message);
}

/** mw_call_oom_badness() - oom_badness() of the kernel */
long mw_call_oom_badness(struct task_struct *task, unsigned long totalpages)
{
	return static_call(mw_oom_badness)(task, totalpages);
}

/**
 * mw_ksym_data() - address of a variable of the kernel
 * @name: exact name
 *
 * Return: the address, NULL if there is none of this name.
 */
void *mw_ksym_data(const char *name)
{
	return (void *)static_call(mw_kallsyms_lookup_name)(name);
}

/*
 * A kprobe that nothing hits finds things out that are not exported.  It is never
 * armed: to disarm one may take memory, and if there is none, the kernel keeps it,
 * without a word to who unregisters it.
 */
static int probe_for_an_instant(struct kprobe *probe)
{
	int ret;

	probe->flags = KPROBE_FLAG_DISABLED;
	ret = register_kprobe(probe);
	if (!ret)
		unregister_kprobe(probe);
	return ret;
}

/**
 * mw_ksym_past_fentry() - where a traced function goes on after its fentry call
 * @symbol: name of the function, which is unique
 * @addr:   the answer
 *
 * Calling there runs the function without whatever is attached to its entry.
 * The entry may be an endbr64 or what a sealed one was overwritten with, and the
 * call one of several no-ops; where it is, kprobes knows.
 *
 * Return: 0; -EOPNOTSUPP if the function does not begin with one; -ENOMEM.
 */
int mw_ksym_past_fentry(const char *symbol, unsigned long *addr)
{
	struct kprobe probe = { .symbol_name = symbol };
	int ret = probe_for_an_instant(&probe);

	if (ret == -ENOMEM)
		return ret;
	if (ret || !(probe.flags & KPROBE_FLAG_FTRACE))
		return -EOPNOTSUPP;
	*addr = (unsigned long)probe.addr + MCOUNT_INSN_SIZE;
	return 0;
}

struct wanted {
	struct mw_sym *syms;
	unsigned int nr;
};

static void match(struct mw_sym *sym, const char *name, unsigned long addr)
{
	size_t len;

	if (name[0] != sym->name[0])
		return;
	len = strlen(sym->name);
	if (strncmp(name, sym->name, len))
		return;
	if (!name[len]) {
		sym->addr = addr;
		sym->nr++;
	} else if (name[len] == '.' && strncmp(&name[len], ".cold", 5)) {
		sym->clone = true;
	}
}

static int match_all(void *data, const char *name, unsigned long addr)
{
	struct wanted *wanted = data;
	unsigned int i;

	for (i = 0; i < wanted->nr; i++)
		match(&wanted->syms[i], name, addr);
	return 0;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
static int each_symbol(void *data, const char *name, struct module *mod,
		       unsigned long addr)
{
	return mod ? 0 : match_all(data, name, addr);
}
#else
static int each_symbol(void *data, const char *name, unsigned long addr)
{
	return match_all(data, name, addr);
}
#endif

/**
 * mw_ksym_find() - look names up among the symbols of the kernel proper
 * @syms: the names; the rest of each is filled in
 * @nr:   how many
 *
 * Context: process, may sleep.
 * Return: 0; names that were not found have @nr 0.
 */
int mw_ksym_find(struct mw_sym *syms, unsigned int nr)
{
	struct wanted wanted = { syms, nr };

	return static_call(mw_kallsyms_on_each_symbol)(each_symbol, &wanted);
}

/**
 * mw_ksym_init() - find kallsyms
 *
 * Context: module load.
 * Return: 0, or an error if kallsyms cannot be found.
 */
int mw_ksym_init(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long addr;
	int ret;

	ret = probe_for_an_instant(&probe);
	if (ret)
		return ret;
	/* behind endbr64 on kernels with IBT: a direct call may land there */
	set_kallsyms_lookup_name((unsigned long)probe.addr);
	addr = (unsigned long)mw_ksym_data("kallsyms_on_each_symbol");
	if (!addr)
		return -ENOENT;
	set_kallsyms_on_each_symbol(addr);
	return 0;
}
