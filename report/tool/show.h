/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show.h - tables of tools as text, tab-separated values, JSON, and beside the source
 */
#ifndef LDX_REPORT_TOOL_SHOW_H
#define LDX_REPORT_TOOL_SHOW_H

#include "report/common/json.h"
#include "report/common/text.h"
#include "report/tool/rows.h"
#include "report/figures/views.h"

/* objects: the rows may be of several objects, which are then told. */
void show_text(const struct rows *r, const struct view_options *opt, bool objects, FILE *out);
void show_tsv(const struct rows *r, const struct view_options *opt, FILE *out);
void show_json(const struct rows *r, const struct view_options *opt, struct json *j,
	const char *key); /* key: see report/common/json.h */

/* A JSON object for the page: what its columns are, and the values of the first rows as arrays. */
void show_page(const struct rows *r, size_t most, FILE *out);

/* Each file of the rows, which are lines, with their values. */
void show_source(const struct rows *r, const struct text_folders *folders, FILE *out);

#endif
