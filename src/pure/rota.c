// SPDX-License-Identifier: GPL-2.0
/*
 * Which of many have one of a few places, so that each has his turn.
 *
 * DOC: They are met in each round in an order of its own, often the same one.  If the
 * first without a place got the next that is free, it would always be one of the first few,
 * and the last of many would never have his turn.  So it is he whose number follows that of
 * the one who was brought in last, in a circle; of n he comes in n rounds at the latest.
 */
#include <linux/types.h>

#include <pure/rota.h>

/**
 * mw_rota_begin() - a round begins
 * @rota: who was not met in the round before has no place any more
 */
void mw_rota_begin(struct mw_rota *rota)
{
	unsigned int i;

	if (rota->given)
		rota->last = rota->id[rota->given - 1];
	rota->given = 0;
	for (i = 0; i < MW_ROTA_PLACES; i++) {
		if (!rota->seen[i])
			rota->id[i] = 0;
		rota->seen[i] = false;
	}
}

/* A place that may be given to another, one after the other; MW_ROTA_PLACES: all who are there stay. */
static unsigned int who_goes(struct mw_rota *rota)
{
	unsigned int tries, i;

	for (tries = 0; tries < MW_ROTA_PLACES; tries++) {
		i = rota->next++ % MW_ROTA_PLACES;
		if (!rota->stays[i])
			return i;
	}
	return MW_ROTA_PLACES;
}

/* Does one come before another in the circle that begins behind a third? */
static bool is_sooner(u64 last, u64 id, u64 than)
{
	return id - last - 1 < than - last - 1;
}

static int give(struct mw_rota *rota, unsigned int place, u64 id)
{
	rota->id[place] = id;
	rota->seen[place] = true;
	rota->stays[place] = false;
	return place;
}

/* In a round one gives way, to the one whose turn it is of all that are met in it. */
static int replace(struct mw_rota *rota, u64 id)
{
	unsigned int place;

	if (rota->given) {
		place = rota->given - 1;
		return is_sooner(rota->last, id, rota->id[place]) ?
			       give(rota, place, id) : -1;
	}
	place = who_goes(rota);
	if (place == MW_ROTA_PLACES)
		return -1;
	rota->given = place + 1;
	return give(rota, place, id);
}

/**
 * mw_rota_meet() - one of them is met
 * @rota: has begun a round
 * @id:   which; 0 has no place
 *
 * Return: his place, which may be another's until now; -1 if it is not his turn.
 */
int mw_rota_meet(struct mw_rota *rota, u64 id)
{
	unsigned int i;

	if (!id)
		return -1;
	for (i = 0; i < MW_ROTA_PLACES; i++)
		if (rota->id[i] == id) {
			rota->seen[i] = true;
			return i;
		}
	for (i = 0; i < MW_ROTA_PLACES; i++)
		if (!rota->id[i])
			return give(rota, i, id);
	return replace(rota, id);
}
