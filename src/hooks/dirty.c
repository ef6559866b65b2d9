// SPDX-License-Identifier: GPL-2.0
/* What looks on where pages of files become dirty and clean, and are written; and what is run there now and then. */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/mm.h>

#include <compat/folio.h>
#include <compat/ftrace.h>
#include <core/charge/dirty.h>
#include <core/limit/throttle.h>
#include <hooks/hooks.h>
#include <hooks/wrap.h>

MW_ORIGINAL(write, (struct address_space *mapping))
MW_ORIGINAL(write_flags, (struct address_space *mapping, unsigned int flags))

/* Shared memory that goes to swap is not anonymous. */
static bool goes_to_swap(struct folio *folio)
{
	return folio_test_anon(folio) || folio_test_swapcache(folio);
}

static struct mw_group *begin(struct folio *folio)
{
	return mw_dirty_begin(folio_pfn(folio), folio_nr_pages(folio));
}

static void end(struct folio *folio)
{
	mw_dirty_end(folio_pfn(folio), folio_nr_pages(folio));
}

/**
 * mw_see_dirty() - at writeback_dirty_folio, 5.10's writeback_dirty_page
 * @folio:   a folio that was clean
 * @mapping: whose it is
 *
 * Context: any, under the lock of the mapping's pages.
 */
void mw_see_dirty(void *data, struct folio *folio, struct address_space *mapping)
{
	struct mw_group *group;

	mw_hit(MW_HIT_DIRTY);
	if (!mw_dirty_counts(mapping))
		return;
	preempt_disable();
	group = begin(folio);
	if (group)
		mw_throttle_dirtied(group, folio_nr_pages(folio));
	/* a buffer's page is dirtied without its lock: it may have been written since */
	if (!folio_test_dirty(folio) && !folio_test_writeback(folio))
		end(folio);
	preempt_enable();
}

/**
 * mw_see_cleaned() - as a folio's dirty mark is about to be taken away
 * @regs: the folio, locked
 *
 * As folio_clear_dirty_for_io() and __folio_cancel_dirty() are entered, and what 5.10 has
 * instead.  What is written next is counted again, see mw_see_writing(); the rest, such as
 * what was truncated or has no place of its own on the disk, is not.
 *
 * Context: process.
 */
void mw_see_cleaned(struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)mw_arg(regs, 0);

	mw_hit(MW_HIT_CLEANED);
	preempt_disable();
	if (!folio_test_writeback(folio))
		end(folio);
	preempt_enable();
}

/**
 * mw_see_writing() - as __folio_start_writeback(), or __test_set_page_writeback(), is entered
 * @regs: a folio, locked
 *
 * Context: process.
 */
void mw_see_writing(struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)mw_arg(regs, 0);

	mw_hit(MW_HIT_WRITING);
	if (goes_to_swap(folio))
		return;
	preempt_disable();
	begin(folio);
	preempt_enable();
}

/**
 * mw_see_written() - as __folio_end_writeback(), or test_clear_page_writeback(), is entered
 * @regs: a folio
 *
 * Context: any.
 */
void mw_see_written(struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)mw_arg(regs, 0);

	mw_hit(MW_HIT_WRITTEN);
	if (folio_test_dirty(folio))
		return;
	preempt_disable();
	end(folio);
	/* it may have become dirty again meanwhile, which was nothing new then */
	if (folio_test_dirty(folio) && !goes_to_swap(folio))
		begin(folio);
	preempt_enable();
}

/**
 * mw_diverts_write() - is who writes to go to mw_wrap_write()?
 * @regs: what he writes to
 *
 * Context: as mw_throttle_is_due().
 */
bool mw_diverts_write(struct pt_regs *regs)
{
	return mw_throttle_is_due();
}

/* Nothing of memory file systems is ever written. */
static void write_to(struct address_space *mapping)
{
	mw_hit(MW_HIT_WRITE);
	if (mw_dirty_counts(mapping))
		mw_throttle_write(inode_to_bdi(mapping->host));
}

/**
 * mw_wrap_write() - before 5.10's balance_dirty_pages_ratelimited()
 * @mapping: of the file that is written to
 *
 * For those alone whom mw_diverts_write() is true of.  No livepatch: it may leave by a
 * tail call, as those who are here are counted.
 *
 * Context: process, may sleep, the file's lock held perhaps.
 */
int mw_wrap_write(struct address_space *mapping)
{
	write_to(mapping);
	return static_call(mw_orig_write)(mapping);
}

/**
 * mw_wrap_write_flags() - before balance_dirty_pages_ratelimited_flags()
 * @mapping: of the file that is written to
 * @flags:   as the original has them; with any, who writes does not want to wait: it pays when it
 *           returns
 *
 * Likewise.
 */
int mw_wrap_write_flags(struct address_space *mapping, unsigned int flags)
{
	if (!flags)
		write_to(mapping);
	return static_call(mw_orig_write_flags)(mapping, flags);
}
