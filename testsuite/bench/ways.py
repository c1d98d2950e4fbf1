# SPDX-License-Identifier: Apache-2.0
"""Ways to have a program counted: ldx in its modes, and what one would use in its place.

A way is a compiler with flags, a link, and perhaps a program that rewrites or runs the result.
Whether a tool is there is found out by counting an empty program with it.
"""
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), d) for d in ("oracle", "programs")]
import oracle  # noqa: E402

# afl-clang-fast is clang 14 with a pass of its own
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19"), "clang 14": ("clang-14", "clang++-14"),
             "afl": ("afl-clang-fast", "afl-clang-fast++")}
BASES = {"gcc": "plain", "clang": "clang's plain", "clang 14": "clang 14's plain", "afl": "clang 14's plain"}
# afl-clang-fast says what it does, and compiles with -O3
os.environ.update(AFL_QUIET="1", AFL_DONT_OPTIMIZE="1")


class Way:
    """tells: what a user of it learns; compared with the mode of ldx that tells the same.

    flags are given to the compiler, also when it links; ldflags only then; extra: a source file
    that is linked with instead of the runtime that flags would bring; ldx: options, when ldx links;
    @COUNTS@: the counts of a run of the program that `edges` links;
    after: a command that makes @OUT@ of @IN@; runner: a command in front of the program, a slow one.
    """

    def __init__(self, name, compiler="gcc", flags="", ldflags="", ldx=None, after=None, runner=None, tells=None,
                 extra=None):
        self.name, self.compiler, self.flags, self.ldflags = name, compiler, flags.split(), ldflags.split()
        self.ldx, self.after, self.runner, self.tells, self.extra = ldx, after, runner, tells, extra
        self.base = BASES[compiler]


# the name in /usr/bin does not find its library
BOLT = ("/usr/lib/llvm-19/bin/llvm-bolt @IN@ -o @OUT@ -instrument -instrumentation-file=@PROFILE@.fdata "
        "-instrumentation-file-append-pid=0")
CALLGRIND = "valgrind -q --tool=callgrind --dump-instr=yes --callgrind-out-file=@PROFILE@.callgrind"
QEMU = "qemu-x86_64 -cpu max -plugin @PLUGIN@,out=@PROFILE@.tcg"

WAYS = [
    Way("plain"),
    Way("none", ldx="--instrument=none --ldx-map"),
    Way("functions", ldx="--instrument=functions"),
    Way("cover", ldx="--instrument=cover"),
    Way("blocks", ldx="--instrument=blocks"),
    Way("edges", ldx="--instrument=edges"),
    Way("blocks, plain counters", ldx="--instrument=blocks --ldx-counters=plain"),
    Way("edges, plain counters", ldx="--instrument=edges --ldx-counters=plain"),
    Way("edges, counts of a run known", ldx="--instrument=edges --ldx-use-profile=@COUNTS@"),
    Way("clang's plain", "clang"),
    Way("edges, clang's code", "clang", ldx="--instrument=edges"),
    Way("gcc -fprofile-arcs", flags="-fprofile-arcs", tells="edges"),
    Way("gcc, atomic", flags="-fprofile-arcs -fprofile-update=atomic", tells="edges"),
    Way("clang -fprofile-generate", "clang", "-fprofile-generate", tells="edges"),
    Way("clang, atomic", "clang", "-fprofile-generate -fprofile-update=atomic", tells="edges"),
    Way("clang 8-bit", "clang", "-fsanitize-coverage=inline-8bit-counters", tells="cover", extra="sancov.c"),
    Way("clang flags", "clang", "-fsanitize-coverage=inline-bool-flag", tells="cover", extra="sancov.c"),
    Way("BOLT", ldflags="-Wl,--emit-relocs", after=BOLT, tells="edges"),
    Way("callgrind", runner=CALLGRIND, tells="blocks"),
    Way("qemu", runner=QEMU, tells="blocks"),
]

# Of libraries that a plain program calls: those of WAYS that count them where they are.
OF_PROGRAMS = ("blocks, plain counters", "edges, plain counters", "edges, counts of a run known", "BOLT")
LIBRARIES = [w for w in WAYS if w.name not in OF_PROGRAMS and not w.runner]

# Requests of tools (probe.c), and what compilers insert at the same places, which calls calls.c.
PROBE = "--instrument=none --ldx-tool=@PROBE@:at=%s:by=%s"
LACKEY = "valgrind -q --tool=lackey --basic-counts=yes --log-file=@PROFILE@.lackey"
CACHEGRIND = "valgrind -q --tool=cachegrind --cache-sim=no --branch-sim=yes --cachegrind-out-file=@PROFILE@.cachegrind"
TOOLS = [
    Way("plain"),
    Way("clang's plain", "clang"),
    Way("clang 14's plain", "clang 14"),
    Way("edges", ldx="--instrument=edges"),
    Way("callgrind", runner=CALLGRIND),
    Way("lackey", runner=LACKEY),
    Way("an addition at each block", ldx=PROBE % ("blocks", "add")),
    Way("clang 8-bit", "clang", "-fsanitize-coverage=inline-8bit-counters", extra="sancov.c"),
    Way("a mark at each block", ldx=PROBE % ("blocks", "mark")),
    Way("clang flags", "clang", "-fsanitize-coverage=inline-bool-flag", extra="sancov.c"),
    Way("a copied routine at each block", ldx=PROBE % ("blocks", "pasted")),
    Way("a called routine at each block", ldx=PROBE % ("blocks", "called")),
    Way("clang trace-pc-guard", "clang", "-fsanitize-coverage=trace-pc-guard", extra="calls.c"),
    Way("a copied routine at entries and exits", ldx=PROBE % ("entries", "pasted")),
    Way("a called routine at entries and exits", ldx=PROBE % ("entries", "called")),
    Way("gcc -finstrument-functions", flags="-finstrument-functions", extra="calls.c"),
    Way("calls", ldx="--instrument=none --ldx-tool=calls"),
    Way("branch", ldx="--ldx-tool=branch"),
    Way("branch, cachegrind's predictor", ldx="--ldx-tool=branch:predictor=shared"),
    Way("cachegrind --branch-sim", runner=CACHEGRIND),
    Way("afl", ldx="--instrument=none --ldx-tool=afl"),
    Way("afl, clang 14's code", "clang 14", ldx="--instrument=none --ldx-tool=afl"),
    Way("afl-clang-fast", "afl"),
]


class Failed(Exception):
    pass


def sh(cmd, **how):
    try:
        r = subprocess.run(cmd, capture_output=True, text=True, **how)
    except OSError as e:
        raise Failed(str(e)) from e
    if r.returncode:
        raise Failed("%s: %s" % (os.path.basename(cmd[0]), (r.stderr.strip() or "status %d" % r.returncode)[-300:]))
    return r.stdout


class Bench:
    """Where ldx is, and where things are put."""

    def __init__(self, stage, work):
        self.stage, self.work = stage, work
        self.out = os.path.join(work, "out")            # what running programs leave
        self.profile = os.path.join(self.out, "profile")
        self.empty = os.path.join(work, "empty")        # a program that does nothing, plainly linked
        self.probed = False

    def expand(self, cmd, **more):
        words = dict({"PROFILE": self.profile}, **more)
        if "@PLUGIN@" in cmd:
            words["PLUGIN"] = oracle.helper("oracle_tcg.c", "oracle_tcg.so", ["-shared", "-fPIC"])
        if "@PROBE@" in cmd:
            words["PROBE"] = self.probe()
        for k, v in words.items():
            cmd = cmd.replace("@%s@" % k, v)
        return shlex.split(cmd)

    def probe(self):
        """The package of the tool probe.c, built once."""
        package = os.path.join(self.work, "probe.ldxtool")
        if not self.probed:
            sh([self.stage + "/bin/ldxtool", "build", "probe", "--cpu=x86_64", "-o", package], cwd=HERE)
            self.probed = True
        return package

    def compiler(self, way, cxx=False):
        return COMPILERS[way.compiler][cxx]

    def link(self, way, objects, libs, out, cxx=False, flags=(), kind="-no-pie"):
        """Link OBJECTS in this WAY.  -no-pie: the same addresses in each run, for all ways; KIND: or -shared."""
        if way.ldx:
            ld = sh([self.stage + "/bin/ldx", "--ldx-print=bindir"]).strip()
            words = {}
            if "@COUNTS@" in way.ldx:
                edges = Way(way.name, way.compiler, ldx="--instrument=edges")
                words["COUNTS"] = self.counts(self.link(edges, objects, libs, out + ".before", cxx))
            args = ["-Wl," + a for a in self.expand(way.ldx, **words) + ["--ldx-strict", *flags]]
        else:
            ld, args = None, way.ldflags + ([] if way.extra else way.flags)
        cmd = [self.compiler(way, cxx), kind, "-pthread"] + (["-B" + ld] if ld else []) + args + objects
        if way.extra:
            obj = os.path.join(self.work, way.extra[:-2] + ".o")
            sh(["gcc", "-O2", "-fPIC", "-c", os.path.join(HERE, way.extra), "-o", obj])
            cmd.append(obj)
        first = out + ".before" if way.after else out
        sh(cmd + list(libs) + ["-o", first])
        if way.after:
            sh(self.expand(way.after, IN=first, OUT=out))
        return out

    def counts(self, prog):
        """A file of what PROG counts when there is less to do."""
        sh([prog, "small"], env=self.environment())
        with open(prog + ".counts", "w") as f:
            f.write(sh([self.stage + "/bin/ldxprof", "export", "--format=counts", prog, self.profile]))
        return f.name

    def link_caller(self, library, out, cxx):
        """A plain program that calls what was the main function of a LIBRARY."""
        sh([COMPILERS["gcc"][cxx], "-O2", "-x", "c++" if cxx else "c", os.path.join(HERE, "caller.c"), "-x", "none",
            library, "-o", out])
        return out

    def command(self, way, prog):
        """How to run PROG, which was linked in this WAY."""
        return (self.expand(way.runner) if way.runner else []) + [prog]

    def environment(self):
        """What a run leaves is new each time, wherever the tool writes it."""
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        return {"PATH": os.environ["PATH"], "LC_ALL": "C", "LDX_PROFILE_FILE": self.profile,
                "GCOV_PREFIX": self.out, "LLVM_PROFILE_FILE": self.profile + ".raw"}

    def usable(self, ways):
        """The ways that count an empty program here, and [(name, reason)] of the others."""
        good, bad = [], []
        with open(self.empty + ".c", "w") as f:
            f.write("int main(void) { return 0; }\n")
        for w in ways:
            try:
                sh([self.compiler(w), "-O2", "-c"] + w.flags + [self.empty + ".c", "-o", self.empty + ".o"])
                out = self.empty if w.name == "plain" else self.empty + ".counted"
                self.link(w, [self.empty + ".o"], [], out)
                sh(self.command(w, out), env=self.environment())
                good.append(w)
            except Failed as e:
                bad.append((w.name, str(e)))
        return good, bad
