# SPDX-License-Identifier: Apache-2.0
"""Is a link through ldx what the replaced linker makes?  All facts, as testsuite/same/same tells them; and what a file
no longer has."""
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SAME = os.environ.get("LDX_SAME") or os.path.join(os.path.dirname(HERE), "build", "testsuite", "same", "same")

# Where LLD is the replaced linker.
LLD = "ld.lld-19"


def differences(want, got, none=True):
    """The facts in which a file differs from that of the plain link, a line each; none: nothing counts in it."""
    if not os.access(SAME, os.X_OK):
        raise ValueError("%s is missing: configure with -Dtests=true" % SAME)
    r = subprocess.run([SAME] + ["--none"] * none + [want, got], capture_output=True, text=True, errors="replace")
    if r.returncode not in (0, 1):
        raise ValueError("%s: %s" % (SAME, r.stderr))
    return r.stdout.splitlines()


def output(*cmd):
    return subprocess.run(cmd, capture_output=True, text=True, errors="replace").stdout.splitlines()


def sections(path):
    return set(re.findall(r"^  \[ *\d+\] (\S+)", "\n".join(output("readelf", "-SW", path)), re.M))


def strings(path, section):
    """The strings of a section, but for what linkers say of themselves."""
    lines = output("readelf", "-p", section, path)
    return {m[1] for m in (re.match(r"  \[ *[0-9a-f]+\]  (.*)", x) for x in lines) if m and "LLD" not in m[1]}
