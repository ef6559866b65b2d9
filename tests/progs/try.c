// SPDX-License-Identifier: GPL-2.0
/*
 * Makes one system call and prints "ok" or the name of the error. The shell
 * cannot tell EINVAL from EBUSY.
 */
#include "common.h"

#include <grp.h>
#include <sys/mount.h>

static int said(int error)
{
	puts(errno_name(error));
	return !!error;
}

static int result(long ret)
{
	return said(ret < 0 ? errno : 0);
}

/* In one write, whole; a short one is "short". */
static int write_with(const char *path, int flags, const char *text, size_t len)
{
	int fd = open(path, flags, 0644);
	ssize_t ret;

	if (fd < 0)
		return said(errno);
	ret = write(fd, text, len);
	if (ret >= 0 && (size_t)ret != len) {
		printf("short %zd\n", ret);
		return 1;
	}
	return result(ret);
}

static int do_write(char **args)
{
	return write_with(args[0], O_WRONLY, args[1], strlen(args[1]));
}

/* As shells do for ">" and ">>". */
static int do_truncating(char **args)
{
	return write_with(args[0], O_WRONLY | O_CREAT | O_TRUNC, args[1],
			  strlen(args[1]));
}

static int do_appending(char **args)
{
	return write_with(args[0], O_WRONLY | O_CREAT | O_APPEND, args[1],
			  strlen(args[1]));
}

static int do_pwrite(char **args)
{
	int fd = open(args[0], O_WRONLY);

	if (fd < 0)
		return said(errno);
	return result(pwrite(fd, args[2], strlen(args[2]), size_arg(args[1])));
}

/* COUNT times the first character of TEXT. */
static int do_writelong(char **args)
{
	size_t len = size_arg(args[1]);
	char *text = malloc(len);

	memset(text, args[2][0], len);
	return write_with(args[0], O_WRONLY, text, len);
}

/* Bytes that no argument can hold. */
static int do_writezero(char **args)
{
	return write_with(args[0], O_WRONLY, "4096\0" "4096", 9);
}

static int do_writenull(char **args)
{
	int fd = open(args[0], O_WRONLY);

	if (fd < 0)
		return said(errno);
	return result(write(fd, mmap(NULL, PAGE, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8));
}

static int do_read(char **args)
{
	int fd = open(args[0], O_RDONLY);
	char text[4096];

	if (fd < 0)
		return said(errno);
	return result(read(fd, text, sizeof(text)));
}

static int do_mkdir(char **args)
{
	return result(mkdir(args[0], 0755));
}

/* A name of so many characters below DIR. */
static int do_mkdirlong(char **args)
{
	size_t len = size_arg(args[1]);
	char *path = malloc(strlen(args[0]) + len + 2);
	int end = sprintf(path, "%s/", args[0]);

	memset(path + end, 'n', len);
	path[end + len] = 0;
	return result(mkdir(path, 0755));
}

static int do_rmdir(char **args)
{
	return result(rmdir(args[0]));
}

static int do_mount(char **args)
{
	return result(mount("none", args[1], args[0], 0, args[2]));
}

static int do_umount(char **args)
{
	return result(umount(args[0]));
}

static int do_create(char **args)
{
	return result(open(args[0], O_WRONLY | O_CREAT | O_EXCL, 0644));
}

static int do_unlink(char **args)
{
	return result(unlink(args[0]));
}

static int do_rename(char **args)
{
	return result(rename(args[0], args[1]));
}

static int do_link(char **args)
{
	return result(link(args[0], args[1]));
}

static int do_symlink(char **args)
{
	return result(symlink(args[0], args[1]));
}

static int do_truncate(char **args)
{
	return result(truncate(args[0], size_arg(args[1])));
}

/* All of it or nothing. */
static int do_fallocate(char **args)
{
	int fd = open(args[0], O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		return said(errno);
	return result(fallocate(fd, 0, 0, size_arg(args[1])));
}

static int do_mmap(char **args)
{
	int fd = open_file(args[0], O_RDONLY);
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

	return said(map == MAP_FAILED ? errno : 0);
}

static int do_chown(char **args)
{
	return result(chown(args[0], atoi(args[1]), atoi(args[1])));
}

static int do_chmod(char **args)
{
	return result(chmod(args[0], strtoul(args[1], NULL, 8)));
}

/* To a file that somebody else has opened. */
static int do_writefd(char **args)
{
	return result(write(atoi(args[0]), args[1], strlen(args[1])));
}

static void become(int id)
{
	if (setegid(id) || seteuid(id))
		die("becoming user %d", id);
}

/* Opened by one user, written to by another. */
static int do_relay(char **args)
{
	int fd;

	if (setgroups(0, NULL))
		die("setgroups");
	become(atoi(args[0]));
	fd = open(args[2], O_WRONLY);
	if (fd < 0)
		return said(errno);
	if (seteuid(0))
		die("becoming root");
	become(atoi(args[1]));
	return result(write(fd, args[3], strlen(args[3])));
}

/* The rest of the line as another user, of no groups. */
static int do_as(char **args)
{
	int id = atoi(args[0]);

	if (setgroups(0, NULL) || setgid(id) || setuid(id))
		die("becoming user %d", id);
	execv(args[1], args + 1);
	die("exec %s", args[1]);
}

/* As somebody has typed it: a shell ignores SIGINT and SIGQUIT for what it runs beside itself, and who runs tests may ignore others. */
static int do_unignoring(char **args)
{
	sigset_t none;

	/* of steps, see common.h */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	execvp(args[0], args);
	die("exec %s", args[0]);
}

static const struct verb verbs[] = {
	{ "write", "FILE TEXT", 2, do_write },
	{ "truncating", "FILE TEXT", 2, do_truncating },
	{ "appending", "FILE TEXT", 2, do_appending },
	{ "pwrite", "FILE OFFSET TEXT", 3, do_pwrite },
	{ "writelong", "FILE COUNT TEXT", 3, do_writelong },
	{ "writezero", "FILE", 1, do_writezero },
	{ "writenull", "FILE", 1, do_writenull },
	{ "read", "FILE", 1, do_read },
	{ "mkdir", "DIR", 1, do_mkdir },
	{ "mkdirlong", "DIR COUNT", 2, do_mkdirlong },
	{ "rmdir", "DIR", 1, do_rmdir },
	{ "mount", "TYPE DIR OPTIONS", 3, do_mount },
	{ "umount", "DIR", 1, do_umount },
	{ "create", "FILE", 1, do_create },
	{ "unlink", "FILE", 1, do_unlink },
	{ "rename", "FROM TO", 2, do_rename },
	{ "link", "FROM TO", 2, do_link },
	{ "symlink", "FROM TO", 2, do_symlink },
	{ "truncate", "FILE SIZE", 2, do_truncate },
	{ "fallocate", "FILE SIZE", 2, do_fallocate },
	{ "mmap", "FILE", 1, do_mmap },
	{ "chown", "FILE USER", 2, do_chown },
	{ "chmod", "FILE MODE", 2, do_chmod },
	{ "writefd", "FD TEXT", 2, do_writefd },
	{ "relay", "OPENER WRITER FILE TEXT", 4, do_relay },
	{ "unignoring", "PROGRAM [ARG]...", 1, do_unignoring },
	{ "as", "USER PROGRAM [ARG]...", 2, do_as },
};

int main(int argc, char **argv)
{
	return run_verb(verbs, ARRAY_SIZE(verbs), argc, argv);
}
