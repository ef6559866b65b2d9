// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a kernel is what memward expects, on small tables and a kernel made by hand.
 * What is refused, and that all of it is named, a line each.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/types.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pure/judge.h>

#include "check.h"
#include "made_btf.h"

/* --- the log ---------------------------------------------------------------- */

static char said[4096];

int pr_err(const char *fmt, ...)
{
	size_t len = strlen(said);
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(said + len, sizeof(said) - len, fmt, args);
	va_end(args);
	return ret;
}

/* --- a kernel: "int charge(struct folio *)" and the like ---------------------- */

#define PROTO		"int (struct folio *)"
#define OTHER_PROTO	"int (struct folio *, struct folio *)"
#define MAX_ROWS	8

static struct mw_btf btf;
static void *btf_data;
static struct mw_sym hook_syms[MAX_ROWS], call_syms[MAX_ROWS];
static struct mw_hook_row rows[MAX_ROWS];
static struct mw_judge judge;

/* Each of these functions has PROTO; "seen" is a tracepoint of "void (void *)". */
static void make_kernel(const char *const *functions)
{
	u32 proto, trace, integer;
	unsigned long size;

	begin();
	integer = int_type("int", 4);
	type("folio_batch", K_STRUCT, 0, 24);
	proto = proto1(integer, pointer_to_struct("folio"));
	for (; *functions; functions++)
		func(*functions, proto);
	trace = proto1(VOID, ptr(VOID));
	type("btf_trace_seen", K_TYPEDEF, 0, ptr(trace));
	btf_data = blob(&size);
	CHECK_EQ(mw_btf_open(&btf, btf_data, size), 0);
	btf.offset = calloc(btf.nr, sizeof(*btf.offset));
	CHECK_EQ(mw_btf_index(&btf, btf.offset), 0);
}

/* The kernel has each symbol that is asked for once, but for @missing. */
static void find_symbols(const char *missing)
{
	unsigned int i;

	memset(hook_syms, 0, sizeof(hook_syms));
	memset(call_syms, 0, sizeof(call_syms));
	for (i = 0; i < judge.nr_hooks; i++) {
		hook_syms[i].name = judge.hooks[i].symbol;
		hook_syms[i].nr = strcmp(hook_syms[i].name, missing) != 0;
		hook_syms[i].addr = 0x1000 + i;
	}
	for (i = 0; i < judge.nr_calls; i++) {
		call_syms[i].name = judge.calls[i].symbol;
		call_syms[i].nr = strcmp(call_syms[i].name, missing) != 0;
	}
}

static void begin_case(const struct mw_hook *hooks, unsigned int nr_hooks,
		       const char *missing)
{
	static const char *const functions[] = {
		"charge", "old_charge", "general", NULL
	};

	said[0] = '\0';
	make_kernel(functions);
	judge = (struct mw_judge){
		.btf = &btf, .hooks = hooks, .hook_syms = hook_syms,
		.rows = rows, .nr_hooks = nr_hooks, .call_syms = call_syms,
	};
	find_symbols(missing);
}

static void end_case(void)
{
	unsigned int i;

	for (i = 0; i < MAX_ROWS; i++)
		mw_row_reset(&rows[i]);
	free(btf.offset);
	free(btf_data);
}

/* One character a row: - absent, + ready, ! refused. */
static const char *states(void)
{
	static char text[MAX_ROWS + 1];
	unsigned int i;

	for (i = 0; i < judge.nr_hooks; i++)
		text[i] = rows[i].state == MW_HOOK_READY ? '+' :
			  rows[i].state == MW_HOOK_REFUSED ? '!' : '-';
	text[i] = '\0';
	return text;
}

/* --- symbols ------------------------------------------------------------------ */

static struct mw_sym matched(const char *const *names)
{
	struct mw_sym sym = { .name = "charge" };
	unsigned long addr = 1;

	for (; *names; names++)
		mw_sym_match(&sym, *names, addr++);
	return sym;
}

TEST(symbols_of_the_name_are_counted)
{
	static const char *const once[] = { "charg", "charges", "charge", "x", NULL };
	static const char *const twice[] = { "charge", "charge", NULL };
	static const char *const never[] = { "charge_swap", "recharge", "", NULL };

	CHECK_EQ(matched(once).nr, 1);
	CHECK_EQ(matched(once).addr, 3);
	CHECK(!matched(once).clone);
	CHECK_EQ(matched(twice).nr, 2);
	CHECK_EQ(matched(never).nr, 0);
}

TEST(clones_are_noticed)
{
	static const char *const isra[] = { "charge.isra.0", NULL };
	static const char *const beside[] = { "charge", "charge.constprop.1", NULL };
	static const char *const cold[] = { "charge", "charge.cold", NULL };

	CHECK(matched(isra).clone);
	CHECK_EQ(matched(isra).nr, 0);
	CHECK(matched(beside).clone);
	/* its unlikely part is no clone */
	CHECK(!matched(cold).clone);
}

/* --- hooks -------------------------------------------------------------------- */

#define JUDGE(hooks, missing)						\
	do {								\
		begin_case(hooks, ARRAY_SIZE(hooks), missing);		\
		mw_judge_hooks(&judge);					\
	} while (0)

static const struct mw_hook one[] = {
	{ "charge", "charge", PROTO, MW_BY_LIVEPATCH, true },
};

TEST(as_expected)
{
	JUDGE(one, "");
	CHECK_STR(states(), "+");
	CHECK_EQ(rows[0].addr, 0x1000);
	CHECK_EQ(mw_judge_report(&judge), 0);
	CHECK_STR(said, "");
	end_case();
}

TEST(another_prototype)
{
	static const struct mw_hook hooks[] = {
		{ "charge", "charge", OTHER_PROTO, MW_BY_LIVEPATCH, true },
	};

	JUDGE(hooks, "");
	CHECK_STR(states(), "!");
	CHECK_EQ(mw_judge_report(&judge), 1);
	CHECK_STR(said,
		  "memward: cannot attach to charge, needed for charge: expected prototype \"" OTHER_PROTO "\", found \"" PROTO "\"\n");
	end_case();
}

TEST(required_and_not_there)
{
	JUDGE(one, "charge");
	CHECK_STR(states(), "!");
	CHECK_EQ(mw_judge_report(&judge), 1);
	CHECK_STR(said,
		  "memward: cannot attach to charge, needed for charge: the kernel does not have it\n");
	end_case();
}

TEST(not_required_and_not_there)
{
	static const struct mw_hook hooks[] = {
		{ "refault", "refault", PROTO, MW_BY_FTRACE, false },
	};

	JUDGE(hooks, "refault");
	CHECK_STR(states(), "-");
	CHECK_EQ(mw_judge_report(&judge), 0);
	CHECK_STR(said, "");
	end_case();
}

/* What may be missing may also be wrong; it is told, and no reason to refuse all. */
TEST(not_required_and_wrong)
{
	static const struct mw_hook hooks[] = {
		{ "refault", "charge", OTHER_PROTO, MW_BY_FTRACE, false },
	};

	JUDGE(hooks, "");
	CHECK_STR(states(), "!");
	CHECK_EQ(mw_judge_report(&judge), 0);
	CHECK(strstr(said, "cannot attach to charge, needed for refault"));
	end_case();
}

TEST(in_the_symbols_but_not_in_the_type_data)
{
	static const struct mw_hook hooks[] = {
		{ "charge", "static_one", PROTO, MW_BY_LIVEPATCH, true },
	};

	JUDGE(hooks, "");
	CHECK_STR(states(), "!");
	mw_judge_report(&judge);
	CHECK(strstr(said, "found \"none\""));
	end_case();
}

TEST(twice_or_cloned)
{
	begin_case(one, 1, "");
	hook_syms[0].nr = 2;
	mw_judge_hooks(&judge);
	CHECK_STR(rows[0].why, "2 functions have this name");
	hook_syms[0].nr = 0;
	hook_syms[0].clone = true;
	mw_judge_hooks(&judge);
	CHECK_STR(rows[0].why, "the compiler made an optimised clone of it");
	CHECK_EQ(mw_judge_report(&judge), 1);
	end_case();
}

TEST(tracepoints_have_a_typedef)
{
	static const struct mw_hook hooks[] = {
		{ "fork", "seen", "void (void *)", MW_BY_TRACEPOINT, true },
		{ "exit", "seen", "void (void *, bool)", MW_BY_TRACEPOINT, true },
	};

	JUDGE(hooks, "");
	CHECK_STR(states(), "+!");
	end_case();
}

/* --- alternatives ----------------------------------------------------------------- */

TEST(the_alternative_that_the_kernel_has)
{
	static const struct mw_hook hooks[] = {
		{ "charge", "charge", PROTO, MW_BY_LIVEPATCH, true },
		{ "charge", "old_charge", PROTO, MW_BY_LIVEPATCH, true },
	};

	JUDGE(hooks, "charge");
	CHECK_STR(states(), "-+");
	end_case();
	JUDGE(hooks, "old_charge");
	CHECK_STR(states(), "+-");
	end_case();
}

/* One name, several prototypes: the other ones are no reason to complain. */
TEST(the_prototype_that_the_kernel_has)
{
	static const struct mw_hook hooks[] = {
		{ "charge", "charge", OTHER_PROTO, MW_BY_LIVEPATCH, true },
		{ "charge", "charge", PROTO, MW_BY_LIVEPATCH, true },
		{ "charge", "charge", OTHER_PROTO, MW_BY_LIVEPATCH, true },
	};

	JUDGE(hooks, "");
	CHECK_STR(states(), "-+-");
	CHECK_EQ(mw_judge_report(&judge), 0);
	CHECK_STR(said, "");
	end_case();
}

TEST(covered_where_there_is_nothing_else)
{
	static const struct mw_hook hooks[] = {
		{ "swapin", "charge", PROTO, MW_BY_LIVEPATCH, true },
		{ "swapin", "general", PROTO, MW_COVERED, true },
	};

	JUDGE(hooks, "charge");
	CHECK_STR(states(), "-+");
	end_case();
	JUDGE(hooks, "");
	CHECK_STR(states(), "+-");
	end_case();
}

/* That the kernel has changed a function does not mean that another does its work. */
TEST(not_covered_if_the_hook_is_there_and_wrong)
{
	static const struct mw_hook hooks[] = {
		{ "swapin", "charge", OTHER_PROTO, MW_BY_LIVEPATCH, true },
		{ "swapin", "general", PROTO, MW_COVERED, true },
	};

	JUDGE(hooks, "");
	CHECK_STR(states(), "!-");
	CHECK_EQ(mw_judge_report(&judge), 1);
	end_case();
}

/* --- all at once ------------------------------------------------------------------- */

static unsigned int lines(void)
{
	unsigned int nr = 0;
	const char *at = said;

	while ((at = strchr(at, '\n'))) {
		at++;
		nr++;
	}
	return nr;
}

TEST(everything_is_named)
{
	static const struct mw_hook hooks[] = {
		{ "charge", "charge", OTHER_PROTO, MW_BY_LIVEPATCH, true },
		{ "swapin", "nowhere", PROTO, MW_BY_LIVEPATCH, true },
		{ "migrate", "general", PROTO, MW_BY_FTRACE, true },
	};
	static const struct mw_call calls[] = {
		{ "general", OTHER_PROTO, NULL, true },
		{ "charge", PROTO, NULL, true },
		{ "nowhere", PROTO, NULL, true },
		{ "unwanted", PROTO, NULL, false },
	};
	unsigned int batch = 0, none = 0;
	const struct mw_size sizes[] = {
		{ "folio_batch", &batch, true },
		{ "no_such", &none, true },
		{ "swap_cluster_info", &none, false },
	};

	begin_case(hooks, ARRAY_SIZE(hooks), "nowhere");
	judge.calls = calls;
	judge.nr_calls = ARRAY_SIZE(calls);
	judge.sizes = sizes;
	judge.nr_sizes = ARRAY_SIZE(sizes);
	find_symbols("nowhere");
	CHECK_EQ(mw_judge_calls(&judge), 2);
	CHECK_EQ(mw_judge_sizes(&judge), 1);
	mw_judge_hooks(&judge);
	CHECK_EQ(mw_judge_report(&judge), 2);
	CHECK_EQ(lines(), 5);
	CHECK_EQ(batch, 24);
	CHECK(strstr(said, "cannot call general: expected prototype"));
	CHECK(strstr(said, "cannot call nowhere: 0 symbols"));
	CHECK(strstr(said, "no struct no_such"));
	CHECK(strstr(said, "needed for charge"));
	CHECK(strstr(said, "needed for swapin"));
	end_case();
}

/* What was refused once and is looked at again says the same, once. */
/* --- where ftrace attaches ------------------------------------------------------ */

static char asked[MAX_ROWS + 1];
static int answers[MAX_ROWS];

static int find_entry(unsigned int row)
{
	sprintf(asked + strlen(asked), "%u", row);
	return answers[row];
}

static int judge_entries(int first, int second)
{
	static const struct mw_hook hooks[] = {
		{ "charge", "charge", PROTO, MW_BY_LIVEPATCH, true },
		{ "uncharge", "old_charge", PROTO, MW_BY_FTRACE, true },
		{ "fork", "seen", "void (void *)", MW_BY_TRACEPOINT, true },
		{ "move", "general", PROTO, MW_COVERED, true },
		{ "keep", "general", OTHER_PROTO, MW_BY_LIVEPATCH, true },
		{ "refault", "missing", PROTO, MW_BY_FTRACE, false },
	};

	asked[0] = '\0';
	answers[0] = first;
	answers[1] = second;
	JUDGE(hooks, "missing");
	CHECK_STR(states(), "++++!-");
	return mw_judge_entries(&judge, find_entry);
}

TEST(entries_of_those_that_are_to_be_entered)
{
	CHECK_EQ(judge_entries(0, 0), 0);
	CHECK_STR(asked, "01");
	CHECK_STR(states(), "++++!-");
	end_case();
}

TEST(an_entry_that_cannot_be_traced)
{
	CHECK_EQ(judge_entries(0, -ENOENT), 0);
	CHECK_STR(asked, "01");
	CHECK_STR(states(), "+!++!-");
	CHECK_STR(rows[1].why, "not traceable on this kernel");
	end_case();
}

TEST(an_entry_that_nobody_can_tell_of)
{
	CHECK_EQ(judge_entries(-ENOMEM, 0), -ENOMEM);
	CHECK_STR(asked, "0");
	CHECK_STR(states(), "++++!-");
	end_case();
}

TEST(judged_again)
{
	JUDGE(one, "charge");
	mw_judge_hooks(&judge);
	CHECK_EQ(mw_judge_report(&judge), 1);
	CHECK_EQ(lines(), 1);
	find_symbols("");
	mw_judge_hooks(&judge);
	CHECK_STR(states(), "+");
	CHECK_EQ(mw_judge_report(&judge), 0);
	end_case();
}
