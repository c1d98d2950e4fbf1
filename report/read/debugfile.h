/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debugfile.h - the file with what was stripped from a program
 */
#ifndef LDX_REPORT_DEBUGFILE_H
#define LDX_REPORT_DEBUGFILE_H

/* Its path, by the build ID and the debug link of the file at path; or NULL. */
char *debug_file_of(const char *path);

#endif
