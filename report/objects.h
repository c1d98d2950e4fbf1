/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - where programs and shared objects are that have run elsewhere
 *
 * A profile names what it counts by path and by build, which is in the object too.
 */
#ifndef LDX_REPORT_OBJECTS_H
#define LDX_REPORT_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

/* --sysroot, or NULL, and --object: files, and directories that are searched. */
void objects_in(const char *sysroot, char *const *objects, size_t n);

/*
 * The file of this build: one of --object, that at path in the system root, or that at path.  NULL:
 * it is none of these.
 */
const char *object_of_build(const char *path, uint64_t build);

#endif
