#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bash, zsh and fish offer for ldxprof and ldx-run: each of a word's ends, and nothing else.

  completion.py BINDIR     a directory with ldx and ldxprof.  Exit status: 77 a shell is missing"""
import os
import re
import shutil
import subprocess
import sys

BIN = os.path.abspath(sys.argv[1])
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "completion")
ENV = {**os.environ, "PATH": BIN + ":" + os.environ["PATH"]}


def out(*args):
    return subprocess.run(args, env=ENV, check=True, capture_output=True, text=True, cwd=FILES, stdin=subprocess.DEVNULL).stdout


BASH = r"""
. ./ldxprof.bash
compopt() { echo "$@"; }
COMP_LINE=$1 COMP_POINT=${#1}
_$2
printf '%s\n' "${COMPREPLY[@]}"
"""
ZSH = r"""
_describe() { print -rl -- ${(P)2%%:*} "${@:3}"; }
_files() { print files; }
_normal() { print -r -- normal $words; }
compset() { print compset "$@"; }
line=$1 service=$2
words=(${(z)line})
[[ $line == *' ' ]] && words+=('')
CURRENT=${#words}
. ./_ldxprof
"""


def bash(line):
    words = out("bash", "-c", BASH, "bash", line, re.sub("-", "_", line.split()[0])).split("\n")
    return [w for w in words if w and w != "-o nospace"]


def zsh(line):
    return [w for w in out("zsh", "-f", "-c", ZSH, "zsh", line, line.split()[0]).split("\n") if w and w != "-S"]


def fish(line):
    text = out("fish", "-N", "-c", ". ./%s.fish; complete -C '%s'" % (line.split()[0], line))
    return [w.split("\t")[0] for w in text.splitlines()]


def fail(*what):
    print(*what)
    return 1


def helped(verb):
    """The options that a verb's help tells of."""
    text = out("ldxprof", "help", verb)
    return {"--" + name for name in re.findall(r"^  (?:-\w, )?--([a-z-]+=?)", text, re.M)}


def main():
    bad = 0
    for shell in "bash", "zsh", "fish":
        if not shutil.which(shell):
            print("no " + shell)
            return 77
    verbs = re.findall(r"^  (\w+) ", out("ldxprof", "help"), re.M)
    options = out("ldx", "--ldx-print=options").split()
    cases = [("ldxprof ", verbs), ("ldxprof help me", ["merge"]), ("ldxprof cov", ["coverage"]),
             ("ldxprof report --form", ["--format="]), ("ldxprof report --format=j", ["--format=json"]),
             ("ldx-run --instrument=e", ["--instrument=edges"]),
             ("ldx-run --ldx-p", [o for o in options if o.startswith("--ldx-p")])]
    cases += [("ldxprof %s --" % v, sorted(helped(v))) for v in verbs if v != "help"]
    for line, expected in cases:
        cur = line.rpartition(" ")[2]
        for shell in bash, zsh, fish:
            if shell is zsh and "-run" in line:
                expected = options  # _describe chooses
            found = shell(line)
            if shell is bash and "=" in cur:
                found = [cur.partition("=")[0] + "=" + w for w in found]
            if sorted(found) != sorted(expected):
                bad |= fail("%s: %r: %s, expected %s" % (shell.__name__, line, found, expected))
            expected = [o for o in expected if o.startswith(cur)]
    # where a file may stand the shell offers files
    if bash("ldxprof report pr") or "files" not in zsh("ldxprof report pr") or "files" not in zsh("ldxprof merge --output=x"):
        bad |= fail("files are not left to the shell")
    if "ldxprof.bash" not in fish("ldxprof report ldxprof.b"):
        bad |= fail("fish offers no files")
    # behind ldx-run and its options stands a command
    if "ldxprof" not in bash("ldx-run --ldx-strict ldxpr") or zsh("ldx-run --ldx-strict ldxprof re") != ["normal ldxprof re"]:
        bad |= fail("no command behind ldx-run")
    if "ldxprof" not in fish("ldx-run ldxpr"):
        bad |= fail("fish: no command behind ldx-run")
    # options of ldx: those that its help tells of
    told = set(re.findall(r"^  (--(?:ldx-[a-z-]+|instrument))", out("ldx", "--help"), re.M))
    if {o.partition("=")[0] for o in options} != told:
        bad |= fail("ldx --help and its options differ:", {o.partition("=")[0] for o in options} ^ told)
    return bad


if __name__ == "__main__":
    sys.exit(main())
