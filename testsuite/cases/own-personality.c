/*
 * hazard: personality routine of its own.  Its tables are in .rodata, in a format of their own.
 */
//# targets: x86_64; assembly for this CPU
//# cflags: -fexceptions
//# each: -O2 -fno-pie -no-pie
//# stdout: landed 7
//# opaque: guarded
//# report: thrower 1
//# report: own 2
//# oracle: step skip=guarded
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

long guarded(long);
extern const char guarded_end[];

__asm__(".pushsection .text.guarded,\"ax\",@progbits\n.globl guarded\n.type guarded,@function\nguarded:\n"
	".cfi_startproc\n.cfi_personality 0x9b, ref_own\n.cfi_lsda 0x1b, .Lown\n"
	"push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx,-16\n"
	"mov %rdi,%rbx\ntest %edi,%edi\nje 3f\ncmp $1,%edi\nje 3f\n"
	"call thrower\n2: mov $1,%eax\njmp 4f\n3: mov $2,%eax\n"
	"4: pop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_def_cfa_offset 16\n"
	"5: lea 2(%rbx),%rax\ntest %eax,%eax\njs 4b\njmp 4b\n"
	".globl guarded_end\nguarded_end:\n.cfi_endproc\n.size guarded,.-guarded\n"
	".section .rodata\n.Lown: .byte 0xff,0xff,1,8,guarded_end-2b,0,0,0,guarded_end-5b,0,0,0\n"
	".section .data.rel.local,\"aw\"\n.p2align 3\nref_own: .quad own\n.popsection\n");

__attribute__((used)) _Unwind_Reason_Code own(int v, _Unwind_Action a, _Unwind_Exception_Class c,
	struct _Unwind_Exception *e, struct _Unwind_Context *x)
{
	const unsigned char *t = _Unwind_GetLanguageSpecificData(x);
	(void)v, (void)c, (void)e;
	if (_Unwind_GetIP(x) != (uintptr_t)guarded_end - t[4])
		return _URC_CONTINUE_UNWIND;
	if (a & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	_Unwind_SetIP(x, (uintptr_t)guarded_end - t[8]);
	return _URC_INSTALL_CONTEXT;
}

static struct _Unwind_Exception thrown;
__attribute__((used, noinline)) void thrower(void)
{
	thrown.exception_class = 1;
	_Unwind_RaiseException(&thrown);
	puts("lost");
	exit(3);
}

int main(void)
{
	guarded(0);
	guarded(1);
	printf("landed %ld\n", guarded(5));
	return 0;
}
