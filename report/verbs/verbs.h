/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs.h - all verbs, in the order of the help: X(name) for the struct verb verb_name
 */
#ifndef LDX_REPORT_VERBS_VERBS_H
#define LDX_REPORT_VERBS_VERBS_H

#include "report/verbs/verb.h"

#define VERBS(X)                                                                                   \
	X(report)                                                                                  \
	X(annotate)                                                                                \
	X(diff)                                                                                    \
	X(coverage)                                                                                \
	X(html)                                                                                    \
	X(icount)                                                                                  \
	X(export)                                                                                  \
	X(calls)                                                                                   \
	X(tool)                                                                                    \
	X(ctl)                                                                                     \
	X(merge)                                                                                   \
	X(ls)                                                                                      \
	X(info)                                                                                    \
	X(where)

#define DECLARE_VERB(name) extern const struct verb verb_##name;
VERBS(DECLARE_VERB)

#endif
