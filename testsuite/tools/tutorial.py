#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool of ldx-tool(7): testsuite/tools/tutorial.py STAGE WORK.  Its files are those of the page, its commands are
run as they stand there, and what it shows is what the program's functions were called with.  Then the tool that
`ldxtool new' writes."""
import collections
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = """
__attribute__((noipa)) void f(unsigned long x) { (void)x; }
int main(void) { for (unsigned long i = 0; i < 40; i++) f(20 + i * i % 44); return 0; }
"""


def check_names(stage):
    """What the headers for the link declare, ldx defines."""
    r = subprocess.run(["nm", "-D", "--defined-only", stage + "/bin/ldx"], capture_output=True, text=True, check=True)
    have = set(re.findall(r" (ldx_\w+)$", r.stdout, re.M))
    for header in "program.h", "tool.h":
        with open(os.path.join(HERE, "..", "..", "include", "ldx", header)) as f:
            want = set(re.findall(r"^LDX_API .*?\b(ldx_\w+)\(", f.read(), re.M))
        assert want and want <= have, (header, want - have)


def check_new(stage, work):
    """What `ldxtool new' writes can be built and shown, and `info' knows it."""
    def run(*words):
        return subprocess.run(words, cwd=work, capture_output=True, text=True, check=True).stdout
    tool = stage + "/bin/ldxtool"
    run(tool, "new", "mine")
    assert subprocess.run([tool, "new", "mine"], cwd=work, capture_output=True).returncode == 1
    run(tool, "build", "mine", "--cpu=x86_64")
    info = run(tool, "info", "./mine.ldxtool")
    for line in "tool        mine", "  option    only=FUNCTION: ", "routines    for x86_64\n", "report      its own\n":
        assert line in info, info
    assert re.search(r"^opmix +\S.* ", run(tool, "list"), re.M) and "its own" in run(tool, "info", "opmix")
    run("gcc", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-tool=./mine.ldxtool:only=f", "prog.c", "-o", "prog2")
    run("./prog2")
    assert re.search(r"^prog2 +40$", run(stage + "/bin/ldxprof", "tool", "./mine.ldxtool", "prog2"), re.M)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    check_names(stage)
    with open(os.path.join(HERE, "..", "..", "man", "ldx-tool.7")) as page:
        text = page.read().replace("\\-", "-")
    asks, routines, commands = re.findall(r"^\.nf\n(.*?)^\.fi$", text, re.S | re.M)[:3]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name, part in (("args.c", asks), ("args-routines.c", routines), ("prog.c", PROGRAM)):
        with open(os.path.join(work, name), "w") as f:
            f.write(part)
    shell = "set -e\n" + "".join(re.findall(r"^\$ (.*\n)", commands, re.M))
    r = subprocess.run(["sh", "-c", shell], cwd=work, capture_output=True, text=True, timeout=120,
                       env=dict(os.environ, PATH=stage + "/bin:" + os.environ["PATH"]))
    assert not r.returncode, shell + r.stdout + r.stderr
    want = collections.Counter(20 + i * i % 44 for i in range(40))
    seen = {int(word): int(n) for word, n in re.findall(r"^seen +- +(\d+) +(\d+)$", r.stdout, re.M)}
    # the functions of the start files have arguments, too: 0, 1 and addresses
    assert {w: n for w, n in seen.items() if 20 <= w < 64} == want, (want, r.stdout)
    check_new(stage, work)


if __name__ == "__main__":
    main()
