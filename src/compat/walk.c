// SPDX-License-Identifier: GPL-2.0
/*
 * What a process has mapped.
 *
 * DOC: By the kernel's own walk over page tables.  What a driver or a device has mapped is passed
 * over: nobody pays for that.  So is hugetlb, by the walk itself, as no function is given for it.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagewalk.h>
#include <linux/pgtable.h>

#include <compat/ksym.h>
#include <compat/walk.h>

/* entries of page tables, of any level, and mappings: so long those who change them wait */
#define MOST_STEPS	16384

/**
 * struct visit - a look at some of the mappings
 * @fn:   is told of each
 * @data: for @fn
 * @next: behind the last one that was looked at
 * @left: so many steps
 */
struct visit {
	mw_mapped_fn fn;
	void *data;
	unsigned long next;
	int left;
};

/* Return: 1 to end the walk. */
static int step(struct visit *visit, unsigned long next)
{
	visit->next = next;
	return --visit->left <= 0;
}

static int tell(struct visit *visit, unsigned long pfn, unsigned long next)
{
	return step(visit, next) | !visit->fn(pfn, visit->data);
}

static int look_at_pte(pte_t *pte, unsigned long addr, unsigned long next, struct mm_walk *walk)
{
	pte_t now = ptep_get(pte);

	if (pte_present(now) && !pte_special(now))
		return tell(walk->private, pte_pfn(now), next);
	return step(walk->private, next);
}

/* Under its lock it may be none any more, or about to be migrated. */
static int look_at_huge(struct visit *visit, pmd_t *pmd, unsigned long next)
{
	return pmd_leaf(*pmd) && pmd_present(*pmd) ? tell(visit, pmd_pfn(*pmd), next) :
						      step(visit, next);
}

/* What is not a table of entries is not made one either. */
static int look_at_pmd(pmd_t *pmd, unsigned long addr, unsigned long next, struct mm_walk *walk)
{
	pmd_t now = READ_ONCE(*pmd);
	spinlock_t *lock;
	int ret;

	if (pmd_present(now) && !pmd_leaf(now))
		return 0;
	walk->action = ACTION_CONTINUE;
	lock = pmd_lock(walk->mm, pmd);
	ret = look_at_huge(walk->private, pmd, next);
	spin_unlock(lock);
	return ret;
}

static int look_at_hole(unsigned long addr, unsigned long next, int depth, struct mm_walk *walk)
{
	return step(walk->private, next);
}

/* Return: 1 to pass over it.  What this ends is left to the next entry. */
static int look_at_vma(unsigned long addr, unsigned long next, struct mm_walk *walk)
{
	struct vm_area_struct *vma = walk->vma;
	struct visit *visit = walk->private;

	visit->left--;
	return vma->vm_flags & (VM_IO | VM_PFNMAP) || vma_is_dax(vma);
}

static const struct mm_walk_ops ops = {
	.pmd_entry = look_at_pmd,
	.pte_entry = look_at_pte,
	.pte_hole = look_at_hole,
	.test_walk = look_at_vma,
};

/**
 * mw_walk_mapped() - look at some of what is mapped, in the order of addresses
 * @mm:   whose mappings, locked for reading
 * @addr: where to begin; where to go on afterwards
 * @fn:   is told the first page frame of each mapping, under a lock of the page table; one of a
 *	  huge page, or one after the other of those that have a large folio in parts
 * @data: for @fn
 *
 * Context: process.
 * Return: whether there may be more.
 */
bool mw_walk_mapped(struct mm_struct *mm, unsigned long *addr, mw_mapped_fn fn, void *data)
{
	struct visit visit = { .fn = fn, .data = data, .left = MOST_STEPS };
	bool more = mw_call_walk_page_range(mm, *addr, ULONG_MAX, &ops, &visit) > 0;

	*addr = visit.next;
	return more;
}
