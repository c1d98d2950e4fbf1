/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - what the functions of the C library do, by their names
 */
#include "cfg/library.h"
#include "cfg/program.h"

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
 * headers and crt files give them; sorted.  See also callee.c.
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
