/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share.  A program is a set of verbs.  A verb that has
 * something to be looked at while it runs stops at a step: it prints the step's
 * name and goes on when it gets SIGUSR1.  SIGUSR2 lets it go on to its end
 * (run, next_step and finish in tests/vm/lib.sh).
 */
#ifndef PROGS_COMMON_H
#define PROGS_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/**
 * struct verb - something a program can do
 * @name: first word of the command line
 * @args: the others, for the usage message
 * @min:  number of them at least
 * @run:  does it; gets the other words, ended by NULL
 */
struct verb {
	const char *name;
	const char *args;
	int min;
	int (*run)(char **args);
};

int run_verb(const struct verb *verbs, int nr, int argc, char **argv);

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
const char *errno_name(int error);
void step(const char *format, ...) __attribute__((format(printf, 1, 2)));

size_t size_arg(const char *text);
char *map_anon(size_t size);
char *map_file(int fd, size_t size, int flags);
void touch(char *from, size_t size);
int open_file(const char *path, int flags);
size_t file_size(int fd);
void write_text(const char *path, const char *text);
int try_write(const char *path, const char *text);
void read_text(const char *path, char *text, size_t room);
uint64_t now_us(void);
pid_t fork_or_die(void);
void wait_for(pid_t pid);
void run_on(int cpu);
void round_done(void);

#endif
