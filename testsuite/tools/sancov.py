#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool sancov: testsuite/tools/sancov.py STAGE WORK.  libFuzzer finds what is planted behind comparisons, in code that was
not compiled for it: beside clang's instrumentation, and not without what is compared."""
import os
import re
import shutil
import subprocess
import sys

TARGET = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noipa)) static int kind(const uint8_t *p)
{
	uint32_t word;
	memcpy(&word, p, 4);
	return word == 0x1badf00d || word == 0x7a6b5c4d;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t word;
	if (size < 16 || !kind(data))
		return 0;
	memcpy(&word, data + 8, 8);
	if (word == 0xfeedfacecafebeef)
		abort();
	return 0;
}
"""


def fuzz(work, prog, runs):
    """After how many runs it has found a crash; None: it has not."""
    r = subprocess.run(["./" + prog, "-runs=%d" % runs, "-seed=3", "-max_len=32", "-artifact_prefix=./", "-len_control=0"],
                       cwd=work, capture_output=True, text=True, errors="replace", timeout=100)
    found = re.findall(r"^#(\d+)\s", r.stderr, re.M)
    assert "INFO: Loaded 1 modules" in r.stderr and "INFO: Loaded 1 PC tables" in r.stderr, r.stderr
    counters = re.search(r"\((\d+) inline 8-bit counters\)", r.stderr).group(1)
    assert re.search(r"\((\d+) PCs\)", r.stderr).group(1) == counters, r.stderr
    crashed = "deadly signal" in r.stderr
    assert crashed == (r.returncode != 0), r.stderr
    print("%s: %s counters, %s" % (prog, counters, "crash behind #" + found[-1] if crashed else "no crash in %d runs" % runs))
    return int(found[-1]) if crashed else None


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(work + "/target.c", "w") as f:
        f.write(TARGET)
    clang = shutil.which("clang-19") or shutil.which("clang")
    try:
        subprocess.run([clang, "-O1", "-fsanitize=fuzzer", "target.c", "-o", "clang"], cwd=work, check=True, capture_output=True)
    except (TypeError, subprocess.CalledProcessError):
        return 77
    subprocess.run(["gcc", "-O2", "-g", "-c", "target.c"], cwd=work, check=True)
    for prog, options in (("sancov", ""), ("blind", ":compare=no")):
        r = subprocess.run([clang, "-fsanitize=fuzzer", "target.o", "-o", prog, "-B" + stage + "/lib/ldx/bin",
                            "-Wl,--ldx-tool=sancov" + options, "-Wl,--instrument=none", "-Wl,--ldx-strict", "-Wl,--ldx-verify"],
                           cwd=work, capture_output=True, text=True)
        assert not r.returncode, r.stderr
    assert fuzz(work, "clang", 2000000) and fuzz(work, "sancov", 2000000) and not fuzz(work, "blind", 300000)
    r = subprocess.run(["gcc", "-shared", "target.o", "-o", "none", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-tool=sancov"], cwd=work,
                       capture_output=True, text=True)
    assert r.returncode and "there is no libFuzzer in the link" in r.stderr, r.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
