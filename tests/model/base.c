// SPDX-License-Identifier: GPL-2.0
/*
 * What each worker has mapped beside what it is told to touch: the program, the desks,
 * and the driver's memory as it was when the clerks were started.  Who is adopted first
 * would be charged for it.  So somebody is before all others: the clerks, in a group that
 * is removed then, and the root pays.  A clerk has all of it mapped, and keeps it.
 *
 * When memward is unmounted with no group left that is forgotten, and done again.
 */
#define _GNU_SOURCE
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "execute.h"
#include "worker.h"

#define BASE	MOUNT_POINT "/base"

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(99);
}

static void write_pid(const char *path, int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	need(write_text(path, text), path);
}

static void learn_size(struct model *m)
{
	char text[4096];

	need(read_text(BASE "/memory.stat", text, sizeof(text)), BASE);
	m->base[KIND_ANON] = value_of(text, "rss") / (long)PAGE;
	m->base[KIND_SHMEM] = value_of(text, "shmem") / (long)PAGE;
	m->base[KIND_FILE] = value_of(text, "cache") / (long)PAGE -
			     m->base[KIND_SHMEM];
}

/** base_pay() - if nobody pays for the base, the root does; nothing is running */
void base_pay(struct model *m)
{
	int i;

	if (!model_binds || !m->unpaid)
		return;
	need(!mkdir(BASE, 0755), BASE);
	execute_drain();
	for (i = 0; i < NR_CLERKS; i++) {
		write_pid(BASE "/cgroup.procs", desks[i].pid);
		write_pid(BASE "/memward.adopt", desks[i].pid);
		write_pid(MOUNT_POINT "/cgroup.procs", desks[i].pid);
	}
	execute_drain();
	learn_size(m);
	need(!rmdir(BASE), BASE);
	m->unpaid = false;
}
