/* SPDX-License-Identifier: Apache-2.0 */
/* headers.c - what the links must know of the reference */
#include "ldwrap/image.h"

#include "targets/platform.h"

/* Is its dynamic linker glibc's, in whatever directory? */
static bool has_glibc(const struct image *im, const struct platform *on)
{
	const Elf64_Phdr *p = image_segment(im, PT_INTERP);
	if (!p || !p->p_filesz || !image_inside(im, p->p_offset, p->p_filesz))
		return false;
	const char *path = (const char *)im->file.p + p->p_offset;
	return !path[p->p_filesz - 1] && !strcmp(base_name(path), on->glibc_loader);
}

/*
 * hazard: PIE that looks fixed.  GNU ld marks a PIE whose image base is not 0 as ET_EXEC.
 */
void headers_read(const char *path, struct headers *h)
{
	struct image im;
	*h = (struct headers){0};
	if (image_open(&im, path)) {
		const struct platform *on =
			platform_find(im.eh.e_machine, im.form.word, im.form.big);
		const Elf64_Phdr *stack = image_segment(&im, PT_GNU_STACK);
		h->elf = true;
		h->entry = im.eh.e_entry;
		h->flags = im.eh.e_flags;
		h->interp = image_segment(&im, PT_INTERP);
		h->dynamic = image_segment(&im, PT_DYNAMIC);
		h->glibc = on && has_glibc(&im, on);
		image_dynamic(&im);
		/* GNU ld marks a PIE with an image base as ET_EXEC */
		h->moves = im.eh.e_type != ET_EXEC || image_value(&im, DT_FLAGS_1) & DF_1_PIE;
		for (size_t i = 0; i < im.ph.n; i++)
			if (im.ph.v[i].p_type == PT_LOAD) {
				h->end = im.ph.v[i].p_vaddr + im.ph.v[i].p_memsz;
				h->code |= im.ph.v[i].p_flags & PF_X;
				h->code_writable |= (im.ph.v[i].p_flags & PF_X) &&
					(im.ph.v[i].p_flags & PF_W);
			}
		if (stack)
			h->stack = stack->p_flags & PF_X ? "execstack" : "noexecstack";
		image_close(&im);
	}
}
