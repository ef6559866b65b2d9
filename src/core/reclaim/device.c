// SPDX-License-Identifier: GPL-2.0
/*
 * Do the devices that a group's pages are written to get on?
 *
 * DOC: The flusher threads write one file after the other, half a second each, and a
 * slow disk takes its time for each.  A group whose pages are all dirty may have to wait
 * for long without any of them being written, and the only sign that its turn will
 * come is that the device has written something, whoever's it was.  A device that
 * hangs shows none.
 *
 * One that answers late gets on in leaps, and between two of them others have looked
 * several times.  So what is known of a device is kept from one look to the next.
 *
 * What is counted is in the kernel's own statistics of the device.  A device that
 * keeps none (a memory file system) never gets on; nothing is dirty there either.
 */
#include <linux/backing-dev.h>
#include <linux/pagemap.h>
#include <linux/percpu_counter.h>
#include <linux/rculist.h>

#include <compat/folio.h>
#include <core/reclaim/device.h>

/*
 * With the kernel's memory controller each of its groups has a writeback of its own.
 * One that goes away frees its counters before a grace period, so a reference is needed;
 * and takes with it what it has written, so the sum may fall.
 */
static s64 sum_of(struct backing_dev_info *bdi, enum wb_stat_item item)
{
	struct bdi_writeback *wb;
	s64 sum = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(wb, &bdi->wb_list, bdi_node) {
		if (!wb_tryget(wb))
			continue;
		sum += percpu_counter_sum(&wb->stat[item]);
		wb_put(wb);
	}
	rcu_read_unlock();
	return sum;
}

static s64 written(struct backing_dev_info *bdi)
{
	return sum_of(bdi, WB_WRITTEN);
}

/* Next to nothing of it is in the counters, apart from what the processors keep. */
static bool is_idle(struct bdi_writeback *wb)
{
	return !percpu_counter_read_positive(&wb->stat[WB_RECLAIMABLE]) &&
	       !percpu_counter_read_positive(&wb->stat[WB_WRITEBACK]);
}

/* As sum_of() says, with a reference. */
static s64 unwritten(struct bdi_writeback *wb)
{
	s64 sum;

	if (is_idle(wb) || !wb_tryget(wb))
		return 0;
	sum = percpu_counter_sum(&wb->stat[WB_RECLAIMABLE]) +
	      percpu_counter_sum(&wb->stat[WB_WRITEBACK]);
	wb_put(wb);
	return sum;
}

/**
 * mw_device_has_unwritten() - is more than so much dirty or being written, whoever's it is?
 * @bdi:      the device
 * @nr_pages: so much
 *
 * Asks each processor for each writeback of the device that has something to do, of which there may
 * be one for each of the kernel's own groups, until it is so much.
 *
 * Context: process.
 * Return: whether it is; wrong by what the processors keep of writebacks with next to nothing.
 */
bool mw_device_has_unwritten(struct backing_dev_info *bdi, unsigned long nr_pages)
{
	struct bdi_writeback *wb;
	s64 sum = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(wb, &bdi->wb_list, bdi_node) {
		sum += unwritten(wb);
		if (sum > (s64)nr_pages)
			break;
	}
	rcu_read_unlock();
	return sum > (s64)nr_pages;
}

/* Return: where a locked folio is to be written to, with a reference; or NULL. */
static struct backing_dev_info *device_of(struct folio *folio)
{
	struct address_space *mapping = folio_mapping(folio);

	return mapping && mapping->host ? bdi_get(inode_to_bdi(mapping->host)) : NULL;
}

static void forget(struct mw_device *device)
{
	if (device->bdi)
		bdi_put(device->bdi);
	device->bdi = NULL;
}

/* Takes over a reference. */
static void note(struct mw_devices *devices, struct backing_dev_info *bdi)
{
	int place = mw_rota_meet(&devices->rota, bdi->id);
	struct mw_device *device;

	if (place < 0 || devices->device[place].bdi == bdi) {
		bdi_put(bdi);
		return;
	}
	device = &devices->device[place];
	forget(device);
	device->bdi = bdi;
	device->written = written(bdi);
}

/**
 * mw_devices_begin() - a round begins
 * @devices: what is known from the rounds before; zeroed before the first
 *
 * What the round before has not met is forgotten: it may get on for ever, and nothing of the group's is
 * there any more.
 *
 * Context: process, may sleep.
 */
void mw_devices_begin(struct mw_devices *devices)
{
	unsigned int i;

	mw_rota_begin(&devices->rota);
	for (i = 0; i < MW_ROTA_PLACES; i++)
		if (!devices->rota.id[i])
			forget(&devices->device[i]);
	devices->file = NULL;
}

/** mw_devices_any() - is any of them known? */
bool mw_devices_any(const struct mw_devices *devices)
{
	unsigned int i;

	for (i = 0; i < MW_ROTA_PLACES; i++)
		if (devices->device[i].bdi)
			return true;
	return false;
}

/**
 * mw_devices_note() - remember where a page is to be written to
 * @devices: where to note it
 * @folio:   of a file, referenced
 *
 * Asks each processor for each writeback of a device that is new.
 *
 * Context: process, holding no folio locked; may sleep.
 */
void mw_devices_note(struct mw_devices *devices, struct folio *folio)
{
	const void *file = READ_ONCE(folio->mapping);
	struct backing_dev_info *bdi;

	/* the lock keeps the file, and so its device, from going away */
	if (devices->file == file || !folio_trylock(folio))
		return;
	devices->file = file;
	bdi = device_of(folio);
	folio_unlock(folio);
	if (bdi)
		note(devices, bdi);
}

/**
 * mw_devices_advance() - has one of them written anything since it was asked last?
 * @devices: the devices
 *
 * Asks each processor for each writeback of the device: not for every few milliseconds.
 *
 * Context: process.
 */
bool mw_devices_advance(struct mw_devices *devices)
{
	struct mw_rota *rota = &devices->rota;
	bool any = false;
	unsigned int i;

	for (i = 0; i < MW_ROTA_PLACES; i++) {
		struct mw_device *device = &devices->device[i];
		s64 now;

		if (!device->bdi)
			continue;
		now = written(device->bdi);
		/* it is not to make room for one that hangs */
		rota->stays[i] = rota->seen[i] && now > device->written;
		any |= rota->stays[i];
		/* less than it was if a writeback has gone away */
		device->written = now;
	}
	return any;
}

/**
 * mw_devices_are_busy() - has one of them something to write at this moment?
 * @devices: the devices
 *
 * A slow disk has, all the time.  If none has, the flusher threads may be waiting themselves: for the
 * journal, or for a page that current has locked (btrfs locks several, one of which it may be charging).
 *
 * Context: process.
 */
bool mw_devices_are_busy(const struct mw_devices *devices)
{
	unsigned int i;

	for (i = 0; i < MW_ROTA_PLACES; i++)
		if (devices->device[i].bdi &&
		    sum_of(devices->device[i].bdi, WB_WRITEBACK) > 0)
			return true;
	return false;
}

/** mw_devices_forget() - forget them; may sleep */
void mw_devices_forget(struct mw_devices *devices)
{
	unsigned int i;

	for (i = 0; i < MW_ROTA_PLACES; i++)
		forget(&devices->device[i]);
}
