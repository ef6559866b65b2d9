// SPDX-License-Identifier: GPL-2.0
/*
 * Finding and calling what the kernel does not export.
 *
 * DOC: kallsyms_lookup_name() is not exported either; a kprobe that is
 * registered on it and removed at once tells where it is.  Names are then
 * looked up in one pass over all symbols, which also notices a name that occurs
 * twice and optimised clones, whose calling convention is anybody's guess.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include <compat/ksym.h>

#define KSYM_CALL(name, ret, args)					\
	static ret missing_##name args					\
	{								\
		WARN_ONCE(1, "memward: " #name " called unresolved\n");	\
		return (ret)0;						\
	}								\
	DEFINE_STATIC_CALL(mw_##name, missing_##name);			\
	static void set_##name(unsigned long addr)			\
	{								\
		static_call_update(mw_##name, (ret (*) args)addr);	\
	}

/* kallsyms_on_each_symbol() lost the module argument of its callback in 6.4 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
typedef int (*each_symbol_fn)(void *, const char *, struct module *,
			      unsigned long);
#define EACH_SYMBOL_PROTO \
	"int (int (*)(void *, const char *, struct module *, long unsigned int), void *)"
#else
typedef int (*each_symbol_fn)(void *, const char *, unsigned long);
#define EACH_SYMBOL_PROTO \
	"int (int (*)(void *, const char *, long unsigned int), void *)"
#endif

KSYM_CALL(kallsyms_lookup_name, unsigned long, (const char *name))
KSYM_CALL(kallsyms_on_each_symbol, int, (each_symbol_fn fn, void *data))
KSYM_CALL(task_work_add, int, (struct task_struct *task,
			       struct callback_head *work,
			       enum task_work_notify_mode notify))
KSYM_CALL(task_work_cancel_func, struct callback_head *,
	  (struct task_struct *task, task_work_func_t func))
KSYM_CALL(psi_memstall_enter, void, (unsigned long *flags))
KSYM_CALL(psi_memstall_leave, void, (unsigned long *flags))

const struct mw_call mw_calls[] = {
	{ "kallsyms_lookup_name", "long unsigned int (const char *)",
	  set_kallsyms_lookup_name },
	{ "kallsyms_on_each_symbol", EACH_SYMBOL_PROTO,
	  set_kallsyms_on_each_symbol },
	{ "task_work_add",
	  "int (struct task_struct *, struct callback_head *, enum task_work_notify_mode)",
	  set_task_work_add },
	{ "task_work_cancel_func",
	  "struct callback_head * (struct task_struct *, task_work_func_t)",
	  set_task_work_cancel_func },
	{ "psi_memstall_enter", "void (long unsigned int *)",
	  set_psi_memstall_enter },
	{ "psi_memstall_leave", "void (long unsigned int *)",
	  set_psi_memstall_leave },
};
const unsigned int mw_nr_calls = ARRAY_SIZE(mw_calls);

/** mw_task_work_add() - task_work_add() of the kernel */
int mw_task_work_add(struct task_struct *task, struct callback_head *work,
		     enum task_work_notify_mode notify)
{
	return static_call(mw_task_work_add)(task, work, notify);
}

/** mw_task_work_cancel() - task_work_cancel_func() of the kernel */
struct callback_head *mw_task_work_cancel(struct task_struct *task,
					  task_work_func_t func)
{
	return static_call(mw_task_work_cancel_func)(task, func);
}

/** mw_psi_memstall_enter() - psi_memstall_enter() of the kernel */
void mw_psi_memstall_enter(unsigned long *flags)
{
	static_call(mw_psi_memstall_enter)(flags);
}

/** mw_psi_memstall_leave() - psi_memstall_leave() of the kernel */
void mw_psi_memstall_leave(unsigned long *flags)
{
	static_call(mw_psi_memstall_leave)(flags);
}

/**
 * mw_ksym_data() - address of a variable of the kernel
 * @name: exact name
 *
 * Return: the address, NULL if there is none of this name.
 */
void *mw_ksym_data(const char *name)
{
	return (void *)static_call(mw_kallsyms_lookup_name)(name);
}

#define ENDBR_SIZE	4
#define FENTRY_SIZE	5

/*
 * A call of the tracer, or the five-byte no-op that stands for it.  Which no-op
 * that is depended on the processor up to 5.12.
 */
static bool is_fentry(const u8 *code)
{
	static const u8 nops[][FENTRY_SIZE] = {
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x66, 0x66, 0x66, 0x90 },
		{ 0x3e, 0x8d, 0x74, 0x26, 0x00 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(nops); i++)
		if (!memcmp(code, nops[i], FENTRY_SIZE))
			return true;
	return code[0] == 0xe8;
}

/**
 * mw_ksym_past_fentry() - where a traced function goes on after its fentry call
 * @addr: the function
 *
 * Calling there runs the function without whatever is attached to its entry.
 * Read from the text itself: ftrace_location() is not in the type data of 5.10,
 * so it cannot be verified there.
 *
 * Return: the address, 0 if the function does not begin with one.
 */
unsigned long mw_ksym_past_fentry(unsigned long addr)
{
	static const u8 endbr[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	u8 code[ENDBR_SIZE + FENTRY_SIZE];

	if (copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		return 0;
	if (is_fentry(code))
		return addr + FENTRY_SIZE;
	if (!memcmp(code, endbr, ENDBR_SIZE) && is_fentry(code + ENDBR_SIZE))
		return addr + ENDBR_SIZE + FENTRY_SIZE;
	return 0;
}

struct wanted {
	struct mw_sym *syms;
	unsigned int nr;
};

static void match(struct mw_sym *sym, const char *name, unsigned long addr)
{
	size_t len;

	if (name[0] != sym->name[0])
		return;
	len = strlen(sym->name);
	if (strncmp(name, sym->name, len))
		return;
	if (!name[len]) {
		sym->addr = addr;
		sym->nr++;
	} else if (name[len] == '.' && strncmp(&name[len], ".cold", 5)) {
		sym->clone = true;
	}
}

static int match_all(void *data, const char *name, unsigned long addr)
{
	struct wanted *wanted = data;
	unsigned int i;

	for (i = 0; i < wanted->nr; i++)
		match(&wanted->syms[i], name, addr);
	return 0;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
static int each_symbol(void *data, const char *name, struct module *mod,
		       unsigned long addr)
{
	return mod ? 0 : match_all(data, name, addr);
}
#else
static int each_symbol(void *data, const char *name, unsigned long addr)
{
	return match_all(data, name, addr);
}
#endif

/**
 * mw_ksym_find() - look names up among the symbols of the kernel proper
 * @syms: the names; the rest of each is filled in
 * @nr:   how many
 *
 * Context: process, may sleep.
 * Return: 0; names that were not found have @nr 0.
 */
int mw_ksym_find(struct mw_sym *syms, unsigned int nr)
{
	struct wanted wanted = { syms, nr };

	return static_call(mw_kallsyms_on_each_symbol)(each_symbol, &wanted);
}

/**
 * mw_ksym_init() - find kallsyms
 *
 * Context: module load.
 * Return: 0, or an error if kallsyms cannot be found.
 */
int mw_ksym_init(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long addr;
	int ret;

	ret = register_kprobe(&probe);
	if (ret)
		return ret;
	addr = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	/* behind endbr64 on kernels with IBT: a direct call may land there */
	set_kallsyms_lookup_name(addr);
	addr = (unsigned long)mw_ksym_data("kallsyms_on_each_symbol");
	if (!addr)
		return -ENOENT;
	set_kallsyms_on_each_symbol(addr);
	return 0;
}
