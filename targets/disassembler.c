/* SPDX-License-Identifier: Apache-2.0 */
/* disassembler.c - LLVM's disassemblers; see disassembler.h */
#include "targets/disassembler.h"

#include "base/base.h"
#include "targets/platform.h"

#include <dlfcn.h>
#include <llvm-c/Disassembler.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *find(const char *name)
{
	static void *llvm;
	if (!llvm)
		llvm = dlopen(LDX_LLVM, RTLD_NOW | RTLD_LOCAL);
	return llvm ? dlsym(llvm, name) : NULL;
}

static struct {
	__typeof__(&LLVMCreateDisasmCPUFeatures) create;
	__typeof__(&LLVMDisasmDispose) dispose;
	__typeof__(&LLVMSetDisasmOptions) set_options;
	__typeof__(&LLVMDisasmInstruction) disassemble;
} llvm;

static bool load(void)
{
	llvm.dispose = (__typeof__(llvm.dispose))find("LLVMDisasmDispose");
	llvm.set_options = (__typeof__(llvm.set_options))find("LLVMSetDisasmOptions");
	llvm.disassemble = (__typeof__(llvm.disassemble))find("LLVMDisasmInstruction");
	if (llvm.dispose && llvm.set_options && llvm.disassemble)
		llvm.create = (__typeof__(llvm.create))find("LLVMCreateDisasmCPUFeatures");
	return llvm.create;
}

/* Makes a target of LLVM known; to be called any number of times. */
static bool initialise(const char *target)
{
	static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char name[64];
		snprintf(name, sizeof name, "LLVMInitialize%s%s", target, parts[i]);
		void (*start)(void) = (void (*)(void))find(name);
		if (!start)
			return false;
		start();
	}
	return true;
}

struct disassembler *disassembler_new(const struct platform *p)
{
	static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&starting);
	bool found = (llvm.create || load()) && initialise(p->llvm.target);
	void *d = found
		? llvm.create(p->llvm.triple, p->llvm.cpu, p->llvm.features, NULL, 0, NULL, NULL)
		: NULL;
	pthread_mutex_unlock(&starting); /* what is fatal to a part of the work may not keep it */
	if (!found)
		fatal("cannot load LLVM's disassembler: %s", dlerror());
	if (!d)
		fatal("cannot start LLVM's disassembler");
	return d;
}

void disassembler_free(struct disassembler *d)
{
	if (d)
		llvm.dispose(d);
}

void disassembler_hex(struct disassembler *d)
{
	llvm.set_options(d, LLVMDisassembler_Option_PrintImmHex);
}

size_t disassembler_text(struct disassembler *d, const uint8_t *p, size_t n, uint64_t pc,
	char *text, size_t size)
{
	return llvm.disassemble(d, (uint8_t *)p, n, pc, text, size);
}

/* LLVM's text, with a tab in front of each part. */
static bool read_text(struct disassembler *d, const uint8_t *p, size_t size, uint64_t pc,
	char text[DISASSEMBLER_PARTS])
{
	uint8_t bytes[16];
	size_t at = 0, n;
	*text = '\0';
	if (size > sizeof bytes)
		return false;
	memcpy(bytes, p, size);
	for (; at < size; at += n) {
		size_t used = strlen(text);
		if (at) /* as LLVM itself sets off a prefix */
			text[used++] = '\t';
		n = disassembler_text(d, bytes + at, size - at, pc + at, text + used,
			DISASSEMBLER_PARTS - used - 1);
		if (!n)
			return false;
	}
	return true;
}

/* Divides \tmnemonic\toperands, or \tprefix\t\tmnemonic\toperands. */
static void split_text(const char *text, char *to)
{
	while (*text == '\t') {
		const char *part = ++text;
		size_t n = strcspn(part, "\t");
		memcpy(to, part, n);
		to += n;
		text = part + n;
		if (strncmp(text, "\t\t", 2))
			break;
		*to++ = ' ';
		text++;
	}
	*to++ = '\0';
	strcpy(to, *text == '\t' ? text + 1 : text);
	for (; *to; to++)
		*to = *to == '\t' ? ' ' : *to;
}

bool disassembler_parts(struct disassembler *d, const uint8_t *p, size_t n, uint64_t pc,
	char parts[DISASSEMBLER_PARTS])
{
	char text[DISASSEMBLER_PARTS];
	if (!read_text(d, p, n, pc, text))
		return false;
	split_text(text, parts);
	return true;
}
