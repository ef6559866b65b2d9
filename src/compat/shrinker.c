// SPDX-License-Identifier: GPL-2.0
/*
 * Learning that the machine is short of memory, as a shrinker that never has
 * anything to shrink.
 *
 * DOC: Shrinkers are asked in every round of global reclaim, by kswapd and by
 * whoever reclaims for himself, and none of them when a group of the kernel's own
 * memcg is at its limit.  From 6.7 the kernel allocates them.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/shrinker.h>

#include <compat/features.h>
#include <compat/shrinker.h>

static void (*under_pressure)(void);

static unsigned long count(struct shrinker *shrinker, struct shrink_control *sc)
{
	under_pressure();
	return 0;
}

/* Never called, as there is nothing to scan. */
static unsigned long scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	return SHRINK_STOP;
}

#if !MW_HAVE_SHRINKER_ALLOC
static struct shrinker watcher = {
	.count_objects = count,
	.scan_objects = scan,
	.seeks = DEFAULT_SEEKS,
};

static int watch(void)
{
#if !MW_HAVE_SHRINKER_NAME
	return register_shrinker(&watcher);
#else
	return register_shrinker(&watcher, "memward");
#endif
}

static void unwatch(void)
{
	unregister_shrinker(&watcher);
}
#else
static struct shrinker *watcher;

static int watch(void)
{
	watcher = shrinker_alloc(0, "memward");
	if (!watcher)
		return -ENOMEM;
	watcher->count_objects = count;
	watcher->scan_objects = scan;
	shrinker_register(watcher);
	return 0;
}

static void unwatch(void)
{
	shrinker_free(watcher);
}
#endif

/**
 * mw_pressure_watch() - be told when the machine reclaims
 * @fn: called in each round of it, in the middle of reclaim: it must not wait
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mw_pressure_watch(void (*fn)(void))
{
	under_pressure = fn;
	return watch();
}

/** mw_pressure_unwatch() - undo mw_pressure_watch(); the call runs nowhere then */
void mw_pressure_unwatch(void)
{
	unwatch();
}
