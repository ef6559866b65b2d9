// SPDX-License-Identifier: GPL-2.0
/* Processes: trees, threads, zombies, namespaces, and storms of them. */
#include "common.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

extern char **environ;

/* --- families ------------------------------------------------------------ */

/* A short-lived child: what most forks of a machine are. */
static void flash(void)
{
	pid_t child = fork_or_die();

	if (!child)
		_exit(0);
	wait_for(child);
}

/**
 * struct tally - shared by a family of processes
 * @left: how many more may be born
 * @born: how many were
 * @live: how many of these are alive
 * @stop: it is enough
 */
struct tally {
	int left;
	int born;
	int live;
	int stop;
};

static struct tally *new_tally(int left)
{
	struct tally *tally = (struct tally *)map_file(-1, PAGE,
						MAP_SHARED | MAP_ANONYMOUS);

	tally->left = left;
	return tally;
}

static bool may_bear(struct tally *tally)
{
	return __atomic_sub_fetch(&tally->left, 1, __ATOMIC_RELAXED) >= 0;
}

/* Every member bears children until there are enough, and stays. */
static void grow(struct tally *tally)
{
	while (may_bear(tally)) {
		flash();
		if (fork_or_die() == 0)
			continue;
		__atomic_add_fetch(&tally->born, 1, __ATOMIC_RELAXED);
		sched_yield();
	}
}

static int do_tree(char **args)
{
	int nr = atoi(args[0]);
	struct tally *tally = new_tally(nr - 1);
	pid_t root = getpid();

	setpgid(0, 0);
	grow(tally);
	if (getpid() != root) {
		pause();
		_exit(0);
	}
	while (__atomic_load_n(&tally->born, __ATOMIC_RELAXED) < nr - 1)
		sched_yield();
	step("grown");
	signal(SIGCHLD, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	return 0;
}

/* One child, when it is asked for; both stay. */
static int do_bear(char **args)
{
	(void)args;
	step("ready");
	fork_or_die();
	pause();
	return 0;
}

static void *pausing_thread(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* A second thread, and then a child. */
static int do_spread(char **args)
{
	pthread_t thread;

	(void)args;
	step("ready");
	if (pthread_create(&thread, NULL, pausing_thread, NULL))
		die("pthread_create");
	step("threaded");
	fork_or_die();
	pause();
	return 0;
}

static int do_vfork(char **args)
{
	pid_t child = vfork();

	if (child < 0)
		die("vfork");
	if (!child) {
		execve(args[0], args, environ);
		_exit(127);
	}
	wait_for(child);
	return 0;
}

static int do_setsid(char **args)
{
	size_t size = size_arg(args[0]);
	pid_t child = fork_or_die();

	if (!child) {
		if (setsid() < 0)
			die("setsid");
		child = fork_or_die();
		if (child)
			_exit(0);
		touch(map_anon(size), size);
		step("daemon %d", getpid());
		_exit(0);
	}
	wait_for(child);
	pause();
	return 0;
}

/* --- threads ------------------------------------------------------------- */

static size_t thread_size;
static pthread_barrier_t thread_barrier;

static void *thread_touch(void *unused)
{
	touch(map_anon(thread_size), thread_size);
	pthread_barrier_wait(&thread_barrier);
	pause();
	return unused;
}

static void start_threads(int nr)
{
	pthread_t thread;

	pthread_barrier_init(&thread_barrier, NULL, nr + 1);
	while (nr--)
		if (pthread_create(&thread, NULL, thread_touch, NULL))
			die("pthread_create");
	pthread_barrier_wait(&thread_barrier);
}

static int do_threads(char **args)
{
	/* of which neighbours would become one */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	thread_size = size_arg(args[1]);
	start_threads(atoi(args[0]));
	step("running");
	return 0;
}

/* The leader must be a zombie before anyone looks. */
static void until_leaderless(void)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	do
		read_text(path, text, sizeof(text));
	while (!strstr(text, ") Z "));
}

static void *orphan_thread(void *unused)
{
	until_leaderless();
	touch(map_anon(thread_size), thread_size);
	step("leaderless");
	_exit(0);
	return unused;
}

static int do_leaderless(char **args)
{
	pthread_t thread;

	thread_size = size_arg(args[0]);
	if (pthread_create(&thread, NULL, orphan_thread, NULL))
		die("pthread_create");
	pthread_exit(NULL);
}

static void *staying_thread(void *unused)
{
	char *map[64] = {};
	int i;

	for (i = 0;; i++) {
		char **one = &map[i % ARRAY_SIZE(map)];

		if (*one)
			munmap(*one, 16 * PAGE);
		*one = map_anon(16 * PAGE);
		touch(*one, 16 * PAGE);
		usleep(2000);
	}
	return unused;
}

/* The first thread ends, the other has more and more memory, up to 4 MB. */
static int do_leaves(char **args)
{
	pthread_t thread;

	(void)args;
	if (pthread_create(&thread, NULL, staying_thread, NULL))
		die("pthread_create");
	step("ready");
	pthread_exit(NULL);
}

/* The first thread ends, the other has a child when it is asked for. */
static void *bearing_thread(void *unused)
{
	until_leaderless();
	step("left");
	fork_or_die();
	pause();
	return unused;
}

static int do_leaves_a_parent(char **args)
{
	pthread_t thread;

	(void)args;
	if (pthread_create(&thread, NULL, bearing_thread, NULL))
		die("pthread_create");
	step("ready");
	pthread_exit(NULL);
}

static char **next_program;

/* All other threads end, and this one has the number of the first from then on. */
static void *becoming_thread(void *unused)
{
	step("ready %ld", syscall(SYS_gettid));
	execve(next_program[0], next_program, environ);
	die("execve %s", next_program[0]);
	return unused;
}

static int do_becomes(char **args)
{
	pthread_t thread;

	next_program = args;
	if (pthread_create(&thread, NULL, becoming_thread, NULL))
		die("pthread_create");
	for (;;)
		pause();
}

/* --- coming and going ---------------------------------------------------- */

static char *path_in(const char *dir, const char *file)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		die("asprintf");
	return path;
}

static void enter(const char *group)
{
	char *procs = path_in(group, "cgroup.procs");

	write_text(procs, "0");
	free(procs);
}

/* A dead member that its parent, outside, has not noticed yet. */
static int do_zombie(char **args)
{
	pid_t child = fork_or_die();
	siginfo_t info;

	if (!child) {
		enter(args[0]);
		touch(map_anon(1 << 20), 1 << 20);
		_exit(0);
	}
	if (waitid(P_PID, child, &info, WEXITED | WNOWAIT))
		die("waitid");
	step("zombie %d", child);
	wait_for(child);
	return 0;
}

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP	0x200000000ULL
#endif

/* clone3(2) as of Linux 5.7 */
struct clone_into {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls,
		 set_tid, set_tid_size, cgroup;
};

/* A child that is begun in a cgroup of the kernel's own, where its parent is not. */
static int do_into(char **args)
{
	struct clone_into clone = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = open_file(args[0], O_RDONLY | O_DIRECTORY),
	};
	size_t size = size_arg(args[1]);
	pid_t child = syscall(SYS_clone3, &clone, sizeof(clone));

	if (child < 0)
		die("clone3");
	if (!child) {
		touch(map_anon(size), size);
		step("begun %d", getpid());
		_exit(0);
	}
	wait_for(child);
	return 0;
}

/* What it sees as the root of all cgroups is the one that it is in. */
static int do_unshared(char **args)
{
	if (unshare(CLONE_NEWCGROUP))
		die("unshare");
	execvp(args[0], args);
	die("%s", args[0]);
}

/* Process 1 of a namespace moves itself by the number it has in there. */
static int do_newpid(char **args)
{
	char *procs = path_in(args[0], "cgroup.procs");
	char text[256];
	pid_t child;

	if (unshare(CLONE_NEWPID))
		die("unshare");
	child = fork_or_die();
	if (!child) {
		int error = try_write(procs, "1\n");

		read_text(procs, text, sizeof(text));
		text[strcspn(text, "\n")] = 0;
		step("inside %d %s %s", getpid(), errno_name(error), text);
		_exit(0);
	}
	wait_for(child);
	return 0;
}

/* Back and forth between two groups, touching new memory in each. */
static int do_moves(char **args)
{
	char *procs[2] = { path_in(args[0], "cgroup.procs"),
			   path_in(args[1], "cgroup.procs") };
	int i, nr = atoi(args[2]);
	char *map;

	for (i = 0; i < nr; i++) {
		write_text(procs[i & 1], "0");
		map = map_anon(8 * PAGE);
		/* what khugepaged collapses is charged to who is the owner then */
		if (madvise(map, 8 * PAGE, MADV_NOHUGEPAGE))
			die("madvise");
		touch(map, 8 * PAGE);
		if (i % 3)
			munmap(map, 8 * PAGE);
		round_done();
	}
	step("moved");
	return 0;
}

/* --- storms -------------------------------------------------------------- */

#define BOMB_LIVE	80

/*
 * Bears as fast as it can.  When there are too many, all die but the first, so
 * that the fire neither goes out nor takes the machine.
 */
static void bomb(struct tally *tally)
{
	bool first = true;

	while (!__atomic_load_n(&tally->stop, __ATOMIC_RELAXED)) {
		touch(map_anon(4 * PAGE), 4 * PAGE);
		if (__atomic_load_n(&tally->live, __ATOMIC_RELAXED) >= BOMB_LIVE) {
			if (!first)
				break;
			sched_yield();
			continue;
		}
		if (fork_or_die())
			continue;
		first = false;
		__atomic_add_fetch(&tally->born, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&tally->live, 1, __ATOMIC_RELAXED);
	}
	__atomic_sub_fetch(&tally->live, 1, __ATOMIC_RELAXED);
	_exit(0);
}

static unsigned int dice(unsigned int sides)
{
	static unsigned int seed = 12345;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

static char *numbered(const char *dir, unsigned int nr, const char *file)
{
	char *path;

	if (asprintf(&path, "%s/%u%s", dir, nr, file) < 0)
		die("asprintf");
	return path;
}

/**
 * struct storm - what the mover did
 * @moves:    processes moved
 * @vanished: processes that were gone, or groups
 * @rmdirs:   groups removed (and made again)
 * @busy:     groups that would not be removed, rightly
 * @wrong:    anything else
 */
struct storm {
	int moves, vanished, rmdirs, busy, wrong;
};

static void wrong(struct storm *storm, const char *what, int error)
{
	storm->wrong++;
	fprintf(stderr, "%s: %s\n", what, errno_name(error));
}

static void move_to(const char *dir, unsigned int nr, const char *pid,
		    struct storm *storm)
{
	char *to = numbered(dir, nr, "/cgroup.procs");
	int error = try_write(to, pid);

	if (!error)
		storm->moves++;
	else if (error == ESRCH || error == ENODEV)
		storm->vanished++;
	else
		wrong(storm, "move", error);
	free(to);
}

/* Every process of one group to another one, chosen each time anew. */
static void move_some(const char *dir, unsigned int nr, struct storm *storm)
{
	char *from = numbered(dir, dice(nr), "/cgroup.procs");
	char text[4096], *pid, *rest = text;
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	free(from);
	if (fd < 0)
		return;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = 0;
	/* the last may be cut off */
	while ((pid = strsep(&rest, "\n")) && rest)
		move_to(dir, dice(nr), pid, storm);
}

static void remake_one(const char *dir, unsigned int nr, struct storm *storm)
{
	char *group = numbered(dir, nr, "");

	if (rmdir(group)) {
		if (errno == EBUSY)
			storm->busy++;
		else
			wrong(storm, "rmdir", errno);
	} else {
		storm->rmdirs++;
		if (mkdir(group, 0755))
			wrong(storm, "mkdir", errno);
	}
	free(group);
}

static void start_bomb(const char *dir, struct tally *tally)
{
	if (fork_or_die()) {
		/* the group stays until it is in there */
		while (!__atomic_load_n(&tally->live, __ATOMIC_RELAXED))
			sched_yield();
		return;
	}
	prctl(PR_SET_NAME, "mwbomb");
	/* the mover gets its share */
	if (nice(19) < 0)
		die("nice");
	enter(numbered(dir, 0, ""));
	__atomic_add_fetch(&tally->live, 1, __ATOMIC_RELAXED);
	bomb(tally);
}

/*
 * A bomb in the groups DIR/0 to DIR/N-1, until TOTAL processes were born and a
 * quarter as many were moved.
 */
static int do_storm(char **args)
{
	unsigned int i, nr = atoi(args[1]);
	int total = atoi(args[2]);
	struct tally *tally = new_tally(0);
	struct storm storm = {};

	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < nr; i++) {
		char *group = numbered(args[0], i, "");

		if (mkdir(group, 0755))
			die("mkdir %s", group);
		free(group);
	}
	start_bomb(args[0], tally);
	while (__atomic_load_n(&tally->born, __ATOMIC_RELAXED) < total ||
	       storm.moves < total / 4) {
		move_some(args[0], nr, &storm);
		remake_one(args[0], dice(nr), &storm);
	}
	step("born %d moves %d vanished %d rmdirs %d busy %d wrong %d",
	     tally->born, storm.moves, storm.vanished, storm.rmdirs, storm.busy,
	     storm.wrong);
	tally->stop = 1;
	return 0;
}

/* --- work in the background ---------------------------------------------- */

static void churn_exec(char **args)
{
	pid_t child = fork_or_die();

	if (!child) {
		execl(args[0], args[0], "nothing", NULL);
		_exit(127);
	}
	wait_for(child);
}

static void churn_file(char **args)
{
	static char text[64 << 10];
	int i, fd = open_file(args[0], O_RDWR | O_CREAT | O_TRUNC);

	for (i = 0; i < 16; i++)
		if (write(fd, text, sizeof(text)) < 0)
			die("write %s", args[0]);
	close(fd);
	unlink(args[0]);
}

static void churn_map(char **args)
{
	size_t size = size_arg(args[0]);
	char *map = map_anon(size);

	touch(map, size);
	munmap(map, size);
}

static const struct way {
	const char *name;
	void (*once)(char **);
} ways[] = {
	{ "exec", churn_exec },
	{ "file", churn_file },
	{ "map", churn_map },
};

/* Over and over, with so many microseconds of rest between two rounds. */
static int do_churn(char **args)
{
	useconds_t rest = args[2] ? atoi(args[2]) : 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		while (!strcmp(args[0], ways[i].name)) {
			ways[i].once(args + 1);
			round_done();
			if (rest)
				usleep(rest);
		}
	return 2;
}

static int do_nothing(char **args)
{
	return args[0] != NULL;
}

/* --- moves beside a thread that charges ----------------------------------- */

#define FOLLOW_PAGES	64

static unsigned long follow_rounds;

/* Fresh pages all the time. */
static void *follower(void *unused)
{
	size_t size = FOLLOW_PAGES * PAGE;
	char *map = map_anon(size);

	(void)unused;
	for (;;) {
		touch(map, size);
		madvise(map, size, MADV_DONTNEED);
		__atomic_add_fetch(&follow_rounds, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static unsigned long charged_to(const char *stat)
{
	char text[4096], *at;

	read_text(stat, text, sizeof(text));
	at = strstr(text, "\npgpgin ");
	if (!at)
		die("%s has no pgpgin", stat);
	return strtoul(at + 8, NULL, 10);
}

/*
 * A process moves itself from one group to the other and back while a thread of
 * it charges; whatever the thread begins after a move goes to the new group.
 */
static int do_follow(char **args)
{
	char *procs[2] = { path_in(args[0], "cgroup.procs"),
			   path_in(args[1], "cgroup.procs") };
	char **payers = args[3] ? args + 3 : args;
	char *stats[2] = { path_in(payers[0], "memory.stat"),
			   path_in(payers[1], "memory.stat") };
	int i, wrong = 0, rounds = atoi(args[2]);
	pthread_t thread;

	if (pthread_create(&thread, NULL, follower, NULL))
		die("pthread_create");
	for (i = 0; i < rounds; i++) {
		unsigned long began, before;

		write_text(procs[i % 2], "0");
		before = charged_to(stats[i % 2]);
		began = __atomic_load_n(&follow_rounds, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&follow_rounds, __ATOMIC_SEQ_CST) < began + 2)
			sched_yield();
		wrong += charged_to(stats[i % 2]) < before + FOLLOW_PAGES;
	}
	step("moved %d wrong %d", rounds, wrong);
	return 0;
}

/* --- generations --------------------------------------------------------- */

static void one_generation(const char *group, int root_procs, int file,
			   off_t pos)
{
	char byte;

	if (mkdir(group, 0755))
		die("mkdir %s", group);
	enter(group);
	if (pread(file, &byte, 1, pos) != 1)
		die("pread at %lld", (long long)pos);
	if (write(root_procs, "0", 1) != 1)
		die("leave %s", group);
	if (rmdir(group))
		die("rmdir %s", group);
}

/*
 * N groups, one after the other, each reads a page of FILE that nobody has read
 * before and is removed: what it paid for stays behind.
 */
static int do_generations(char **args)
{
	char *group = path_in(args[0], "generation");
	char *procs = path_in(args[0], "cgroup.procs");
	int file = open_file(args[1], O_RDONLY);
	int i, root_procs = open_file(procs, O_WRONLY), nr = atoi(args[2]);

	/* a page is a page: no reading ahead */
	if (posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM))
		die("fadvise");
	for (i = 0; i < nr; i++)
		one_generation(group, root_procs, file, i * PAGE);
	step("done");
	return 0;
}

/* N groups, one after the other, that nobody ever enters. */
static int do_generations_empty(char **args)
{
	char *group = path_in(args[0], "generation");
	int nr = atoi(args[1]);

	while (nr--)
		if (mkdir(group, 0755) || rmdir(group))
			die("mkdir or rmdir %s", group);
	return 0;
}

/* --- killing ------------------------------------------------------------- */

static char state_of(pid_t pid)
{
	char path[64], text[512], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	read_text(path, text, sizeof(text));
	end = strrchr(text, ')');
	return end ? end[2] : '?';
}

/*
 * A process that allocates far above GROUP's memory.high is killed while it is
 * held back (it sleeps, state D); prints the microseconds that its death took.
 */
static int do_killtime(char **args)
{
	size_t size = size_arg(args[1]);
	pid_t child = fork_or_die();
	uint64_t start;
	char *map;

	if (!child) {
		enter(args[0]);
		map = map_anon(size);
		touch(map, size);
		_exit(0);
	}
	do
		usleep(1000);
	while (state_of(child) != 'D' && state_of(child) != 'Z');
	if (state_of(child) == 'Z')
		die("it was not held back");
	/* a later sleep than the first, which may be short */
	usleep(300000);
	start = now_us();
	kill(child, SIGKILL);
	wait_for(child);
	printf("%llu\n", (unsigned long long)(now_us() - start));
	return 0;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Nobody else runs on this processor but for so many milliseconds after so many: never, if those are 0. */
static int do_urgent(char **args)
{
	struct sched_param param = { .sched_priority = 50 };
	long busy = atol(args[0]), pause = atol(args[1]);

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	for (;;) {
		long end = now_ms() + busy;

		while (now_ms() < end)
			;
		round_done();
		if (pause)
			usleep(pause * 1000);
	}
}

static struct {
	uint32_t *place;
	pid_t tid;
	int begin[2];
} ending;

/* Not by pthread_exit(), which has another place for it. */
static void *end_there(void *unused)
{
	char byte;

	ending.tid = syscall(SYS_set_tid_address, ending.place);
	pthread_barrier_wait(&thread_barrier);
	if (read(ending.begin[0], &byte, 1) != 1)
		die("read");
	syscall(SYS_exit, 0);
	return unused;
}

/* What is told of a thread's end is written to a page of a file, which has something there and is in nobody's memory. */
static int do_ends(char **args)
{
	pthread_t thread;

	ending.place = (uint32_t *)map_file(open_file(args[0], O_RDWR), PAGE, MAP_SHARED);
	pthread_barrier_init(&thread_barrier, NULL, 2);
	if (pipe(ending.begin) || pthread_create(&thread, NULL, end_there, NULL))
		die("pipe or pthread_create");
	pthread_barrier_wait(&thread_barrier);
	step("running");
	if (write(ending.begin[1], "", 1) != 1)
		die("write");
	while (!syscall(SYS_tgkill, getpid(), ending.tid, 0))
		usleep(1000);
	if (*ending.place)
		die("its end was told to nobody");
	step("told");
	return 0;
}

static const struct verb verbs[] = {
	{ "tree", "PROCESSES", 1, do_tree },
	{ "bear", "", 0, do_bear },
	{ "spread", "", 0, do_spread },
	{ "vfork", "PROGRAM [ARG]...", 1, do_vfork },
	{ "setsid", "SIZE", 1, do_setsid },
	{ "threads", "THREADS SIZE", 2, do_threads },
	{ "ends", "FILE", 1, do_ends },
	{ "leaderless", "SIZE", 1, do_leaderless },
	{ "leaves", "", 0, do_leaves },
	{ "leaves_a_parent", "", 0, do_leaves_a_parent },
	{ "becomes", "PROGRAM [ARG]...", 1, do_becomes },
	{ "zombie", "GROUP", 1, do_zombie },
	{ "newpid", "GROUP", 1, do_newpid },
	{ "moves", "GROUP GROUP ROUNDS", 3, do_moves },
	{ "follow", "GROUP GROUP ROUNDS [PAYER PAYER]", 3, do_follow },
	{ "into", "CGROUP SIZE", 2, do_into },
	{ "unshared", "PROGRAM [ARG]...", 1, do_unshared },
	{ "storm", "DIR GROUPS TOTAL", 3, do_storm },
	{ "churn", "exec PROGRAM | file FILE | map SIZE [REST]", 2, do_churn },
	{ "nothing", "", 0, do_nothing },
	{ "generations", "DIR FILE ROUNDS", 3, do_generations },
	{ "generations_empty", "DIR ROUNDS", 2, do_generations_empty },
	{ "urgent", "BUSY PAUSE", 2, do_urgent },
	{ "killtime", "GROUP SIZE", 2, do_killtime },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
