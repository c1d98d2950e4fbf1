/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callee.c - library functions whose calls end as the standards say
 *
 * The code of functions of a shared C library, or of its replacement, is not in the object; a
 * static C library behaves like the shared one, whatever its code has for other callers.  The lists
 * have functions that never return, and functions that always return: no callbacks, no cancellation
 * points (POSIX.1-2017, XSH 2.9.5.2).  A function of another library may have the same name and
 * behave differently.
 *
 * hazard: C name of another library.  A library may define log or index itself, and what it
 * defines need not return.
 */
#include "cfg/library.h"
#include "cfg/program.h"
#include "reloc/outside.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * ISO C 7.4, 7.11, 7.21, 7.22, 7.24, 7.27, 7.29; POSIX string.h, strings.h, pthread.h, stdio.h,
 * time.h, unistd.h; ELF Handling for Thread-Local Storage; LSB, Base Definitions: the names that
 * headers replace them by.
 */
static const char *const returning[] = {"__ctype_b_loc", "__ctype_tolower_loc",
	"__ctype_toupper_loc", "__errno_location", "__isoc23_strtol", "__isoc23_strtoll",
	"__isoc23_strtoul", "__isoc23_strtoull", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk",
	"__memset_chk", "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk",
	"__strncpy_chk", "__tls_get_addr", "abs", "aligned_alloc", "atof", "atoi", "atol", "atoll",
	"bcmp", "bcopy", "bzero", "calloc", "clearerr", "clock", "clock_gettime", "difftime", "div",
	"feof", "ferror", "ffs", "ffsl", "ffsll", "fileno", "free", "getegid", "getenv", "geteuid",
	"getgid", "getpid", "getppid", "gettimeofday", "getuid", "imaxabs", "imaxdiv", "index",
	"isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower",
	"isprint", "ispunct", "isspace", "isupper", "isxdigit", "labs", "ldiv", "llabs", "lldiv",
	"localeconv", "malloc", "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove",
	"mempcpy", "memrchr", "memset", "posix_memalign", "pthread_mutex_destroy",
	"pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
	"rand", "rawmemchr", "realloc", "rindex", "srand", "stpcpy", "stpncpy", "strcasecmp",
	"strcat", "strchr", "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup",
	"strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk",
	"strrchr", "strsep", "strspn", "strstr", "strtod", "strtof", "strtok", "strtok_r", "strtol",
	"strtold", "strtoll", "strtoul", "strtoull", "strxfrm", "time", "toascii", "tolower",
	"toupper", "wcschr", "wcscmp", "wcscpy", "wcslen", "wcsncmp", "wcsncpy", "wmemchr",
	"wmemcmp", "wmemcpy", "wmemmove", "wmemset"};

/* ISO C 7.12; also with the suffixes f and l. */
static const char *const math[] = {"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh",
	"cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs",
	"fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "ldexp",
	"lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround",
	"modf", "nearbyint", "nextafter", "pow", "remainder", "remquo", "rint", "round", "scalbln",
	"scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc"};

/* Functions that raise SIGABRT, which kills: ISO C 7.2, 7.22.4.1; LSB. */
static const char *const dying[] = {"__assert", "__assert_fail", "__assert_perror_fail",
	"__chk_fail", "__stack_chk_fail", "abort"};

/* ISO C 7.13, 7.22.4; POSIX; Itanium C++ ABI: Exception Handling. */
static const char *const leaving[] = {"_Exit", "_Unwind_Resume", "__cxa_bad_cast",
	"__cxa_bad_typeid", "__cxa_rethrow", "__cxa_throw", "__cxa_throw_bad_array_length",
	"__cxa_throw_bad_array_new_length", "__longjmp_chk", "_exit", "_longjmp", "exit", "longjmp",
	"pthread_exit", "quick_exit", "siglongjmp"};

static int name_cmp(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

bool name_listed(const char *name, const char *const *list, size_t n)
{
	return bsearch(name, list, n, sizeof *list, name_cmp) != NULL;
}

static bool is_math(const char *name)
{
	char base[16];
	size_t n = strlen(name);
	if (IS_ONE_OF(name, math))
		return true;
	if (n < 2 || n > sizeof base || (name[n - 1] != 'f' && name[n - 1] != 'l'))
		return false;
	memcpy(base, name, n - 1);
	base[n - 1] = 0;
	return IS_ONE_OF(base, math);
}

enum callee callee_by_name(const char *name)
{
	/* Most names of a C++ program are mangled ones; symbols of sections have none. */
	if (!*name || (name[0] == '_' && name[1] == 'Z'))
		return CALLEE_ANY;
	if (IS_ONE_OF(name, returning) || is_math(name))
		return CALLEE_RETURNS;
	if (IS_ONE_OF(name, dying))
		return CALLEE_DIES;
	return IS_ONE_OF(name, leaving) ? CALLEE_LEAVES : CALLEE_ANY;
}

/* POSIX.1-2017 and glibc's own: of memory, and of files and sockets without a format. */
const struct accessor *callee_accesses(const char *name)
{
	enum { FIRST = 1, SECOND = 2, THIRD = 4, BOTH = FIRST | SECOND };
	static const struct accessor all[] = {{"__memcpy_chk", BOTH, THIRD},
		{"__memmove_chk", BOTH, THIRD}, {"__mempcpy_chk", BOTH, THIRD},
		{"bcmp", BOTH, THIRD}, {"bcopy", BOTH, THIRD}, {"bzero", FIRST, SECOND},
		{"fread", FIRST, SECOND | THIRD}, {"fwrite", FIRST, SECOND | THIRD},
		{"fwrite_unlocked", FIRST, SECOND | THIRD}, {"memccpy", BOTH, 0},
		{"memchr", FIRST, THIRD}, {"memcmp", BOTH, THIRD}, {"memcpy", BOTH, THIRD},
		{"memmem", FIRST | THIRD, 0}, {"memmove", BOTH, THIRD}, {"mempcpy", BOTH, THIRD},
		{"memrchr", FIRST, THIRD}, {"memset", FIRST, THIRD}, {"pwrite", SECOND, THIRD},
		{"pwrite64", SECOND, THIRD}, {"read", SECOND, THIRD}, {"recv", SECOND, THIRD},
		{"send", SECOND, THIRD}, {"sendto", SECOND, THIRD}, {"strcmp", BOTH, 0},
		{"strlen", FIRST, 0}, {"strncmp", BOTH, THIRD}, {"write", SECOND, THIRD}};
	return bsearch(name, all, sizeof all / sizeof *all, sizeof *all, name_cmp);
}

/* Is it a member of an archive that is a part of the C library, or of the compiler's for C? */
static bool is_of_libc(const char *input)
{
	static const char *const part[] = {"libBrokenLocale.a", "libanl.a", "libc.a",
		"libc_nonshared.a", "libdl.a", "libgcc.a", "libgcc_eh.a", "libm.a", "libmvec.a",
		"libpthread.a", "libpthread_nonshared.a", "libresolv.a", "librt.a", "libutil.a"};
	const char *open = input ? strrchr(input, '(') : NULL, *base = open;
	char name[32];
	while (base && base > input && base[-1] != '/')
		base--;
	if (!open || (size_t)(open - base) >= sizeof name)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)(open - base), base);
	/* libm.a is a script that names libm-2.36.a */
	return IS_ONE_OF(name, part) || !strncmp(name, "libm-", 5);
}

void find_libc(struct cfg *g)
{
	const struct object *o = g->obj;
	g->of_libc = arena_array(g->arena, bool, o->sec.n + 1);
	for (size_t i = 1; i < o->sec.n && o->input; i++)
		g->of_libc[i] = i > 1 && o->input[i] == o->input[i - 1] ? g->of_libc[i - 1]
									: is_of_libc(o->input[i]);
}

bool is_libcs(const struct cfg *g, const struct symbol *s)
{
	if (s->sec == SEC_UNDEF)
		return outside_is_libc(g->outside, s->name);
	return s->sec < g->obj->sec.n && g->of_libc[s->sec];
}

bool is_helper(const struct cfg *g, const struct symbol *s)
{
	static const char lib[] = "libgcc.a(";
	const char *input = s->sec == SEC_UNDEF || s->sec >= g->obj->sec.n || !g->obj->input
		? NULL
		: g->obj->input[s->sec];
	const char *base = input ? strrchr(input, '/') : NULL;
	return input && !strncmp(base ? base + 1 : input, lib, sizeof lib - 1) &&
		strncmp(s->name, "__morestack", 11) && strncmp(s->name, "__splitstack", 12) &&
		strncmp(s->name, "__wrap_", 7);
}

bool in_libc(const struct cfg *g, uint32_t func)
{
	return g->of_libc[g->text.v[g->func.v[func].text].sec->index];
}

bool may_refer(const struct cfg *g, const struct section *s)
{
	return (s->flags & SHF_ALLOC) && !g->of_libc[s->index] && strcmp(s->name, ".eh_frame");
}

/* The C library's IFUNCs, too, behave as the standards say; those of others may choose any code. */
enum callee callee_by_symbol(const struct cfg *g, const struct symbol *s)
{
	return is_libcs(g, s) ? callee_by_name(s->name) : CALLEE_ANY;
}
