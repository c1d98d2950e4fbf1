/* Counts executions of every instruction of the main program by single-stepping it
 * with ptrace on the real CPU (x86-64 Linux).  Follows threads; detaches forked children
 * unless -f.   oracle_step [-f] [-t SECONDS] -o FILE PROGRAM ARGS...
 * Writes FILE: first line the run-time address of the lowest executable segment, then `runtime-address count`. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t lo, hi, *cnt;
static unsigned char *isrep; /* 0 unknown, 1 no, 2 rep string instruction */
struct thr { pid_t pid; uint64_t last; } *th;
static size_t nth;

static void die(const char *s) { perror(s); exit(125); }

static struct thr *find(pid_t p)
{
    for (size_t i = 0; i < nth; i++)
        if (th[i].pid == p)
            return &th[i];
    th = realloc(th, (nth + 1) * sizeof *th);
    if (!th)
        die("realloc");
    th[nth] = (struct thr){ p, 0 };
    return &th[nth++];
}

static uint64_t auxv(pid_t pid, uint64_t type)
{
    char n[64];
    uint64_t v[2];
    snprintf(n, sizeof n, "/proc/%d/auxv", (int)pid);
    int fd = open(n, O_RDONLY);
    if (fd < 0)
        die(n);
    while (read(fd, v, sizeof v) == (ssize_t)sizeof v)
        if (v[0] == type) {
            close(fd);
            return v[1];
        }
    close(fd);
    return 0;
}

/* the executable mappings of the main program: from its program headers in memory */
static void layout(pid_t pid)
{
    uint64_t ph = auxv(pid, AT_PHDR), n = auxv(pid, AT_PHNUM);

    uint64_t bias = 0;
    Elf64_Phdr p[128];
    if (n > 128)
        n = 128;
    struct iovec l = { p, n * sizeof *p }, r = { (void *)ph, n * sizeof *p };
    if (process_vm_readv(pid, &l, 1, &r, 1, 0) < 0)
        die("process_vm_readv");
    /* bias: where the kernel says the entry is, against what the file says */
    char name[64];
    Elf64_Ehdr eh;
    snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
    int fd = open(name, O_RDONLY);
    if (fd < 0 || read(fd, &eh, sizeof eh) != (ssize_t)sizeof eh)
        die(name);
    close(fd);
    bias = auxv(pid, AT_ENTRY) - eh.e_entry;
    lo = UINT64_MAX;
    for (uint64_t i = 0; i < n; i++)
        if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_X)) {
            if (p[i].p_vaddr + bias < lo)
                lo = p[i].p_vaddr + bias;
            if (p[i].p_vaddr + bias + p[i].p_memsz > hi)
                hi = p[i].p_vaddr + bias + p[i].p_memsz;
        }
    cnt = calloc(hi - lo, sizeof *cnt);
    isrep = calloc(hi - lo, 1);
    if (!cnt || !isrep)
        die("calloc");
}

static int rep(pid_t pid, uint64_t a)
{
    unsigned char *m = &isrep[a - lo], b[8];
    if (!*m) {
        struct iovec l = { b, sizeof b }, r = { (void *)a, sizeof b };
        size_t i = 0;
        int f = 0;
        memset(b, 0, sizeof b);
        process_vm_readv(pid, &l, 1, &r, 1, 0);
        for (; i < 6; i++)
            if (b[i] == 0xf2 || b[i] == 0xf3)
                f = 1;
            else if (b[i] != 0x66 && b[i] != 0x67 && (b[i] & 0xf0) != 0x40)
                break;
        unsigned char c = b[i];
        *m = f && ((c >= 0xa4 && c <= 0xa7) || (c >= 0xaa && c <= 0xaf) || (c >= 0x6c && c <= 0x6f)) ? 2 : 1;
    }
    return *m == 2;
}

int main(int argc, char **argv)
{
    const char *out = NULL;
    int follow = 0, c;
    double limit = 1e9;
    while ((c = getopt(argc, argv, "+fo:t:")) != -1)
        if (c == 'f')
            follow = 1;
        else if (c == 'o')
            out = optarg;
        else if (c == 't')
            limit = atof(optarg);
    if (!out || optind >= argc)
        return 125;
    pid_t pid = fork();
    if (pid == 0) {
        personality(ADDR_NO_RANDOMIZE);
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(argv[optind], argv + optind);
        _exit(127);
    }
    int st, rc = 125;
    if (waitpid(pid, &st, 0) < 0 || !WIFSTOPPED(st))
        die("waitpid");
    long opt = PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL |
               (follow ? PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK : 0);
    ptrace(PTRACE_SETOPTIONS, pid, 0, opt);
    ptrace(PTRACE_CONT, pid, 0, 0);
    time_t t0 = time(NULL);
    uint64_t steps = 0;
    int started = 0;
    for (;;) {
        pid_t p = waitpid(-1, &st, __WALL);
        if (p < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        if (WIFEXITED(st) || WIFSIGNALED(st)) {
            if (p == pid)
                rc = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
            continue;
        }
        int sig = WSTOPSIG(st), ev = st >> 16, pass = 0;
        struct thr *t = find(p);
        if (ev == PTRACE_EVENT_EXEC) {
            if (started && p == pid && lo) { /* the program replaced itself: stop counting */
                ptrace(PTRACE_DETACH, p, 0, 0);
                continue;
            }
            if (!started) {
                started = 1;
                layout(p);
            }
            ptrace(PTRACE_SINGLESTEP, p, 0, 0);
            continue;
        }
        if (!started) {
            ptrace(PTRACE_CONT, p, 0, sig == SIGSTOP || sig == SIGTRAP ? 0 : sig);
            continue;
        }
        if (!ev && sig != SIGTRAP && !(sig == SIGSTOP && !t->last)) {
            /* a signal is about to be delivered; an instruction that was counted as
             * reached but has not run (asynchronous signal) is taken back */
            siginfo_t si;
            pass = sig;
            if (ptrace(PTRACE_GETSIGINFO, p, 0, &si) == 0 &&
                !((sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL) && si.si_code > 0)) {
                uint64_t ip = (uint64_t)ptrace(PTRACE_PEEKUSER, p, offsetof(struct user_regs_struct, rip), 0);
                if (ip >= lo && ip < hi && t->last == ip && cnt[ip - lo])
                    cnt[ip - lo]--;
            }
            t->last = 1;
        } else {
            uint64_t ip = (uint64_t)ptrace(PTRACE_PEEKUSER, p, offsetof(struct user_regs_struct, rip), 0);
            if (!ev && ip >= lo && ip < hi && !(t->last == ip && rep(p, ip)))
                cnt[ip - lo]++;
            t->last = ip;
            steps++;
            if ((steps & 0xfffff) == 0 && difftime(time(NULL), t0) > limit) {
                fprintf(stderr, "oracle_step: time limit\n");
                kill(pid, SIGKILL);
                rc = 124;
                break;
            }
        }
        ptrace(PTRACE_SINGLESTEP, p, 0, pass);
    }
    FILE *f = fopen(out, "w");
    if (!f)
        die(out);
    fprintf(f, "%" PRIx64 "\n", lo);
    for (uint64_t i = 0; i < hi - lo; i++)
        if (cnt[i])
            fprintf(f, "%" PRIx64 " %" PRIu64 "\n", lo + i, cnt[i]);
    if (fclose(f))
        die(out);
    return rc;
}
