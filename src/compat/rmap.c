// SPDX-License-Identifier: GPL-2.0
/*
 * Was a folio used through one of its mappings?
 *
 * DOC: folio_referenced() would know.  But with MGLRU (the default from 6.12) it clears the
 * accessed bits of up to 63 pages around, too, and what it saw there only MGLRU
 * comes to know.  Who looks at one page after the other, as memward does, finds the
 * first of them in use and all others unused.  So memward walks the mappings
 * itself, and clears just the bits that it has looked at.
 */
#include <linux/mmu_notifier.h>
#include <linux/page_idle.h>
#include <linux/rmap.h>

#include <compat/folio.h>
#include <compat/ksym.h>
#include <compat/rmap.h>

#if MW_HAVE_FOLIOS
#define RMAP_ITEM	folio
#else
#define RMAP_ITEM	page
#endif

/*
 * The kernel's own macro, which knows best: in 7.3 an anonymous folio has its index from
 * elsewhere than a file's.  Before 6.7 it wants what is not exported, for hugetlb,
 * which no group pays for.
 */
#if MW_HAVE_FOLIO_WALK
#define DEFINE_WALK(name, item, _vma, addr)				\
	DEFINE_FOLIO_VMA_WALK(name, item, _vma, addr, 0)
#elif MW_HAVE_FOLIOS
#define DEFINE_WALK(name, item, _vma, addr)				\
	struct page_vma_mapped_walk name = {				\
		.pfn = folio_pfn(item),					\
		.nr_pages = folio_nr_pages(item),			\
		.pgoff = (item)->index, .vma = _vma, .address = addr,	\
	}
#else
#define DEFINE_WALK(name, item, _vma, addr)				\
	struct page_vma_mapped_walk name = {				\
		.page = item, .vma = _vma, .address = addr,		\
	}
#endif

/* Where it cannot be asked not to wait for the locks of mappings, it waits. */
#if MW_HAVE_RMAP_TRY_LOCK
static void try_locks(struct rmap_walk_control *rwc)
{
	rwc->try_lock = true;
}

static bool was_contended(const struct rmap_walk_control *rwc)
{
	return rwc->contended;
}
#else
static void try_locks(struct rmap_walk_control *rwc)
{
}

static bool was_contended(const struct rmap_walk_control *rwc)
{
	return false;
}
#endif

/* What others have of the same memory, such as virtual machines. */
static bool notifier_young(struct mm_struct *mm, unsigned long addr,
			   unsigned long size)
{
	return mm_has_notifiers(mm) &&
	       mw_call_notifier_young(mm, addr, addr + size);
}

/* Not present is what a device has to itself: the notifier knows. */
static bool pte_was_used(struct page_vma_mapped_walk *walk)
{
	struct vm_area_struct *vma = walk->vma;
	bool used = pte_present(*walk->pte) &&
		    mw_call_ptep_young(vma, walk->address, walk->pte);

	return notifier_young(vma->vm_mm, walk->address, PAGE_SIZE) || used;
}

static bool pmd_was_used(struct page_vma_mapped_walk *walk)
{
	struct vm_area_struct *vma = walk->vma;
	bool used = pmd_present(*walk->pmd) &&
		    mw_call_pmdp_young(vma, walk->address, walk->pmd);

	return notifier_young(vma->vm_mm, walk->address, PMD_SIZE) || used;
}

/* Reading a mapping from end to end, and having said so, is no use of its pages. */
static bool look_at_mapping(struct RMAP_ITEM *item, struct vm_area_struct *vma,
			    unsigned long addr, void *arg)
{
	DEFINE_WALK(walk, item, vma, addr);
	bool *used = arg;

	while (mw_call_page_vma_mapped_walk(&walk))
		if ((walk.pte ? pte_was_used(&walk) : pmd_was_used(&walk)) &&
		    !(vma->vm_flags & VM_SEQ_READ))
			*used = true;
	return true;
}

/**
 * mw_folio_referenced() - was a folio used through a mapping since last asked?
 * @folio: referenced by the caller, not locked by it
 *
 * Clears the accessed bits of all of its mappings.  A folio that somebody has locked,
 * or whose mappings are being changed, counts as used.
 *
 * Context: process, may sleep.
 * Return: whether it was.
 */
bool mw_folio_referenced(struct folio *folio)
{
	bool used = false;
	struct rmap_walk_control rwc = {
		.rmap_one = look_at_mapping,
		.arg = &used,
		.anon_lock = mw_lock_anon_vma_address(),
	};

	try_locks(&rwc);
	if (!folio_mapped(folio))
		return false;
	if (!folio_trylock(folio))
		return true;
	mw_call_rmap_walk(folio, &rwc);
	folio_unlock(folio);
	if (used)
		folio_clear_idle(folio);
	/* what others who have looked at the bits have left for reclaim */
	return folio_test_clear_young(folio) || used || was_contended(&rwc);
}
