/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single_thread.c - is the program a single process with one thread?
 *
 * It is if it needs no library but the C library, makes no system call itself, and uses no
 * function of that library that makes a thread (pthread_create, thrd_create), may call back in a
 * new thread (timer_create, mq_notify, aio_read, getaddrinfo_a), forks, loads code (dlopen) or
 * installs signal handlers (signal, sigaction).  The processes of system() and popen() run other
 * programs.
 */
#include "cfg/cfg_priv.h"

/*
 * Other functions of ISO C and POSIX that programs often use, also by the names that glibc's
 * headers and crt files give them; sorted.  See also callee.c.
 */
static const char *const harmless[] = {"__asprintf_chk", "__ctype_get_mb_cur_max", "__cxa_atexit",
	"__cxa_finalize", "__dprintf_chk", "__environ", "__explicit_bzero_chk", "__fdelt_chk",
	"__fgets_chk", "__fprintf_chk", "__fread_chk", "__fread_unlocked_chk", "__getcwd_chk",
	"__gethostname_chk", "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf",
	"__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__isoc99_vfscanf",
	"__isoc99_vscanf", "__isoc99_vsscanf", "__libc_start_main", "__mbstowcs_chk", "__open64_2",
	"__open_2", "__openat64_2", "__openat_2", "__overflow", "__poll_chk", "__pread64_chk",
	"__pread_chk", "__printf_chk", "__progname", "__read_chk", "__readlink_chk",
	"__realpath_chk", "__sigsetjmp", "__snprintf_chk", "__sprintf_chk", "__stack_chk_guard",
	"__stpncpy_chk", "__strerror_r_chk", "__strlcat_chk", "__strlcpy_chk", "__uflow",
	"__vasprintf_chk", "__vfprintf_chk", "__vprintf_chk", "__vsnprintf_chk", "__vsprintf_chk",
	"__wcstombs_chk", "_setjmp", "access", "arc4random", "arc4random_buf", "arc4random_uniform",
	"asctime", "asctime_r", "asprintf", "at_quick_exit", "atexit", "bsearch", "btowc", "chdir",
	"chmod", "chown", "clearerr_unlocked", "close", "closedir", "creat", "creat64", "ctime",
	"ctime_r", "daylight", "dprintf", "dup", "dup2", "environ", "execl", "execlp", "execv",
	"execve", "execvp", "explicit_bzero", "fchdir", "fchmod", "fchown", "fclose", "fcntl",
	"fcntl64", "fdatasync", "fdopen", "feclearexcept", "fegetenv", "fegetexceptflag",
	"fegetround", "feholdexcept", "feof_unlocked", "feraiseexcept", "ferror_unlocked",
	"fesetenv", "fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv", "fflush",
	"fflush_unlocked", "fgetc", "fgetpos", "fgetpos64", "fgets", "fgets_unlocked", "fgetwc",
	"fgetws", "fileno_unlocked", "flockfile", "fmemopen", "fopen", "fopen64", "fprintf",
	"fputc", "fputs", "fputs_unlocked", "fputwc", "fputws", "fread", "fread_unlocked",
	"freopen", "freopen64", "fscanf", "fseek", "fseeko", "fseeko64", "fsetpos", "fsetpos64",
	"fstat", "fstat64", "fstatat", "fstatat64", "fsync", "ftell", "ftello", "ftello64",
	"ftruncate", "ftruncate64", "ftrylockfile", "funlockfile", "futimens", "fwide", "fwprintf",
	"fwrite", "fwrite_unlocked", "getc", "getc_unlocked", "getchar", "getchar_unlocked",
	"getcwd", "getdelim", "getentropy", "gethostname", "getline", "getopt", "getopt_long",
	"getpagesize", "getrandom", "getrlimit", "getrusage", "getwc", "getwchar", "gmtime",
	"gmtime_r", "isatty", "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswctype",
	"iswdigit", "iswgraph", "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper",
	"iswxdigit", "link", "localtime", "localtime_r", "lseek", "lseek64", "lstat", "lstat64",
	"mblen", "mbrlen", "mbrtowc", "mbsinit", "mbsrtowcs", "mbstowcs", "mbtowc", "mkdir",
	"mkdtemp", "mkstemp", "mkstemp64", "mktime", "mmap", "mmap64", "mprotect", "msync",
	"munmap", "nanosleep", "nl_langinfo", "open", "open64", "open_memstream", "openat",
	"openat64", "opendir", "optarg", "opterr", "optind", "optopt", "pathconf", "pclose",
	"perror", "pipe", "poll", "popen", "pread", "pread64", "printf", "program_invocation_name",
	"program_invocation_short_name", "putc", "putc_unlocked", "putchar", "putchar_unlocked",
	"putenv", "puts", "putwc", "putwchar", "pwrite", "pwrite64", "qsort", "random", "read",
	"readdir", "readdir64", "readlink", "readv", "realpath", "remove", "rename", "rewind",
	"rewinddir", "rmdir", "scanf", "secure_getenv", "select", "setbuf", "setenv", "setjmp",
	"setlocale", "setvbuf", "signgam", "sigsetjmp", "sleep", "snprintf", "sprintf", "srandom",
	"sscanf", "stat", "stat64", "stderr", "stdin", "stdout", "strerror", "strerror_r",
	"strftime", "strsignal", "swprintf", "symlink", "sysconf", "system", "times", "timezone",
	"tmpfile", "tmpfile64", "tmpnam", "towctrans", "towlower", "towupper", "truncate",
	"truncate64", "ttyname", "tzname", "tzset", "umask", "ungetc", "ungetwc", "unlink",
	"unsetenv", "usleep", "utime", "utimensat", "utimes", "vasprintf", "vfprintf", "vfscanf",
	"vfwprintf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "vswprintf",
	"vwprintf", "wait", "waitpid", "wcrtomb", "wcscat", "wcscoll", "wcscspn", "wcsftime",
	"wcsncat", "wcspbrk", "wcsrchr", "wcsrtombs", "wcsspn", "wcsstr", "wcstod", "wcstof",
	"wcstok", "wcstol", "wcstold", "wcstoll", "wcstombs", "wcstoul", "wcstoull", "wcsxfrm",
	"wctob", "wctomb", "wctrans", "wctype", "wprintf", "write", "writev"};

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

bool cfg_is_single_thread(const struct cfg *g)
{
	const struct object *o = g->obj;
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].why == OPAQUE_UNDECODED && !in_libc(g, f))
			return false;
	for (size_t b = 0; b < g->block.n; b++)
		if (g->block.v[b].end == END_SYSCALL && !in_libc(g, g->block.v[b].func))
			return false;
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		for (uint32_t r = 0; may_refer(g, s) && r < s->nrel; r++) {
			const struct symbol *sym = &o->sym.v[s->rel[r].sym];
			bool out = sym->sec == SEC_UNDEF || is_libcs(g, sym);
			if (s->rel[r].sym && out && !name_is_harmless(sym->name) &&
				!is_linkers(g->target, sym->name))
				return false;
		}
	}
	return true;
}
