// SPDX-License-Identifier: GPL-2.0
/*
 * The hierarchies of cgroup v1, and who is where in them.
 *
 * DOC: A hierarchy is called what the lines of /proc/PID/cgroup call it: its controllers, in the
 * kernel's order, and its name= if it has one.  No two have the same controller or the same name.
 *
 * The kernel makes, renames and removes cgroups, moves processes among them, mounts, remounts and
 * destroys hierarchies with its cgroup_mutex held.  Whoever has that (mw_v1_lock()) sees none that
 * is half made, and what he finds is so until he lets go.
 *
 * Where a process is: a css_set names the state of each controller, and that its cgroup, which can
 * be read under RCU alone.  A hierarchy without such a controller has nothing but a link to each
 * css_set.  Links are freed at once, so for these the kernel's css_set_lock is taken.  It is not
 * taken in what a trace event calls: the kernel holds it, or takes it, around some of its events,
 * and a lock that all of them take.
 *
 * None of the kernel's locks and lists is exported.  Without them nothing can be bound in a
 * hierarchy of v1, and all else works.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kernfs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <compat/cgroup.h>
#include <compat/cgroup_v1.h>
#include <compat/ksym.h>

/* no header shows it; are_known_links() looks whether it is so */
struct cgrp_cset_link {
	struct cgroup *cgrp;
	struct css_set *cset;
	struct list_head cset_link;
	struct list_head cgrp_link;
};

static struct mutex *cgroup_mutex_ptr;
static spinlock_t *css_set_lock_ptr;
static struct list_head *roots;

/* That of the kernel itself, which is in the root of each hierarchy, always. */
static struct css_set *first_css_set(void)
{
	return rcu_dereference_protected(init_task.cgroups, true);
}

/* Each of its links says so, and one is to the default hierarchy. */
static bool are_known_links(struct css_set *cset)
{
	struct cgrp_cset_link *link;
	bool is_there = false;

	list_for_each_entry(link, &cset->cgrp_links, cgrp_link) {
		if (link->cset != cset)
			return false;
		is_there |= link->cgrp == &cgrp_dfl_root.cgrp;
	}
	return is_there;
}

static bool is_known_kernel(void)
{
	unsigned long flags;
	bool ret;

	spin_lock_irqsave(css_set_lock_ptr, flags);
	ret = are_known_links(first_css_set());
	spin_unlock_irqrestore(css_set_lock_ptr, flags);
	return ret;
}

/**
 * mw_v1_prepare() - find what all else here needs; to be called before that
 *
 * Several may be here at once: all find the same.
 *
 * Context: process, may sleep.
 * Return: 0, also if it was found before; -EOPNOTSUPP if this kernel is not as expected.
 */
int mw_v1_prepare(void)
{
	if (smp_load_acquire(&roots))
		return 0;
	cgroup_mutex_ptr = mw_ksym_data("cgroup_mutex");
	css_set_lock_ptr = mw_ksym_data("css_set_lock");
	if (!cgroup_mutex_ptr || !css_set_lock_ptr || !is_known_kernel())
		return -EOPNOTSUPP;
	/* last: whoever sees it sees the others */
	smp_store_release(&roots, mw_ksym_data("cgroup_roots"));
	return roots ? 0 : -EOPNOTSUPP;
}

/* --- what they are called --- */

static struct cgroup_subsys *controller(unsigned int ssid)
{
	struct cgroup_subsys_state *css = first_css_set()->subsys[ssid];

	return css ? css->ss : NULL;
}

/* Controllers with no files of v1 cannot be mounted there; perf_event has no files at all. */
static bool is_of_v2_alone(const struct cgroup_subsys *ss)
{
	return !ss->legacy_cftypes && ss->dfl_cftypes;
}

/* Return: false if it does not fit. */
static bool compose(unsigned int mask, const char *own, char *name)
{
	struct cgroup_subsys *ss;
	unsigned int ssid;
	size_t len = 0;

	*name = '\0';
	for (ssid = 0; ssid < CGROUP_SUBSYS_COUNT; ssid++) {
		ss = controller(ssid);
		if (ss && mask & (1U << ssid))
			len += scnprintf(name + len, MW_V1_NAME_SIZE - len, "%s%s",
					 len ? "," : "", ss->legacy_name);
	}
	if (*own)
		len += scnprintf(name + len, MW_V1_NAME_SIZE - len, "%sname=%s",
				 len ? "," : "", own);
	return len < MW_V1_NAME_SIZE - 1;
}

/* Return: the controller's bit; -EINVAL; -EOPNOTSUPP. */
static int parse_controller(const char *text, size_t len)
{
	struct cgroup_subsys *ss;
	unsigned int ssid;

	for (ssid = 0; ssid < CGROUP_SUBSYS_COUNT; ssid++) {
		ss = controller(ssid);
		if (ss && strlen(ss->legacy_name) == len && !memcmp(text, ss->legacy_name, len))
			return is_of_v2_alone(ss) ? -EOPNOTSUPP : 1 << ssid;
	}
	return -EINVAL;
}

static int parse_own(const char *text, size_t len, char *own)
{
	size_t i;

	if (!len || len >= MAX_CGROUP_ROOT_NAMELEN || *own)
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!isascii(text[i]) || (!isalnum(text[i]) && !strchr(".-_", text[i])))
			return -EINVAL;
	memcpy(own, text, len);
	own[len] = '\0';
	return 0;
}

/* One of what stands between commas.  Return: 0 or an error. */
static int parse_piece(const char *text, size_t len, unsigned int *mask, char *own)
{
	static const char key[] = "name=";
	size_t key_len = sizeof(key) - 1;
	int bit;

	if (len > key_len && !memcmp(text, key, key_len))
		return parse_own(text + key_len, len - key_len, own);
	bit = parse_controller(text, len);
	if (bit < 0)
		return bit;
	if (*mask & bit)
		return -EINVAL;
	*mask |= bit;
	return 0;
}

/**
 * mw_v1_name() - what a hierarchy is called, as the kernel writes it
 * @text: its controllers and its name= in any order, with commas between them
 * @len:  of @text
 * @name: for MW_V1_NAME_SIZE bytes; there need not be such a hierarchy
 *
 * Context: any; after mw_v1_prepare().
 * Return: 0; -EINVAL if this kernel has no such controller, or something is there twice, or the
 * name is none that the kernel would take; -EOPNOTSUPP if this kernel has a controller for v2 alone.
 */
int mw_v1_name(const char *text, size_t len, char *name)
{
	char own[MAX_CGROUP_ROOT_NAMELEN] = "";
	unsigned int mask = 0;
	size_t piece;
	int ret;

	for (;; text += piece + 1, len -= piece + 1) {
		const char *comma = memchr(text, ',', len);

		piece = comma ? comma - text : len;
		ret = parse_piece(text, piece, &mask, own);
		if (ret)
			return ret;
		if (!comma)
			return compose(mask, own, name) ? 0 : -EINVAL;
	}
}

/* --- which there are --- */

/**
 * mw_v1_lock() - have the kernel change nothing of its cgroups
 *
 * Context: process, may sleep; outside of all locks of memward's but for bind_mutex and what that
 * is inside of.
 */
void mw_v1_lock(void)
{
	mutex_lock(cgroup_mutex_ptr);
}

/** mw_v1_unlock() - undo mw_v1_lock() */
void mw_v1_unlock(void)
{
	mutex_unlock(cgroup_mutex_ptr);
}

/*
 * Was it unmounted when it had no cgroups?  When it is destroyed its root's directory is freed at once
 * (to 6.1), whoever reads that; but a grace period has passed then since this was so.
 */
static bool is_about_to_go(struct cgroup_root *root)
{
	return percpu_ref_is_dying(&root->cgrp.self.refcnt);
}

static bool is_live(struct cgroup_root *root)
{
	return root != &cgrp_dfl_root && mw_cgroup_is_made(&root->cgrp) &&
	       !is_about_to_go(root);
}

/**
 * mw_v1_find_root() - look a hierarchy up
 * @name: of mw_v1_name()
 *
 * Context: mw_v1_lock() held, and kept while the hierarchy is used.
 * Return: the hierarchy; NULL if there is none.
 */
struct cgroup_root *mw_v1_find_root(const char *name)
{
	char other[MW_V1_NAME_SIZE];
	struct cgroup_root *root;

	list_for_each_entry(root, roots, root_list)
		if (is_live(root) && compose(root->subsys_mask, root->name, other) &&
		    !strcmp(name, other))
			return root;
	return NULL;
}

/*
 * The controller by which a css_set knows the cgroup.  One that v2 has by itself (perf_event) may be
 * taken from there for a hierarchy of v1, and then css_sets go on naming the states that were there.
 */
static int telling_controller(const struct cgroup_root *root)
{
	struct cgroup_subsys *ss;
	unsigned int ssid;

	for (ssid = 0; ssid < CGROUP_SUBSYS_COUNT; ssid++) {
		ss = controller(ssid);
		if (root->subsys_mask & (1U << ssid) && ss && !ss->implicit_on_dfl)
			return ssid;
	}
	return -1;
}

/**
 * mw_v1_root_of() - what a hierarchy is remembered by
 * @root: of mw_v1_find_root(); NULL for none
 */
union mw_v1_root mw_v1_root_of(const struct cgroup_root *root)
{
	union mw_v1_root ret = { .word = 0 };

	if (!root)
		return ret;
	ret.id = root->hierarchy_id;
	ret.ssid = telling_controller(root);
	return ret;
}

/**
 * mw_v1_find() - look a cgroup up by its path
 * @root: the hierarchy
 * @path: seen from its root
 * @id:   of the cgroup
 *
 * Context: mw_v1_lock() held.
 * Return: 0; -ENOENT if there is none; -ENOTDIR if that, or what it is in, is a file; -ENOMEM.
 */
int mw_v1_find(struct cgroup_root *root, const char *path, u64 *id)
{
	struct kernfs_node *node = mw_cgroup_node_get(root, path);
	int ret = 0;

	if (IS_ERR(node))
		return PTR_ERR(node);
	if (kernfs_type(node) == KERNFS_DIR)
		*id = node->id;
	else
		ret = -ENOTDIR;
	kernfs_put(node);
	return ret;
}

/* --- who is where --- */

/* Context: css_set_lock held, and RCU read side. */
static struct cgroup *find_linked(struct css_set *cset, s32 id)
{
	struct cgrp_cset_link *link;

	list_for_each_entry(link, &cset->cgrp_links, cgrp_link)
		if (link->cgrp->root->hierarchy_id == id)
			return is_about_to_go(link->cgrp->root) ? NULL : link->cgrp;
	return NULL;
}

/* A controller may be in another hierarchy meanwhile.  Context: RCU read side. */
static struct cgroup *find_controlled(struct css_set *cset, union mw_v1_root root)
{
	struct cgroup_subsys_state *css = READ_ONCE(cset->subsys[root.ssid]);
	struct cgroup *cgrp = css ? READ_ONCE(css->cgroup) : NULL;
	struct cgroup_root *in = cgrp ? READ_ONCE(cgrp->root) : NULL;

	return in && in->hierarchy_id == root.id && !is_about_to_go(in) ? cgrp : NULL;
}

/**
 * mw_v1_cgroup_of() - the cgroup that a thread is in
 * @task: the thread
 * @root: the hierarchy
 *
 * Context: RCU read side, and kept while the cgroup is used.  Any but interrupts, NMIs and, for a
 * hierarchy without controllers, what trace events of cgroups call.
 * Return: the cgroup; NULL if there is no such hierarchy any more.
 */
struct cgroup *mw_v1_cgroup_of(struct task_struct *task, union mw_v1_root root)
{
	struct cgroup *cgrp;
	unsigned long flags;

	if (!root.id)
		return NULL;
	if (root.ssid >= 0)
		return find_controlled(task_css_set(task), root);
	spin_lock_irqsave(css_set_lock_ptr, flags);
	cgrp = find_linked(task_css_set(task), root.id);
	spin_unlock_irqrestore(css_set_lock_ptr, flags);
	return cgrp;
}

/**
 * mw_v1_path_of_namespace() - what current sees as the root of a hierarchy
 * @root: the hierarchy
 * @buf:  for the path, which is terminated; "" for the root itself, or if there is no such hierarchy
 * @size: of @buf
 *
 * Context: process.
 * Return: 0 or -ENAMETOOLONG.
 */
int mw_v1_path_of_namespace(union mw_v1_root root, char *buf, size_t size)
{
	struct css_set *cset = current->nsproxy->cgroup_ns->root_cset;
	struct cgroup *cgrp;
	unsigned long flags;
	int ret = 0;

	*buf = '\0';
	rcu_read_lock();
	spin_lock_irqsave(css_set_lock_ptr, flags);
	cgrp = root.id ? find_linked(cset, root.id) : NULL;
	spin_unlock_irqrestore(css_set_lock_ptr, flags);
	if (cgrp)
		ret = mw_cgroup_path(cgrp, buf, size);
	rcu_read_unlock();
	if (!ret && !strcmp(buf, "/"))
		*buf = '\0';
	return ret;
}
