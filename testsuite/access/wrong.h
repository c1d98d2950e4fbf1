/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong.h - descriptions that are wrong in one way, which accesses.c must find
 */
#ifndef LDX_TESTSUITE_ACCESS_WRONG_H
#define LDX_TESTSUITE_ACCESS_WRONG_H

#include <stdbool.h>

struct action;

/* The name of a way, from 0 on; NULL: there is none of that number. */
const char *wrong_name(unsigned way);

/* False: the n actions have nothing that could be wrong so. */
bool make_wrong(struct action *a, unsigned n, unsigned way);

#endif
