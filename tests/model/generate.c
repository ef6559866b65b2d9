// SPDX-License-Identifier: GPL-2.0
/* Random batches, all from one seed. */
#include "generate.h"

#include <string.h>

/* Sometimes less than a group has, sometimes more, sometimes more than its parent's. */
#define MOST_LOW	1000

/* splitmix64 */
static uint64_t next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int below(uint64_t *seed, int end)
{
	return next(seed) % end;
}

static int between(uint64_t *seed, int from, int end)
{
	return from + below(seed, end - from);
}

/**
 * struct weight - how often an operation is tried
 * @type:   what
 * @weight: in relation to the others
 */
struct weight {
	enum op_type type;
	int weight;
};

static const struct weight of_clerks[] = {
	{ OP_MKDIR, 10 }, { OP_RMDIR, 10 }, { OP_MOVE, 25 }, { OP_KILL, 1 },
	{ OP_KILL_GROUP, 1 }, { OP_HIGH, 2 }, { OP_MIN, 2 }, { OP_LOW, 4 },
	{ OP_REMOUNT, 1 }, { OP_COMPACT, 2 }, { OP_RECLAIM, 2 }, { OP_FORK, 8 },
	{ OP_CREATE, 3 }, { OP_WRITE, 2 }, { OP_UNLINK, 1 }, {}
};

/* With a swap disk, of which memory.max and memory.reclaim can make use. */
static const struct weight of_swapping_clerks[] = {
	{ OP_MKDIR, 10 }, { OP_RMDIR, 10 }, { OP_MOVE, 25 }, { OP_KILL, 1 },
	{ OP_KILL_GROUP, 1 }, { OP_HIGH, 2 }, { OP_MAX, 6 }, { OP_MIN, 2 },
	{ OP_LOW, 6 }, { OP_REMOUNT, 1 }, { OP_COMPACT, 2 }, { OP_RECLAIM, 6 },
	{ OP_FORK, 8 }, { OP_CREATE, 3 }, { OP_WRITE, 2 }, { OP_UNLINK, 1 }, {}
};

static const struct weight of_workers[] = {
	{ OP_FORK, 6 }, { OP_JOIN, 8 }, { OP_EXIT, 5 }, { OP_MAP, 22 },
	{ OP_UNMAP, 8 }, { OP_REMAP, 4 }, { OP_TOUCH, 40 }, { OP_PEEK, 12 },
	{ OP_DROP, 10 }, { OP_CREATE, 8 }, { OP_UNLINK, 3 }, { OP_WRITE, 20 },
	{ OP_READ, 16 }, { OP_TRUNCATE, 5 }, { OP_PUNCH, 5 },
	{ OP_FORGET, 5 }, {}
};

/* Instead of one of those above, now and then, with --bindings. */
static const struct weight of_binding_clerks[] = {
	{ OP_CGROUP_MKDIR, 8 }, { OP_CGROUP_RMDIR, 4 }, { OP_CGROUP_MOVE, 20 },
	{ OP_BIND, 12 }, { OP_UNBIND, 5 }, { OP_ADOPT, 12 }, {}
};

static const struct weight of_binding_workers[] = {
	{ OP_CGROUP_JOIN, 3 }, { OP_ADOPT_SELF, 2 }, { OP_FORK, 8 }, { OP_EXIT, 4 },
	{}
};

/* What ends with nothing left. */
static const struct weight of_closing[] = {
	{ OP_RMDIR, 10 }, { OP_MOVE, 10 }, { OP_KILL, 3 }, {}
};

static enum op_type pick(uint64_t *seed, const struct weight *weights)
{
	const struct weight *pos;
	int sum = 0;

	for (pos = weights; pos->weight; pos++)
		sum += pos->weight;
	sum = below(seed, sum);
	for (pos = weights; sum >= pos->weight; pos++)
		sum -= pos->weight;
	return pos->type;
}

/**
 * struct menu - what a process may do
 * @usual: of these, mostly
 * @more:  of these with @often in 100; NULL for none
 * @often: 0 without --bindings, so that a seed goes on meaning what it has meant
 */
struct menu {
	const struct weight *usual;
	const struct weight *more;
	int often;
};

static enum op_type choose(uint64_t *seed, const struct menu *menu)
{
	if (menu->often && below(seed, 100) < menu->often)
		return pick(seed, menu->more);
	return pick(seed, menu->usual);
}

static int any_file(uint64_t *seed)
{
	return below(seed, NR_NAMED);
}

static void some_pages(uint64_t *seed, struct op *op, int end)
{
	op->arg[1] = below(seed, end);
	op->arg[2] = 1 + below(seed, end - op->arg[1]);
	/* now and then all of it */
	if (!below(seed, 6)) {
		op->arg[1] = 0;
		op->arg[2] = end;
	}
}

static void fill_map(uint64_t *seed, struct op *op)
{
	op->arg[1] = between(seed, MAP_IS_ANON, NR_MAP_KINDS);
	op->arg[2] = REGION_PAGES;
	op->arg[3] = -1;
	switch (op->arg[1]) {
	case MAP_IS_ANON:
		op->arg[2] = between(seed, 1, REGION_PAGES + 1);
		break;
	case MAP_IS_HUGE:
		op->arg[2] = HUGE_PAGES;
		break;
	case MAP_IS_NAMELESS:
		op->arg[2] = between(seed, 1, REGION_PAGES + 1);
		op->arg[3] = between(seed, NR_NAMED, MAX_FILES);
		break;
	default:
		op->arg[3] = any_file(seed);
	}
}

static void fill_touch(const struct model *m, uint64_t *seed, struct op *op)
{
	const struct region *region = &m->proc[op->by].region[op->arg[0]];
	int end = region->pages;

	if (op->type != OP_DROP && region->file >= 0 &&
	    m->file[region->file].size < end)
		end = m->file[region->file].size;
	if (end)
		some_pages(seed, op, end);
}

static void fill_high(const struct model *m, uint64_t *seed, struct op *op)
{
	struct range usage = model_expect_all(m, group_below(m, op->arg[0]));

	/*
	 * Mostly so far above that nobody is throttled before it is lifted.  A
	 * close one sends the stock another way; who sleeps sleeps not long.
	 */
	op->arg[1] = usage.max + below(seed, 400);
	if (below(seed, 8) || usage.max < 1000)
		op->arg[1] += 2048;
}

static void fill_file(const struct model *m, uint64_t *seed, struct op *op)
{
	int end = m->file[op->arg[0]].size;

	if (op->type == OP_WRITE)
		end = REGION_PAGES;
	if (op->type == OP_TRUNCATE)
		op->arg[1] = below(seed, REGION_PAGES + 1);
	else if (end)
		some_pages(seed, op, end);
}

/* Mostly what is bound, and now and then what is not, or not there. */
static void fill_unbind(const struct model *m, uint64_t *seed, struct op *op)
{
	op->arg[1] = between(seed, 1, NR_CGROUPS);
	op->arg[0] = m->cgroup[op->arg[1]].bound;
	if (!op->arg[0] || !below(seed, 8))
		op->arg[0] = between(seed, ROOT, MAX_GROUPS);
}

/* Mostly the group that the process is in, or one above it. */
static int adopter(const struct model *m, uint64_t *seed, int proc)
{
	int group = m->proc[proc].group;

	if (!below(seed, 8))
		return between(seed, ROOT, MAX_GROUPS);
	return below(seed, 4) || group == ROOT ? group : m->group[group].parent;
}

static void fill(const struct model *m, uint64_t *seed, struct op *op)
{
	int *arg = op->arg;

	switch (op->type) {
	case OP_MKDIR:
		arg[0] = between(seed, FIRST_GROUP, MAX_GROUPS);
		arg[1] = between(seed, ROOT, MAX_GROUPS);
		break;
	case OP_RMDIR:
	case OP_KILL_GROUP:
		arg[0] = between(seed, FIRST_GROUP, MAX_GROUPS);
		break;
	case OP_HIGH:
		arg[0] = between(seed, FIRST_GROUP, MAX_GROUPS);
		fill_high(m, seed, op);
		break;
	case OP_MAX:
		arg[0] = between(seed, FIRST_GROUP, MAX_GROUPS);
		arg[1] = below(seed, 4) ? ENOUGH + below(seed, ENOUGH) : 0;
		break;
	case OP_MIN:
		arg[0] = between(seed, FIRST_GROUP, MAX_GROUPS);
		arg[1] = below(seed, MOST_MIN + 1);
		break;
	case OP_LOW:
		arg[0] = between(seed, FIRST_GROUP, MAX_GROUPS);
		arg[1] = below(seed, 4) ? below(seed, MOST_LOW) : 0;
		break;
	case OP_RECLAIM:
		arg[0] = between(seed, ROOT, MAX_GROUPS);
		arg[1] = 1 + below(seed, 4 * REGION_PAGES);
		break;
	case OP_MOVE:
		arg[0] = between(seed, NR_CLERKS, MAX_PROCS);
		arg[1] = between(seed, ROOT, MAX_GROUPS);
		break;
	case OP_CGROUP_MKDIR:
	case OP_CGROUP_RMDIR:
		arg[0] = between(seed, 1, NR_CGROUPS);
		break;
	case OP_CGROUP_MOVE:
		arg[0] = between(seed, NR_CLERKS, MAX_PROCS);
		arg[1] = below(seed, NR_CGROUPS);
		break;
	case OP_CGROUP_JOIN:
		arg[0] = below(seed, NR_CGROUPS);
		break;
	case OP_BIND:
		arg[0] = between(seed, ROOT, MAX_GROUPS);
		arg[1] = between(seed, 1, NR_CGROUPS);
		break;
	case OP_ADOPT:
		arg[0] = between(seed, NR_CLERKS, MAX_PROCS);
		arg[1] = adopter(m, seed, arg[0]);
		break;
	case OP_ADOPT_SELF:
		arg[0] = adopter(m, seed, op->by);
		break;
	case OP_UNBIND:
		fill_unbind(m, seed, op);
		break;
	case OP_KILL:
	case OP_FORK:
		arg[0] = between(seed, NR_CLERKS, MAX_PROCS);
		break;
	case OP_JOIN:
		arg[0] = between(seed, ROOT, MAX_GROUPS);
		break;
	case OP_MAP:
		arg[0] = below(seed, MAX_REGIONS);
		fill_map(seed, op);
		break;
	case OP_UNMAP:
		arg[0] = below(seed, MAX_REGIONS);
		break;
	case OP_REMAP:
		arg[0] = below(seed, MAX_REGIONS);
		arg[1] = below(seed, MAX_REGIONS);
		break;
	case OP_TOUCH:
	case OP_PEEK:
	case OP_DROP:
		arg[0] = below(seed, MAX_REGIONS);
		fill_touch(m, seed, op);
		break;
	case OP_CREATE ... OP_FORGET:
		arg[0] = any_file(seed);
		fill_file(m, seed, op);
		break;
	default:
		break;
	}
}

/* One operation that makes sense, or none if luck is against it. */
static void add_one(struct model *m, struct batch *batch, uint64_t *seed, int by,
		    const struct menu *menu)
{
	struct op op;
	int tries;

	for (tries = 0; tries < 60; tries++) {
		memset(&op, 0, sizeof(op));
		op.by = by;
		op.type = choose(seed, menu);
		fill(m, seed, &op);
		if (batch_add(m, batch, &op))
			return;
	}
}

static void add_some(struct model *m, struct batch *batch, uint64_t *seed, int by,
		     const struct menu *menu)
{
	int nr = 1 + below(seed, 8);

	while (nr--)
		add_one(m, batch, seed, by, menu);
}

/* The group may come close to its limit: lift it before it is throttled. */
static void lift_limits(struct model *m, struct batch *batch)
{
	struct op op = { .type = OP_HIGH };
	int group;

	for (group = FIRST_GROUP; group < MAX_GROUPS; group++) {
		struct range usage = model_expect_all(m, group_below(m, group));

		op.arg[0] = group;
		if (m->group[group].used && m->group[group].high &&
		    m->group[group].high < usage.max + 1024)
			batch_add(m, batch, &op);
	}
}

/*
 * With no group left memward is mounted again, before there is anything in the batch
 * that needs it to stay mounted.  What is bound to the root then is to be forgotten,
 * so something is.
 */
static void end_life(struct model *m, struct batch *batch, uint64_t *seed)
{
	struct op bind = { .type = OP_BIND, .arg = { ROOT } };
	struct op remount = { .type = OP_REMOUNT };

	if (group_below(m, ROOT) != BIT(ROOT))
		return;
	bind.arg[1] = between(seed, 1, NR_CGROUPS);
	batch_add(m, batch, &bind);
	batch_add(m, batch, &remount);
}

/**
 * generate() - a random batch
 * @m:       the model, to which it is applied
 * @batch:   an empty one
 * @seed:    changes
 * @workers: how many processes work at the same time, beside the clerks
 * @closing: bring all to an end: leave no group
 */
void generate(struct model *m, struct batch *batch, uint64_t *seed, int workers,
	      bool closing)
{
	struct menu of_clerk = {
		closing ? of_closing : model_swaps ? of_swapping_clerks : of_clerks,
		of_binding_clerks, model_binds && !closing ? 50 : 0 };
	struct menu of_worker = {
		of_workers, of_binding_workers, model_binds ? 10 : 0 };
	struct op remount = { .type = OP_REMOUNT };
	uint32_t busy = 0;
	int clerk, i;

	lift_limits(m, batch);
	if (closing && model_binds)
		end_life(m, batch, seed);
	for (clerk = 0; clerk < NR_CLERKS; clerk++)
		if (closing || below(seed, 2))
			add_some(m, batch, seed, clerk, &of_clerk);
	if (closing && !model_binds && group_below(m, ROOT) == BIT(ROOT))
		batch_add(m, batch, &remount);
	for (i = 0; i < 4 * workers && workers; i++) {
		int by = between(seed, NR_CLERKS, MAX_PROCS);

		if (!m->proc[by].used || busy & BIT(by))
			continue;
		busy |= BIT(by);
		add_some(m, batch, seed, by, &of_worker);
		workers--;
	}
}
