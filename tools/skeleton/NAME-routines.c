/* NAME-routines.c - what is linked into the program: see <ldx/analysis.h> */
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls;

LDX_ROUTINE void enter(void)
{
	ldx_add(calls, , 1);
}
