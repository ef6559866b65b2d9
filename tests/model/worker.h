/* SPDX-License-Identifier: GPL-2.0 */
/* What the driver and the processes that work for it share. */
#ifndef MODEL_WORKER_H
#define MODEL_WORKER_H

#include "model.h"

#define MAX_ORDERS	16
#define STACK		(32 << 10)
#define PAGE		4096UL

/* Seconds: what takes so long the slowest host is not to blame for. */
#define PATIENCE	30

/**
 * struct order - an operation for a worker
 * @op:   what
 * @path: the file that it is about
 * @text: what is written there, if it is no number
 */
struct order {
	struct op op;
	char path[128];
	char text[TEXT];
};

/**
 * struct desk - memory shared by the driver and one process
 * @pid:    its process id
 * @wake:   pipe on which it waits
 * @done:   pipe on which it answers, with its number
 * @nr:     orders
 * @order:  what to do, in this order
 * @result: 0 or a negative errno of each
 * @buffer: for what is read and written
 * @stack:  of the process
 */
struct desk {
	int pid;
	int wake[2];
	int done;
	int nr;
	struct order order[MAX_ORDERS];
	long result[MAX_ORDERS];
	char buffer[PAGE] __attribute__((aligned(4096)));
	char stack[STACK] __attribute__((aligned(4096)));
};

extern struct desk *desks;
extern const char *mount_options;	/* NULL where there is none */

int worker_start(int proc);

#endif
