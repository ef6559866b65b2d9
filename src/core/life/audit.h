/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_AUDIT_H
#define MEMWARD_AUDIT_H

#include <linux/types.h>

struct mw_group;

/**
 * enum mw_audit_what - what a finding is about
 * @MW_AUDIT_USAGE: a group's counter, against the entries of its subtree
 * @MW_AUDIT_KIND:  a group's own count of one kind, against its own entries
 * @MW_AUDIT_SWAP:  a group's counter of swap slots, against those of its subtree
 * @MW_AUDIT_WALK:  a group that walks of reclaim do not meet, whatever it has
 * @MW_AUDIT_UNWRITTEN: the root's counter of unwritten pages, against all entries
 * @MW_AUDIT_OWNER: entries whose owner does not exist
 * @MW_AUDIT_FREE:  entries of pages that are free
 * @MW_AUDIT_HIDDEN: hidden pages that whoever looks for what is hidden does not find
 */
enum mw_audit_what {
	MW_AUDIT_USAGE,
	MW_AUDIT_KIND,
	MW_AUDIT_SWAP,
	MW_AUDIT_WALK,
	MW_AUDIT_UNWRITTEN,
	MW_AUDIT_OWNER,
	MW_AUDIT_FREE,
	MW_AUDIT_HIDDEN,
};

/**
 * struct mw_finding - one difference
 * @what:    what it is about
 * @group:   the group; NULL if it is about no group
 * @kind:    enum mw_kind, for MW_AUDIT_KIND
 * @counted: pages according to the counters
 * @found:   pages according to the shadow array, or the record of slots
 */
struct mw_finding {
	enum mw_audit_what what;
	struct mw_group *group;
	int kind;
	long counted;
	long found;
};

#define MW_AUDIT_MAX_FINDINGS	32

/**
 * struct mw_audit - result of an audit
 * @groups:      groups compared, the root included
 * @pages:       charged pages seen
 * @moving:      groups whose difference is explained by what was charged and
 *               freed during the walk
 * @nr_findings: differences; may exceed what @finding has room for
 * @finding:     the first of them
 */
struct mw_audit {
	unsigned long groups;
	unsigned long pages;
	unsigned long moving;
	unsigned int nr_findings;
	struct mw_finding finding[MW_AUDIT_MAX_FINDINGS];
};

int mw_audit(struct mw_audit *result,
	     void (*report)(const struct mw_audit *result, void *data),
	     void *data);

#endif
