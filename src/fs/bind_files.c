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
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include <compat/cgroup.h>
#include <core/charge/member_table.h>
#include <core/charge/migration.h>
#include <core/group/binding.h>
#include <fs/fs.h>
#include <hooks/hooks.h>
#include <pure/parse.h>

static DEFINE_MUTEX(bind_mutex);

/**
 * struct listing - bindings being printed
 * @seq:  where
 * @root: what the reader sees as the root of the hierarchy, "" for its own
 */
struct listing {
	struct seq_file *seq;
	char root[PATH_MAX];
};

/* What is not below the reader's root is shown as it is. */
static void print_binding(const char *path, void *data)
{
	struct listing *listing = data;
	size_t len = strlen(listing->root);

	if (!strncmp(path, listing->root, len) && (path[len] == '/' || !path[len]))
		path = path[len] ? path + len : "/";
	seq_printf(listing->seq, "%s\n", path);
}

static int show_bind(struct seq_file *seq, struct mw_open *open)
{
	struct listing *listing = kmalloc(sizeof(*listing), GFP_KERNEL);
	int ret;

	if (!listing)
		return -ENOMEM;
	listing->seq = seq;
	ret = mw_cgroup_path_of_namespace(listing->root, sizeof(listing->root));
	if (!ret) {
		mw_tree_lock();
		mw_bindings_walk(open->group, print_binding, listing);
		mw_tree_unlock();
	}
	kfree(listing);
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
	size_t len;
	int ret;

	if (*text != '/') {
		ret = mw_parse_number(text, ULONG_MAX, &id);
		return ret ?: mw_cgroup_path_of_id(id, path, size);
	}
	ret = mw_cgroup_path_of_namespace(path, size);
	len = ret ? 0 : strlen(path);
	ret = ret ?: mw_parse_path(text, path + len, size - len);
	/* the root of a namespace has no slash at its end */
	if (!ret && len && !path[len + 1])
		path[len] = '\0';
	return ret;
}

/* Context: bind_mutex held. */
static void stop_if_last(void)
{
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

static int bind(struct mw_group *group, const char *path)
{
	int ret = mw_hooks_want_cgroups();

	if (ret)
		return ret;
	if (!mw_bindings_exist())
		mw_migration_note_all();
	return change(group, path, mw_binding_add);
}

static int write_bind(struct mw_open *open, const char *text)
{
	bool is_end = *text == '-';
	char *path;
	int ret;

	/* it moves whoever comes to that cgroup, and whose processes those are is not known */
	if (!file_ns_capable(open->file, &init_user_ns, CAP_SYS_ADMIN))
		return -EPERM;
	/* the mirror is bound to what it shows */
	if (mw_mirror_exists())
		return -EOPNOTSUPP;
	path = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	ret = mw_bind_path(text + is_end, path, PATH_MAX);
	/* what is written ends before its last blanks, so nobody could take it away again */
	if (!ret && mw_is_blank(path[strlen(path) - 1]))
		ret = -EINVAL;
	if (!ret) {
		mutex_lock(&bind_mutex);
		ret = is_end ? change(open->group, path, mw_binding_remove) :
			       bind(open->group, path);
		stop_if_last();
		mutex_unlock(&bind_mutex);
	}
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
