// SPDX-License-Identifier: GPL-2.0
/*
 * Which slots are being freed.
 *
 * DOC: Up to 6.12 the function that tells the kernel's memcg names the first slot.
 * Where that memcg is a cgroup v1 one it is also told of slots whose page has come
 * back: they are in use still, and their page may leave memory again unwritten.
 * In 7.2 it names a memcg only; the function around it has the slot, as a place in
 * a cluster, which is an element of an array of a structure that only the kernel's
 * own sources show.
 */
#include <linux/kernel.h>

#include <compat/ksym.h>
#include <compat/swap.h>

/* SWAPFILE_CLUSTER of mm/swap.h */
#ifdef CONFIG_THP_SWAP
#define SLOTS_PER_CLUSTER	HPAGE_PMD_NR
#else
#define SLOTS_PER_CLUSTER	256
#endif

/*
 * Slots that are freed have no user any more; the swap cache may have them still.  Of
 * those whose page has come back one may have lost its user meanwhile: it is freed by
 * itself.
 */
static bool are_in_use(swp_entry_t entry, unsigned int nr_pages)
{
#if MW_HAVE_INLINE_SWAP_INFO
	return false;
#else
	struct swap_info_struct *si = mw_call_swp_swap_info(entry);
	unsigned char *map = READ_ONCE(si->swap_map);
	unsigned int i;

	for (i = 0; map && i < nr_pages; i++)
		if (READ_ONCE(map[swp_offset(entry) + i]) & ~SWAP_HAS_CACHE)
			return true;
	return false;
#endif
}

/**
 * mw_freed_slot() - which slots are being freed, where memcg is told of them?
 * @regs:     as the function was entered
 * @nr_pages: set to their number, 0 if they are not being freed
 *
 * Return: the first of them.
 */
swp_entry_t mw_freed_slot(struct pt_regs *regs, unsigned int *nr_pages)
{
	swp_entry_t entry = { .val = mw_arg(regs, 0) };

	*nr_pages = mw_arg(regs, 1);
	if (are_in_use(entry, *nr_pages))
		*nr_pages = 0;
	return entry;
}

/**
 * mw_freed_in_cluster() - which slots are being freed, where their cluster is known?
 * @regs:     as the function was entered
 * @nr_pages: set to their number
 *
 * Return: the first of them.
 */
swp_entry_t mw_freed_in_cluster(struct pt_regs *regs, unsigned int *nr_pages)
{
	struct swap_info_struct *si = (struct swap_info_struct *)mw_arg(regs, 0);
	unsigned long cluster = mw_arg(regs, 1) - (unsigned long)si->cluster_info;

	*nr_pages = mw_arg(regs, 3);
	return swp_entry(si->type, cluster / mw_size_swap_cluster_info *
				   SLOTS_PER_CLUSTER +
				   (unsigned int)mw_arg(regs, 2));
}
