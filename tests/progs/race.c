// SPDX-License-Identifier: GPL-2.0
/*
 * Does two things at the same time that have to do with each other.  Ends with 1
 * if something happened that must not.
 */
#include "common.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/**
 * struct score - shared by all processes of a race
 * @stop:  it is enough
 * @wrong: things that must not happen
 * @done:  rounds, or things, that were done
 * @prevented: those that nobody but another process can have prevented
 * @pid:   of the process that is to be moved
 * @go:    it may go, or how often it has gone
 */
struct score {
	int stop;
	int wrong;
	int done;
	int prevented;
	pid_t pid;
	int go;
};

static struct score *score;

static void new_score(void)
{
	score = (struct score *)map_file(-1, PAGE, MAP_SHARED | MAP_ANONYMOUS);
}

static int get(int *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static void set(int *value, int to)
{
	__atomic_store_n(value, to, __ATOMIC_RELEASE);
}

static void add(int *value)
{
	__atomic_add_fetch(value, 1, __ATOMIC_RELAXED);
}

static unsigned int seed = 1;

static unsigned int dice(unsigned int sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

/* What may come of it: 0 and the errors of a list that ends with 0. */
static bool judge(const char *what, int error, const int *allowed)
{
	int i;

	if (!error) {
		add(&score->done);
		return true;
	}
	for (i = 0; allowed[i]; i++)
		if (error == allowed[i])
			return false;
	add(&score->wrong);
	fprintf(stderr, "%s: %s\n", what, errno_name(error));
	return false;
}

#define JUDGE(what, error, ...)	\
	judge(what, error, (const int []){ __VA_ARGS__ __VA_OPT__(,) 0 })

static int error_of(long ret)
{
	return ret < 0 ? errno : 0;
}

static char *path(const char *dir, unsigned int nr, const char *file)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s/%u%s", dir, nr, file);
	return text;
}

/* Runs @work(@args, number) in so many processes; they are the caller's. */
static void start(int nr, void (*work)(char **, int), char **args)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (fork_or_die())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seed = 100 + i;
		work(args, i);
		_exit(0);
	}
}

static void wait_all(int nr)
{
	while (nr--)
		if (wait(NULL) < 0)
			die("wait");
}

/* Return: the exit status, 1 if something happened that must not. */
static int result(void)
{
	printf("done %d, prevented %d, wrong %d\n", score->done, score->prevented,
	       score->wrong);
	return !!score->wrong;
}

/* --- a process is moved while it ends ------------------------------------ */

static void spin(unsigned int turns)
{
	while (turns--)
		__asm__ volatile("");
}

static void mover(char **args, int nr)
{
	char procs[256], text[16];
	pid_t pid;

	(void)nr;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", args[0]);
	while (!get(&score->stop)) {
		pid = get(&score->pid);
		if (!pid) {
			sched_yield();
			continue;
		}
		sprintf(text, "%d", pid);
		set(&score->go, 1);
		spin(dice(4000));
		if (!JUDGE("move", try_write(procs, text), ESRCH))
			add(&score->prevented);
	}
}

/* Shares its memory with its parent, so that there is little to do at its end. */
static int short_life(void *unused)
{
	while (!get(&score->go))
		sched_yield();
	spin(dice(4000));
	syscall(SYS_exit_group, 0);
	return unused != NULL;
}

static int do_exiting(char **args)
{
	static char stack[64 << 10] __attribute__((aligned(64)));
	int rounds = atoi(args[1]), movers = atoi(args[2]);
	pid_t child;

	new_score();
	start(movers, mover, args);
	while (rounds--) {
		set(&score->go, 0);
		child = clone(short_life, stack + sizeof(stack),
			      CLONE_VM | SIGCHLD, NULL);
		if (child < 0)
			die("clone");
		set(&score->pid, child);
		wait_for(child);
		set(&score->pid, 0);
	}
	set(&score->stop, 1);
	wait_all(movers);
	return result();
}

/* --- groups that are removed while they are used ---------------------------- */

#define NR_GROUPS	6

static int enter(const char *dir, unsigned int nr)
{
	return try_write(path(dir, nr, "/cgroup.procs"), "0");
}

static void bear(void)
{
	pid_t child = fork_or_die();

	if (!child) {
		touch(map_anon(4 * PAGE), 4 * PAGE);
		_exit(0);
	}
	wait_for(child);
}

/* Pages that stay for some rounds, so that removed groups leave some behind. */
static void use_memory(void)
{
	static char *kept[8];
	char **one = &kept[dice(ARRAY_SIZE(kept))];

	if (*one)
		munmap(*one, 16 * PAGE);
	*one = map_anon(16 * PAGE);
	touch(*one, 16 * PAGE);
}

/* Gone between two steps of who has made it, or has found it there: another one has removed it. */
static bool is_prevented(int error)
{
	if (error != ENOENT && error != ENODEV)
		return false;
	add(&score->prevented);
	return true;
}

static void come_and_go(const char *dir, const char *root)
{
	unsigned int group = dice(NR_GROUPS);
	int error;

	JUDGE("mkdir", error_of(mkdir(path(dir, group, ""), 0755)), EEXIST);
	error = enter(dir, group);
	if (!is_prevented(error) && JUDGE("enter", error)) {
		use_memory();
		bear();
	}
	if (dice(2))
		JUDGE("leave", try_write(root, "0"));
	use_memory();
	error = error_of(rmdir(path(dir, group, "")));
	if (!is_prevented(error))
		JUDGE("rmdir", error, EBUSY);
}

static void comer(char **args, int nr)
{
	int rounds = atoi(args[2]);

	(void)nr;
	while (rounds--)
		come_and_go(args[0], args[3]);
}

static const char *const files[] = {
	"/cgroup.procs", "/tasks", "/cgroup.controllers",
	"/cgroup.subtree_control", "/cgroup.events", "/cgroup.stat",
	"/cgroup.type", "/memory.current", "/memory.usage_in_bytes",
	"/memory.peak", "/memory.max_usage_in_bytes", "/memory.high",
	"/memory.events", "/memory.events.local", "/memory.stat",
};

static void read_from(int fd)
{
	static char text[8192];

	JUDGE("read", error_of(pread(fd, text, sizeof(text), 0)), ENODEV);
}

/* Holds the last files open, those of removed groups too. */
static void open_one(const char *dir)
{
	static int held[32];
	int *fd = &held[dice(ARRAY_SIZE(held))];
	const char *name = path(dir, dice(NR_GROUPS),
				files[dice(ARRAY_SIZE(files))]);

	if (*fd > 0) {
		read_from(*fd);
		close(*fd);
	}
	*fd = open(name, O_RDONLY | O_CLOEXEC);
	if (JUDGE("open", error_of(*fd), ENOENT, ENODEV))
		read_from(*fd);
}

static void list_one(const char *dir)
{
	DIR *list = opendir(path(dir, dice(NR_GROUPS), ""));
	struct dirent *entry;

	if (!JUDGE("opendir", list ? 0 : errno, ENOENT))
		return;
	while ((entry = readdir(list)))
		if (entry->d_type == DT_UNKNOWN)
			add(&score->wrong);
	closedir(list);
}

/* A file whose mode was changed is held by its directory. */
static void change_one(const char *dir)
{
	JUDGE("chmod", error_of(chmod(path(dir, dice(NR_GROUPS),
					   "/memory.high"), 0600 + dice(64))),
	      ENOENT, ENODEV);
}

static void write_one(const char *dir)
{
	JUDGE("write", try_write(path(dir, dice(NR_GROUPS), "/memory.high"),
				 "1G"), ENOENT, ENODEV);
	JUDGE("write", try_write(path(dir, dice(NR_GROUPS), "/memory.peak"),
				 "0"), ENOENT, ENODEV);
}

static void reader(char **args, int nr)
{
	(void)nr;
	while (!get(&score->stop)) {
		open_one(args[0]);
		if (!dice(4))
			list_one(args[0]);
		if (!dice(4))
			change_one(args[0]);
		if (!dice(4))
			write_one(args[0]);
	}
}

/*
 * Groups DIR/0 to DIR/5 are made, entered, left by fork, exit and moves, and
 * removed, by WORKERS processes in ROUNDS each; half as many look on.  ROOT is
 * the file to leave through.
 */
static int do_removals(char **args)
{
	int i, workers = atoi(args[1]), readers = (workers + 1) / 2;

	new_score();
	start(readers, reader, args);
	start(workers, comer, args);
	wait_all(workers);
	set(&score->stop, 1);
	wait_all(readers);
	for (i = 0; i < NR_GROUPS; i++)
		JUDGE("rmdir", error_of(rmdir(path(args[0], i, ""))), ENOENT);
	return result();
}

/* --- trees that fall ------------------------------------------------------ */

#define DEPTH	6

static void fell(char *tree, const char *root)
{
	int i;

	use_memory();
	JUDGE("leave", try_write(root, "0"));
	for (i = 0; i < DEPTH; i++) {
		JUDGE("rmdir", error_of(rmdir(tree)));
		*strrchr(tree, '/') = 0;
	}
}

/* A chain of groups, pages in the lowest, then all of it removed. */
static void forester(char **args, int nr)
{
	int i, rounds = atoi(args[2]);
	char tree[256], procs[300];

	while (rounds--) {
		snprintf(tree, sizeof(tree), "%s/w%d", args[0], nr);
		for (i = 0; i < DEPTH; i++) {
			if (i)
				strcat(tree, "/x");
			JUDGE("mkdir", error_of(mkdir(tree, 0755)));
		}
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", tree);
		JUDGE("enter", try_write(procs, "0"));
		fell(tree, args[3]);
	}
}

static int do_trees(char **args)
{
	int workers = atoi(args[1]);

	new_score();
	start(workers, forester, args);
	wait_all(workers);
	return result();
}

/* --- the module comes and goes ---------------------------------------------- */

static void loader(char **args, int nr)
{
	int fd = open_file(args[0], O_RDONLY);

	(void)nr;
	while (!get(&score->stop))
		JUDGE("load", error_of(syscall(SYS_finit_module, fd, "", 0)),
		      EEXIST, EBUSY);
}

static void unloader(char **args, int nr)
{
	(void)args;
	(void)nr;
	while (!get(&score->stop))
		if (JUDGE("unload", error_of(syscall(SYS_delete_module, "memward",
						     O_NONBLOCK)),
			  EWOULDBLOCK, EBUSY, ENOENT))
			add(&score->go);
}

/*
 * Where processors take turns somebody has it mounted all the time: in every other
 * round each waits until nobody has, which the unloader makes use of.
 */
static void let_it_be_unloaded(int seen)
{
	while (get(&score->go) == seen)
		sched_yield();
}

static void mounter(char **args, int nr)
{
	const char *dir = args[1 + nr];
	int rounds = atoi(args[3]);

	while (rounds--) {
		int unloaded = get(&score->go);
		bool mounted = false;

		/* the kernel cannot load a file system's module by its name */
		while (!mounted)
			mounted = JUDGE("mount", error_of(mount("none", dir,
						"memward", 0,
						getenv("MW_MOUNT_OPTIONS"))), ENODEV);
		JUDGE("mkdir", error_of(mkdir(path(dir, nr, ""), 0755)));
		JUDGE("enter", enter(dir, nr));
		use_memory();
		JUDGE("leave", try_write(path(dir, nr, "/../cgroup.procs"),
					 "0"));
		JUDGE("rmdir", error_of(rmdir(path(dir, nr, ""))));
		JUDGE("umount", error_of(umount(dir)));
		if (rounds % 2)
			let_it_be_unloaded(unloaded);
	}
}

/* MODULE is loaded and unloaded while two mount it, at DIR and at DIR. */
static int do_modules(char **args)
{
	new_score();
	start(1, loader, args);
	start(1, unloader, args);
	start(2, mounter, args);
	wait_all(2);
	set(&score->stop, 1);
	wait_all(2);
	return result();
}

/* --- somebody else forks -------------------------------------------------- */

static void forker(char **args, int nr)
{
	char procs[256];
	pid_t child;

	(void)nr;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", args[0]);
	write_text(procs, "0");
	run_on(1);
	while (!get(&score->stop)) {
		child = fork_or_die();
		if (!child)
			_exit(0);
		wait_for(child);
		add(&score->done);
	}
}

/* Touches a page, and never sleeps, between two forks of somebody in GROUP who is on the other processor. */
static int do_forks(char **args)
{
	int i, rounds = atoi(args[1]);
	char *map = map_anon(rounds * PAGE);

	new_score();
	start(1, forker, args);
	run_on(0);
	for (i = 0; i < rounds; i++) {
		int before = get(&score->done);

		while (get(&score->done) == before)
			;
		map[i * PAGE] = 1;
	}
	set(&score->stop, 1);
	wait_all(1);
	return result();
}

static const struct verb verbs[] = {
	{ "exiting", "GROUP ROUNDS MOVERS", 3, do_exiting },
	{ "removals", "DIR WORKERS ROUNDS ROOT", 4, do_removals },
	{ "trees", "DIR WORKERS ROUNDS ROOT", 4, do_trees },
	{ "forks", "GROUP ROUNDS", 2, do_forks },
	{ "modules", "MODULE DIR DIR ROUNDS", 4, do_modules },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
