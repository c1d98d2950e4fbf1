#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The linker that a foreign suite runs: each link is made by GNU ld and by ldx, and both are compared.

peers.py writes a script beside each run that starts this program with PEERS_RUN, a JSON file:

    mode      ref: GNU ld alone; none, edges: ldx's output is what the suite gets
    ld        GNU ld
    ldx       ldx, under the name ld
    own       the folder of the script: no linker is to be searched there
    same      the program that prints how two outputs differ; null: outputs are not compared
    results   the file to which one line is added for each link (JSON behind "L" and a tab)
    keep      the folder that gets both outputs of a link where they differ
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 600  # what hangs; a link of these suites takes a second
LINES = 60     # of differences of one link that are kept

# Not links: what is asked of a linker, and output that no program is made of.
QUERIES = {"-v", "-V", "--version", "--help", "--target-help", "--print-sysroot", "--print-output-format"}
PARTIAL = {"-r", "-i", "-Ur", "--relocatable", "--relocateable"}


def expand(args, depth=0):
    """The arguments, with those of response files in place of @FILE."""
    found = []
    for a in args:
        if a.startswith("@") and depth < 8 and os.path.isfile(a[1:]):
            with open(a[1:], errors="surrogateescape") as f:
                found += expand(shlex.split(f.read()), depth + 1)
        else:
            found.append(a)
    return found


def is_output(a):
    """Of a -oNAME: -oformat and -omagic are options of their own."""
    return a.startswith("-o") and not re.match(r"-o(format|magic)\b", a)


def output_of(args):
    """The position of the last -o, how much of it is the option, and the output."""
    found = (None, "", "a.out")
    i = 0
    while i < len(args):
        a = args[i]
        if a in ("-o", "--output", "-output") and i + 1 < len(args):
            found = (i + 1, "", args[i + 1])
            i += 1
        elif m := re.match(r"--?output=", a):
            found = (i, m[0], a[m.end():])
        elif is_output(a):
            found = (i, "-o", a[2:])
        i += 1
    return found


def with_output(args, at, option, path):
    if at is None:
        return args + ["-o", path]
    return args[:at] + [option + path] + args[at + 1:]


def with_map(args, out):
    """-Map=DIR/%, in which the linker writes the name of the output: as with the user's."""
    return [re.sub(r"^(--?Map=[^%]*)%(.*)$", lambda m: m[1] + out + (m[2] or ".map"), a) for a in args]


def environment(run):
    """Without this wrapper where linkers are searched."""
    env = dict(os.environ)
    env["PEERS_WITHIN"] = "1"
    for name in ("COMPILER_PATH", "PATH"):
        if name in env:
            kept = [d for d in env[name].split(":") if os.path.realpath(d or ".") != run["own"]]
            env[name] = ":".join(kept)
    if run["mode"] != "ref":
        env["LDX_INSTRUMENT"] = run["mode"]
        env["LDX_LINKER"] = run["ld"]
        # dejagnu takes the warning for an error: tests are to judge the output
        env["LDX_OPTIONS"] = "--ldx-quiet"
    return env


def call(cmd, env):
    try:
        p = subprocess.run(cmd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=TIMEOUT)
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired as e:
        return 124, e.stdout or b"", (e.stderr or b"") + b"no end after %d s\n" % TIMEOUT


def messages(run, texts, outputs):
    """The lines of what a linker printed, without what names the linker or the output; ldx's own apart."""
    kept, own = [], []
    for line in b"".join(texts).decode(errors="replace").splitlines():
        line = re.sub(r"\x1b\[[0-9;]*[mK]", "", line)
        if line.startswith("ldx: "):
            own.append(line[5:])
            continue
        for o in outputs:
            line = line.replace(o, "OUTPUT")
        line = re.sub(r"/tmp/cc\w{6}\b", "/tmp/ccTEMP", line)
        kept.append(re.sub(r"^\S*\bld(\.bfd)?: ", "ld: ", line))
    return kept, own


def of_one(a, b):
    """What is in the list a more often than in b."""
    rest = list(b)
    return [x for x in a if not (x in rest and not rest.remove(x))]


def compare_outputs(run, ref, out):
    if not os.path.exists(ref) or not os.path.exists(out):
        if os.path.exists(ref) != os.path.exists(out):
            return ["output: only by " + ("GNU ld" if os.path.exists(ref) else "ldx")]
        return []
    with open(ref, "rb") as a, open(out, "rb") as b:
        x, y = a.read(), b.read()
    if x == y:
        return []
    if x[:2] == b"S0":
        x, y = x[x.find(b"\n"):], y[y.find(b"\n"):]  # without the record that names the output
        if x == y:
            return []
    if x[:4] != b"\x7fELF":
        return ["output: another one of a format that is not ELF"]
    if not run["same"]:
        return []
    none = ["--none"] if run["mode"] == "none" else []
    status, text, err = call([run["same"]] + none + [ref, out], dict(os.environ))
    lines = (text + (err if status > 1 else b"")).decode(errors="replace").splitlines()
    if status and not lines:
        lines = ["same: status %d" % status]
    return lines if status else []


def read_log(path):
    """What ldx did not print because of --ldx-quiet."""
    if not os.path.exists(path):
        return []
    with open(path, errors="replace") as f:
        return [re.sub("^ldx: ", "", line.rstrip("\n")) for line in f]


def differences(run, ref, out, first, second, log=""):
    """What is another in ldx's link: its status, what it printed, the facts of its output."""
    names = [os.path.abspath(ref), ref, os.path.abspath(out), out]
    names = sorted({n for n in names if "/" in n}, key=len, reverse=True)
    found = []
    if (first[0] == 0) != (second[0] == 0):
        found.append("status: %d instead of %d" % (second[0], first[0]))
    said, _ = messages(run, first[1:], names)
    says, own = messages(run, second[1:], names)
    found += ["message missing: " + line for line in of_one(said, says)]
    found += ["message added: " + line for line in of_one(says, said)]
    found += ["ldx: " + o.replace(out, "OUTPUT") for o in own + read_log(log)]
    if first[0] == 0 and second[0] == 0 and out != "/dev/null":
        found += compare_outputs(run, ref, out)
    return found[:LINES]


def record(run, line):
    with open(run["results"], "a") as f:
        f.write("L\t" + json.dumps(line) + "\n")


def keep(run, args, ref, out, where):
    """What a link with differences was: for whoever looks for the cause."""
    os.makedirs(where, exist_ok=True)
    with open(where + "/command", "w") as f:
        f.write("cd %s\n%s\n" % (shlex.quote(os.getcwd()), shlex.join([run["ldx"]] + args)))
    for path, name in (ref, "ref"), (out, "out"):
        if os.path.isfile(path) and os.path.getsize(path) < 4 << 20:
            shutil.copy(path, os.path.join(where, name))


def link_both(run, args, words):
    at, option, out = output_of(args)
    if at is None and output_of(words)[0] is not None:
        args = words  # the output is named in a response file
        at, option, out = output_of(args)
    env = environment(run)
    with tempfile.TemporaryDirectory(prefix="peers-") as tmp:
        ref = os.path.join(tmp, os.path.basename(out))
        if out == "/dev/null":
            ref = out
        first = call([run["ld"]] + with_map(with_output(args, at, option, ref), out), env)
        log = os.path.join(tmp, "ldx.log")
        second = call([run["ldx"]] + args, dict(env, LDX_OPTIONS=env["LDX_OPTIONS"] + " --ldx-log=" + log))
        found = differences(run, ref, out, first, second, log)
        where = None
        if found:
            where = tempfile.mkdtemp(prefix="link-", dir=run["keep"])
            keep(run, args, ref, out, where)
    record(run, {"out": out, "args": args, "differences": found, "kept": where})
    sys.stdout.buffer.write(second[1])
    sys.stderr.buffer.write(second[2])
    return second[0] if second[0] >= 0 else 128 - second[0]


def main():
    with open(os.environ["PEERS_RUN"]) as f:
        run = json.load(f)
    args = sys.argv[1:]
    words = expand(args)
    if run["mode"] == "ref" or os.environ.get("PEERS_WITHIN"):
        os.execve(run["ld"], [run["ld"]] + args, environment(dict(run, mode="ref")))
    if QUERIES.intersection(words) or PARTIAL.intersection(words) or not words:
        os.execve(run["ldx"], [run["ldx"]] + args, environment(run))
    return link_both(run, args, words)


if __name__ == "__main__":
    sys.exit(main())
