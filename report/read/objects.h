/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - find programs and shared objects that ran elsewhere
 *
 * A profile identifies its objects by path and by build, which is in the object too.
 */
#ifndef LDX_REPORT_OBJECTS_H
#define LDX_REPORT_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

/* --sysroot, or NULL, and --object: files, and directories that are searched. */
void objects_in(const char *sysroot, char *const *objects, size_t n);

/*
 * The file of this build: one of --object, the one at path in the system root, or at path.  NULL:
 * none of these has the build.
 */
const char *object_of_build(const char *path, uint64_t build);

#endif
