// SPDX-License-Identifier: GPL-2.0
/*
 * Finding and calling what the kernel does not export.
 *
 * DOC: kallsyms_lookup_name() is not exported either; a kprobe that is
 * registered on it and removed at once tells where it is.  Names are then
 * looked up in one pass over all symbols, which also notices a name that occurs
 * twice and optimised clones, whose calling convention is anybody's guess.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/rmap.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include <compat/ksym.h>

#define MW_CALL_IF(needed, name, symbol, proto, ret, params, args)	\
	static ret missing_##name params				\
	{								\
		WARN_ONCE(1, "memward: " #name " called unresolved\n");	\
		return (ret)0;						\
	}								\
	DEFINE_STATIC_CALL(name, missing_##name);			\
	static void set_##name(unsigned long addr)			\
	{								\
		static_call_update(name, (ret (*) params)addr);		\
	}								\
	ret name params							\
	{								\
		return static_call(name) args;				\
	}
#define MW_ADDRESS(name, symbol, proto)					\
	static void *at_##name;						\
	static void set_##name(unsigned long addr)			\
	{								\
		at_##name = (void *)addr;				\
	}								\
	void *name(void)						\
	{								\
		return at_##name;					\
	}
#define MW_SIZE_IF(needed, type)					\
	unsigned int mw_size_##type;
#include <compat/calls.h>

#define MW_CALL_IF(needed, name, symbol, proto, ret, params, args)	\
	{ symbol, proto, set_##name, needed },
#define MW_ADDRESS(name, symbol, proto)					\
	{ symbol, proto, set_##name, true },
#define MW_SIZE_IF(needed, type)
const struct mw_call mw_calls[] = {
#include <compat/calls.h>
};
const unsigned int mw_nr_calls = ARRAY_SIZE(mw_calls);

#define MW_CALL_IF(needed, name, symbol, proto, ret, params, args)
#define MW_ADDRESS(name, symbol, proto)
#define MW_SIZE_IF(needed, type)					\
	{ #type, &mw_size_##type, needed },
const struct mw_size mw_sizes[] = {
#include <compat/calls.h>
};
const unsigned int mw_nr_sizes = ARRAY_SIZE(mw_sizes);

/**
 * mw_ksym_data() - address of a variable of the kernel
 * @name: exact name
 *
 * Return: the address, NULL if there is none of this name.
 */
void *mw_ksym_data(const char *name)
{
	return (void *)mw_kallsyms_lookup_name(name);
}

/*
 * A kprobe that nothing hits finds things out that are not exported.  It is never
 * armed: to disarm one may take memory, and if there is none, the kernel keeps it,
 * without a word to who unregisters it.
 */
static int probe_for_an_instant(struct kprobe *probe)
{
	int ret;

	probe->flags = KPROBE_FLAG_DISABLED;
	ret = register_kprobe(probe);
	if (!ret)
		unregister_kprobe(probe);
	return ret;
}

/* Whose answer is known.  To let go of one takes a grace period, of all of them no more. */
static struct kprobe *done[32];
static unsigned int nr_done;

/**
 * mw_ksym_past_fentry() - where a traced function goes on after its fentry call
 * @func: address of the function
 * @addr: the answer
 *
 * The function is given by its address: a name would be looked for among all symbols
 * once more, and up to 6.1 that is a walk.  Calling @addr runs the function without
 * whatever is attached to its entry.
 * The entry may be an endbr64 or what a sealed one was overwritten with, and the
 * call one of several no-ops; where it is, kprobes knows.
 *
 * Context: process, may sleep; one at a time.  mw_ksym_done() is to follow, once for
 * all of them.
 * Return: 0; -EOPNOTSUPP if the function does not begin with one; -ENOMEM.
 */
int mw_ksym_past_fentry(unsigned long func, unsigned long *addr)
{
	struct kprobe *probe;
	int ret;

	if (nr_done == ARRAY_SIZE(done))
		mw_ksym_done();
	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return -ENOMEM;
	probe->addr = (kprobe_opcode_t *)func;
	probe->flags = KPROBE_FLAG_DISABLED;
	ret = register_kprobe(probe);
	if (ret) {
		kfree(probe);
		return ret == -ENOMEM ? ret : -EOPNOTSUPP;
	}
	done[nr_done++] = probe;
	if (!(probe->flags & KPROBE_FLAG_FTRACE))
		return -EOPNOTSUPP;
	*addr = (unsigned long)probe->addr + MCOUNT_INSN_SIZE;
	return 0;
}

/**
 * mw_ksym_done() - no more is asked of mw_ksym_past_fentry() for now
 *
 * Context: process, may sleep.
 */
void mw_ksym_done(void)
{
	unregister_kprobes(done, nr_done);
	while (nr_done)
		kfree(done[--nr_done]);
}

struct wanted {
	struct mw_sym *syms;
	unsigned int nr;
};

static int match_all(void *data, const char *name, unsigned long addr)
{
	struct wanted *wanted = data;
	unsigned int i;

	for (i = 0; i < wanted->nr; i++)
		mw_sym_match(&wanted->syms[i], name, addr);
	return 0;
}

#if !MW_HAVE_KALLSYMS_OF_KERNEL
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

	return mw_kallsyms_on_each_symbol(each_symbol, &wanted);
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

	ret = probe_for_an_instant(&probe);
	if (ret)
		return ret;
	/* behind endbr64 on kernels with IBT: a direct call may land there */
	set_mw_kallsyms_lookup_name((unsigned long)probe.addr);
	addr = (unsigned long)mw_ksym_data("kallsyms_on_each_symbol");
	if (!addr)
		return -ENOENT;
	set_mw_kallsyms_on_each_symbol(addr);
	return 0;
}
