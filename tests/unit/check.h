/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unit tests in C: a file defines tests with TEST(name) { ... } and states what
 * must hold with CHECK... .  Each test is one line of TAP; failed checks are its
 * diagnostics.  main() is in check.c and runs the tests in the file's order.
 */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H

#include <stdbool.h>

/**
 * struct check_test - one test; the linker gathers them in a section
 * @file: where it is
 * @name: its name
 * @run:  what it does
 */
struct check_test {
	const char *file;
	const char *name;
	void (*run)(void);
};

#define TEST(test_name)							\
	static void test_name(void);					\
	static const struct check_test					\
	__attribute__((used, section("check_tests"), aligned(8)))	\
	test_##test_name = { __FILE__, #test_name, test_name };		\
	static void test_name(void)

bool check_true(bool ok, const char *file, int line, const char *what);
bool check_equal(unsigned long long got, unsigned long long want,
		 const char *file, int line, const char *what);
bool check_string(const char *got, const char *want,
		  const char *file, int line, const char *what);

/* Each evaluates to whether it held. */
#define CHECK(cond)	check_true(cond, __FILE__, __LINE__, #cond)
#define CHECK_EQ(got, want) \
	check_equal((unsigned long long)(got), (unsigned long long)(want), \
		    __FILE__, __LINE__, #got)
#define CHECK_STR(got, want) \
	check_string(got, want, __FILE__, __LINE__, #got)

#endif
