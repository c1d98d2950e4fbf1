/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - what the functions of the C library do, by their names
 *
 * The lists of callee_by_name() have functions that never return, and functions that always
 * return: no callbacks, no cancellation points (POSIX.1-2017, XSH 2.9.5.2).
 */
#include "program/library.h"

#include "base/base.h"

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

static int name_cmp(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
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

static const char *const handles[] = {"__sigaction", "__sysv_signal", "bsd_signal", "sigaction",
	"signal", "sigset", "sigvec", "ssignal", "syscall", "sysv_signal"};

/* With what _Unwind_GetCFA and _Unwind_GetGR tell, the context can be found. */
static const char *const leaves[] = {"_Unwind_ForcedUnwind", "_Unwind_GetCFA", "_Unwind_GetGR",
	"_Unwind_RaiseException", "__cxa_rethrow", "__cxa_throw", "__longjmp_chk", "_longjmp",
	"longjmp", "pthread_cancel", "pthread_exit", "setcontext", "siglongjmp", "swapcontext",
	"thrd_exit"};

static const char *const forks[] = {"_Fork", "__clone", "__fork", "__vfork", "clone", "daemon",
	"fork", "forkpty", "vfork"};

/*
 * Other functions of ISO C and POSIX that programs often use, also by the names that glibc's
 * headers and crt files give them; sorted.  See also returning.
 */
static const char *const harmless[] = {"__asprintf_chk", "__ctype_get_mb_cur_max", "__cxa_atexit",
	"__cxa_finalize", "__dprintf_chk", "__dso_handle", "__duplocale", "__environ",
	"__explicit_bzero_chk", "__fdelt_chk", "__fgets_chk", "__fprintf_chk", "__fread_chk",
	"__fread_unlocked_chk", "__freelocale", "__getcwd_chk", "__gethostname_chk",
	"__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf", "__isoc99_fscanf", "__isoc99_scanf",
	"__isoc99_sscanf", "__isoc99_vfscanf", "__isoc99_vscanf", "__isoc99_vsscanf",
	"__iswctype_l", "__libc_single_threaded", "__libc_start_main", "__mbstowcs_chk",
	"__newlocale", "__nl_langinfo_l", "__open64_2", "__open_2", "__openat64_2", "__openat_2",
	"__overflow", "__poll_chk", "__pread64_chk", "__pread_chk", "__printf_chk", "__progname",
	"__read_chk", "__readlink_chk", "__realpath_chk", "__sigsetjmp", "__snprintf_chk",
	"__sprintf_chk", "__stack_chk_guard", "__stpncpy_chk", "__strcoll_l", "__strerror_r_chk",
	"__strftime_l", "__strlcat_chk", "__strlcpy_chk", "__strtod_l", "__strtof_l", "__strtold_l",
	"__strxfrm_l", "__towlower_l", "__towupper_l", "__uflow", "__uselocale", "__vasprintf_chk",
	"__vfprintf_chk", "__vprintf_chk", "__vsnprintf_chk", "__vsprintf_chk", "__wcscoll_l",
	"__wcsftime_l", "__wcstombs_chk", "__wcsxfrm_l", "__wctype_l", "_setjmp", "access", "alarm",
	"arc4random", "arc4random_buf", "arc4random_uniform", "asctime", "asctime_r", "asprintf",
	"at_quick_exit", "atexit", "bind_textdomain_codeset", "bindtextdomain", "bsearch", "btowc",
	"chdir", "chmod", "chown", "clearerr_unlocked", "close", "closedir", "creat", "creat64",
	"ctime", "ctime_r", "daylight", "dcgettext", "dcngettext", "dgettext", "dngettext",
	"dprintf", "dup", "dup2", "duplocale", "environ", "execl", "execlp", "execv", "execve",
	"execvp", "explicit_bzero", "fchdir", "fchmod", "fchown", "fclose", "fcntl", "fcntl64",
	"fdatasync", "fdopen", "feclearexcept", "fegetenv", "fegetexceptflag", "fegetround",
	"feholdexcept", "feof_unlocked", "feraiseexcept", "ferror_unlocked", "fesetenv",
	"fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv", "fflush", "fflush_unlocked",
	"fgetc", "fgetpos", "fgetpos64", "fgets", "fgets_unlocked", "fgetwc", "fgetws",
	"fileno_unlocked", "flockfile", "fmemopen", "fopen", "fopen64", "fprintf", "fputc", "fputs",
	"fputs_unlocked", "fputwc", "fputws", "fread", "fread_unlocked", "freelocale", "freopen",
	"freopen64", "fscanf", "fseek", "fseeko", "fseeko64", "fsetpos", "fsetpos64", "fstat",
	"fstat64", "fstatat", "fstatat64", "fsync", "ftell", "ftello", "ftello64", "ftruncate",
	"ftruncate64", "ftrylockfile", "funlockfile", "futimens", "fwide", "fwprintf", "fwrite",
	"fwrite_unlocked", "getc", "getc_unlocked", "getchar", "getchar_unlocked", "getcwd",
	"getdelim", "getentropy", "gethostname", "getline", "getopt", "getopt_long", "getpagesize",
	"getrandom", "getrlimit", "getrusage", "gettext", "getwc", "getwchar", "gmtime", "gmtime_r",
	"iconv", "iconv_close", "iconv_open", "ioctl", "isatty", "iswalnum", "iswalpha", "iswblank",
	"iswcntrl", "iswctype", "iswctype_l", "iswdigit", "iswgraph", "iswlower", "iswprint",
	"iswpunct", "iswspace", "iswupper", "iswxdigit", "kill", "link", "localtime", "localtime_r",
	"lseek", "lseek64", "lstat", "lstat64", "mblen", "mbrlen", "mbrtowc", "mbsinit",
	"mbsnrtowcs", "mbsrtowcs", "mbstowcs", "mbtowc", "mkdir", "mkdtemp", "mkstemp", "mkstemp64",
	"mktime", "mmap", "mmap64", "mprotect", "msync", "munmap", "nanosleep", "newlocale",
	"ngettext", "nl_langinfo", "nl_langinfo_l", "open", "open64", "open_memstream", "openat",
	"openat64", "opendir", "optarg", "opterr", "optind", "optopt", "pathconf", "pause",
	"pclose", "perror", "pipe", "poll", "popen", "pread", "pread64", "printf",
	"program_invocation_name", "program_invocation_short_name", "pthread_once", "putc",
	"putc_unlocked", "putchar", "putchar_unlocked", "putenv", "puts", "putwc", "putwchar",
	"pwrite", "pwrite64", "qsort", "raise", "random", "read", "readdir", "readdir64",
	"readlink", "readv", "realpath", "remove", "rename", "rewind", "rewinddir", "rmdir",
	"scanf", "secure_getenv", "select", "setbuf", "setenv", "setjmp", "setlocale", "setvbuf",
	"sigaddset", "sigdelset", "sigemptyset", "sigfillset", "sigismember", "signgam",
	"sigprocmask", "sigsetjmp", "sleep", "snprintf", "sprintf", "srandom", "sscanf", "stat",
	"stat64", "stderr", "stdin", "stdout", "strcoll_l", "strerror", "strerror_r", "strftime",
	"strftime_l", "strsignal", "strtod_l", "strtof_l", "strtold_l", "strxfrm_l", "swprintf",
	"symlink", "sysconf", "system", "textdomain", "times", "timezone", "tmpfile", "tmpfile64",
	"tmpnam", "towctrans", "towlower", "towlower_l", "towupper", "towupper_l", "truncate",
	"truncate64", "ttyname", "tzname", "tzset", "umask", "ungetc", "ungetwc", "unlink",
	"unsetenv", "uselocale", "usleep", "utime", "utimensat", "utimes", "vasprintf", "vfprintf",
	"vfscanf", "vfwprintf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf",
	"vswprintf", "vwprintf", "wait", "waitpid", "wcrtomb", "wcscat", "wcscoll", "wcscoll_l",
	"wcscspn", "wcsftime", "wcsftime_l", "wcsncat", "wcsnrtombs", "wcspbrk", "wcsrchr",
	"wcsrtombs", "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstok", "wcstol", "wcstold",
	"wcstoll", "wcstombs", "wcstoul", "wcstoull", "wcsxfrm", "wcsxfrm_l", "wctob", "wctomb",
	"wctrans", "wctype", "wctype_l", "wprintf", "write", "writev"};

unsigned name_kinds(const char *name)
{
	if (!strncmp(name, "_Z", 2)) /* std::__throw_out_of_range() and the like */
		return strncmp(name, "_ZSt", 4) || !strstr(name, "__throw_") ? 0 : NAME_LEAVES;
	return (IS_ONE_OF(name, handles) ? NAME_HANDLES : 0) |
		(IS_ONE_OF(name, leaves) ? NAME_LEAVES : 0) |
		(IS_ONE_OF(name, forks) ? NAME_FORKS : 0) |
		(strcmp(name, "syscall") ? 0 : NAME_SYSCALL) |
		(strcmp(name, "pthread_cancel") ? 0 : NAME_STOPS) |
		(strcmp(name, "dlsym") && strcmp(name, "dlvsym") ? 0 : NAME_LOOKS_UP) |
		(strcmp(name, "pthread_setcanceltype") ? 0 : NAME_CANCELS);
}

bool name_is_harmless(const char *name)
{
	return callee_by_name(name) != CALLEE_ANY || IS_ONE_OF(name, harmless);
}

bool kinds_break_off(unsigned kinds)
{
	return (kinds & NAME_CANCELS) || ((kinds & NAME_HANDLES) && (kinds & NAME_LEAVES));
}
