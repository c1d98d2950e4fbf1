/* SPDX-License-Identifier: Apache-2.0 */
/* debugfile.c - the file with what was stripped from a program; see debugfile.h */
#include "report/read/debugfile.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

/* It is searched for as the debug information is, but need not have any. */
char *debug_file_of(const char *path)
{
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address};
	Dwfl *d = dwfl_begin(&callbacks);
	Dwfl_Module *m = d ? dwfl_report_offline(d, path, path, -1) : NULL;
	GElf_Addr bias, base = 0;
	GElf_Word crc = 0;
	void **data = NULL;
	char *found = NULL;
	Elf *e = m ? dwfl_module_getelf(m, &bias) : NULL;
	if (e) {
		const char *link = dwelf_elf_gnu_debuglink(e, &crc);
		const char *name = dwfl_module_info(m, &data, &base, NULL, NULL, NULL, NULL, NULL);
		int fd = dwfl_standard_find_debuginfo(m, data, name, base, path, link, crc, &found);
		if (fd >= 0)
			close(fd);
	}
	dwfl_end(d);
	return found;
}
