/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single_thread.c - is the program a single process with one thread?
 *
 * It is if it needs no library but the C library, makes no system call itself, and uses no
 * function of that library that makes a thread (pthread_create, thrd_create), may call back in a
 * new thread (timer_create, mq_notify, aio_read, getaddrinfo_a), forks or loads code (dlopen).  The
 * processes of system() and popen() run other programs.
 */
#include "cfg/cfg_priv.h"

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

bool name_is_harmless(const char *name)
{
	return callee_by_name(name) != CALLEE_ANY || IS_ONE_OF(name, harmless);
}

static bool is_linkers(const struct target *t, const char *name)
{
	const char *const *s = t->linker_names;
	while (s && *s && strcmp(*s, name))
		s++;
	return s && *s;
}

/* Do calls install all handlers, by functions of the C library that are known, and none of them? */
static bool has_no_handlers(const struct cfg *g, const uint8_t *kinds)
{
	uint8_t *handler = arena_array(g->arena, uint8_t, g->func.n + 1);
	return g->outside && !cfg_handlers(g, kinds, handler).text &&
		!memchr(handler, 1, g->func.n);
}

static bool symbol_is_harmless(const struct cfg *g, const struct symbol *s, unsigned kinds)
{
	/* an unwinder calls back in the same thread (Itanium C++ ABI: Exception Handling, 1.3) */
	return (kinds & NAME_HANDLES) || name_is_harmless(s->name) ||
		!strncmp(s->name, "_Unwind_", 8) || is_helper(g, s) ||
		is_linkers(g->target, s->name);
}

/* Does s name a function or data of the C library?  A weak name that nothing defines is 0. */
static bool is_outside(const struct cfg *g, const struct symbol *s, bool dynamic)
{
	if (s->sec == SEC_UNDEF)
		return dynamic || symbol_bind(s) != STB_WEAK;
	return is_libcs(g, s);
}

bool cfg_is_single_thread(const struct cfg *g, bool dynamic, bool *interrupted)
{
	const struct object *o = g->obj;
	uint8_t *kinds = arena_array(g->arena, uint8_t, o->sym.n + 1);
	*interrupted = false;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].why == OPAQUE_UNDECODED && !in_libc(g, f))
			return false;
	for (size_t b = 0; b < g->block.n; b++)
		if (g->block.v[b].end == END_SYSCALL && !in_libc(g, g->block.v[b].func))
			return false;
	for (size_t i = 1; i < o->sym.n; i++)
		kinds[i] = (uint8_t)name_kinds(o->sym.v[i].name);
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		for (uint32_t r = 0; may_refer(g, s) && r < s->nrel; r++) {
			uint32_t n = s->rel[r].sym;
			if (!n || !is_outside(g, &o->sym.v[n], dynamic))
				continue;
			if (!symbol_is_harmless(g, &o->sym.v[n], kinds[n]))
				return false;
			*interrupted |= kinds[n] & NAME_HANDLES;
		}
	}
	*interrupted = *interrupted && !has_no_handlers(g, kinds);
	return true;
}
