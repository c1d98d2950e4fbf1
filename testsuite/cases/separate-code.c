/*
 * Code shares no page of the file with data, as GNU ld has it.  Who finds a segment by the file offset
 * of its mapping, as libunwind does in another process, takes the wrong one when both have one page.
 * hazard: lost bss of -N.
 */
//# targets: x86_64 aarch64; elsewhere GNU ld does not separate code
//# stdout: 0 shared pages
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>

static int shared(struct dl_phdr_info *info, size_t size, void *data)
{
	int *n = data;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		for (int k = 0; k < info->dlpi_phnum; k++) {
			const ElfW(Phdr) *x = &info->dlpi_phdr[i], *p = &info->dlpi_phdr[k];
			if (x->p_type == PT_LOAD && p->p_type == PT_LOAD && p->p_filesz &&
			    x->p_flags & PF_X && ~p->p_flags & PF_X)
				*n += x->p_offset >> 12 <= (p->p_offset + p->p_filesz - 1) >> 12 &&
				      p->p_offset >> 12 <= (x->p_offset + x->p_filesz - 1) >> 12;
		}
	return 1;	/* only the program, which comes first */
}

int main(void)
{
	int n = 0;
	dl_iterate_phdr(shared, &n);
	printf("%d shared pages\n", n);
}
