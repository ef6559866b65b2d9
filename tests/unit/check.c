// SPDX-License-Identifier: GPL-2.0
/* Runs the tests that check.h gathered and writes TAP. */
#include <stdio.h>
#include <string.h>

#include "check.h"

#define MAX_COMPLAINTS	20

extern const struct check_test __start_check_tests[], __stop_check_tests[];

static unsigned int complaints;

static bool complain(const char *file, int line, const char *what)
{
	if (complaints++ >= MAX_COMPLAINTS)
		return false;
	printf("# %s:%d: %s", file, line, what);
	return true;
}

bool check_true(bool ok, const char *file, int line, const char *what)
{
	if (!ok && complain(file, line, what))
		printf(" does not hold\n");
	return ok;
}

bool check_equal(unsigned long long got, unsigned long long want,
		 const char *file, int line, const char *what)
{
	if (got != want && complain(file, line, what))
		printf(" is %llu (0x%llx), not %llu (0x%llx)\n", got, got, want,
		       want);
	return got == want;
}

bool check_string(const char *got, const char *want,
		  const char *file, int line, const char *what)
{
	bool ok = !strcmp(got, want);

	if (!ok && complain(file, line, what))
		printf(" is \"%s\", not \"%s\"\n", got, want);
	return ok;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int main(void)
{
	const struct check_test *test;
	int nr = 0, failed = 0;

	/* a crash must not swallow what was said before */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%d\n", (int)(__stop_check_tests - __start_check_tests));
	for (test = __start_check_tests; test < __stop_check_tests; test++) {
		complaints = 0;
		test->run();
		failed += !!complaints;
		printf("%sok %d - %s: %s\n", complaints ? "not " : "", ++nr,
		       base_name(test->file), test->name);
	}
	return !!failed;
}
