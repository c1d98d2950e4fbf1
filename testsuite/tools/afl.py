#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool afl: testsuite/tools/afl.py STAGE WORK [--bench]

A small AFL++ runs a program whose library was compiled without it: its map must tell runs apart that execute other code,
and be the same for the same input.  afl-fuzz, if there is one, must find the planted crash.  --bench prints executions
per second, beside afl-clang-fast."""
import ctypes
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

LIBRARY = """
#include <stdlib.h>
int parse(const unsigned char *p, unsigned long n)
{
	int depth = 0;
	for (unsigned long i = 0; i < n; i++)
		depth += p[i] == '(' ? 1 : p[i] == ')' ? -1 : 0;
	if (n > 2 && p[0] == 'b' && p[1] == 'u')
		if (p[2] == 'g')
			abort();
	return depth;
}
"""
MAIN = """
#include <stdio.h>
int parse(const unsigned char *p, unsigned long n);
int main(void)
{
	unsigned char b[256];
	return parse(b, fread(b, 1, sizeof b, stdin)) != 0;
}
"""
SIZE = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p


class Server:
    """The fork server of a program, as afl-fuzz starts it."""
    def __init__(self, prog, work):
        self.id = libc.shmget(0, SIZE, 0o1600)
        self.map = (ctypes.c_uint8 * SIZE).from_address(libc.shmat(self.id, None, 0))
        libc.shmctl(self.id, 0, None)
        self.input = open(work + "/input", "w+b")
        control, status = os.pipe(), os.pipe()
        self.control, self.status = control[1], status[0]

        def ends():
            os.dup2(control[0], 198)
            os.dup2(status[1], 199)
        self.process = subprocess.Popen([prog], stdin=self.input, env=dict(os.environ, __AFL_SHM_ID=str(self.id)),
                                        preexec_fn=ends, close_fds=False, cwd=work)
        os.close(control[0])
        os.close(status[1])
        hello, = struct.unpack("I", os.read(self.status, 4))
        assert hello & 0xc0000001 == 0xc0000001, hex(hello)
        self.size = ((hello & 0xfffffe) >> 1) + 1
        assert 64 <= self.size <= SIZE, hex(hello)

    def run(self, data):
        ctypes.memset(self.map, 0, SIZE)
        self.input.seek(0)
        self.input.truncate()
        self.input.write(data)
        self.input.flush()
        self.input.seek(0)
        os.write(self.control, struct.pack("I", 0))
        pid, status = struct.unpack("II", os.read(self.status, 4) + os.read(self.status, 4))
        assert pid > 0
        return status, bytes(self.map[:self.size])

    def end(self):
        os.close(self.control)
        return self.process.wait()


def check(prog, work):
    s = Server(prog, work)
    seen = {}
    for data, status in ((b"", 0), (b"(", 256), (b"((", 256), (b"()", 0), (b"bu", 0), (b"bug", signal.SIGABRT)) * 2:
        got, marks = s.run(data)
        assert got & 0xff7f == status, (data, got)
        assert seen.setdefault(data, marks) == marks, data
    assert len(set(seen.values())) == len(seen), "runs cannot be told apart"
    assert s.end() == 0


def fuzz(prog, work, seconds, until_crash):
    env = dict(os.environ, AFL_SKIP_CPUFREQ="1", AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1", AFL_NO_UI="1",
               AFL_NO_AFFINITY="1", **({"AFL_BENCH_UNTIL_CRASH": "1"} if until_crash else {}))
    shutil.rmtree(work + "/out", ignore_errors=True)
    os.makedirs(work + "/in", exist_ok=True)
    with open(work + "/in/a", "w") as f:
        f.write("bu(x)" if until_crash else "(x)")
    r = subprocess.run(["afl-fuzz", "-V", str(seconds), "-s", "1", "-i", "in", "-o", "out", "--", prog], cwd=work, env=env,
                       capture_output=True, text=True)
    try:
        with open(work + "/out/default/fuzzer_stats") as f:
            return dict(re.findall(r"^(\w+) *: (.*)$", f.read(), re.M))
    except OSError:
        raise SystemExit(r.stdout)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name, text in (("lib.c", LIBRARY), ("main.c", MAIN)):
        with open(work + "/" + name, "w") as f:
            f.write(text)
    progs = {}
    for name, flags in (("dynamic", []), ("static", ["-static"])):
        progs[name] = work + "/" + name
        said = subprocess.run(["gcc", "-O2", "lib.c", "main.c", "-o", name, "-B" + stage + "/lib/ldx/bin",
                               "-Wl,--instrument=none", "-Wl,--ldx-tool=afl", "-Wl,--ldx-strict", "-Wl,--ldx-verify",
                               "-Wl,--ldx-stats"] + flags, cwd=work, check=True, capture_output=True, text=True).stderr
        asked, refused = re.search(r"tool afl: requests (\d+), .*refused (\d+)", said).groups()
        assert int(asked) > 10 and (flags or refused == "0"), said
        check(progs[name], work)
    if not shutil.which("afl-fuzz"):
        print("afl: the fork server and the map are right; there is no afl-fuzz")
        return
    if "--bench" in sys.argv:
        subprocess.run(["afl-clang-fast", "-O2", "lib.c", "main.c", "-o", "clang"], cwd=work, check=True, capture_output=True)
        for name in ("dynamic", "clang", "static") * 2:
            print("%-8s %s executions per second" % (name, fuzz(work + "/" + name, work, 10, False)["execs_per_sec"]))
        return
    found = fuzz(progs["dynamic"], work, 20, True)
    assert found["saved_crashes"] != "0", found
    print("afl: afl-fuzz found the crash after %s executions" % found["execs_done"])


if __name__ == "__main__":
    main()
