/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMWARD_MEMBER_TABLE_H
#define MEMWARD_MEMBER_TABLE_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <core/group/hierarchy.h>

struct mw_group;
struct pid;
struct signal_struct;
struct task_struct;

#define MW_MEMBER_HASH_BITS	12

/**
 * struct mw_member - the entry of a process that was moved into a group, or is the child of one
 * @node:   in the hash table, for as long as it is a member; under the group's lock
 * @list:   in the group's members, likewise
 * @sig:    the process, not referenced
 * @tgid:   its pid, referenced
 * @group:  where it is, or was at last
 * @cgroup: id of the kernel's cgroup that the process is in, as far as that was told; 0 for a
 *          child that is in none yet.  This and the next seven under the lock of the bucket
 * @before: the one that it came from
 * @came:   when it came, by ktime_get_ns(); 0 for never
 * @before_came: when it had come to @before, likewise
 * @voided: when it came to one that is bound, likewise: since then it is where that is; 0 for
 *          not
 * @in_v1:  likewise of cgroup v1: in the hierarchy of each slot (hierarchy.c); 0 if that is not known,
 *          or there is none
 * @came_in_v1: when it, or one of its threads, came to another one in any of these; 0 for never
 * @noted_in_v1: bits of the slots where it is in another cgroup than it was moved to, as another thread
 *          says so since the first has ended
 * @killed: when cgroup.kill came to it, by ktime_get_ns(); 0 for never
 * @rcu:    frees it
 */
struct mw_member {
	struct hlist_node node;
	struct list_head list;
	struct signal_struct *sig;
	struct pid *tgid;
	struct mw_group *group;
	u64 cgroup;
	u64 before;
	u64 came;
	u64 before_came;
	u64 voided;
	u64 in_v1[MW_HIERARCHIES];
	u64 came_in_v1;
	unsigned long noted_in_v1;
	u64 killed;
	struct rcu_head rcu;
};

/**
 * struct mw_member_bucket - a part of the hash table
 * @lock:    who enters or leaves holds it, with interrupts off
 * @told:    grows, with the lock held, as somebody is told of as moved in cgroup v1
 * @members: read under RCU
 * @date:    grows with each change of who of them is in which group
 */
struct mw_member_bucket {
	spinlock_t lock;
	unsigned int told;
	struct hlist_head members;
	atomic_long_t date;
};

extern struct mw_member_bucket mw_member_table[1 << MW_MEMBER_HASH_BITS];

/** mw_member_bucket_of() - the part of the table that a process belongs to */
static inline struct mw_member_bucket *mw_member_bucket_of(struct signal_struct *sig)
{
	return &mw_member_table[hash_ptr(sig, MW_MEMBER_HASH_BITS)];
}

/**
 * mw_member_entry() - look up the entry of a process, void or not
 * @sig: the process
 *
 * Context: RCU read side, or preemption off.
 * Return: the entry, or NULL.
 */
static inline struct mw_member *mw_member_entry(struct signal_struct *sig)
{
	struct mw_member *member;

	hlist_for_each_entry_rcu(member, &mw_member_bucket_of(sig)->members, node)
		if (member->sig == sig)
			return member;
	return NULL;
}

/**
 * mw_member_find() - look up an entry that says where its process is
 * @sig: the process
 *
 * Context: as mw_member_entry().
 * Return: the entry, or NULL.
 */
static inline struct mw_member *mw_member_find(struct signal_struct *sig)
{
	struct mw_member *member = mw_member_entry(sig);

	return member && !READ_ONCE(member->voided) ? member : NULL;
}

/**
 * mw_member_date_change() - have processors look up again who is in which group
 * @bucket: of those who are concerned
 *
 * Pairs with the smp_rmb() in mw_member_owner(): change first, date after.
 */
static inline void mw_member_date_change(struct mw_member_bucket *bucket)
{
	smp_mb__before_atomic();
	atomic_long_inc(&bucket->date);
}

struct mw_member *mw_member_new(struct task_struct *task);
struct mw_member *mw_member_new_reserved(struct task_struct *task);
void mw_member_drop(struct mw_member *member);
bool mw_member_insert(struct mw_member *member, struct mw_group *group);
void mw_member_remove(struct mw_member *member);
struct mw_group *mw_member_lock_group(struct mw_member *member);
void mw_member_leave(struct signal_struct *sig);
void mw_members_look_again(void);
unsigned int mw_member_reserve(void);
int mw_member_table_init(void);
void mw_member_table_exit(void);

#endif
