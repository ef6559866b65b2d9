// SPDX-License-Identifier: GPL-2.0
/*
 * memward.bind: cgroups of the kernel's own whose processes are in a group.
 *
 * DOC: While something is bound the kernel tells of cgroups that are made and of who is moved
 * among them.  bind_mutex lets one at a time begin or end that; it is taken before the tree
 * mutex.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include <compat/cgroup.h>
#include <compat/cgroup_v1.h>
#include <core/charge/member_table.h>
#include <core/charge/migration.h>
#include <core/charge/rebind.h>
#include <core/group/binding.h>
#include <core/group/hierarchy.h>
#include <fs/fs.h>
#include <hooks/hooks.h>
#include <pure/parse.h>

static DEFINE_MUTEX(bind_mutex);

/**
 * struct listing - bindings being printed
 * @seq:   where
 * @root:  what the reader sees as the root of the default hierarchy, "" for its own
 * @in_v1: likewise of the hierarchy in each slot; NULL where nothing is bound
 */
struct listing {
	struct seq_file *seq;
	char *root;
	char *in_v1[MW_HIERARCHIES];
};

/* Return: what the reader sees as the root, to be freed; an ERR_PTR(). */
static char *copy_root(int slot)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *root;
	int ret;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	ret = slot < 0 ? mw_cgroup_path_of_namespace(buf, PATH_MAX) :
			 mw_v1_path_of_namespace(mw_hierarchy_root(slot), buf, PATH_MAX);
	root = ret ? ERR_PTR(ret) : kstrdup(buf, GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
	kfree(buf);
	return root;
}

/* Context: tree mutex held, so no slot gets another hierarchy's bindings. */
static int find_roots(struct listing *listing)
{
	unsigned int slot;
	char *root;

	for (slot = 0; slot < MW_HIERARCHIES; slot++) {
		if (!mw_hierarchy_is_used(slot))
			continue;
		root = copy_root(slot);
		if (IS_ERR(root))
			return PTR_ERR(root);
		listing->in_v1[slot] = root;
	}
	root = copy_root(-1);
	if (IS_ERR(root))
		return PTR_ERR(root);
	listing->root = root;
	return 0;
}

static void free_roots(struct listing *listing)
{
	unsigned int slot;

	for (slot = 0; slot < MW_HIERARCHIES; slot++)
		kfree(listing->in_v1[slot]);
	kfree(listing->root);
}

/* What is not below the reader's root is shown as it is. */
static void print_binding(const char *path, int slot, void *data)
{
	struct listing *listing = data;
	const char *root = slot < 0 ? listing->root : listing->in_v1[slot];
	size_t len = strlen(root);

	if (slot >= 0) {
		const char *colon = strchr(path, ':');

		seq_printf(listing->seq, "%.*s:", (int)(colon - path), path);
		path = colon + 1;
	}
	if (!strncmp(path, root, len) && (path[len] == '/' || !path[len]))
		path = path[len] ? path + len : "/";
	seq_printf(listing->seq, "%s\n", path);
}

static int show_bind(struct seq_file *seq, struct mw_open *open)
{
	struct listing listing = { .seq = seq };
	int ret;

	mw_tree_lock();
	ret = find_roots(&listing);
	if (!ret)
		mw_bindings_walk(open->group, print_binding, &listing);
	mw_tree_unlock();
	free_roots(&listing);
	return ret;
}

/* @at is behind what the root has put into @path, and is where @text goes. */
static int append_path(const char *text, char *path, size_t at, size_t size)
{
	int ret = mw_parse_path(text, path + at, size - at);

	/* the root of a namespace has no slash at its end */
	if (!ret && at && !path[at + 1])
		path[at] = '\0';
	return ret;
}

/**
 * mw_bind_path() - the path of a cgroup that is to be bound or mirrored
 * @text: its path, as current's cgroup namespace shows it, or its id
 * @path: seen from the root of the hierarchy, in its shortest form
 * @size: of @path
 *
 * Context: process, may sleep.
 * Return: 0; -ENOENT if no cgroup has this id; -EINVAL if it is neither; -ENAMETOOLONG.
 */
int mw_bind_path(const char *text, char *path, size_t size)
{
	unsigned long id;
	int ret;

	if (*text != '/') {
		ret = mw_parse_number(text, ULONG_MAX, &id);
		return ret ?: mw_cgroup_path_of_id(id, path, size);
	}
	ret = mw_cgroup_path_of_namespace(path, size);
	return ret ?: append_path(text, path, strlen(path), size);
}

/* In v1 a path stands behind its hierarchy and a colon, as in /proc/PID/cgroup. */
static bool is_v1(const char *text)
{
	size_t len = strcspn(text, ":/");

	return len && text[len] == ':';
}

/* What current's cgroup namespace shows as the root of the hierarchy that is called so; "" if there is none. */
static int find_root(const char *name, char *path, size_t size)
{
	union mw_v1_root root;

	mw_v1_lock();
	root = mw_v1_root_of(mw_v1_find_root(name));
	mw_v1_unlock();
	return mw_v1_path_of_namespace(root, path, size);
}

/**
 * parse_v1() - what is bound in a hierarchy of v1
 * @text: what was written
 * @path: for MW_BINDING_PATH_SIZE bytes: as a binding is kept by
 * @is_as_shown: it is a path below the root that current sees; otherwise one below the hierarchy's own
 */
static int parse_v1(const char *text, char *path, bool is_as_shown)
{
	size_t len = strcspn(text, ":");
	int ret = mw_v1_prepare() ?: mw_v1_name(text, len, path);
	size_t at;

	if (ret)
		return ret;
	text += len + 1;
	at = strlen(path) + 1;
	path[at] = '\0';
	if (is_as_shown)
		ret = find_root(path, path + at, PATH_MAX);
	path[at - 1] = ':';
	return ret ?: append_path(text, path + at, strlen(path + at), PATH_MAX);
}

static int parse_binding(const char *text, char *path)
{
	return is_v1(text) ? parse_v1(text, path, true) : mw_bind_path(text, path, PATH_MAX);
}

/* Context: bind_mutex held. */
static void stop_if_last(void)
{
	if (!mw_hierarchies_exist())
		mw_hooks_leave_cgroups_v1();
	if (!mw_bindings_exist())
		mw_hooks_leave_cgroups();
}

static int change(struct mw_group *group, const char *path,
		  int (*how)(struct mw_group *group, const char *path))
{
	int ret;

	mw_tree_lock();
	ret = group->dead ? -ENODEV : how(group, path);
	mw_tree_unlock();
	mw_members_look_again();
	return ret;
}

static int want(const char *path)
{
	int ret = mw_hooks_want_cgroups();

	return ret || mw_binding_is_v2(path) ? ret : mw_hooks_want_cgroups_v1();
}

static int bind(struct mw_group *group, const char *path)
{
	int ret = want(path);

	if (ret)
		return ret;
	if (!mw_bindings_exist())
		mw_migration_note_all();
	ret = change(group, path, mw_binding_add);
	/* it may have been bound before */
	if (ret || mw_binding_is_v2(path))
		return min(ret, 0);
	ret = mw_rebind(path);
	mw_members_look_again();
	if (ret)
		change(group, path, mw_binding_remove);
	return ret;
}

/*
 * What is not below the root that current sees, or is in a hierarchy that was there when it was
 * bound and is not now, is shown as it is kept.
 */
static int unbind(struct mw_group *group, const char *text, char *path)
{
	int ret = change(group, path, mw_binding_remove);

	if (ret != -ENOENT || !is_v1(text))
		return ret;
	return parse_v1(text, path, false) ?: change(group, path, mw_binding_remove);
}

/* @path: room for what a binding is kept by */
static int bind_or_unbind(struct mw_group *group, const char *text, char *path)
{
	bool is_end = *text == '-';
	int ret = parse_binding(text + is_end, path);

	if (ret)
		return ret;
	/* what is written ends before its last blanks, so nobody could take it away again */
	if (mw_is_blank(path[strlen(path) - 1]))
		return -EINVAL;
	mutex_lock(&bind_mutex);
	ret = is_end ? unbind(group, text + 1, path) : bind(group, path);
	stop_if_last();
	mutex_unlock(&bind_mutex);
	return ret;
}

static int write_bind(struct mw_open *open, const char *text)
{
	char *path;
	int ret;

	/* it moves whoever comes to that cgroup, and whose processes those are is not known */
	if (!file_ns_capable(open->file, &init_user_ns, CAP_SYS_ADMIN))
		return -EPERM;
	/* the mirror is bound to what it shows */
	if (mw_mirror_exists())
		return -EOPNOTSUPP;
	path = kmalloc(MW_BINDING_PATH_SIZE, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	ret = bind_or_unbind(open->group, text, path);
	kfree(path);
	return ret;
}

/**
 * mw_bind_settle() - a group was removed, and what was bound to it is no longer
 *
 * Context: process, may sleep.
 */
void mw_bind_settle(void)
{
	mutex_lock(&bind_mutex);
	stop_if_last();
	mutex_unlock(&bind_mutex);
}

static const struct mw_file bind_rows[] = {
	{ MEMWARD_BIND, 0644, MW_EVERYWHERE, show_bind, write_bind },
};
const struct mw_file_table mw_bind_files = { bind_rows, ARRAY_SIZE(bind_rows) };
