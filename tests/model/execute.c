// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's side of the work: it stays in the root, tells each process what
 * to do and waits until all have answered.
 */
#define _GNU_SOURCE
#include "execute.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adoption.h"
#include "binding.h"
#include "worker.h"

static int done[2];

static void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	exit(99);
}

/** read_text() - a whole file; false if it is not there */
bool read_text(const char *path, char *text, int room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), len = 0, ret = 0;

	if (fd < 0)
		return false;
	while ((ret = read(fd, text + len, room - 1 - len)) > 0)
		len += ret;
	text[len] = 0;
	close(fd);
	return ret == 0;
}

/** value_of() - the number behind a key, -1 if it is not there */
long value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		if (!strncmp(text, key, len) && text[len] == ' ')
			return strtol(text + len, NULL, 10);
	return -1;
}

/** write_text() - into a file that is there */
bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

/* --- batches ------------------------------------------------------------ */

/** file_path() - where a file is that has a name */
void file_path(int file, char *path, int room)
{
	static const char *const dirs[] = { "tmpfs", "ramfs", "disk", "none" };

	snprintf(path, room, "/model/%s/f%d", dirs[file_fs(file)], file);
}

static void group_file(const struct model *m, int group, const char *file,
		       char *path, int room)
{
	char dir[96];

	group_path(m, group, dir, sizeof(dir));
	snprintf(path, room, "%s%s", dir, file);
}

/* What is written to, of the group that is the first argument; "" is its directory. */
static const char *const group_files[NR_OPS] = {
	[OP_RMDIR] = "",
	[OP_JOIN] = "/cgroup.procs",
	[OP_KILL_GROUP] = "/cgroup.kill",
	[OP_HIGH] = "/memory.high",
	[OP_MAX] = "/memory.max",
	[OP_MIN] = "/memory.min",
	[OP_LOW] = "/memory.low",
	[OP_RECLAIM] = "/memory.reclaim",
	[OP_BIND] = "/memward.bind",
	[OP_UNBIND] = "/memward.bind",
	[OP_ADOPT_SELF] = "/memward.adopt",
};

static void cgroup_file(int cgroup, const char *file, char *path, int room)
{
	char name[TEXT];

	cgroup_path(cgroup, name, sizeof(name));
	snprintf(path, room, "%s%s%s", CGROUP_ROOT, name, file);
}

static void step_text(struct step *step)
{
	char name[TEXT - 1];

	cgroup_path(step->op.arg[1], name, sizeof(name));
	snprintf(step->text, sizeof(step->text), "%s%s",
		 step->op.type == OP_UNBIND ? "-" : "", name);
}

/* As things are before the operation. */
static void step_path(const struct model *m, struct step *step)
{
	const struct op *op = &step->op;
	int room = sizeof(step->path);
	char name[16];

	if (group_files[op->type])
		group_file(m, op->arg[0], group_files[op->type], step->path, room);
	switch (op->type) {
	case OP_MKDIR:
		snprintf(name, sizeof(name), "/g%d", op->arg[0]);
		group_file(m, op->arg[1], name, step->path, room);
		break;
	case OP_MOVE:
		group_file(m, op->arg[1], "/cgroup.procs", step->path, room);
		break;
	case OP_CGROUP_MKDIR:
	case OP_CGROUP_RMDIR:
		cgroup_file(op->arg[0], "", step->path, room);
		break;
	case OP_CGROUP_MOVE:
		cgroup_file(op->arg[1], "/cgroup.procs", step->path, room);
		break;
	case OP_CGROUP_JOIN:
		cgroup_file(op->arg[0], "/cgroup.procs", step->path, room);
		break;
	case OP_BIND:
	case OP_UNBIND:
		step_text(step);
		break;
	case OP_ADOPT:
		group_file(m, op->arg[1], "/memward.adopt", step->path, room);
		/* the worker does not know what it has */
		step->op.arg[2] = adopts_of_file(m, &m->proc[op->arg[0]]);
		break;
	case OP_ADOPT_SELF:
		step->op.arg[2] = adopts_of_file(m, &m->proc[op->by]);
		break;
	case OP_REMOUNT:
		strcpy(step->path, MOUNT_POINT);
		break;
	case OP_COMPACT:
		strcpy(step->path, "/proc/sys/vm/compact_memory");
		break;
	case OP_MAP:
		if (op->arg[3] >= 0)
			file_path(op->arg[3], step->path, room);
		break;
	case OP_REMAP:
		/* the worker does not know the length */
		step->op.arg[2] = m->proc[op->by].region[op->arg[0]].pages;
		break;
	case OP_CREATE ... OP_FORGET:
		file_path(op->arg[0], step->path, room);
		break;
	default:
		break;
	}
}

static bool is_full(const struct batch *batch, int by)
{
	int i, nr = 0;

	for (i = 0; i < batch->nr; i++)
		nr += batch->step[i].op.by == by;
	return batch->nr == MAX_STEPS || nr == MAX_ORDERS;
}

/**
 * batch_add() - one more operation, if it can be done at the same time
 * @m:     the model, to which it is applied
 * @batch: where to put it
 * @op:    what
 *
 * Return: false if it does not make sense here.
 */
bool batch_add(struct model *m, struct batch *batch, const struct op *op)
{
	struct step *step = &batch->step[batch->nr];

	if (is_full(batch, op->by) || !model_admits(m, op))
		return false;
	if (op->by < NR_CLERKS && batch->nr && step[-1].op.by >= NR_CLERKS)
		return false;
	memset(step, 0, sizeof(*step));
	step->op = *op;
	step_path(m, step);
	step->want = model_apply(m, op);
	batch->nr++;
	return true;
}

/* --- at work ------------------------------------------------------------ */

static void hand_out(const struct batch *batch)
{
	int i;

	for (i = 0; i < MAX_PROCS; i++)
		desks[i].nr = 0;
	for (i = 0; i < batch->nr; i++) {
		const struct step *step = &batch->step[i];
		struct desk *desk = &desks[step->op.by];
		struct order *order = &desk->order[desk->nr++];

		order->op = step->op;
		strcpy(order->path, step->path);
		strcpy(order->text, step->text);
	}
}

/* Return: how many were woken. */
static int wake(int proc)
{
	if (!desks[proc].nr)
		return 0;
	if (write(desks[proc].wake[1], "", 1) != 1)
		die("wake a worker");
	return 1;
}

/*
 * With bindings every other time the clerks come last: who begins a child is to do so before he is moved as well.
 * Without, they are the first, as they have always been.
 */
static int wake_all(const struct model *m)
{
	bool backwards = model_binds && m->batch % 2;
	int i, nr = 0;

	for (i = 0; i < MAX_PROCS; i++)
		nr += wake(backwards ? MAX_PROCS - 1 - i : i);
	return nr;
}

/* Nobody may die who still owes an answer. */
static bool lost_one(void)
{
	siginfo_t info;
	int i;

	for (i = 0; i < MAX_PROCS; i++) {
		info.si_pid = 0;
		if (desks[i].nr && desks[i].pid &&
		    !waitid(P_PID, desks[i].pid, &info,
			    WEXITED | WNOHANG | WNOWAIT) &&
		    info.si_pid && info.si_code != CLD_EXITED) {
			printf("# process %d died of signal %d\n", i,
			       info.si_status);
			return true;
		}
	}
	return false;
}

static bool wait_all(int nr)
{
	struct pollfd fd = { done[0], POLLIN, 0 };
	char number;

	while (nr) {
		if (poll(&fd, 1, 1000) == 1) {
			if (read(done[0], &number, 1) == 1)
				desks[(int)number].nr = -desks[(int)number].nr;
			nr--;
		} else if (lost_one()) {
			return false;
		}
	}
	return true;
}

static void reap(int proc)
{
	if (desks[proc].pid && waitpid(desks[proc].pid, NULL, 0) < 0)
		die("wait for a worker");
	desks[proc].pid = 0;
}

static int compare_results(const struct batch *batch)
{
	int next[MAX_PROCS] = {}, wrong = 0, i;

	for (i = 0; i < batch->nr; i++) {
		const struct step *step = &batch->step[i];
		long got = desks[step->op.by].result[next[step->op.by]++];

		if (got == step->want)
			continue;
		printf("# returned %ld, not %d: ", got, step->want);
		op_print(stdout, &step->op);
		wrong++;
	}
	return wrong;
}

/**
 * execute_batch() - let the processes do it, all at the same time
 * @m:     the model after the batch
 * @batch: what
 *
 * Return: the number of things that went wrong.
 */
int execute_batch(const struct model *m, const struct batch *batch)
{
	int wrong, i;

	hand_out(batch);
	if (!wait_all(wake_all(m)))
		return 1;
	wrong = compare_results(batch);
	for (i = 0; !wrong && i < MAX_PROCS; i++)
		if (desks[i].pid && !m->proc[i].used)
			reap(i);
	return wrong;
}

/* --- from the beginning ------------------------------------------------- */

static void kill_all(void)
{
	int i;

	for (i = 0; i < MAX_PROCS; i++)
		if (desks[i].pid) {
			kill(desks[i].pid, SIGKILL);
			reap(i);
		}
}

static void empty_dir(const char *dir)
{
	struct dirent *entry;
	char path[400];
	DIR *d = opendir(dir);

	if (!d)
		die(dir);
	while ((entry = readdir(d)))
		if (entry->d_name[0] == 'f') {
			snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
			unlink(path);
		}
	closedir(d);
}

static void remove_below(const char *dir)
{
	struct dirent *entry;
	char path[400];
	DIR *d = opendir(dir);

	if (!d)
		die(dir);
	while ((entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
			remove_below(path);
			if (rmdir(path))
				die(path);
		}
	closedir(d);
}

/* Those who were in it have been waited for, but may be there for a moment yet. */
static void remove_cgroup(int cgroup)
{
	time_t end = time(NULL) + PATIENCE;
	char path[128];

	cgroup_file(cgroup, "", path, sizeof(path));
	while (rmdir(path) && errno != ENOENT)
		if (errno != EBUSY || time(NULL) > end || sched_yield())
			die(path);
}

/* What is bound to groups goes with them. */
static void unbind_root(int cgroup)
{
	struct step step = { .op = { .type = OP_UNBIND, .arg = { ROOT, cgroup } } };

	step_text(&step);
	write_text(MOUNT_POINT "/memward.bind", step.text);
}

static void remove_cgroups(void)
{
	int cgroup;

	for (cgroup = NR_CGROUPS - 1; cgroup; cgroup--) {
		remove_cgroup(cgroup);
		unbind_root(cgroup);
	}
}

static void make_pipes(void)
{
	char left;
	int i;

	while (poll(&(struct pollfd){ done[0], POLLIN, 0 }, 1, 0) == 1)
		if (read(done[0], &left, 1) != 1)
			break;
	for (i = 0; i < MAX_PROCS; i++) {
		close(desks[i].wake[0]);
		close(desks[i].wake[1]);
		if (pipe(desks[i].wake))
			die("pipe");
	}
}

/** execute_init() - once */
void execute_init(void)
{
	int i;

	mount_options = getenv("MW_MOUNT_OPTIONS");
	if (mount_options && !*mount_options)
		mount_options = NULL;
	desks = mmap(NULL, MAX_PROCS * sizeof(*desks), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (desks == MAP_FAILED || pipe(done))
		die("prepare the desks");
	memset(desks, 1, MAX_PROCS * sizeof(*desks));
	memset(desks, 0, MAX_PROCS * sizeof(*desks));
	for (i = 0; i < MAX_PROCS; i++) {
		desks[i].done = done[1];
		desks[i].wake[0] = desks[i].wake[1] = -1;
	}
}

/*
 * Pages in the swap cache and slots that nobody has any more, of the life before: they
 * are still there after a new mount, and would count as what may be left behind.
 */
static void empty_swap(void)
{
	char text[4096], path[256];
	const char *pos;

	if (!read_text("/proc/swaps", text, sizeof(text)))
		return;
	pos = strchr(text, '\n');
	if (pos && sscanf(pos, "%255s", path) == 1 &&
	    (swapoff(path) || swapon(path, 0)))
		die(path);
}

/* What a broken module still counts goes when it is unmounted; that takes time. */
static bool is_clean(void)
{
	static const char want[] = "ok groups=1 pages=0 ";
	char text[4096];

	return read_text(MOUNT_POINT "/memward.audit", text, sizeof(text)) &&
	       !strncmp(text, want, strlen(want)) &&
	       read_text(MOUNT_POINT "/memory.stat", text, sizeof(text)) &&
	       strstr(text, "anon 0\nfile 0\nshmem 0\n");
}

/**
 * execute_drain() - pages on their way to the LRU lists get there
 *
 * As before any migration, also of no page: drain in tests/vm/lib.sh.
 */
void execute_drain(void)
{
	void *page = NULL;
	int node = 0, status;

	if (syscall(SYS_move_pages, 0, 0UL, &page, &node, &status, 0))
		die("move_pages");
}

/* With bindings each owes an answer at once: when it has mapped the base. */
static void start_clerks(void)
{
	int i;

	for (i = 0; i < MAX_PROCS; i++)
		desks[i].nr = i < NR_CLERKS && model_binds;
	for (i = 0; i < NR_CLERKS; i++)
		if (worker_start(i))
			die("start a clerk");
	if (model_binds && !wait_all(NR_CLERKS)) {
		printf("# a clerk has not mapped the base\n");
		exit(99);
	}
}

/** execute_reset() - no process, no group, no file; memward as if just loaded */
void execute_reset(void)
{
	kill_all();
	remove_below(MOUNT_POINT);
	if (model_binds)
		remove_cgroups();
	empty_dir("/model/tmpfs");
	empty_dir("/model/ramfs");
	empty_dir("/model/disk");
	execute_drain();
	empty_swap();
	if (!is_clean() &&
	    (umount2(MOUNT_POINT, 0) ||
	     mount("memward", MOUNT_POINT, "memward", 0, mount_options)))
		die("mount memward again");
	make_pipes();
	start_clerks();
}
