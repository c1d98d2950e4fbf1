# SPDX-License-Identifier: Apache-2.0
"""Programs that every tool can measure: compiled from source, once for each set of compiler flags.

The kernels beside this file, and libraries from Debian's source packages under the drivers of
testsuite/programs.  A program is compiled by one command without a makefile, so that all tools
see the same code in the same order.
"""
import glob
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVERS = os.path.join(os.path.dirname(HERE), "programs")
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "corpus")]
import corpus  # noqa: E402

LZMA = "api check common delta lz lzma rangecoder simple"


class Program:
    """files: patterns below the source; not_files: names among them that are no part of it.

    driver: of a package, a file of testsuite/programs that calls it; without: the package has a main function.
    """

    def __init__(self, files, flags="", libs="", package=None, prep=None, not_files="", driver=True):
        self.files, self.flags, self.libs = files.split(), flags, libs.split()
        self.package, self.prep, self.not_files = package, prep, not_files.split()
        self.driver = driver and bool(package)


PROGRAMS = {
    "records": Program("records.c"),
    "small": Program("small.c"),
    "loops": Program("loops.c"),
    "linear": Program("linear.c", libs="-lm"),
    "objects": Program("objects.cc"),
    "bzip2": Program("blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c",
                     package="bzip2", flags="-I."),
    "zlib": Program("*.c", package="zlib", not_files="gz*.c", flags="-I. -D_LARGEFILE64_SOURCE=1"),
    "xz": Program("src/liblzma/*/*.c src/common/tuklib_cpucores.c src/common/tuklib_physmem.c", package="xz-utils",
                  not_files="*_tablegen.c *_small.c", prep="./configure -q --disable-nls --disable-doc",
                  flags="-DHAVE_CONFIG_H -DTUKLIB_SYMBOL_PREFIX=lzma_ -I. -Isrc/common " +
                        " ".join("-Isrc/liblzma/" + d for d in LZMA.split())),
    "zstd": Program("lib/common/*.c lib/compress/*.c lib/decompress/*.c", package="libzstd",
                    flags="-Ilib -DZSTD_DISABLE_ASM"),
    "lua": Program("src/*.c", package="lua5.4", not_files="lua.c luac.c", libs="-lm -ldl",
                   flags="-Isrc -DLUA_USE_LINUX -DLUA_COMPAT_5_3"),
    "sqlite": Program("sqlite3.c", package="sqlite3", prep="./configure -q && make -s sqlite3.c", libs="-lm",
                      flags="-I. -DSQLITE_OMIT_LOAD_EXTENSION"),
    "expat": Program("expat/lib/xml*.c", package="expat", not_files="*_*.c", libs="-lm",
                     flags="-Iexpat/lib -DXML_NS -DXML_DTD -DXML_CONTEXT_BYTES=1024 -DBYTEORDER=1234 "
                           "-DHAVE_GETRANDOM"),
    "lz4": Program("lib/lz4.c lib/lz4hc.c", package="lz4", flags="-Ilib"),
    "brotli": Program("c/common/*.c c/dec/*.c c/enc/*.c", package="brotli", flags="-Ic/include", libs="-lm"),
    "pcre2": Program("src/pcre2_*.c", package="pcre2",
                     prep="cp src/pcre2.h.generic src/pcre2.h; cp src/config.h.generic src/config.h; "
                          "cp src/pcre2_chartables.c.dist src/pcre2_chartables.c",
                     not_files="pcre2_dftables.c pcre2_fuzzsupport.c pcre2_jit_match.c pcre2_jit_misc.c pcre2_jit_test.c "
                               "pcre2_printint.c pcre2_ucptables.c",
                     flags="-Isrc -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC -DSUPPORT_UNICODE -DHAVE_MEMMOVE"),
    # its hash tables and the pivots of its sort depend on the time, and on where the heap is
    "duktape": Program("src/duktape.c", package="duktape", flags="-Isrc", libs="-lm",
                       prep="sed -i 's/->hash_seed = .*res;/->hash_seed = 0;/; s/->rnd_state\\[0\\] = .*time.*/->rnd_state[0] = 1;/; "
                            "s/->rnd_state\\[1\\] ^=.*/->rnd_state[1] ^= 0;/' src/duktape.c"),
    "mbedtls": Program("library/aes.c library/bignum.c library/sha256.c library/sha512.c library/constant_time.c "
                       "library/platform_util.c library/platform.c library/padlock.c library/aesni.c library/md.c "
                       "library/md5.c library/sha1.c library/ripemd160.c",
                       package="mbedtls", flags="-Iinclude -Ilibrary"),
    "cjson": Program("cJSON.c", package="cjson", flags="-I.", libs="-lm"),
    "zopfli": Program("src/zopfli/*.c", package="zopfli", not_files="zopfli_bin.c", flags="-Isrc/zopfli", libs="-lm"),
    "pugixml": Program("src/pugixml.cpp", package="pugixml", flags="-Isrc"),
}
THREADS = Program("threads.c")


def fetch(p, cache):
    """The directory of the source; SystemExit when the package cannot be had."""
    if not p.package:
        return os.path.join(HERE, "kernels")
    src = os.path.join(cache, p.package)
    if os.path.exists(src + ".ok"):
        return src
    os.makedirs(cache, exist_ok=True)
    subprocess.run(["rm", "-rf", src], check=True)
    corpus.unpack(cache, corpus.download(p.package, cache), src)
    if p.prep:
        with open(src + ".log", "w") as log:
            subprocess.run(p.prep, shell=True, cwd=src, stdout=log, stderr=log, check=True)
    open(src + ".ok", "w").close()
    return src


def files(name, p, src):
    unwanted = {f for pattern in p.not_files for f in glob.glob(os.path.join(src, "**", pattern), recursive=True)}
    found = [f for pattern in p.files for f in sorted(glob.glob(os.path.join(src, pattern))) if f not in unwanted]
    return found + driver(name, p)


def driver(name, p):
    return glob.glob(os.path.join(DRIVERS, name + ".c*")) if p.driver else []


def is_cxx(p):
    return any(f.endswith((".cc", ".cpp")) for f in p.files)


def compile_objects(name, p, src, compiler, flags, out):
    """Compile the program with COMPILER and FLAGS; the objects, which are kept in OUT for the next time."""
    cmd = [compiler, "-O2", "-w", "-c"] + flags + shlex.split(p.flags)
    # relative to the source, but run where the objects shall be
    cmd = ["-I" + os.path.join(src, a[2:]) if a.startswith("-I") else a for a in cmd]
    own = [cmd + [f, "-o", "driver.o"] for f in driver(name, p)] # a library may have a file of that name
    cmd += [f for f in files(name, p, src) if f not in driver(name, p)]
    stamp, line = os.path.join(out, "command"), shlex.join(cmd)
    newest = max(map(os.path.getmtime, files(name, p, src)))
    if not os.path.exists(stamp) or open(stamp).read() != line or os.path.getmtime(stamp) < newest:
        subprocess.run(["rm", "-rf", out], check=True)
        os.makedirs(out)
        for c in [cmd] + own:
            subprocess.run(c, cwd=out, check=True)
        with open(stamp, "w") as f:
            f.write(line)
    return sorted(glob.glob(out + "/*.o"))
