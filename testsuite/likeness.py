# SPDX-License-Identifier: Apache-2.0
"""Is a null link what lld itself makes?  Dynamic symbols, needed libraries, interpreter, notes."""
import re
import subprocess

# what GNU ld does by default and lld does not, and ldx therefore restores
LLD = """#!/bin/sh
exec ld.lld-19 --undefined-version --fortran-common -z nostart-stop-gc -z separate-code "$@"
"""
TAGS = re.compile(r"NEEDED|SONAME|FLAGS|RUNPATH|RPATH|TEXTREL")


def output(*cmd):
    return subprocess.run(cmd, capture_output=True, text=True, errors="replace").stdout.splitlines()


def facts(path):
    """[(what shows it, lines)], with what may differ between two builds left out."""
    yield "nm -D", sorted(re.sub(r"^([0-9a-f ]{8}){1,2} ", "", x) for x in output("nm", "-D", path))
    # the tag without its number
    yield "readelf -d", [x.split(None, 1)[1] for x in output("readelf", "-dW", path) if TAGS.search(x)]
    yield "readelf -n", [re.sub(r"Build ID: .*", "Build ID", x) for x in output("readelf", "-nW", path)
                         if "Location:" not in x]
    yield "readelf -p .interp", output("readelf", "-p", ".interp", path)


def sections(path):
    return set(re.findall(r"^  \[ *\d+\] (\S+)", "\n".join(output("readelf", "-SW", path)), re.M))


def strings(path, section):
    """The strings of a section, but for what linkers say of themselves."""
    lines = output("readelf", "-p", section, path)
    return {m[1] for m in (re.match(r"  \[ *[0-9a-f]+\]  (.*)", x) for x in lines) if m and "LLD" not in m[1]}


def differences(want, got):
    """The first fact that differs, and how; None when there is none."""
    for (name, a), (_, b) in zip(facts(want), facts(got)):
        if a != b:
            return name, (["- " + x for x in a if x not in b] + ["+ " + x for x in b if x not in a])[:10]
    return None
