/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - code that others recognise by its bytes or its name
 */
#include "targets/x86_64/x86_64.h"

/* push %rbp; mov %rsp,%rbp in either encoding, behind endbr64: gdb's amd64 prologue. */
uint32_t x86_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n)
{
	uint32_t k = n && (in[0].flags & INSN_LANDING) ? 1 : 0;

	if (n < k + 2 || in[k].len != 1 || text[in[k].off] != 0x55 || in[k + 1].len != 3)
		return 0;
	const uint8_t *p = text + in[k + 1].off;
	bool store = p[1] == 0x89 && p[2] == 0xe5, load = p[1] == 0x8b && p[2] == 0xec;
	return p[0] == 0x48 && (store || load) ? k + 2 : 0;
}

static bool has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * hazard: retpoline thunk.  A thunk overwrites its return address with the target: known by
 * its name, and left whole.
 *
 * hazard: signal return code.  Unwinders and debuggers know __restore_rt by its bytes.
 */
bool x86_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	/* mov $__NR_rt_sigreturn,%rax; syscall: unwinders and debuggers compare bytes. */
	static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t sigreturn32[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};

	*why = "signal return trampoline";
	if (n >= sizeof sigreturn && !memcmp(p, sigreturn, sizeof sigreturn))
		return true;
	if (n >= sizeof sigreturn32 && !memcmp(p, sigreturn32, sizeof sigreturn32))
		return true;
	if (!name)
		return false;
	if (!strcmp(name, "__restore_rt") || !strcmp(name, "__restore"))
		return true;
	*why = "retpoline thunk";
	if (has_prefix(name, "__llvm_retpoline_") || has_prefix(name, "__x86_indirect_thunk") ||
		has_prefix(name, "__x86_return_thunk") ||
		has_prefix(name, "__x86_indirect_call_thunk"))
		return true;
	*why = "type hash in front of a function";
	return has_prefix(name, "__cfi_");
}
