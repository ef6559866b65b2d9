// SPDX-License-Identifier: GPL-2.0
/*
 * Enabling and disabling a livepatch while the module stays.
 *
 * DOC: The kernel lets a patch be disabled through its sysfs attribute only,
 * and never enabled again.  So each enabling makes a fresh struct klp_patch, and
 * disabling calls that attribute's store function.  The patch may be freed when
 * klp_free_patch_finish(), which runs as patch->free_work, has returned.
 *
 * klp_mutex is taken only to look at klp_transition_patch and klp_patches;
 * livepatch's own work holds it while it ends a transition and queues free_work,
 * so once the transition is seen to be over under the mutex, free_work is queued.
 */
#include <linux/delay.h>
#include <linux/kobject.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include <compat/features.h>
#include <compat/ksym.h>
#include <compat/livepatch.h>

#define POLL_MIN_MS	10
#define POLL_MAX_MS	1000

static struct mutex *klp_mutex_ptr;
static struct list_head *klp_patches_ptr;
static struct klp_patch **klp_transition_ptr;
static struct delayed_work *klp_work_ptr;

/**
 * struct patch - one enabling
 * @klp:  what livepatch sees
 * @objs: the kernel proper, and the end mark
 * @func: the functions, and the end mark
 */
struct patch {
	struct klp_patch klp;
	struct klp_object objs[2];
	struct klp_func func[];
};

static struct patch *current_patch;
/* who has switched current_patch off for good, "" for nobody */
static char replaced_by[MODULE_NAME_LEN];

/**
 * mw_livepatch_init() - find livepatch's own state
 *
 * Return: 0 or -ENOENT.
 */
int mw_livepatch_init(void)
{
	klp_mutex_ptr = mw_ksym_data("klp_mutex");
	klp_patches_ptr = mw_ksym_data("klp_patches");
	klp_transition_ptr = mw_ksym_data("klp_transition_patch");
	klp_work_ptr = mw_ksym_data("klp_transition_work");
	return klp_mutex_ptr && klp_patches_ptr && klp_transition_ptr ?
	       0 : -ENOENT;
}

static bool has_patched(struct klp_patch *patch, unsigned long addr)
{
	struct klp_object *obj;
	struct klp_func *func;

	list_for_each_entry(obj, &patch->obj_list, node)
		list_for_each_entry(func, &obj->func_list, node)
			if ((unsigned long)func->old_func == addr &&
			    !func->nop)
				return true;
	return false;
}

/* Copied, because without the mutex the module may go. */
static void copy_name(char name[MODULE_NAME_LEN], const struct klp_patch *patch)
{
	strscpy(name, patch->mod->name, MODULE_NAME_LEN);
}

/**
 * mw_livepatch_foreign() - has somebody else patched a function?
 * @addr: the function
 * @name: gets the name of the module that did
 *
 * Context: process, may sleep.
 * Return: true if so.
 */
bool mw_livepatch_foreign(unsigned long addr, char name[MODULE_NAME_LEN])
{
	struct klp_patch *patch;
	bool found = false;

	mutex_lock(klp_mutex_ptr);
	list_for_each_entry(patch, klp_patches_ptr, list) {
		if (patch->mod == THIS_MODULE || !has_patched(patch, addr))
			continue;
		copy_name(name, patch);
		found = true;
	}
	mutex_unlock(klp_mutex_ptr);
	return found;
}

/* Is this patch, or with NULL any patch, on its way in or out? */
static bool in_transition(struct klp_patch *patch)
{
	struct klp_patch *now;

	mutex_lock(klp_mutex_ptr);
	now = READ_ONCE(*klp_transition_ptr);
	mutex_unlock(klp_mutex_ptr);
	return patch ? now == patch : now != NULL;
}

/*
 * Livepatch looks again at the tasks that it could not switch once a second, and
 * at first there is always one: the idle task of another CPU counts as running.
 * Let it look when we do.  Nothing is lost if the symbol is not there.
 *
 * After 15 looks it sends fake signals, which some system calls of others end with EINTR
 * for: with what is looked for here in the first second that is after 9 seconds.  Where it is
 * another patch that is waited for, whose pace is not ours to set, after 15 as ever.
 */
static void hasten(void)
{
	if (klp_work_ptr && cancel_delayed_work(klp_work_ptr))
		schedule_delayed_work(klp_work_ptr, 0);
}

/* Return: 0, or -EINTR on a fatal signal if @killable. */
static int wait_transition(struct klp_patch *patch, bool killable)
{
	unsigned int ms = POLL_MIN_MS;

	while (in_transition(patch)) {
		if (killable && fatal_signal_pending(current))
			return -EINTR;
		msleep(ms);
		ms = min(2 * ms, POLL_MAX_MS);
		if (patch)
			hasten();
	}
	return 0;
}

static struct patch *patch_alloc(const struct mw_replace *list, unsigned int nr)
{
	struct patch *patch;
	unsigned int i;

	patch = kzalloc(struct_size(patch, func, nr + 1), GFP_KERNEL);
	if (!patch)
		return NULL;
	for (i = 0; i < nr; i++) {
		patch->func[i].old_name = list[i].symbol;
		/*
		 * The first of this name: verification has seen that there is no other.
		 * Without a position livepatch sees that for itself, in a walk through
		 * all symbols for each function.
		 */
		patch->func[i].old_sympos = MW_HAVE_SYMBOL_SEARCH ? 0 : 1;
		patch->func[i].new_func = list[i].replacement;
	}
	patch->objs[0].funcs = patch->func;
	patch->klp.mod = THIS_MODULE;
	patch->klp.objs = patch->objs;
	return patch;
}

static struct attribute *enabled_attr(const struct attribute_group **groups)
{
	struct attribute **attr;

	for (; *groups; groups++)
		for (attr = (*groups)->attrs; *attr; attr++)
			if (!strcmp((*attr)->name, "enabled"))
				return *attr;
	return NULL;
}

static ssize_t store_disabled(struct klp_patch *patch)
{
	const struct kobj_type *type = patch->kobj.ktype;
	struct attribute *attr;

	attr = enabled_attr((const struct attribute_group **)
			    type->default_groups);
	if (!attr)
		return -ENOENT;
	return type->sysfs_ops->store(&patch->kobj, attr, "0", 1);
}

static void patch_undo(struct patch *patch)
{
	ssize_t ret;

	/* -EBUSY while another patch is in transition; -EINVAL if somebody
	 * has disabled ours through sysfs already.
	 */
	while ((ret = store_disabled(&patch->klp)) == -EBUSY)
		msleep(POLL_MIN_MS);
	if (ret < 0 && ret != -EINVAL)
		pr_warn("memward: cannot disable the livepatch: %zd\n", ret);
	wait_transition(&patch->klp, false);
	flush_work(&patch->klp.free_work);
	kfree(patch);
}

/*
 * Who replaces all other patches looks for their functions among his own, by name and
 * position as they were given.  His say 0, as nearly everybody's do, and some kernels
 * take that for another one than 1 (up to 6.18).
 */
static void forget_positions(struct patch *patch)
{
	struct klp_func *func;

	mutex_lock(klp_mutex_ptr);
	for (func = patch->func; func->old_name; func++)
		func->old_sympos = 0;
	mutex_unlock(klp_mutex_ptr);
}

static int patch_enable(struct patch *patch)
{
	int ret;

	do {
		ret = wait_transition(NULL, true);
		if (ret)
			return ret;
		ret = klp_enable_patch(&patch->klp);
		/* lost a race for the one transition at a time: again */
	} while (ret == -EBUSY && in_transition(NULL));
	if (!ret)
		forget_positions(patch);
	return ret;
}

/**
 * mw_livepatch_enable() - replace functions
 * @list: functions of the kernel proper
 * @nr:   how many
 *
 * Context: process, may sleep; one call, then mw_livepatch_disable().
 * Return: 0 when every task runs the replacements; -EBUSY if somebody else has
 * redirected one of the functions; -EINTR on a fatal signal; or an error of
 * livepatch.  On error nothing is replaced.
 */
int mw_livepatch_enable(const struct mw_replace *list, unsigned int nr)
{
	struct patch *patch = patch_alloc(list, nr);
	int ret;

	if (!patch)
		return -ENOMEM;
	ret = patch_enable(patch);
	if (ret) {
		kfree(patch);
		return ret;
	}
	ret = wait_transition(&patch->klp, true);
	if (ret) {
		patch_undo(patch);
		return ret;
	}
	replaced_by[0] = '\0';
	current_patch = patch;
	return 0;
}

/**
 * mw_livepatch_enabled() - is what mw_livepatch_enable() did still there?
 * @name: if not, gets the module whose patch replaces all others, or "" if
 *        somebody has used the patch's attribute in sysfs
 *
 * Context: process, may sleep; between enabling and disabling.
 * Return: true if it is.
 */
bool mw_livepatch_enabled(char name[MODULE_NAME_LEN])
{
	bool enabled;

	mutex_lock(klp_mutex_ptr);
	enabled = current_patch->klp.enabled;
	strscpy(name, replaced_by, MODULE_NAME_LEN);
	mutex_unlock(klp_mutex_ptr);
	return enabled;
}

/**
 * mw_livepatch_replaced() - is a module's patch one that replaces all others?
 * @mod: the module, just loaded; its patch may be in transition still
 *
 * Such a patch switches off every other patch, whatever functions it has.
 *
 * Context: process, may sleep; between enabling and disabling.
 * Return: true if so.
 */
bool mw_livepatch_replaced(struct module *mod)
{
	struct klp_patch *patch;
	bool replaced = false;

	mutex_lock(klp_mutex_ptr);
	list_for_each_entry(patch, klp_patches_ptr, list) {
		if (patch->mod != mod || !patch->replace)
			continue;
		copy_name(replaced_by, patch);
		replaced = true;
	}
	mutex_unlock(klp_mutex_ptr);
	return replaced;
}

/**
 * mw_livepatch_disable() - undo mw_livepatch_enable()
 *
 * Context: process, may sleep.  When it returns no task runs a replacement and
 * livepatch's reference on the module is gone.
 */
void mw_livepatch_disable(void)
{
	if (!current_patch)
		return;
	patch_undo(current_patch);
	current_patch = NULL;
}
