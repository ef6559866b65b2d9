// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the kernel's own cgroups, those of the default hierarchy (cgroup v2).
 *
 * DOC: A path is one seen from the hierarchy's root, whatever the cgroup namespace.  The
 * kernel's cgroup_get_from_path() knows none but those that the caller's namespace shows,
 * and not on all kernels.  So the directories are looked up one by one.  The number of a
 * directory is the id of its cgroup, and never another one's.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kernfs.h>
#include <linux/nsproxy.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <compat/cgroup.h>

/**
 * mw_cgroup_path() - where a cgroup is, seen from the root of its hierarchy
 * @cgrp: the cgroup
 * @buf:  for the path, which is terminated
 * @size: of @buf
 *
 * Context: any but NMIs; @cgrp referenced, or an RCU read side.
 * Return: 0 or -ENAMETOOLONG.
 */
int mw_cgroup_path(struct cgroup *cgrp, char *buf, size_t size)
{
	int len = kernfs_path_from_node(cgrp->kn, NULL, buf, size);

	/*
	 * What does not fit is cut off, and the length is that of all of it (5.10) or of what is
	 * there; so a path that just fits cannot be told from one that does not.
	 */
	return len < 0 || len >= size - 1 ? -ENAMETOOLONG : 0;
}

/*
 * A cgroup that is about to go is no directory any more.  In a file kernfs would look for
 * children, too, where that has something else.
 */
static struct kernfs_node *find_child(struct kernfs_node *node, const char *name)
{
	if (kernfs_type(node) != KERNFS_DIR)
		return ERR_PTR(-ENOTDIR);
	return kernfs_find_and_get(node, name) ?: ERR_PTR(-ENOENT);
}

static struct kernfs_node *find_node(struct kernfs_node *node, char *path)
{
	struct kernfs_node *next;
	char *name;

	kernfs_get(node);
	while (!IS_ERR(node) && (name = strsep(&path, "/"))) {
		if (!*name)
			continue;
		next = find_child(node, name);
		kernfs_put(node);
		node = next;
	}
	return node;
}

/**
 * mw_cgroup_node_get() - look up what has a path in a hierarchy
 * @root: the hierarchy; it stays
 * @path: seen from its root
 *
 * Context: process, may sleep.
 * Return: the node in kernfs, referenced, a file's too; an ERR_PTR(): -ENOENT if there is none,
 * -ENOTDIR if what it is in is a file, -ENOMEM.
 */
struct kernfs_node *mw_cgroup_node_get(struct cgroup_root *root, const char *path)
{
	char *pieces = kstrdup(path, GFP_KERNEL);
	struct kernfs_node *node;

	if (!pieces)
		return ERR_PTR(-ENOMEM);
	node = find_node(root->cgrp.kn, pieces);
	kfree(pieces);
	return node;
}

/* Context: RCU read side.  Visits all of them.  Return: the cgroup, or NULL. */
static struct cgroup *find_id(u64 id)
{
	struct cgroup_subsys_state *css;

	css_for_each_descendant_pre(css, &cgrp_dfl_root.cgrp.self)
		if (cgroup_id(css->cgroup) == id && mw_cgroup_is_online(css->cgroup))
			return css->cgroup;
	return NULL;
}

/**
 * mw_cgroup_get() - look a cgroup up by its id
 * @id: its id
 *
 * Context: any; visits all cgroups.
 * Return: the cgroup, referenced; NULL if there is none.
 */
struct cgroup *mw_cgroup_get(u64 id)
{
	struct cgroup *cgrp;

	rcu_read_lock();
	cgrp = find_id(id);
	if (cgrp && !cgroup_tryget(cgrp))
		cgrp = NULL;
	rcu_read_unlock();
	return cgrp;
}

/**
 * mw_cgroup_walk() - visit all cgroups of a subtree, those above first
 * @pos: where the walk is, referenced: this ends the reference; NULL to begin
 * @top: the subtree, referenced by the caller
 *
 * What comes or goes meanwhile may be missed; all others are met once.
 *
 * Context: process.
 * Return: the next one that is not being removed, with a reference; NULL at the end.
 */
struct cgroup *mw_cgroup_walk(struct cgroup *pos, struct cgroup *top)
{
	struct cgroup_subsys_state *css = pos ? &pos->self : NULL;

	rcu_read_lock();
	do {
		css = css_next_descendant_pre(css, &top->self);
	} while (css && !css_tryget_online(css));
	rcu_read_unlock();
	if (pos)
		cgroup_put(pos);
	return css ? css->cgroup : NULL;
}

/*
 * All memory of a threaded cgroup's processes is charged above it.  What the directory names is
 * not to be used: that is freed at once if the cgroup cannot be made after all.
 */
static int check_type(struct kernfs_node *node)
{
	struct cgroup *cgrp;
	int ret = 0;

	if (kernfs_type(node) != KERNFS_DIR)
		return -ENOTDIR;
	rcu_read_lock();
	cgrp = find_id(node->id);
	if (cgrp && mw_cgroup_domain(cgrp) != cgrp)
		ret = -EOPNOTSUPP;
	rcu_read_unlock();
	return ret;
}

/**
 * mw_cgroup_find() - look a cgroup up by its path
 * @path: seen from the root of the hierarchy
 * @id:   of the cgroup
 *
 * Context: process, may sleep.
 * Return: 0; -ENOENT if there is none; -ENOTDIR if that, or what it is in, is a file;
 * -EOPNOTSUPP if it is threaded; -ENOMEM.
 */
int mw_cgroup_find(const char *path, u64 *id)
{
	struct kernfs_node *node = mw_cgroup_node_get(&cgrp_dfl_root, path);
	int ret;

	if (IS_ERR(node))
		return PTR_ERR(node);
	ret = check_type(node);
	if (!ret)
		*id = node->id;
	kernfs_put(node);
	return ret;
}

/**
 * mw_cgroup_path_of_id() - look a cgroup's path up by its id
 * @id:   of the cgroup, as the number of its directory's inode
 * @buf:  for the path, which is terminated
 * @size: of @buf
 *
 * Context: process; visits all cgroups.
 * Return: 0; -ENOENT if there is none; -ENAMETOOLONG.
 */
int mw_cgroup_path_of_id(u64 id, char *buf, size_t size)
{
	struct cgroup *cgrp;
	int ret;

	rcu_read_lock();
	cgrp = find_id(id);
	ret = cgrp ? mw_cgroup_path(cgrp, buf, size) : -ENOENT;
	rcu_read_unlock();
	return ret;
}

/**
 * mw_cgroup_path_of_namespace() - what current sees as the root of the hierarchy
 * @buf:  for the path, which is terminated; "" for the root itself
 * @size: of @buf
 *
 * Context: process.
 * Return: 0 or -ENAMETOOLONG.
 */
int mw_cgroup_path_of_namespace(char *buf, size_t size)
{
	struct cgroup *root = current->nsproxy->cgroup_ns->root_cset->dfl_cgrp;
	int ret = mw_cgroup_path(root, buf, size);

	if (!ret && !strcmp(buf, "/"))
		*buf = '\0';
	return ret;
}
